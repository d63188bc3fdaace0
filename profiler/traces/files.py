"""The files of a recording, opened so that nothing outside the folder of logs is ever read."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final, cast

from mindinsight_like.logs.paths import lies_inside, open_log, to_path

Progress = Callable[[float], None]  # gets the share of the work that is done, 0 to 1

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

    def __init__(self, base_dir: str) -> None:
        self.base_dir = os.path.realpath(base_dir)

    def handle(self, name: str) -> int:
        """A descriptor of the very bytes; raises Unreadable, OSError."""
        handle = open_log(os.path.join(self.base_dir, to_path(name)))  # noqa: PTH118 - names may not be UTF-8
        if lies_inside(self.base_dir, handle):
            return handle
        os.close(handle)
        raise Unreadable(f"{name} leads out of the folder of logs")

    def open(self, name: str) -> BinaryIO:
        """The content, unpacked where it is gzip's; raises Unreadable, OSError."""
        raw = os.fdopen(self.handle(name), "rb")
        if raw.peek(2)[:2] != b"\x1f\x8b":
            return raw
        return cast(BinaryIO, gzip.GzipFile(fileobj=raw, mode="rb"))

    def read(self, name: str, most: int = MOST_BYTES) -> bytes:
        """The whole content of a small file; raises Unreadable, OSError."""
        with self.open(name) as file:
            content = file.read(most + 1)
        if len(content) > most:
            raise Unreadable(f"{name} is larger than {most >> 20} MB, which this kind of file never is")
        return content

    def text(self, name: str, most: int = MOST_BYTES) -> io.StringIO:
        """The whole content of a small text file."""
        return io.StringIO(self.read(name, most).decode("utf-8", "replace"), newline=None)


def endings(names: Sequence[str], *wanted: str) -> list[str]:
    """The names that end so, gzipped or not."""
    return [name for name in names if name.removesuffix(".gz").endswith(wanted)]
