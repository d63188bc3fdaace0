"""Access to the files of a recording, confined to the log folder."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.logs.paths import open_log

from .pieces import Pieces, Unpacked

Progress = Callable[[float], None]  # gets the share of the work that is done, 0 to 1

_BOM: Final = b"\xef\xbb\xbf"  # Windows' editors begin texts with it
_BUFFER_BYTES: Final = 2**16
MOST_BYTES: Final = 2**28  # of a file that is read as a whole; traces are streamed instead


class Unreadable(ValueError):
    """A recording that cannot be used at all; the message is one sentence for the user."""


@dataclass(frozen=True)
class Source:
    """Where one recording of one rank lies."""

    reader: str  # a module of `readers`
    session: str  # the same for the ranks that were recorded together
    rank: int  # NOTHING where names do not tell; the reader may learn it
    main: str  # the file, or the folder, that a person would name
    files: tuple[str, ...]  # all that belong to it, below the base dir


class Files:
    """Opens files below the base dir by the names that the index has for them."""

    def __init__(self, base_dirs: str) -> None:
        """`base_dirs` is the text of BaseDirs, or simply a folder."""
        dirs = BaseDirs.from_text(base_dirs)
        self._dirs = BaseDirs(os.path.realpath(dirs.first), dirs.others)
        self.unpack_errors: dict[str, str] = {}  # why files could not be unpacked to their end, by name

    def handle(self, name: str) -> int:
        """A descriptor of the very bytes; raises Unreadable, OSError."""
        handle = open_log(self._dirs.path_of(name))
        if self._dirs.holds(name, handle):
            return handle
        os.close(handle)
        raise Unreadable(f"{name} is outside the base directory")

    def open(self, name: str) -> BinaryIO:
        """The content, unpacked where it is gzip's, as far as it can be; raises Unreadable, OSError."""
        handle = self.handle(name)
        if not is_packed(handle):
            return os.fdopen(handle, "rb")
        raw = Unpacked(Pieces(handle), lambda unpack_error: self.unpack_errors.update({name: unpack_error}))
        return io.BufferedReader(raw, _BUFFER_BYTES)

    def read(self, name: str, most: int = MOST_BYTES) -> bytes:
        """The whole content of a small file; raises Unreadable, OSError."""
        with self.open(name) as file:
            content = file.read(most + 1)
        if len(content) > most:
            raise Unreadable(f"{name} is larger than {most >> 20} MB, the limit for this kind of file")
        return content

    def text(self, name: str, most: int = MOST_BYTES) -> io.StringIO:
        """The whole content of a small text file."""
        return io.StringIO(self.read(name, most).removeprefix(_BOM).decode("utf-8", "replace"), newline=None)

    def json(self, name: str, most: int = MOST_BYTES) -> Any:
        """What a small JSON file says; raises ValueError where it is none."""
        import orjson  # here: trainings that analyse recordings of their own do without

        return orjson.loads(self.read(name, most).removeprefix(_BOM))


def is_packed(handle: int) -> bool:
    """Whether the file is gzip's, whatever its name says."""
    return os.pread(handle, 2, 0) == b"\x1f\x8b"


def base_name(name: str) -> str:
    """The name of a file without its folders and the ending that says that it is packed."""
    return name.rpartition("/")[2].removesuffix(".gz")


def endings(names: Sequence[str], *suffixes: str) -> list[str]:
    """The names that end so, gzipped or not."""
    return [name for name in names if name.removesuffix(".gz").endswith(suffixes)]
