"""Count values in buckets, by the rule of each dialect; only finite values are counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]
    Doubles = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.int64]

_MINDSPORE_MOST_BINS = 90
_MINDSPORE_FEW = 880  # values, up to which their number decides
_MINDSPORE_VALUES_PER_BIN = 10


@dataclass(frozen=True)
class Histogram:
    """Counts between neighbouring edges, with what is known of the values themselves."""

    edges: Doubles  # one more than counts
    counts: Counts
    finite_count: int
    minimum: float  # of the finite values, as are the sums; 0 when there are none
    maximum: float
    total: float
    sum_squares: float
    nan_count: int
    positive_infinities: int
    negative_infinities: int


def tensorboard_histogram(
    values: Array, *, bins: str | int | Sequence[float] = "tensorflow", max_bins: int | None = None
) -> Histogram:
    """Buckets that grow by a tenth from 1e-12 on, as TensorFlow has them, or by a rule of `numpy.histogram_bin_edges`.

    With more than `max_bins` buckets, neighbours are joined. Empty buckets at both ends are left out. Raises ValueError
    when there are no values at all, or for an unknown rule.
    """
    import numpy as np

    finite = _finite(values)
    if not finite.size:
        return _histogram(values, finite, np.zeros(1), np.zeros(0, np.int64))
    is_exponential = isinstance(bins, str) and bins == "tensorflow"  # an array would be compared by element
    if is_exponential:
        edges = exponential_edges()
    else:
        edges = np.histogram_bin_edges(finite, bins).astype(np.float64)
    # What lies beyond 1e20 belongs to the outermost bucket, rather than to none.
    inside = np.clip(finite, edges[0], edges[-1]) if is_exponential else finite
    counts = np.histogram(inside, edges)[0].astype(np.int64)
    if max_bins is not None and len(counts) > max_bins:
        counts, edges = _joined(counts, edges, max_bins)
    filled = np.flatnonzero(counts)
    first, last = (
        (filled[0], filled[-1] + 1) if len(filled) else (0, 0)
    )  # none is, if edges are given beside all values
    return _histogram(values, finite, edges[first : last + 1], counts[first:last])


def visualdl_histogram(values: Array, *, buckets: int = 10) -> Histogram:
    """Buckets of equal width between the smallest and the largest value."""
    return _equal_width(values, buckets)


def mindspore_histogram(values: Array) -> Histogram:
    """Buckets of equal width, as many as MindSpore finds right for the number of values.

    Their edges are rounded to the type of the values when that is a float, as there.
    """
    import numpy as np

    finite = _finite(values, allow_none=True)
    count = len(finite)
    if not count:
        buckets = 1
    elif count <= 5:
        buckets = 2
    elif count <= 10:
        buckets = 3
    elif count <= _MINDSPORE_FEW:
        buckets = count // _MINDSPORE_VALUES_PER_BIN + 1
    else:
        buckets = _MINDSPORE_MOST_BINS
    edges = np.histogram_bin_edges(finite, buckets)
    if values.dtype.kind == "f":
        edges = edges.astype(values.dtype)
    edges = edges.astype(np.float64)
    return _histogram(values, finite, edges, np.histogram(finite, edges)[0].astype(np.int64))


@cache
def exponential_edges() -> Doubles:
    """The edges that TensorFlow's writers use: powers of 1.1 times 1e-12 up to 1e20, mirrored, and 0."""
    import numpy as np

    positive = []
    edge = 1e-12
    while edge < 1e20:
        positive.append(edge)
        edge *= 1.1  # by steps, not as a power: the edges are equal to the last bit
    return np.array([-edge for edge in reversed(positive)] + [0.0] + positive)


def _finite(values: Array, *, allow_none: bool = False) -> Doubles:
    import numpy as np

    if values.dtype.kind not in "biuf":
        raise TypeError(f"a histogram counts real numbers, not {values.dtype}")
    if not values.size and not allow_none:
        raise ValueError("a histogram needs at least one value")
    flat = values.reshape(-1).astype(np.float64)
    is_finite = np.isfinite(flat)
    return flat if is_finite.all() else flat[is_finite]


def _equal_width(values: Array, buckets: int) -> Histogram:
    import numpy as np

    finite = _finite(values)
    counts, edges = np.histogram(finite, buckets)
    return _histogram(values, finite, edges.astype(np.float64), counts.astype(np.int64))


def _joined(counts: Counts, edges: Doubles, most: int) -> tuple[Counts, Doubles]:
    import numpy as np

    together = len(counts) // most
    starts = np.arange(0, len(counts), together)
    return np.add.reduceat(counts, starts), np.append(edges[starts], edges[-1])


def _histogram(values: Array, finite: Doubles, edges: Doubles, counts: Counts) -> Histogram:
    import numpy as np

    has_others = finite.size < values.size
    return Histogram(
        edges=edges,
        counts=counts,
        finite_count=finite.size,
        minimum=float(finite.min()) if finite.size else 0.0,
        maximum=float(finite.max()) if finite.size else 0.0,
        total=float(finite.sum()),
        sum_squares=float(np.square(finite).sum()),  # a dot product would wake the threads of BLAS
        nan_count=int(np.isnan(values).sum()) if has_others else 0,
        positive_infinities=int(np.isposinf(values).sum()) if has_others else 0,
        negative_infinities=int(np.isneginf(values).sum()) if has_others else 0,
    )
