"""SQLite VFS that adds a checksum to every page of a database and its write-ahead log, through ctypes.

The last eight bytes of a page, which SQLite leaves to such layers, are the CRC-32C of the others and four letters. The
checksum begins with the number of the page (in the log: of the frame), so that a page in a wrong place fails, too. What
SQLite itself sees there is zeros: they are put in after reading and taken out before writing, so that its own
checksums of the log, which are only looked at after a crash, stay true.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_double, c_int, c_int64, c_void_p
from typing import Any

from mindinsight_like.store.database.page_format import CHECK, CONTENT, PAGE, with_check

_LOG_HEADER = 32
_FRAME_HEADER = 24
_FRAME = _FRAME_HEADER + PAGE
_OK, _CORRUPT, _BAD_WRITE = 0, 11, 10 | 3 << 8
_MAIN_DATABASE, _LOG = 0x100, 0x80000
_BATCH_ATOMIC, _PARTIAL_READS = 0x4000, 0x8000

_ON_FILE: dict[str, Any] = {
    "close": CFUNCTYPE(c_int, c_void_p),
    "read": CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64),
    "write": CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64),
    "truncate": CFUNCTYPE(c_int, c_void_p, c_int64),
    "sync": CFUNCTYPE(c_int, c_void_p, c_int),
    "file_size": CFUNCTYPE(c_int, c_void_p, c_void_p),
    "lock": CFUNCTYPE(c_int, c_void_p, c_int),
    "unlock": CFUNCTYPE(c_int, c_void_p, c_int),
    "check_reserved_lock": CFUNCTYPE(c_int, c_void_p, c_void_p),
    "file_control": CFUNCTYPE(c_int, c_void_p, c_int, c_void_p),
    "sector_size": CFUNCTYPE(c_int, c_void_p),
    "device_characteristics": CFUNCTYPE(c_int, c_void_p),
    "shm_map": CFUNCTYPE(c_int, c_void_p, c_int, c_int, c_int, c_void_p),
    "shm_lock": CFUNCTYPE(c_int, c_void_p, c_int, c_int, c_int),
    "shm_barrier": CFUNCTYPE(None, c_void_p),
    "shm_unmap": CFUNCTYPE(c_int, c_void_p, c_int),
}
_ON_VFS: dict[str, Any] = {
    "open": CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p),
    "delete": CFUNCTYPE(c_int, c_void_p, c_void_p, c_int),
    "access": CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_void_p),
    "full_path": CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_void_p),
    "dl_open": CFUNCTYPE(c_void_p, c_void_p, c_void_p),
    "dl_error": CFUNCTYPE(None, c_void_p, c_int, c_void_p),
    "dl_symbol": CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_void_p),
    "dl_close": CFUNCTYPE(None, c_void_p, c_void_p),
    "randomness": CFUNCTYPE(c_int, c_void_p, c_int, c_void_p),
    "sleep": CFUNCTYPE(c_int, c_void_p, c_int),
    "current_time": CFUNCTYPE(c_int, c_void_p, POINTER(c_double)),
    "last_error": CFUNCTYPE(c_int, c_void_p, c_int, c_void_p),
    "current_time_int64": CFUNCTYPE(c_int, c_void_p, POINTER(c_int64)),
}


class _Methods(ctypes.Structure):
    _fields_ = [("version", c_int), *_ON_FILE.items()]


class _File(ctypes.Structure):
    _fields_ = [("methods", POINTER(_Methods))]


class _CheckedFile(ctypes.Structure):
    """The real file follows it."""

    _fields_ = [("methods", POINTER(_Methods)), ("unused", c_void_p)]


class _Vfs(ctypes.Structure):
    _fields_ = [
        ("version", c_int),
        ("file_bytes", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        *_ON_VFS.items(),
    ]


_alive: list[object] = []  # what SQLite holds pointers to


def register(find: int, add: int, name: str) -> bool:
    """Add the VFS to the SQLite library that has these functions; whether it could be done."""
    below: int | None = CFUNCTYPE(c_void_p, c_char_p)(find)(None)
    if below is None or _Vfs.from_address(below).version < 2:
        return False
    base = _Vfs.from_address(below)
    methods = {kind: _methods(read, write) for kind, read, write in _KINDS}

    def open_file(_: int, path: int, file: int, flags: int, out_flags: int) -> int:
        kind = flags & (_MAIN_DATABASE | _LOG)
        if not kind:
            return int(base.open(below, path, file, flags, out_flags))
        checked = _CheckedFile.from_address(file)
        checked.methods = None
        result = int(base.open(below, path, _real(file), flags, out_flags))
        if _File.from_address(_real(file)).methods:
            checked.methods = ctypes.pointer(methods[kind])
        return result

    def forward(method: str) -> Any:
        called = getattr(base, method)
        return lambda _, *arguments: called(below, *arguments)

    calls = {method: kind(forward(method)) for method, kind in _ON_VFS.items() if method != "open"}
    vfs = _Vfs(
        version=2,
        file_bytes=ctypes.sizeof(_CheckedFile) + base.file_bytes,
        longest_path=base.longest_path,
        name=name.encode(),
        data=below,
        open=_ON_VFS["open"](open_file),
        **calls,
    )
    _alive.extend((vfs, methods))
    return int(CFUNCTYPE(c_int, c_void_p, c_int)(add)(ctypes.addressof(vfs), 0)) == _OK


def is_intact(page: bytes, number: int) -> bool:
    return page == with_check(page, number)


def _real(file: int) -> int:
    return file + ctypes.sizeof(_CheckedFile)


def _call(file: int, method: str, *arguments: Any) -> int:
    real = _real(file)
    result = getattr(_File.from_address(real).methods.contents, method)(real, *arguments)
    return 0 if result is None else int(result)


def _read_page(file: int, offset: int, number: int) -> bytes | None:
    """What SQLite sees of a page; None when it is damaged."""
    buffer = ctypes.create_string_buffer(PAGE)
    for _ in range(2):  # read again before it is called damaged
        if _call(file, "read", buffer, PAGE, offset) == _OK and is_intact(buffer.raw, number):
            return buffer.raw[:CONTENT] + bytes(CHECK)
    return None


def _write_page(file: int, data: int, offset: int, number: int) -> int:
    return _call(file, "write", with_check(ctypes.string_at(data, PAGE), number), PAGE, offset)


def _read_database(file: int, out: int, amount: int, offset: int) -> int:
    while amount > 0:  # parts of pages: the header before anything else is known, or a long value
        number, begin = divmod(offset, PAGE)
        size = min(PAGE - begin, amount)
        page = _read_page(file, number * PAGE, number)
        if page is None:
            return _CORRUPT
        ctypes.memmove(out, page[begin : begin + size], size)
        out, offset, amount = out + size, offset + size, amount - size
    return _OK


def _write_database(file: int, data: int, amount: int, offset: int) -> int:
    if amount != PAGE or offset % PAGE:
        return _BAD_WRITE
    return _write_page(file, data, offset, offset // PAGE)


def _read_log(file: int, out: int, amount: int, offset: int) -> int:
    number, inside = divmod(offset - _LOG_HEADER, _FRAME)
    if number >= 0 and inside == _FRAME_HEADER and amount == PAGE:
        page = _read_page(file, offset, number)
        if page is not None:
            ctypes.memmove(out, page, PAGE)
        return _CORRUPT if page is None else _OK
    if number >= 0 and inside + amount > _FRAME_HEADER and (inside or amount != _FRAME):
        return _CORRUPT
    result = _call(file, "read", out, amount, offset)
    is_frame = result == _OK and number >= 0 and amount == _FRAME
    # Frames are read as a whole to find the end of the log after a crash. One that is not intact stays as it is:
    # SQLite's own checksum, which was made without ours, ends the log there.
    if is_frame and is_intact(ctypes.string_at(out + _FRAME_HEADER, PAGE), number):
        ctypes.memset(out + _FRAME - CHECK, 0, CHECK)
    return result


def _write_log(file: int, data: int, amount: int, offset: int) -> int:
    number, inside = divmod(offset - _LOG_HEADER, _FRAME)
    if number >= 0 and inside == _FRAME_HEADER and amount == PAGE:
        return _write_page(file, data, offset, number)
    if number >= 0 and inside + amount > _FRAME_HEADER:
        return _BAD_WRITE
    return _call(file, "write", data, amount, offset)


_KINDS = ((_MAIN_DATABASE, _read_database, _write_database), (_LOG, _read_log, _write_log))


def _methods(read: Any, write: Any) -> _Methods:
    def forward(method: str) -> Any:
        return lambda file, *arguments: _call(file, method, *arguments)

    own = {
        "read": read,
        "write": write,
        "device_characteristics": lambda file: (
            _call(file, "device_characteristics") & ~(_BATCH_ATOMIC | _PARTIAL_READS)
        ),
    }
    # Version 2: pages are never mapped past the checks.
    calls = {method: kind(own.get(method) or forward(method)) for method, kind in _ON_FILE.items()}
    return _Methods(version=2, **calls)
