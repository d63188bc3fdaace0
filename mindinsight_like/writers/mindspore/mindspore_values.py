"""Check values at the call that gives them, and encode them later, by the rules of MindSpore's summary files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mindinsight_like.writers.encoding import mindspore
from mindinsight_like.writers.encoding.values import owned, to_array, to_number

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]

__all__ = ["PLUGINS", "checked", "encoded"]


def checked(plugin: str, tag: str, value: Any) -> object:
    """The value in a form that `encoded` takes and that no one else can change; raises TypeError and ValueError.

    scalar: one number. tensor, histogram: any array. image: NCHW, CHW, HWC or HW with 1 or 3 channels. landscape: see
    `mindspore.loss_landscape`.
    """
    try:
        return _CHECKS[plugin](value)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{plugin} {tag!r}: {error}") from error


def encoded(plugin: str, tag: str, value: Any) -> bytes:
    """The message Summary.Value of a checked value."""
    return _ENCODERS[plugin](tag, value)


def _array(value: Any) -> Array:
    array = to_array(value)
    if array.dtype.kind == "c":
        raise TypeError(f"expected real numbers, not {array.dtype}")
    return owned(array, value)


def _pictures(value: Any) -> Array:
    """Pictures as NCHW."""
    array = _array(value)
    shape = array.shape
    if array.ndim == 2:
        array = array[None, None]
    elif array.ndim == 3 and shape[0] in (1, 3):
        array = array[None]
    elif array.ndim == 3 and shape[2] in (1, 3):
        array = array.transpose(2, 0, 1)[None]
    if array.ndim != 4 or array.shape[1] not in (1, 3) or not array.size:
        raise ValueError(f"expected NCHW, CHW, HWC or HW with 1 or 3 channels, not the shape {shape}")
    return array


def _image(tag: str, pictures: Array) -> bytes:
    from mindinsight_like.writers.encoding.images import grid, png

    pixels = _stretched(grid(pictures.transpose(0, 2, 3, 1)))
    if pixels.shape[2] == 1:
        pixels = pixels.repeat(3, axis=2)
    height, width, channels = pixels.shape
    return mindspore.image(tag, png(pixels), width=width, height=height, channels=channels)


def _stretched(picture: Array) -> npt.NDArray[np.uint8]:
    """Values from 0 to 255, by MindSpore's rule: 0 to 1 is multiplied by 255, anything else (bytes, too) is stretched.

    What is not finite counts as 0.
    """
    import numpy as np

    values = np.nan_to_num(picture.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    least, greatest = float(values.min()), float(values.max())
    if least >= 0 and greatest <= 1:
        shift, factor = 0.0, 255.0
    else:
        shift, factor = least, 255 / (greatest - least + 1)
    # In single precision, as there: the last bit decides where a value is cut off.
    return ((values.astype(np.float32) - np.float32(shift)) * np.float32(factor)).astype(np.uint8)


def _histogram(tag: str, values: Array) -> bytes:
    from mindinsight_like.writers.encoding.histograms import mindspore_histogram

    counted = mindspore_histogram(values)
    has_buckets = counted.finite_count > 0
    return mindspore.histogram(
        tag,
        counted.edges.tolist() if has_buckets else (),
        counted.counts.tolist() if has_buckets else (),
        total=counted.total,
        least=counted.minimum,
        greatest=counted.maximum,
        not_finite=(counted.nan_count, counted.positive_infinities, counted.negative_infinities),
    )


_CHECKS: dict[str, Callable[[Any], object]] = {
    "scalar": to_number,
    "image": _pictures,
    "tensor": _array,
    "histogram": _array,
    "landscape": mindspore.loss_landscape,
}
_ENCODERS: dict[str, Callable[[str, Any], bytes]] = {
    "scalar": mindspore.scalar,
    "image": _image,
    "tensor": mindspore.tensor,
    "histogram": _histogram,
    "landscape": mindspore.landscape,
}
PLUGINS = tuple(_CHECKS)
