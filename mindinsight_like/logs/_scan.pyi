from typing import Final

from .crc_twin import masked_crc32c as masked_crc32c
from .scan_twin import Scanner as Scanner

MAX_RECORD: Final[int]
