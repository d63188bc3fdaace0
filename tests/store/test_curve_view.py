"""Which points of a curve are shown and in which order, against a slow and obvious version."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.store.series import curve_view
from mindinsight_like.store.series.curve_view import View, default_view, expanded, full_view, ranges_of
from mindinsight_like.store.series.points import Part, Points
from mindinsight_like.store.series.series_statistics import Statistics, statistics

from .making import part

_steps = st.integers(-3, 12) | st.sampled_from([-(2**63), 2**63 - 1])
_walls = st.integers(0, 9).map(float) | st.just(math.nan)


@st.composite
def _curves(draw: st.DrawFn) -> list[Part]:
    """Parts of one to three files, each with a limit of its own, or none."""
    parts = []
    is_without_steps = draw(st.booleans()) and draw(st.booleans())
    for file in range(draw(st.integers(1, 3))):
        for _ in range(draw(st.integers(0, 3))):
            steps = draw(st.lists(st.just(4) if is_without_steps else _steps, max_size=8))
            if draw(st.booleans()):
                steps = sorted(set(steps))
            walls = draw(st.lists(_walls, min_size=len(steps), max_size=len(steps)))
            limit = draw(st.none() | st.none() | st.integers(-3, 12))
            parts.append(part(steps, draw(_values(len(steps))), walls, file=file, limit=limit))
    return parts


def _values(count: int) -> st.SearchStrategy[list[float]]:
    return st.lists(st.sampled_from([0.5, -2.0, 7.0, math.nan, math.inf]), min_size=count, max_size=count)


def _slowly_shown(parts: list[Part]) -> list[int]:
    """The shown positions in their order, found point by point."""
    found = []  # step, file, wall, position
    place = 0
    for each in parts:
        for step, wall in zip(each.columns.steps.tolist(), each.columns.walls.tolist(), strict=True):
            if each.limit is None or step < each.limit:
                found.append((step, each.file, -math.inf if math.isnan(wall) else wall, place))
            place += 1
    if len({step for step, *_ in found}) == 1:
        return [at for *_, at in sorted(found, key=lambda point: point[2])]
    newest: dict[int, dict[int, tuple[float, int, int]]] = {}  # by step and file
    for step, file, wall, at in found:
        newest.setdefault(step, {})[file] = (wall, file, at)
    return [max(newest[step].values())[2] for step in sorted(newest)]


@settings(max_examples=400)
@given(_curves(), st.sampled_from([0, 2, 256]))
def test_the_newest_point_of_each_step_is_shown(parts: list[Part], few: int) -> None:
    points = Points(parts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curve_view, "_FEW", few)  # one by one, or as columns
        view = default_view(points)
        shown = view.positions().tolist()
        values = view.values().tolist()

    assert shown == _slowly_shown(parts)
    assert len(view) == len(shown)
    assert view.superseded == len(points) - len(shown)
    assert view.has_steps == (len(shown) < 2 or len(set(points.steps(np.array(shown)).tolist())) > 1)
    np.testing.assert_array_equal(values, points.take(np.array(shown, np.int64))[2])
    lows, highs = ranges_of(view.positions())
    assert (view.lows.tolist(), view.highs.tolist()) == (lows.tolist(), highs.tolist())  # the fewest there can be


@settings(max_examples=200)
@given(_curves())
def test_the_full_view_shows_every_point_in_the_order_of_writing(parts: list[Part]) -> None:
    points = Points(parts)

    view = full_view(points)

    assert view.positions().tolist() == list(range(len(points)))
    steps = points.steps(np.arange(len(points))).tolist()
    assert view.lows.tolist() == [at for at, step in enumerate(steps) if at == 0 or step < steps[at - 1]]


@settings(max_examples=300)
@given(_curves(), st.booleans(), st.none() | _steps, st.none() | _steps, st.sampled_from([0, 256]))
def test_a_range_of_steps_is_cut_from_what_is_shown(
    parts: list[Part], latest: bool, first: int | None, last: int | None, few: int
) -> None:
    points = Points(parts)
    whole = default_view(points) if latest else full_view(points)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curve_view, "_FEW", few)
        view, starts = whole.between(first, last)

    shown = whole.positions()
    steps = points.steps(shown).tolist()
    inside = [
        place for place, step in enumerate(steps) if (first is None or step >= first) and (last is None or step <= last)
    ]
    assert view.positions().tolist() == shown[inside].tolist()
    assert expanded(starts, starts + view.highs - view.lows).tolist() == inside
    if not latest:
        falls = [at for at in range(1, len(steps)) if steps[at] < steps[at - 1]]
        assert set(np.searchsorted(inside, falls).tolist()) - {len(inside)} <= set(view.starts.tolist())


@given(_curves(), st.data())
def test_points_are_addressed_through_all_parts(parts: list[Part], data: st.DataObject) -> None:
    points = Points(parts)
    chosen = np.array(data.draw(st.permutations(range(len(points)))), np.int64)[: data.draw(st.integers(0, 30))]

    steps, walls, values = points.take(chosen)

    for found, name in ((steps, "steps"), (walls, "walls"), (values, "values")):
        whole = [item for each in parts for item in getattr(each.columns, name).tolist()]
        np.testing.assert_array_equal(found, [whole[at] for at in chosen])
    files = [each.file for each in parts for _ in each.columns.steps]
    assert points.files(chosen).tolist() == [files[at] for at in chosen]


@given(_curves(), st.data())
def test_places_count_through_the_shown_points(parts: list[Part], data: st.DataObject) -> None:
    view = default_view(Points(parts))
    chosen = np.flatnonzero([data.draw(st.booleans()) for _ in range(len(view))])

    assert view.positions(chosen).tolist() == view.positions()[chosen].tolist()


@settings(max_examples=200)
@given(_curves())
def test_statistics_are_those_of_the_shown_points(parts: list[Part]) -> None:
    points = Points(parts)
    shown = np.array(_slowly_shown(parts), np.int64)

    found = statistics(default_view(points))

    steps, _, values = points.take(shown)
    finite = values[np.isfinite(values)]
    last = None if not len(values) or math.isnan(values[-1]) else values[-1]
    assert found == Statistics(
        len(shown),
        len(points) - len(shown),
        min(steps.tolist(), default=0),
        max(steps.tolist(), default=0),
        finite.min() if len(finite) else None,
        finite.max() if len(finite) else None,
        last,
        len(values) - len(finite),
    )


def _steps_of(view: View) -> list[int]:
    return view.points.steps(view.positions()).tolist()


@pytest.mark.parametrize(
    ("parts", "latest", "superseded"),
    [
        pytest.param([part([1, 2, 3])], [1, 2, 3], 0, id="one attempt"),
        pytest.param([part([*range(50), 7, *range(50, 60)])], list(range(60)), 1, id="one late point"),
        pytest.param([part([0, 10, 20, 5, 15])], [0, 5, 10, 15, 20], 0, id="late points between others"),
        pytest.param([part([1, 2, 3, 2, 3, 4])], [1, 2, 3, 4], 2, id="resumed inside a file"),
        pytest.param([part([1, 2, 3]), part([2, 3, 4], file=1)], [1, 2, 3, 4], 2, id="resumed in a new file"),
        pytest.param([part([1, 2, 3, 4, 5]), part([3], file=1)], [1, 2, 3, 4, 5], 1, id="just resumed"),
        pytest.param([part([1, 9]), part([2, 3, 4]), part([3])], [1, 2, 3, 4, 9], 1, id="resumed twice"),
        pytest.param([part([1, 2, 3]), part([3, 4])], [1, 2, 3, 4], 1, id="last step written again"),
        pytest.param([part([1, 2, 3], limit=2), part([5], file=1)], [1, 5], 2, id="a session start hides the rest"),
        pytest.param([part([1, 2]), part([]), part([3])], [1, 2, 3], 0, id="nothing in a part"),
        pytest.param([part([0]), part([0]), part([0])], [0, 0, 0], 0, id="logged without steps"),
        pytest.param([part([0, 0, 0, 1])], [0, 1], 2, id="one step written three times, and another"),
        pytest.param([part([1, 2], limit=0)], [], 2, id="all hidden"),
        pytest.param([], [], 0, id="nothing at all"),
    ],
)
def test_examples(parts: list[Part], latest: list[int], superseded: int) -> None:
    view = default_view(Points(parts))

    assert _steps_of(view) == latest
    assert view.superseded == superseded


def test_between_files_the_later_wall_time_wins() -> None:
    """Two files were written at the same time; each has a value for step 2, the second file an older one."""
    parts = [part([1, 2], [10, 20], [100, 300]), part([2, 3], [21, 31], [200, 400], file=1)]

    view = default_view(Points(parts))

    assert view.values().tolist() == [10, 20, 31]


def test_in_a_file_the_later_point_wins_whatever_its_wall_time() -> None:
    view = default_view(Points([part([1, 2, 1], [10, 20, 11], [100, 200, 50])]))

    assert view.values().tolist() == [11, 20]


def test_a_late_point_in_ten_million_costs_next_to_nothing() -> None:
    """The long backbone is neither copied nor sorted: what is shown are four ranges of it."""
    steps = np.arange(10_000_000)
    points = Points([part(steps, steps), part([7, 10_000_000], file=0)])

    view = default_view(points)

    assert list(zip(view.lows.tolist(), view.highs.tolist(), strict=True)) == [
        (0, 7),
        (10_000_000, 10_000_001),
        (8, 10_000_000),
        (10_000_001, 10_000_002),
    ]
