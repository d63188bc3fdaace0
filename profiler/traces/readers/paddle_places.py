"""Paddle's places (devices) and their memory counters."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.trace import NOT_GIVEN, Longs, Memory

_PLACE: Final = re.compile(r"^Place\((\w+)(?::(\d+))?\)$")


def device_name(place: str) -> str:
    """ "Place(gpu:1)" is "GPU 1"."""
    match = _PLACE.match(place)
    if match is None:
        return place or "CPU"
    return match[1].upper() if match[2] is None else f"{match[1].upper()} {match[2]}"


def memory_of(device: str, time: Longs, allocated: Longs, reserved: Longs, is_chunk: NDArray[np.bool_]) -> Memory:
    """The totals of a device; `is_chunk` tells records about chunks, which blocks are cut from, from those of blocks.

    Paddle notes what is reserved with records of chunks, and repeats it in those of blocks. Its usual allocator of host
    memory has no chunks: what stands there is of the first record of the process, whatever came after.
    """
    is_of_host = device == "CPU" or device.endswith("PINNED")
    if is_of_host and not is_chunk.any():
        reserved = np.full(len(time), NOT_GIVEN, np.int64)
    return Memory(device, time, allocated, reserved)
