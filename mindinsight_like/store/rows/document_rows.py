"""Rows of documents: values of trackers' logs that the index itself keeps, as no place in a log holds them as such.

The documents of a file are one stream, in which blobs of its segments have their offsets. Each row is a sealed piece
of it; large ones are files beside the segments. A document never lies in two pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mindinsight_like.store.database.database import Connection, Row
from mindinsight_like.store.segments.sealing import BrokenSeal, seal, unsealed

INLINE_BYTES = 128 * 1024  # smaller pieces are kept in the database
_JOINED_BYTES = 64 * 1024  # smaller ones are joined with what comes after them

# start: of the piece in the stream; data: the sealed piece when it is small, else NULL and it lies in segments/<id>.
TABLE = """CREATE TABLE documents (
    id BIGINT PRIMARY KEY, file BIGINT NOT NULL, start BIGINT NOT NULL, bytes BIGINT NOT NULL,
    sealed_bytes BIGINT NOT NULL, data {bytes})"""
INDEX = "CREATE INDEX documents_by_file ON documents (file, start)"


def add(
    connection: Connection,
    file: int,
    documents: bytes,
    end: int,
    number: int,
    write: Callable[[int, Sequence[Any]], None],
) -> bool:
    """Store a piece of the documents of a file, up to `end` of its stream; `write` makes a file of that number.

    False when what it had to be joined with is damaged: the log has to be read again.
    """
    start, is_sound = end - len(documents), True
    rows = connection.execute(
        "SELECT id, start, data FROM documents WHERE file = ? AND data IS NOT NULL AND bytes < ? AND start + bytes = ?",
        (file, _JOINED_BYTES, start),
    )
    for piece, begin, data in rows:
        try:
            documents, start = unsealed(bytes(data), piece) + documents, begin
        except BrokenSeal:
            is_sound = False
            continue
        connection.execute("DELETE FROM documents WHERE id = ?", (piece,))
    buffers = seal([documents], number)
    size = sum(map(len, buffers))
    row: Row = (number, file, start, len(documents), size, b"".join(buffers) if size < INLINE_BYTES else None)
    if size >= INLINE_BYTES:
        write(number, buffers)
    connection.execute(
        "INSERT INTO documents (id, file, start, bytes, sealed_bytes, data) VALUES (?, ?, ?, ?, ?, ?)", row
    )
    return is_sound
