"""Device utilisation of operators: achieved FLOP/s over the peak of their data type.

Only where the time on the device, the data type of the inputs and the peak of the device are known.
"""

from __future__ import annotations

import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns.columns import Columns, Groups
from mindinsight_like.profiler.traces.trace import NOTHING, Floats, Trace

from . import flops
from .device_peaks import peaks_of

_TERA: Final = 1e12
# As torch writes them.
_TYPES: Final = {
    "c10::Half": "float16",
    "c10::BFloat16": "bfloat16",
    "float": "float32",
    "double": "float64",
    "c10::Float8_e4m3fn": "float8",
    "c10::Float8_e5m2": "float8",
}


def peaks_of_groups(columns: Columns, groups: Groups, operations: Floats) -> tuple[Floats, list[str]]:
    """The peak in FLOP/s for each group whose operations are known, NaN where it is not; and its name."""
    texts, device = columns.trace.texts, peaks_of(_device(columns.trace))
    peaks, names = np.full(len(operations), np.nan), [""] * len(operations)
    for at in np.flatnonzero(~np.isnan(operations) & (groups.dtype != NOTHING)).tolist() if device else ():
        kind = _data_type(texts[groups.dtype[at]], flops.shapes_of(texts[groups.shape[at]]))
        if kind in device:
            peaks[at], names[at] = device[kind] * _TERA, f"{device[kind]:g} TFLOP/s {kind}"
    return peaks, names


def share(operations: NDArray[Any], milliseconds: NDArray[Any], peaks: NDArray[Any]) -> NDArray[Any]:
    """Of the peak, from 0 to 1; NaN where it is not known.

    More than the peak cannot be: such work was done in another type than that of its inputs, as float32 in TF32.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        reached: NDArray[Any] = operations / (milliseconds / 1e3 * peaks)
    reached[~(reached <= 1)] = np.nan
    return reached


def device_time(is_on_device: NDArray[Any], own: NDArray[Any], launched: NDArray[Any] | None) -> NDArray[Any]:
    """Of what an operator launched; its own where it is on the device itself. NaN for work of the host."""
    time = np.where(is_on_device, own, np.nan)
    return time if launched is None else np.where(launched > 0, launched, time)


def _device(trace: Trace) -> str:
    """Its name; none where the recording tells of different ones, as nothing says which of them an operator ran on."""
    listed = trace.facts.get("deviceProperties")
    names = {str(each.get("name", "")) for each in listed if isinstance(each, dict)} if isinstance(listed, list) else ()
    return trace.device if len(names) < 2 else ""


def _data_type(text: str, shapes: list[tuple[int, ...]]) -> str:
    """The one type of all inputs that have a shape; empty where they differ or it is not known."""
    try:
        data_types = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(data_types, list) or len(data_types) != len(shapes):
        return ""
    kinds = {_TYPES.get(str(word), "") for word, shape in zip(data_types, shapes, strict=True) if shape}
    return kinds.pop() if len(kinds) == 1 else ""
