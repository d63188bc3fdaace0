"""Log files below the base dir: their names as text, opening them, and noticing others in their place.

Names that are not UTF-8 reach Python with a lone surrogate for each strange byte, which no database takes; they trade
places with characters of a private use area. Should a name have such characters itself, their bytes become strange.
"""

import hashlib
import os

_PRIVATE = {0xF780 + byte: 0xDC80 + byte for byte in range(128)}
_SURROGATES: dict[int, int | str] = {surrogate: private for private, surrogate in _PRIVATE.items()}
_SURROGATES |= {private: "".join(chr(0xF700 + byte) for byte in chr(private).encode()) for private in _PRIVATE}
_MARK_BYTES = 64


def to_text(path: str) -> str:
    """A path's name as text that can be stored and shown."""
    return path if path.isascii() else path.translate(_SURROGATES)


def to_path(text: str) -> str:
    """A path that leads to the same file as the one `to_text` was given."""
    return text if text.isascii() else text.translate(_PRIVATE)


def open_log(path: str) -> int:
    """A descriptor to read from; raises OSError."""
    # Not blocking: a pipe under the name of a log must not hold up the rest.
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)


def lies_inside(base_dir: str, handle: int) -> bool:
    """Whether what was opened lies inside the base dir, wherever links have led since it was found."""
    try:
        real = os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115 - for every file that is read
    except OSError:
        return True  # a system without /proc: the look at links when the file was found has to do
    return real.startswith(base_dir.rstrip("/") + "/")


def mark(handle: int, position: int) -> bytes:
    """A fingerprint of the first and the last bytes before a position; other bytes there mean another file."""
    if position == 0:
        return b""
    head = os.pread(handle, min(position, _MARK_BYTES), 0)
    tail = os.pread(handle, min(position, _MARK_BYTES), max(0, position - _MARK_BYTES))
    return hashlib.blake2b(head + tail, digest_size=16).digest()
