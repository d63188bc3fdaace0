"""CRC-32C of buffers and of their chunks: native, or the Python reference."""

from typing import TYPE_CHECKING

from mindinsight_like.native import implementation

if TYPE_CHECKING:
    from mindinsight_like.logs.reference.crc import chunk_checksums, crc32c
else:
    _module = implementation("mindinsight_like.logs._scan", "mindinsight_like.logs.reference.crc")
    chunk_checksums = _module.chunk_checksums
    crc32c = _module.crc32c

__all__ = ["chunk_checksums", "crc32c", "crc32c_of_zeros"]


def crc32c_of_zeros(count: int, value: int = 0) -> int:
    """CRC-32C of `count` zero bytes behind those whose checksum is `value`."""
    from mindinsight_like.logs.reference.crc import crc32c_of_zeros as of_zeros  # few files have holes

    return of_zeros(count, value)
