"""Frame payloads as TFRecord files do: length, its checksum, payload, its checksum."""

import struct
from typing import TYPE_CHECKING

from mindinsight_like.native import implementation

if TYPE_CHECKING:
    from mindinsight_like.logs.reference.crc import masked_crc32c
else:
    _module = implementation("mindinsight_like.logs._scan", "mindinsight_like.logs.reference.crc")
    masked_crc32c = _module.masked_crc32c

__all__ = ["frame", "masked_crc32c"]


def frame(payload: bytes) -> bytes:
    """The payload as one record, ready to be appended to a file."""
    length = struct.pack("<Q", len(payload))
    head = length + struct.pack("<I", masked_crc32c(length))
    return head + payload + struct.pack("<I", masked_crc32c(payload))
