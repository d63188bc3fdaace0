"""The masked CRC-32C that guards TFRecord files, in plain Python."""


def _table() -> tuple[int, ...]:
    entries = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        entries.append(crc)
    return tuple(entries)


_TABLE = _table()


def masked_crc32c(data: bytes | bytearray | memoryview) -> int:
    """CRC-32C (Castagnoli) of the bytes, rotated and shifted as TFRecord files store it."""
    crc = 0xFFFFFFFF
    table = _TABLE
    for byte in memoryview(data).cast("B"):
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
