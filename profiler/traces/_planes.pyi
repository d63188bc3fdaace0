import numpy as np
from numpy.typing import NDArray

from .planes_twin import Line

def scan_line(content: bytes, begin: int, end: int, wanted: NDArray[np.int64]) -> Line: ...
