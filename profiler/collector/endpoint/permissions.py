"""File permissions below the base dir: inherited from the parent folder.

The service's own files are private. Runs are not: whoever may read the base dir reads what collectors send as well, as
though the training had written it there.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

_FILE_BITS = 0o664  # never executable, and never writable for everybody
_FOLDER_BITS = 0o2775


def share_file(descriptor: int, folder: Path) -> None:
    """Give a new file the group of its folder, and the permissions that the folder has."""
    _share(descriptor, folder, _FILE_BITS)


def make_folders(folder: Path) -> None:
    """Make a folder and those above it that are missing, each with group and permissions of the one it is in.

    Raises OSError, FileExistsError and NotADirectoryError among them.
    """
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        if folder.parent == folder:
            break
        folder = folder.parent
    for each in reversed(missing):
        try:
            each.mkdir()
        except FileExistsError:
            if not each.is_dir():
                raise
            continue  # a training made it this moment
        descriptor = os.open(each, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            _share(descriptor, each.parent, _FOLDER_BITS)
        finally:
            os.close(descriptor)


def _share(descriptor: int, folder: Path, bits: int) -> None:
    if _has_default_acl(folder):  # the kernel has given the new file what the list says
        return
    above = folder.stat()
    mode = above.st_mode & bits
    # As the owner always may in a folder that is written to.
    mode |= 0o700 & bits
    try:
        if os.fstat(descriptor).st_gid != above.st_gid:
            os.fchown(descriptor, -1, above.st_gid)
    except OSError:  # not a member of that group: ours gets what everybody gets
        mode = mode & ~(stat.S_IRWXG | stat.S_ISGID) | (mode & stat.S_IRWXO) << 3
    with contextlib.suppress(OSError):  # a file system without permissions
        os.fchmod(descriptor, mode)


def _has_default_acl(folder: Path) -> bool:
    try:
        return bool(os.getxattr(folder, "system.posix_acl_default"))
    except OSError:
        return False
