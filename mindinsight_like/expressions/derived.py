"""Derived curves: what expressions give for runs, as curves like any other.

A tag that begins with `=` is an expression, unless a run has a tag of that very name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from mindinsight_like.errors import BadParameter
from mindinsight_like.expressions.evaluation import NoPoints, Points, evaluate
from mindinsight_like.expressions.parser import parse, tags_in
from mindinsight_like.expressions.tokens import BadExpression, possible_tags
from mindinsight_like.store.result_types import Curve
from mindinsight_like.store.segments.curves import smooth
from mindinsight_like.store.segments.downsampling import ascending, point_by_point

PREFIX: Final = "="

Curves = Mapping[tuple[str, str], Sequence[Curve]]
"""By run and tag; several where several writers logged."""

_KEPT_PER_BUCKET = 5  # first, last, smallest, largest, first that is no number


def is_expression(tag: str) -> bool:
    return tag.startswith(PREFIX)


def operands(tags: Sequence[str]) -> list[str]:
    """The tags to read for these: themselves, and whatever the expressions among them may name."""
    names = dict.fromkeys(tags)
    for tag in tags:
        if is_expression(tag):
            possible = possible_tags(tag[len(PREFIX) :])
            parse(tag[len(PREFIX) :], frozenset(possible))  # what is wrong with it now is wrong for every run
            names |= dict.fromkeys(possible)
    return list(names)


def with_derived(
    curves: Curves, runs: Sequence[str], tags: Sequence[str], baseline: str
) -> dict[tuple[str, str], list[Curve]]:
    """The curves with those of the expressions among `tags`; raises BadParameter where a baseline is missing.

    `curves` has every point of the operands of the runs, and of the baseline.
    """
    result = {key: list(own) for key, own in curves.items()}
    for tag in tags:
        if not is_expression(tag):
            continue
        names = possible_tags(tag[len(PREFIX) :])
        for run in runs:
            if (run, tag) not in curves and (derived := _derived(tag, names, curves, run, baseline)):
                result[run, tag] = derived
    return result


def _derived(tag: str, names: Sequence[str], curves: Curves, run: str, baseline: str) -> list[Curve]:
    own = {name: curves[run, name] for name in names if curves.get((run, name))}
    expression = parse(tag[len(PREFIX) :], frozenset(own))
    if expression.needs_baseline and not baseline:
        raise BadParameter("delta() needs a baseline: select a run to compare with.", parameter="baseline")
    base = {name: curves[baseline, name] for name in names if baseline and curves.get((baseline, name))}
    used = {each.name for each in expression.tags}
    sources = sorted({curve.source for name in used for curve in own.get(name, ())})
    derived = []
    for source in sources:
        try:
            points = evaluate(expression, _of_source(own, source), _of_source(base, source))
        except NoPoints:
            continue
        derived.append(_curve(run, tag, source, points))
    return derived


def _of_source(curves: Mapping[str, Sequence[Curve]], source: str) -> dict[str, Points]:
    """Of each tag the curve of a writer, or the only one there is."""
    points = {}
    for name, own in curves.items():
        curve = own[0] if len(own) == 1 else next((each for each in own if each.source == source), None)
        if curve is not None:
            points[name] = Points.of(curve)
    return points


def _curve(run: str, tag: str, source: str, points: Points) -> Curve:
    return Curve(
        run=run,
        tag=tag,
        source=source,
        total_points=len(points.steps),
        superseded=0,
        has_steps=points.has_steps,
        downsampled=False,
        steps=points.steps,
        wall_times=points.wall_times,
        values=points.values,
        smoothed=None,
        segments=[0] if len(points.steps) else [],
        start_time=points.start_time,
    )


@dataclass(frozen=True)
class Part:
    """What of a curve is wanted."""

    from_step: int | None = None
    to_step: int | None = None
    max_points: int | None = None
    smoothing: float = 0.0


def part_of(curve: Curve, part: Part) -> Curve:
    """A whole curve cut to a range of steps, smoothed before, downsampled after."""
    smoothed = smooth(curve.values, part.smoothing) if part.smoothing > 0 else None
    inside = np.ones(len(curve.steps), np.bool_)
    if part.from_step is not None:
        inside &= curve.steps >= part.from_step
    if part.to_step is not None:
        inside &= curve.steps <= part.to_step
    places = np.flatnonzero(inside)
    total = len(places)
    if part.max_points is not None and total > part.max_points:
        buckets = max(1, part.max_points // _KEPT_PER_BUCKET)
        places = places[ascending(point_by_point(curve.values[places], buckets))[: part.max_points]]
    return replace(
        curve,
        total_points=total,
        downsampled=len(places) < total,
        steps=curve.steps[places],
        wall_times=curve.wall_times[places],
        values=curve.values[places],
        smoothed=None if smoothed is None else smoothed[places],
        segments=[0] if len(places) else [],
    )


def check(text: str, tags_of_runs: Mapping[str, Collection[str]]) -> Checked:
    """What an expression names in runs with these tags; raises BadExpression, also for a tag that none of them has."""
    possible = possible_tags(text)
    known = frozenset(name for tags in tags_of_runs.values() for name in tags if name in set(possible))
    expression = parse(text, known)
    for tag in expression.tags:
        if tag.name not in known:
            raise BadExpression("unknown_tag", f"no run has the tag '{tag.name[:100]}'", tag.begin, tag.end, tag.name)
    used = tags_in(expression)
    runs = sum(all(name in tags for name in used) for tags in tags_of_runs.values())
    return Checked(used, runs, expression.needs_baseline)


@dataclass(frozen=True)
class Checked:
    """What an expression names."""

    tags: list[str]
    runs: int  # that have all of the tags
    needs_baseline: bool


ReadCurves = Callable[[Sequence[str], Sequence[str]], Sequence[Curve]]


def derived_series(
    read: ReadCurves, runs: Sequence[str], tags: Sequence[str], baseline: str, part: Part
) -> list[Curve]:
    """The curves of the expressions among `tags`, run by run; `read` gives every point of runs and tags."""
    expressions = [tag for tag in tags if is_expression(tag)]
    curves: dict[tuple[str, str], list[Curve]] = {}
    for curve in read([*runs, *([baseline] if baseline and baseline not in runs else [])], operands(expressions)):
        curves.setdefault((curve.run, curve.tag), []).append(curve)
    every = with_derived(curves, runs, expressions, baseline)
    return [part_of(curve, part) for run in runs for tag in expressions for curve in every.get((run, tag), ())]
