"""What a comparison shows: which runs, in which groups, and their curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.compare.aggregation import GroupCurve, aggregated, path_of
from mindinsight_like.compare.axes import OWN, placed
from mindinsight_like.compare.cache import CurveCache
from mindinsight_like.compare.patterns import NamePattern
from mindinsight_like.compare.thinning import Ends, in_view, kept_places
from mindinsight_like.errors import BadParameter
from mindinsight_like.lineage.columns import Table, as_text
from mindinsight_like.lineage.query_text import RUN_NAME
from mindinsight_like.lineage.run_table import RunTable
from mindinsight_like.store.answers import Curve
from mindinsight_like.store.curves import smooth

FEWEST_POINTS = 200  # of a curve, however many there are
NO_VALUE = ""  # the group of runs that have no value to be grouped by

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ComparedRun:
    run: str
    name: str
    group: str
    colour: str  # values of the columns that decide how its curves look
    dash: str
    facet: str


@dataclass(frozen=True)
class RunSeries:
    """A curve of one run."""

    tag: str
    run: str
    source: str
    x: Floats
    values: Floats
    smoothed: Floats | None
    total_points: int  # also of those that are out of view


@dataclass(frozen=True)
class GroupSeries:
    """The curves of a group as one."""

    tag: str
    group: str
    source: str
    colour: str
    dash: str
    facet: str
    runs: list[str]
    curve: GroupCurve


@dataclass(frozen=True)
class Look:
    """The columns by which runs are grouped and told apart; empty: not at all."""

    group_by: str = ""
    group_pattern: str = ""
    colour_by: str = ""
    dash_by: str = ""
    facet_by: str = ""

    @property
    def columns(self) -> list[str]:
        return [name for name in (self.group_by, self.colour_by, self.dash_by, self.facet_by) if name]


@dataclass(frozen=True)
class Drawing:
    axis: str = "step"
    centre: str = "mean"
    band: str = "sd"
    max_points: int = 500
    most_points: int | None = None  # of all curves of a tag
    smoothing: float = 0.0  # weight of the past; runs are smoothed before they are put together
    within: Ends = (None, None)  # the places that are in view

    def points_each(self, curves: int) -> int:
        """How many points of a curve are drawn where there are so many."""
        if self.most_points is None:
            return self.max_points
        return min(self.max_points, max(FEWEST_POINTS, self.most_points // max(1, curves)))


@dataclass
class Comparison:
    runs: list[ComparedRun]
    series: list[RunSeries | GroupSeries] = field(default_factory=list)
    without: dict[str, int] = field(default_factory=dict)  # by tag: runs that have no such curve


def chosen(table: RunTable, rows: Sequence[int], look: Look) -> list[ComparedRun]:
    """The runs of some rows with the groups and looks they have; raises BadParameter."""
    if not rows:
        return []  # of an empty table no column is known
    groups = _groups(table.table, rows, look)
    colour, dash, facet = (
        _texts(table.table, rows, getattr(look, name), name) for name in ("colour_by", "dash_by", "facet_by")
    )
    names = table.table.column(RUN_NAME).values
    return [
        ComparedRun(table.ids[row], str(names[row]), groups[place], colour[place], dash[place], facet[place])
        for place, row in enumerate(rows)
    ]


def _groups(table: Table, rows: Sequence[int], look: Look) -> list[str]:
    if not look.group_pattern:
        return _texts(table, rows, look.group_by, "group_by")
    names = table.column(RUN_NAME).values
    pattern = NamePattern(look.group_pattern, parameter="group_pattern")
    return pattern.captured([str(names[row]) for row in rows])


def _texts(table: Table, rows: Sequence[int], column: str, parameter: str) -> list[str]:
    if not column:
        return [NO_VALUE] * len(rows)
    if column not in table:
        raise BadParameter(f"{parameter}: there is no column {column[:200]!r}.", parameter=parameter)
    values = table.column(column).values
    return [as_text(values[row]) for row in rows]


def compare(
    cache: CurveCache, runs: Sequence[ComparedRun], tags: Sequence[str], look: Look, drawing: Drawing
) -> Comparison:
    """The curves of the runs: one by one, or one per group where runs are grouped."""
    ids = [each.run for each in runs]
    asked = [*tags, *([drawing.axis] if drawing.axis not in OWN and drawing.axis not in tags else [])]
    curves = cache.curves(ids, asked)
    found = Comparison(list(runs))
    is_grouped = bool(look.group_by or look.group_pattern)
    for tag in tags:
        having = [each for each in runs if (each.run, tag) in curves]
        found.without[tag] = len(runs) - len(having)
        if is_grouped:
            found.series += _grouped(tag, having, curves, drawing)
        else:
            found.series += _alone(tag, having, curves, drawing)
    return found


def _alone(
    tag: str, runs: Sequence[ComparedRun], curves: Mapping[tuple[str, str], list[Curve]], drawing: Drawing
) -> list[RunSeries]:
    found = []
    most = drawing.points_each(sum(len(curves[each.run, tag]) for each in runs))
    for each in runs:
        for curve in curves[each.run, tag]:
            x, values = placed(curve, drawing.axis, _other(curves, each.run, drawing.axis))
            smoothed = smooth(values, drawing.smoothing) if drawing.smoothing > 0 else None
            view = in_view(x, drawing.within)
            kept = kept_places([column[view] for column in (values, smoothed) if column is not None], most)
            shown = None if smoothed is None else smoothed[view][kept]
            found.append(RunSeries(tag, each.run, curve.source, x[view][kept], values[view][kept], shown, len(values)))
    return found


def _grouped(
    tag: str, runs: Sequence[ComparedRun], curves: Mapping[tuple[str, str], list[Curve]], drawing: Drawing
) -> list[GroupSeries]:
    """One curve for each group; runs that look different, and what several writers log, are groups of their own."""
    members: dict[tuple[str, str, str, str, str], list[tuple[ComparedRun, Curve]]] = {}
    for each in runs:
        for curve in curves[each.run, tag]:
            key = each.group, curve.source, each.colour, each.dash, each.facet
            members.setdefault(key, []).append((each, curve))
    found = []
    most = drawing.points_each(len(members))
    for key, own in members.items():
        paths = []
        for each, curve in own:
            x, values = placed(curve, drawing.axis, _other(curves, each.run, drawing.axis))
            paths.append(path_of(x, smooth(values, drawing.smoothing) if drawing.smoothing > 0 else values))
        whole = aggregated(paths, centre=drawing.centre, band=drawing.band)
        view = in_view(whole.x, drawing.within)
        drawn = (whole.centre,) if drawing.band == "none" else (whole.centre, whole.low, whole.high)
        kept = kept_places([column[view] for column in drawn], most)
        shown = GroupCurve(*(getattr(whole, name)[view][kept] for name in ("x", "centre", "low", "high", "n")))
        found.append(GroupSeries(tag, *key, [each.run for each, _ in own], shown))
    return found


def _other(curves: Mapping[tuple[str, str], list[Curve]], run: str, axis: str) -> Curve | None:
    return next(iter(curves.get((run, axis), ())), None) if axis not in OWN else None
