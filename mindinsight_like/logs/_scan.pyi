from typing import Final

from mindinsight_like.logs.reference.crc import chunk_checksums as chunk_checksums
from mindinsight_like.logs.reference.crc import crc32c as crc32c
from mindinsight_like.logs.reference.crc import masked_crc32c as masked_crc32c
from mindinsight_like.logs.reference.scan import Scanner as Scanner

MAX_RECORD: Final[int]
