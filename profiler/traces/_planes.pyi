import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.reference.planes import Line

def scan_line(content: bytes, begin: int, end: int, stat_ids: NDArray[np.int64]) -> Line: ...
