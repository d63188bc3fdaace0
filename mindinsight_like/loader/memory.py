"""Memory settings of a loader process.

By default glibc returns the columns of every batch to the system once they are stored, and the next batch faults the
same pages in again: 220,000 faults for 20 million points, half of the CPU time of loading them. Python's collector goes
through all rows of a batch several times and frees nothing, since rows hold no cycles.
"""

from __future__ import annotations

import ctypes
import gc
from typing import Any

_TRIM_THRESHOLD, _MMAP_MAX = -1, -4  # of mallopt(3)
_HEAP_RESERVE = 64 * 1024 * 1024  # bytes that stay with the process until `release`
_COLLECT_EVERY = 50_000  # new objects, instead of 700


def tune_for_loading() -> None:
    """Keep freed memory for the next batch, and collect cycles rarely; for programs, not for a user's process."""
    gc.freeze()  # modules live as long as the process
    gc.set_threshold(_COLLECT_EVERY)
    mallopt = _libc_function("mallopt")
    if mallopt is not None:
        mallopt(_MMAP_MAX, 0)  # large blocks come from the heap, too
        mallopt(_TRIM_THRESHOLD, _HEAP_RESERVE)


def release() -> None:
    """Return freed memory to the system, once there is nothing more to load."""
    malloc_trim = _libc_function("malloc_trim")
    if malloc_trim is not None:
        malloc_trim(0)


def _libc_function(name: str) -> Any | None:
    """A function of glibc, None on systems with another C library."""
    return getattr(ctypes.CDLL(None), name, None)
