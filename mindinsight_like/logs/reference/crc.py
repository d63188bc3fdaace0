"""CRC-32C (Castagnoli) in Python: of whole buffers, of chunks, and masked as TFRecord files store it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # training scripts write records without numpy
    import numpy as np
    from numpy.typing import NDArray

_POLYNOMIAL = 0x82F63B78
_LANE = 256  # bytes that long input is cut into, to be looked through at the same time
_LONG = 16 * _LANE


def _table() -> tuple[int, ...]:
    entries = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (_POLYNOMIAL if crc & 1 else 0)
        entries.append(crc)
    return tuple(entries)


_TABLE = _table()


def masked_crc32c(data: bytes | bytearray | memoryview) -> int:
    """CRC-32C of the bytes, rotated and shifted as TFRecord files store it."""
    crc = _short(memoryview(data).cast("B"), 0)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def crc32c(data: bytes | bytearray | memoryview, value: int = 0) -> int:
    """CRC-32C of the bytes; `value` is that of the bytes before them."""
    view = memoryview(data).cast("B")
    while len(view) >= _LONG:
        size = 1 << len(view).bit_length() - 1
        value = _product(_shift(size), value) ^ int(_of_rows(view[:size], size)[0])
        view = view[size:]
    return _short(view, value)


def crc32c_of_zeros(count: int, value: int = 0) -> int:
    """The same for that many zeros, in no time however many they are; it has no native twin."""
    shift = _shift(count)
    return _product(shift, value) ^ _product(shift, 0xFFFFFFFF) ^ 0xFFFFFFFF


def chunk_checksums(data: bytes | bytearray | memoryview, chunk_bytes: int) -> NDArray[np.uint32]:
    """The CRC-32C of each started chunk of the bytes; `chunk_bytes` is a multiple of eight."""
    import numpy as np

    if chunk_bytes <= 0 or chunk_bytes % 8:
        raise ValueError(f"a chunk of {chunk_bytes} bytes is not a multiple of eight")
    view = memoryview(data).cast("B")
    is_power = chunk_bytes >= _LANE and chunk_bytes & (chunk_bytes - 1) == 0
    whole = len(view) // chunk_bytes * chunk_bytes if is_power else 0
    checksums = [int(each) for each in _of_rows(view[:whole], chunk_bytes)] if whole else []
    checksums += [crc32c(view[at : at + chunk_bytes]) for at in range(whole, len(view), chunk_bytes)]
    return np.array(checksums, np.uint32)


def _short(view: memoryview, value: int) -> int:
    crc, table = value ^ 0xFFFFFFFF, _TABLE
    for byte in view:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def _of_rows(view: memoryview, row_bytes: int) -> NDArray[np.uint32]:
    """The checksums of rows that are a power of two long; their lanes are joined in pairs."""
    import numpy as np

    table = np.array(_TABLE, np.uint32)
    lanes = np.frombuffer(view, np.uint8).reshape(-1, _LANE)
    crcs = np.full(len(lanes), 0xFFFFFFFF, np.uint32)
    for column in np.ascontiguousarray(lanes.T):
        crcs = table[(crcs ^ column) & 0xFF] ^ crcs >> 8
    crcs, joined = ~crcs, _LANE
    while joined < row_bytes:
        left, right, shift = crcs[0::2], crcs[1::2], _shift(joined)
        product = np.zeros_like(left)
        for bit in range(32):
            if shift & 0x80000000 >> bit:
                product ^= left
            left = left >> np.uint32(1) ^ (left & np.uint32(1)) * np.uint32(_POLYNOMIAL)
        crcs, joined = product ^ right, joined * 2
    return crcs


def _product(a: int, b: int) -> int:
    """The product of two polynomials modulo that of the checksum; the highest bit is x to the power of 0."""
    product = 0
    for bit in range(32):
        if a & 0x80000000 >> bit:
            product ^= b
        b = b >> 1 ^ (_POLYNOMIAL if b & 1 else 0)
    return product


def _shift(count: int) -> int:
    """What `count` more bytes multiply a checksum by."""
    shift, power = 0x80000000, 0x00800000
    while count:
        if count & 1:
            shift = _product(power, shift)
        power = _product(power, power)
        count >>= 1
    return shift
