"""Memory settings of the processes that answer.

glibc hands every block of more than 128 KiB back to the system when it is freed, and the end of a heap as soon as that
much of it is free; so a timeline window of 250 kB took 230 page faults, a third of its time. Python's collector goes
through all modules again and again, which live as long as the process, and several times through one long answer.
"""

from __future__ import annotations

import ctypes
import gc

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt(3)
_HEAP_RESERVE = 16 * 2**20  # bytes that stay with a thread between answers, at most
_LARGE_BLOCK = 4 * 2**20  # bytes; larger ones go back to the system at once
_COLLECT_EVERY = 10_000  # new objects, instead of 700


def tune_for_answering() -> None:
    """Keep freed memory for the next answer, and collect cycles more rarely; what is forked inherits it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_EVERY)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # missing in other C libraries
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGE_BLOCK)
        mallopt(_TRIM_THRESHOLD, _HEAP_RESERVE)
