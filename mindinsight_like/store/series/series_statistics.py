"""Statistics of the points that series show by default; see `curve_view`.

The index keeps them for every series of a log file. They are computed from a batch where it holds all points of a
series or only steps behind those that came before, and from the stored points otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.batch import STATS, Batch
from mindinsight_like.store.names import WITHOUT_STEPS
from mindinsight_like.store.segments.segments import Floats, Ints

if TYPE_CHECKING:
    from mindinsight_like.store.series.curve_view import View


class Statistics(NamedTuple):
    """Of shown points. min, max: of finite values, None without any; last_value: at the largest step, None for NaN.

    Steps are 0 when nothing is shown.
    """

    shown: int
    superseded: int
    first_step: int
    last_step: int
    min: float | None = None
    max: float | None = None
    last_value: float | None = None
    non_finite: int = 0


def statistics(view: View, *, has_values: bool = True) -> Statistics:
    """Of a curve; without `has_values` only its count and steps."""
    if not len(view):
        return Statistics(0, view.superseded, 0, 0)
    first, last = view.points.steps(np.array([view.lows[0], view.highs[-1] - 1])).tolist()
    reach = len(view), view.superseded, first, last
    if not has_values:
        return Statistics(*reach)
    values = view.values()
    is_finite = np.isfinite(values)
    finite = values if is_finite.all() else values[is_finite]
    newest = float(values[-1])
    return Statistics(
        *reach,
        float(finite.min()) if len(finite) else None,
        float(finite.max()) if len(finite) else None,
        None if newest != newest else newest,
        len(values) - len(finite),
    )


def scalar_statistics(batch: Batch) -> tuple[NDArray[Any], Ints]:
    """The STATS of the scalars of a batch over what they show, and how many points of each are superseded."""
    superseded = np.zeros(len(batch.scalar_numbers), np.int64)
    if not len(batch.breaks):
        return batch.scalar_stats, superseded
    chosen = np.unique(np.searchsorted(batch.scalar_starts, batch.breaks, "right") - 1)
    stats = batch.scalar_stats.copy()
    columns = batch.steps, batch.walls, batch.values
    stats[chosen], superseded[chosen] = _shown(batch.scalar_starts, columns, stats[chosen], chosen)
    return stats, superseded


def blob_statistics(batch: Batch, kinds: NDArray[np.uint8]) -> tuple[NDArray[Any], Ints]:
    """The same of its blobs, given the kind of each series; what only scalars have is NaN or zero."""
    stats = np.zeros(len(batch.blob_numbers), STATS)
    superseded = np.zeros(len(stats), np.int64)
    if not len(stats):
        return stats, superseded
    for name in ("min", "max", "last_value"):
        stats[name] = np.nan
    if len(stats) == len(batch.blob_steps):  # one of each, as in thousands of small files
        stats["count"] = 1
        stats["first_step"] = stats["last_step"] = batch.blob_steps
        stats["first_wall"] = stats["last_wall"] = batch.blob_walls
        return stats, superseded
    starts, ends = batch.blob_starts[:-1], batch.blob_starts[1:]
    stats["count"] = ends - starts
    stats["first_step"] = np.minimum.reduceat(batch.blob_steps, starts)
    stats["last_step"] = np.maximum.reduceat(batch.blob_steps, starts)
    stats["first_wall"] = batch.blob_walls[starts]
    stats["last_wall"] = np.fmax.reduceat(batch.blob_walls, starts)
    breaks = np.flatnonzero(batch.blob_steps[1:] <= batch.blob_steps[:-1]) + 1
    chosen = np.unique(np.searchsorted(batch.blob_starts, np.setdiff1d(breaks, starts), "right") - 1)
    chosen = chosen[~np.isin(kinds[chosen], [int(kind) for kind in WITHOUT_STEPS])]
    if len(chosen):
        columns = batch.blob_steps, batch.blob_walls, None
        stats[chosen], superseded[chosen] = _shown(batch.blob_starts, columns, stats[chosen], chosen)
    return stats, superseded


def _shown(
    starts: Ints, columns: tuple[Ints, Floats, NDArray[Any] | None], stats: NDArray[Any], chosen: Ints
) -> tuple[NDArray[Any], Ints]:
    """The statistics of the chosen series, whose steps do not simply rise, and their numbers of superseded points."""
    sizes = starts[chosen + 1] - starts[chosen]
    heads = np.cumsum(sizes) - sizes
    rows = np.arange(sizes.sum()) + np.repeat(starts[chosen] - heads, sizes)
    owners = np.repeat(np.arange(len(chosen)), sizes)
    steps = columns[0][rows]
    stats["first_step"], stats["last_step"] = np.minimum.reduceat(steps, heads), np.maximum.reduceat(steps, heads)
    has_one_step = stats["first_step"] == stats["last_step"]
    walls = np.where(np.isnan(columns[1][rows]), -np.inf, columns[1][rows])
    # Series without steps are ordered by wall time, the others by step; both sorts are stable.
    order = np.lexsort((np.where(has_one_step[owners], walls, 0.0), steps, owners))
    ordered, of_series = steps[order], owners[order]
    is_shown = np.append((ordered[1:] != ordered[:-1]) | (of_series[1:] != of_series[:-1]), True)
    is_shown |= has_one_step[of_series]
    visible, of_series = order[is_shown], of_series[is_shown]
    counts = np.bincount(of_series, minlength=len(chosen))
    stats["count"] = counts
    if columns[2] is not None:
        values = columns[2][rows[visible]]
        begins = np.cumsum(counts) - counts
        is_finite = np.isfinite(values)
        stats["non_finite"] = counts - np.add.reduceat(is_finite, begins, dtype=np.int64)
        has_finite = stats["non_finite"] < counts
        for name, best, worst in (("min", np.minimum, np.inf), ("max", np.maximum, -np.inf)):
            extremes = best.reduceat(np.where(is_finite, values, worst), begins)
            stats[name] = np.where(has_finite, extremes, np.nan)
        stats["last_value"] = values[begins + counts - 1]
    return stats, sizes - counts
