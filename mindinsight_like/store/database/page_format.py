"""Layout of a SQLite page with a checksum, which takes the last eight bytes of the page."""

from __future__ import annotations

from mindinsight_like.logs.checksums import crc32c

PAGE = 32768
CHECK = 8  # bytes of a page that are not SQLite's
CONTENT = PAGE - CHECK
LETTERS = b"MIck"


def with_check(content: bytes, number: int) -> bytes:
    """A page as it is stored: `content` is what SQLite sees of it, in or without its last eight bytes."""
    content = content[:CONTENT]
    return content + crc32c(content, number).to_bytes(4, "little") + LETTERS
