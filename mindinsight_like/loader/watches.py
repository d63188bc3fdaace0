"""inotify watches on folders (Linux): report changed folders without polling them.

Only folders of local file systems are watched: what another host does on a network file system is not announced, and
FUSE leaves it to its programs. Whoever cannot watch a folder has to look at it now and then.
"""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

log = logging.getLogger(__name__)

_EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of the name
_READ_BYTES = 256 * 1024

_MODIFY, _ATTRIB, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x4, 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _UNMOUNT, _OVERFLOW, _IGNORED = 0x400, 0x800, 0x2000, 0x4000, 0x8000
_ONLY_FOLDERS, _NO_LINKS, _IS_FOLDER = 0x1000000, 0x2000000, 0x40000000
_WATCHED = _MODIFY | _ATTRIB | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
_LISTED_AGAIN = _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _UNMOUNT

# f_type of statfs(2): ext2 to ext4, XFS, Btrfs, tmpfs, ramfs, F2FS, ZFS, bcachefs, JFS, ReiserFS, overlayfs.
_LOCAL = frozenset(
    (
        0xEF53, 0x58465342, 0x9123683E, 0x01021994, 0x858458F6, 0xF2F52010, 0x2FC12FC1, 0xCA451A4E, 0x3153464A,
        0x52654973, 0x794C7630,
    )
)  # fmt: skip


@dataclass
class Announced:
    """What has happened in watched folders."""

    folders: set[str] = field(default_factory=set)  # whose entries are others by now
    files: set[tuple[str, str]] = field(default_factory=set)  # folder and name of files that were written to
    is_incomplete: bool = False  # more has happened than this, or folders were moved: everything must be looked at


class FolderWatch:
    """Watches by the path of their folder; one that cannot be watched is simply not."""

    def __init__(self, most: int) -> None:
        """At most `most` folders are watched; raises OSError where there is no inotify."""
        self._libc = ctypes.CDLL(None, use_errno=True)
        try:
            self._handle = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        except AttributeError as error:
            raise OSError(errno.ENOSYS, "this system has no inotify") from error
        if self._handle < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        self._most = most
        self._numbers: dict[str, int] = {}  # watches by folder
        self._folders: dict[int, str] = {}
        self._is_local: dict[int, bool] = {}  # by the number of the file system
        self._has_told = False

    def close(self) -> None:
        os.close(self._handle)

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, folder: str) -> bool:
        return folder in self._numbers

    def add(self, folder: str, device: int) -> bool:
        """Watch a folder of a file system, by now or already; whether that is possible."""
        if not self._is_on_local_disk(folder, device):
            return False
        if folder not in self._numbers and len(self._numbers) >= self._most:
            self._tell(f"more than {self._most} folders")
            return False
        number = self._libc.inotify_add_watch(self._handle, os.fsencode(folder), _WATCHED | _ONLY_FOLDERS | _NO_LINKS)
        if number < 0:
            if ctypes.get_errno() == errno.ENOSPC:
                self._tell("the system's limit fs.inotify.max_user_watches is reached")
            self.discard(folder)
            return False
        if self._numbers.get(folder) != number:
            # The folder is another one than before, or was watched under another path: it has been moved.
            self.discard(folder)
            if before := self._folders.get(number):
                del self._numbers[before]
            self._numbers[folder], self._folders[number] = number, folder
        return True

    def discard(self, folder: str) -> None:
        number = self._numbers.pop(folder, None)
        if number is not None:
            del self._folders[number]
            self._libc.inotify_rm_watch(self._handle, number)  # fails when the folder is gone

    def read(self) -> Announced:
        """What was announced since the last call."""
        announced = Announced()
        for number, mask, name in self._events():
            if mask & _OVERFLOW or mask & _MOVE_SELF or (mask & _IS_FOLDER and mask & (_MOVED_FROM | _MOVED_TO)):
                announced.is_incomplete = True
            folder = self._folders.get(number)
            if folder is None:
                continue
            if mask & _IGNORED:  # the system has taken the watch away
                del self._folders[number], self._numbers[folder]
                announced.folders.add(folder)
            elif mask & _LISTED_AGAIN or not name:
                announced.folders.add(folder)
            elif not mask & _IS_FOLDER:
                announced.files.add((folder, name))
        return announced

    def _events(self) -> Iterator[tuple[int, int, str]]:
        while True:
            try:
                content = os.read(self._handle, _READ_BYTES)
            except BlockingIOError:
                return
            place = 0
            while place < len(content):
                number, mask, _, size = _EVENT.unpack_from(content, place)
                place += _EVENT.size + size
                yield number, mask, os.fsdecode(content[place - size : place].rstrip(b"\0"))

    def _is_on_local_disk(self, folder: str, device: int) -> bool:
        is_local = self._is_local.get(device)
        if is_local is None:
            status = ctypes.create_string_buffer(1024)
            has_status = self._libc.statfs(os.fsencode(folder), status) == 0
            # The kind of file system comes first; on some machines it is a signed number.
            kind = ctypes.c_ulong.from_buffer(status).value & 0xFFFFFFFF
            is_local = self._is_local[device] = has_status and kind in _LOCAL
            if not is_local:
                log.info("%s is not on a local disk: polling it for changes", folder)
        return is_local

    def _tell(self, reason: str) -> None:
        if not self._has_told:
            log.info("%d directories are watched, the others are polled: %s", len(self._numbers), reason)
            self._has_told = True
