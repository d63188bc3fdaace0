"""Convert Unix times to a column of UTC timestamps, the one time type of the Python API's tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

_LARGEST_SECONDS = 2**63 // 10**9 - 1  # what nanoseconds since 1970 can hold: the year 2262


def time_column(seconds: Sequence[float | None] | NDArray[Any]) -> pd.DatetimeIndex:
    """The times as `datetime64[ns, UTC]`, NaT where there is none or it lies outside 1677 to 2262.

    Every float of our days comes back from it unchanged: they are 238 ns apart.
    """
    import pandas as pd

    times_s = np.asarray(seconds, np.float64)
    is_time = np.abs(times_s) <= _LARGEST_SECONDS  # false for NaN as well
    whole = np.floor(np.where(is_time, times_s, 0.0))
    fraction = np.where(is_time, times_s - whole, 0.0)
    nanoseconds = whole.astype(np.int64) * 10**9 + np.rint(fraction * 1e9).astype(np.int64)
    times = nanoseconds.view("datetime64[ns]")
    times[~is_time] = np.datetime64("NaT")
    return pd.DatetimeIndex(times, tz="UTC")
