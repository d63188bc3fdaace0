"""Which points of a resumed curve are shown, against a slow and obvious version."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.store.resuming import Part, Points, between_steps, once_each, visible

from .making import part

_steps = st.integers(-3, 12) | st.sampled_from([-(2**63), 2**63 - 1])
_parts = st.lists(
    st.builds(
        lambda steps, grows, start: part(sorted(set(steps)) if grows else steps, starts_at=start),
        st.lists(_steps, max_size=8),
        st.booleans(),
        st.none() | st.integers(-3, 12),
    ),
    max_size=6,
)


def _slowly_visible(parts: list[Part], *, latest: bool) -> list[list[int]]:
    """The shown positions of each stretch, found point by point."""
    steps = [int(step) for each in parts for step in each.columns.steps]
    announced: dict[int, int] = {}
    place = 0
    for each in parts:
        if each.starts_at is not None and len(each.columns.steps):
            announced[place] = each.starts_at
        place += len(each.columns.steps)
    stretches: list[list[int]] = []
    for at, step in enumerate(steps):
        if at == 0 or step <= steps[at - 1] or at in announced:
            stretches.append([])
        stretches[-1].append(at)
    shown = []
    for place, stretch in enumerate(stretches):
        cuts = [min(steps[later[0]], announced.get(later[0], steps[later[0]])) for later in stretches[place + 1 :]]
        shown.append(
            [
                at
                for at in stretch
                if (at + 1 == len(steps) or steps[at + 1] != steps[at])
                and not (latest and any(cut <= steps[at] for cut in cuts))
            ]
        )
    return [stretch for stretch in shown if stretch]


@settings(max_examples=200)
@given(_parts, st.booleans())
def test_visible_points_are_those_that_no_later_stretch_replaces(parts: list[Part], latest: bool) -> None:
    ranges = visible(Points(parts), latest=latest)

    assert [list(range(low, high)) for low, high in ranges] == _slowly_visible(parts, latest=latest)


@settings(max_examples=150)
@given(_parts, st.booleans(), st.none() | _steps, st.none() | _steps)
def test_a_range_of_steps_is_cut_from_the_visible_points(
    parts: list[Part], latest: bool, first: int | None, last: int | None
) -> None:
    points = Points(parts)
    steps = [int(step) for each in parts for step in each.columns.steps]

    ranges = between_steps(points, visible(points, latest=latest), first, last)

    asked = [
        [at for at in stretch if (first is None or steps[at] >= first) and (last is None or steps[at] <= last)]
        for stretch in _slowly_visible(parts, latest=latest)
    ]
    assert [list(range(low, high)) for low, high in ranges] == [stretch for stretch in asked if stretch]


@given(_parts, st.data())
def test_points_are_addressed_through_all_parts(parts: list[Part], data: st.DataObject) -> None:
    points = Points(parts)
    chosen = np.flatnonzero([data.draw(st.booleans()) for _ in range(len(points))])
    low, high = sorted(data.draw(st.tuples(st.integers(0, len(points)), st.integers(0, len(points)))))

    steps, walls, values = points.take(chosen)

    for found, name in ((steps, "steps"), (walls, "walls"), (values, "values")):
        whole = [item for each in parts for item in getattr(each.columns, name).tolist()]
        assert found.tolist() == [whole[at] for at in chosen]
    whole = [item for each in parts for item in each.columns.values.tolist()]
    assert points.values([(low, high)]).tolist() == whole[low:high]


@given(_parts)
def test_a_step_written_twice_in_a_file_is_one_point(parts: list[Part]) -> None:
    """Parts without repeated steps inside, as segments are; the repetition lies between them."""
    columns = [part(list(dict.fromkeys(each.columns.steps.tolist()))).columns for each in parts]
    columns = [each for each in columns if len(each.steps)]

    found = once_each(columns)

    together = [(int(step), float(wall)) for each in columns for step, wall in zip(each.steps, each.walls, strict=True)]
    kept = [(int(step), float(wall)) for each in found for step, wall in zip(each.steps, each.walls, strict=True)]
    assert kept == [
        point for at, point in enumerate(together) if at + 1 == len(together) or together[at + 1][0] != point[0]
    ]
    assert all(len(each.steps) for each in found)


@pytest.mark.parametrize(
    ("parts", "latest", "everything"),
    [
        pytest.param([part([1, 2, 3])], [1, 2, 3], [1, 2, 3], id="one attempt"),
        pytest.param([part([1, 2, 3, 2, 3, 4])], [1, 2, 3, 4], [1, 2, 3, 2, 3, 4], id="resumed inside a file"),
        pytest.param([part([1, 2, 3]), part([2, 3, 4])], [1, 2, 3, 4], [1, 2, 3, 2, 3, 4], id="resumed in a new file"),
        pytest.param([part([1, 2, 3, 4, 5]), part([3])], [1, 2, 3], [1, 2, 3, 4, 5, 3], id="just resumed"),
        pytest.param([part([1, 9]), part([2, 3, 4]), part([3])], [1, 2, 3], [1, 9, 2, 3, 4, 3], id="resumed twice"),
        pytest.param([part([1, 2, 3]), part([3, 4])], [1, 2, 3, 4], [1, 2, 3, 4], id="last step written again"),
        pytest.param([part([1, 2, 3]), part([5], starts_at=2)], [1, 5], [1, 2, 3, 5], id="start announced"),
        pytest.param([part([1, 2]), part([]), part([3])], [1, 2, 3], [1, 2, 3], id="nothing in a part"),
        pytest.param([part([0]), part([0]), part([0])], [0], [0], id="one step written three times"),
        pytest.param([], [], [], id="nothing at all"),
    ],
)
def test_examples(parts: list[Part], latest: list[int], everything: list[int]) -> None:
    points = Points(parts)

    def shown(ranges: list[tuple[int, int]]) -> list[int]:
        found: list[int] = points.take(np.array([at for low, high in ranges for at in range(low, high)], int))[
            0
        ].tolist()
        return found

    assert shown(visible(points, latest=True)) == latest
    assert shown(visible(points, latest=False)) == everything
