"""Frame payloads as TFRecord files do: length, its checksum, payload, its checksum."""

import os
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .crc_twin import masked_crc32c
else:
    try:
        if os.environ.get("MINDINSIGHT_TWIN") == "1":
            raise ImportError("the Python twin was asked for")
        from ._scan import masked_crc32c
    except ImportError:
        from .crc_twin import masked_crc32c

__all__ = ["frame", "masked_crc32c"]


def frame(payload: bytes) -> bytes:
    """The payload as one record, ready to be appended to a file."""
    length = struct.pack("<Q", len(payload))
    head = length + struct.pack("<I", masked_crc32c(length))
    return head + payload + struct.pack("<I", masked_crc32c(payload))
