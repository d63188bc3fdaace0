from typing import Final

from mindinsight_like.profiler.training.reference.slices import Rows as Rows
from mindinsight_like.profiler.training.reference.slices import Slice as Slice
from mindinsight_like.profiler.training.reference.slices import Switch as Switch
from mindinsight_like.profiler.training.reference.slices import Target as Target

CAPACITY: Final[int]
