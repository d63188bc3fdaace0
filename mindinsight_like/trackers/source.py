"""Source of bytes: the only way in which readers of trackers get at files.

Names are paths below the base dir with slashes, as in the index; nobody outside this module opens a file or makes a
path of a name. What stands behind a source may be a folder or an object store.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.logs.paths import inode, open_log, to_text

_OF_DATABASES = ("-wal", "-journal")


class FileVersion(NamedTuple):
    """What is another one after a file was written to or replaced."""

    size: int
    modified_ns: int
    changed_ns: int  # nobody can set it
    number: int  # of the file in its file system


class Entry(NamedTuple):
    """A name in a folder."""

    name: str  # without the folder
    is_folder: bool


class Source(Protocol):
    """Lists folders, tells versions, and reads at offsets. All methods but `version` raise OSError."""

    def list(self, folder: str) -> Sequence[Entry]:
        """What a folder holds, sorted by name; links are left out."""

    def version(self, name: str) -> FileVersion | None:
        """The version of a file; None when it is not there, no regular file or cannot be looked at."""

    def read(self, name: str, offset: int, count: int) -> bytes:
        """The bytes at an offset, fewer only where the file ends."""

    def local_path(self, name: str) -> str | None:
        """A path for libraries that take nothing else, such as SQLite; None when the source has none."""


class LocalSource:
    """The files below base dirs. One file is kept open, as readers ask for one piece after the other."""

    def __init__(self, dirs: BaseDirs) -> None:
        self._dirs = dirs
        self._open: tuple[str, int] | None = None

    def close(self) -> None:
        if self._open is not None:
            os.close(self._open[1])
            self._open = None

    def list(self, folder: str) -> Sequence[Entry]:
        entries = []
        with os.scandir(self._dirs.path_of(folder)) as scan:
            for each in scan:
                is_folder = each.is_dir(follow_symlinks=False)
                if is_folder or each.is_file(follow_symlinks=False):
                    entries.append(Entry(to_text(each.name), is_folder))
        return sorted(entries)

    def version(self, name: str) -> FileVersion | None:
        try:
            status = os.lstat(self._dirs.path_of(name))
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        # SQLite that runs as root sets the owner of these files whenever it opens them, if only to read.
        changed_ns = status.st_mtime_ns if name.endswith(_OF_DATABASES) else status.st_ctime_ns
        return FileVersion(status.st_size, status.st_mtime_ns, changed_ns, inode(status))

    def read(self, name: str, offset: int, count: int) -> bytes:
        handle = self._handle(name)
        data = os.pread(handle, count, offset)
        while 0 < len(data) < count and (more := os.pread(handle, count - len(data), offset + len(data))):
            data += more  # the system gives at most two gigabytes at a time, and may give less
        return data

    def local_path(self, name: str) -> str | None:
        handle = self._handle(name)  # which makes sure that it lies inside
        return self._dirs.path_of(name) if os.fstat(handle).st_size >= 0 else None

    def _handle(self, name: str) -> int:
        if self._open is not None and self._open[0] == name:
            return self._open[1]
        self.close()
        handle = open_log(self._dirs.path_of(name))
        if not self._dirs.holds(name, handle) or not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise PermissionError(f"{name} is not a file inside the base directory")
        self._open = name, handle
        return handle
