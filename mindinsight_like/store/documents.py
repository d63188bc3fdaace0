"""Documents that the index keeps of trackers' logs: read by their place in the stream of their file, verified."""

from __future__ import annotations

import mmap

from mindinsight_like.errors import BlobGone
from mindinsight_like.store.database.connections import IndexConnection
from mindinsight_like.store.segments.sealing import BrokenSeal, Seal
from mindinsight_like.store.segments.segments import map_file


class DocumentAccess:
    """Reads documents of the files of an index."""

    def __init__(self, connection: IndexConnection) -> None:
        self._connection = connection

    def read(self, file: int, offset: int, length: int) -> bytes:
        """The bytes at a place in the documents of a file; raises BlobGone.

        What is damaged is reported to the loader, which reads the log again.
        """
        for is_last in (False, True):  # a piece may be joined with another, or dropped, since its row was read
            rows = self._connection.query(
                "SELECT id, start, data FROM documents WHERE file = ? AND start <= ? AND start + bytes >= ?",
                (file, offset, offset + length),
            )
            for number, start, data in rows:
                begin, end = offset - start, offset - start + length
                try:
                    piece = self._piece(number, data)
                    Seal(piece, number).verify(begin, end)
                    return piece[begin:end]
                except (OSError, ValueError, BrokenSeal) as error:
                    if is_last:
                        self._connection.repairs.request_file(file)
                        raise BlobGone("this part of the index is damaged and is read again from the log") from error
        raise BlobGone("the log file has been read again since; ask again")

    def _piece(self, number: int, data: bytes | None) -> bytes | mmap.mmap:
        return bytes(data) if data is not None else map_file(self._connection.location.segments / str(number))
