"""Page checksums of SQLite files: the VFS that verifies them, and empty databases with room for them.

SQLite has no checksums of its own, and a flipped bit in a page is served as truth. A VFS, SQLite's word for the layer
below its pages, verifies each page that is read from the file or its write-ahead log (see `reference.pages`),
whatever asks for it: rows, indexes, lists of free pages.
"""

from __future__ import annotations

import ctypes
import logging
import os
import struct
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from mindinsight_like.native import implementation
from mindinsight_like.store.database.page_format import CHECK, PAGE, with_check

if TYPE_CHECKING:
    from mindinsight_like.store.reference.pages import register
else:
    _module = implementation("mindinsight_like.store.database._pages", "mindinsight_like.store.reference.pages")
    register = _module.register

log = logging.getLogger(__name__)

_MAGIC = b"SQLite format 3\0"
_NAME = "mindinsight_checked"
_lock = threading.Lock()


def address_of(path: Path) -> str:
    """The URI that opens a database whose pages have checksums; without them where they cannot be had."""
    vfs = f"?vfs={_NAME}" if have_checksums() else ""
    return f"file:{quote(os.fspath(path))}{vfs}"


def have_checksums() -> bool:
    """Whether the pages of databases that this process opens have checksums; the same for as long as it lives."""
    with _lock:
        return _is_registered()


@cache
def _is_registered() -> bool:
    import _sqlite3

    try:
        # The library that the module is linked with, or the module itself where that is a part of it.
        find, add = _functions(getattr(_sqlite3, "__file__", None))
    except (OSError, AttributeError) as error:
        log.warning("the pages of the index have no checksums: cannot access this Python's SQLite: %s", error)
        return False
    if _others_have(find):
        # TensorFlow has a SQLite of its own, which all modules loaded after it use in parts: calling either crashes.
        log.warning("the pages of the index have no checksums: another library has replaced Python's SQLite")
        return False
    return register(find, add, _NAME)


def _functions(file: str | None) -> tuple[int, int]:
    """Where SQLite's functions for VFS are, as seen by a library, or by the whole process without any."""
    library = ctypes.CDLL(file)
    find, add = (
        ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
        for name in ("sqlite3_vfs_find", "sqlite3_vfs_register")
    )
    return find, add


def _others_have(find: int) -> bool:
    """Whether the process finds another SQLite than this function is of."""
    try:
        return _functions(None)[0] != find
    except AttributeError:  # it has none but that of Python's module
        return False


def make_empty(path: Path) -> None:
    """Make a database without tables whose pages have room for checksums; SQLite itself cannot be told to."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(_first_page())
    part.replace(path)


def _first_page() -> bytes:
    """The header of a file and an empty list of tables, as the file format of SQLite has them."""
    page = bytearray(PAGE)
    page[:16] = _MAGIC
    struct.pack_into(">HBBBBBBII", page, 16, PAGE, 2, 2, CHECK, 64, 32, 32, 1, 1)
    struct.pack_into(">I", page, 44, 4)  # the format of tables
    struct.pack_into(">I", page, 56, 1)  # texts are UTF-8
    struct.pack_into(">II", page, 92, 1, 3_040_000)  # which change the size above is true for, and a version
    struct.pack_into(">BHHHB", page, 100, 13, 0, 0, PAGE - CHECK, 0)
    return with_check(bytes(page), 0)
