"""Build a comparison: the selected runs, their groups, and their curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.compare.aggregation import GroupCurve, Path, aggregate, path_of
from mindinsight_like.compare.axes import OWN, RELATIVE, STEP, place_points
from mindinsight_like.compare.cache import CurveCache
from mindinsight_like.compare.downsampling import Ends, downsample, in_view
from mindinsight_like.compare.patterns import NamePattern
from mindinsight_like.errors import BadParameter
from mindinsight_like.expressions.derived import is_expression, operands, with_derived
from mindinsight_like.lineage.columns import Table, as_text
from mindinsight_like.lineage.query.parser import RUN_NAME
from mindinsight_like.lineage.table.run_table import RunTable
from mindinsight_like.store.result_types import Curve
from mindinsight_like.store.segments.curves import smooth

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
    outermost: list[str] = field(default_factory=list)  # runs that end lowest and highest


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
    resume: str = "latest"  # or "all": superseded points, too
    baseline: str = ""  # the run that expressions subtract
    outermost: int = 0  # so many runs of a group that end lowest, and that end highest, are named

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
    superseded: dict[str, int] = field(default_factory=dict)  # by tag: points that are not shown
    by_time: list[str] = field(default_factory=list)  # tags without steps, which stand at relative times instead


def compared_runs(table: RunTable, rows: Sequence[int], look: Look) -> list[ComparedRun]:
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
        raise BadParameter(f"{parameter}: unknown column {column[:200]!r}.", parameter=parameter)
    values = table.column(column).values
    return [as_text(values[row]) for row in rows]


def compare(
    cache: CurveCache, runs: Sequence[ComparedRun], tags: Sequence[str], look: Look, drawing: Drawing
) -> Comparison:
    """The curves of the runs: one by one, or one per group where runs are grouped."""
    ids = [each.run for each in runs]
    needed_tags = [*tags, *([drawing.axis] if drawing.axis not in OWN and drawing.axis not in tags else [])]
    curves = whole_curves(cache, ids, needed_tags, drawing.baseline)
    if drawing.resume == "all":
        recorded = [tag for tag in tags if tag != drawing.axis and not is_expression(tag)]
        curves |= cache.every_point(ids, recorded)
    comparison = Comparison(list(runs))
    is_grouped = bool(look.group_by or look.group_pattern)
    for tag in tags:
        runs_with_tag = [each for each in runs if (each.run, tag) in curves]
        comparison.without[tag] = len(runs) - len(runs_with_tag)
        own = [curve for each in runs_with_tag for curve in curves[each.run, tag]]
        comparison.superseded[tag] = sum(curve.superseded for curve in own)
        placing = drawing
        if drawing.axis == STEP and own and not any(curve.has_steps for curve in own):
            comparison.by_time.append(tag)
            placing = replace(drawing, axis=RELATIVE)
        if is_grouped:
            comparison.series += _group_series(tag, runs_with_tag, curves, placing)
        else:
            comparison.series += _run_series(tag, runs_with_tag, curves, placing)
    return comparison


def whole_curves(
    cache: CurveCache, runs: Sequence[str], tags: Sequence[str], baseline: str
) -> dict[tuple[str, str], list[Curve]]:
    """The curves of runs and tags, also of tags that are expressions; raises BadParameter, RunNotFound."""
    curves = cache.curves(runs, tags)
    recorded = {tag for _, tag in curves}
    derived = [tag for tag in tags if is_expression(tag) and tag not in recorded]
    if not derived:
        return curves
    together = list(dict.fromkeys([*runs, *([baseline] if baseline else [])]))
    return with_derived(curves | cache.curves(together, operands(derived), counts=False), runs, derived, baseline)


def _run_series(
    tag: str, runs: Sequence[ComparedRun], curves: Mapping[tuple[str, str], list[Curve]], drawing: Drawing
) -> list[RunSeries]:
    series = []
    most = drawing.points_each(sum(len(curves[each.run, tag]) for each in runs))
    for each in runs:
        for curve in curves[each.run, tag]:
            x, values = place_points(curve, drawing.axis, _other(curves, each.run, drawing.axis))
            smoothed = smooth(values, drawing.smoothing) if drawing.smoothing > 0 else None
            view = in_view(x, drawing.within)
            places = downsample([column[view] for column in (values, smoothed) if column is not None], most)
            smoothed_points = None if smoothed is None else smoothed[view][places]
            series.append(
                RunSeries(
                    tag, each.run, curve.source, x[view][places], values[view][places], smoothed_points, len(values)
                )
            )
    return series


def _group_series(
    tag: str, runs: Sequence[ComparedRun], curves: Mapping[tuple[str, str], list[Curve]], drawing: Drawing
) -> list[GroupSeries]:
    """One curve for each group; runs that look different, and what several writers log, are groups of their own."""
    members: dict[tuple[str, str, str, str, str], list[tuple[ComparedRun, Curve]]] = {}
    for each in runs:
        for curve in curves[each.run, tag]:
            key = each.group, curve.source, each.colour, each.dash, each.facet
            members.setdefault(key, []).append((each, curve))
    series = []
    most = drawing.points_each(len(members))
    for key, own in members.items():
        paths = []
        for each, curve in own:
            x, values = place_points(curve, drawing.axis, _other(curves, each.run, drawing.axis))
            paths.append(path_of(x, smooth(values, drawing.smoothing) if drawing.smoothing > 0 else values))
        whole = aggregate(paths, centre=drawing.centre, band=drawing.band)
        view = in_view(whole.x, drawing.within)
        drawn = (whole.centre,) if drawing.band == "none" else (whole.centre, whole.low, whole.high)
        places = downsample([column[view] for column in drawn], most)
        curve_points = GroupCurve(*(getattr(whole, name)[view][places] for name in ("x", "centre", "low", "high", "n")))
        runs_of_group = [each.run for each, _ in own]
        outermost = _outermost(runs_of_group, paths, drawing.outermost)
        series.append(GroupSeries(tag, *key, runs_of_group, curve_points, outermost))
    return series


def _outermost(runs: Sequence[str], paths: Sequence[Path], count: int) -> list[str]:
    """The runs whose last values are the lowest, then those with the highest."""
    ends = sorted((float(path.values[-1]), run) for run, path in zip(runs, paths, strict=True) if len(path.values))
    return list(dict.fromkeys(run for _, run in [*ends[:count], *ends[max(0, len(ends) - count) :]]))


def _other(curves: Mapping[tuple[str, str], list[Curve]], run: str, axis: str) -> Curve | None:
    return next(iter(curves.get((run, axis), ())), None) if axis not in OWN else None
