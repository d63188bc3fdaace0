"""Points come grouped by series, every one of them in file order, with true summaries."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.logs.batch import BLOCK, BLOCK_POINTS, NOWHERE, STATS
from mindinsight_like.logs.framing import frame
from mindinsight_like.logs.kinds import Dialect, Kind, series_key
from mindinsight_like.logs.reference.scan import Scanner
from mindinsight_like.writers.encoding import wire

from .messages import Scalar, event, expected_points, metadata, records, tagged
from .reading import assert_points, assert_same, blobs_of, points_of, same_number, scan

TB = Dialect.TENSORBOARD
FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False)
VALUES = st.one_of(FINITE, st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0]))


def _curve(values: list[float]) -> bytes:
    """A log of one series; events hold many points, so that it is quickly read by the twin."""
    return b"".join(
        frame(event(step, 1e9 + step % 7, tagged("x", wire.single(2, value)))) for step, value in enumerate(values)
    )


def test_points_of_equal_steps_are_all_kept(scanner_type: type[Scanner]) -> None:
    scalars = [
        Scalar("a", 1, 10.0, 0.5),
        Scalar("b", 1, 11.0, 0.25),
        Scalar("a", 1, 12.0, 1.5),
        Scalar("a", 1, 13.0, 2.5),
        Scalar("a", 2, 14.0, 3.5),
        Scalar("a", 1, 15.0, 4.5),
        Scalar("b", 1, 16.0, 5.5),
    ]

    batch = scan(scanner_type, TB, b"".join(records(TB, scalars)))

    assert points_of(batch) == {
        series_key(Kind.SCALAR, "a"): [(1, 10.0, 0.5), (1, 12.0, 1.5), (1, 13.0, 2.5), (2, 14.0, 3.5), (1, 15.0, 4.5)],
        series_key(Kind.SCALAR, "b"): [(1, 11.0, 0.25), (1, 16.0, 5.5)],
    }
    assert batch.breaks.tolist() == [1, 2, 4, 6]


def test_blobs_of_equal_steps_are_all_kept(scanner_type: type[Scanner]) -> None:
    data = frame(event(1, 2.0, tagged("x", wire.blob(5, b"")))) * 2

    batch = scan(scanner_type, TB, data)

    assert [step for step, *_ in blobs_of(batch)[series_key(Kind.HISTOGRAM, "x")]] == [1, 1]


@settings(max_examples=60)
@given(
    scalars=st.lists(
        st.builds(Scalar, tag=st.sampled_from("abc"), step=st.integers(0, 4), wall=FINITE, value=VALUES), max_size=40
    )
)
def test_summaries_are_true(scanner_type: type[Scanner], scalars: list[Scalar]) -> None:
    batch = scan(scanner_type, TB, b"".join(records(TB, scalars)))

    expected = expected_points(scalars)
    assert_points(points_of(batch), expected)
    assert batch.scalar_stats.dtype == STATS
    for stat, points in zip(batch.scalar_stats, expected.values(), strict=True):
        values = [value for _, _, value in points]
        finite = [value for value in values if math.isfinite(value)]
        assert (stat["count"], stat["first_step"], stat["last_step"]) == (len(points), points[0][0], points[-1][0])
        assert same_number(stat["last_value"], values[-1])
        assert stat["non_finite"] == len(values) - len(finite)
        assert same_number(stat["min"], min(finite, default=math.nan))
        assert same_number(stat["max"], max(finite, default=math.nan))
        assert (stat["first_wall"], stat["last_wall"]) == (points[0][1], max(wall for _, wall, _ in points))
    starts = batch.scalar_starts.tolist()
    assert batch.breaks.tolist() == [
        position
        for begin, end in pairwise(starts)
        for position in range(begin + 1, end)
        if batch.steps[position] <= batch.steps[position - 1]
    ]


@pytest.mark.parametrize("count", [1, BLOCK_POINTS - 1, BLOCK_POINTS, BLOCK_POINTS + 1, 2 * BLOCK_POINTS + 5])
def test_blocks_tell_where_the_extremes_are(scanner_type: type[Scanner], count: int) -> None:
    rng = np.random.default_rng(count)
    values = rng.normal(size=count).astype(np.float32)
    values[rng.random(count) < 0.01] = np.nan
    values[rng.random(count) < 0.01] = -np.inf

    batch = scan(scanner_type, TB, _curve(values.tolist()))

    assert batch.blocks.dtype == BLOCK
    assert len(batch.blocks) == -(-count // BLOCK_POINTS)
    for block, begin in zip(batch.blocks, range(0, count, BLOCK_POINTS), strict=True):
        part = values[begin : begin + BLOCK_POINTS]
        odd = np.flatnonzero(~np.isfinite(part))
        assert block["odd_at"] == (odd[0] if odd.size else NOWHERE)
        finite = np.where(np.isfinite(part), part, np.nan)
        assert (block["min_at"], block["max_at"]) == (np.nanargmin(finite), np.nanargmax(finite))
        assert (block["min"], block["max"]) == (np.nanmin(finite), np.nanmax(finite))


def test_a_block_without_finite_values_says_so(scanner_type: type[Scanner]) -> None:
    batch = scan(scanner_type, TB, _curve([math.nan, math.inf]))

    (block,) = batch.blocks
    assert math.isnan(block["min"]) and math.isnan(block["max"])
    assert (block["min_at"], block["max_at"], block["odd_at"]) == (NOWHERE, NOWHERE, 0)


def _number(value: float) -> bytes:
    tensor = wire.integer(1, 2) + wire.blob(6, np.float64(value).tobytes())
    return tagged("x", metadata("scalars"), wire.blob(8, tensor))


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([0.5, math.nan, math.inf, -0.0], np.float32),
        ([0.5, 0.1], np.float64),
        ([1e300], np.float64),
        ([2.0**24, 2.0**24 + 1], np.float64),
        ([1e-46], np.float64),
    ],
)
def test_doubles_stay_doubles(scanner_type: type[Scanner], values: list[float], dtype: type[np.floating]) -> None:
    data = b"".join(frame(event(step, 0.0, _number(value))) for step, value in enumerate(values))

    batch = scan(scanner_type, TB, data)

    assert batch.values.dtype == dtype
    np.testing.assert_array_equal(batch.values, values)


def _start(step: int) -> bytes:
    return frame(wire.double(1, 100.0 + step) + wire.integer(2, step) + wire.blob(7, wire.integer(1, 1)))


def test_points_know_the_starts_before_them(scanner_type: type[Scanner]) -> None:
    stop = frame(wire.double(1, 5.0) + wire.integer(2, 9) + wire.blob(7, wire.integer(1, 2)))
    parts = [_start(3), *records(TB, [Scalar("b", 1, 1.0, 0.5)]), stop, *records(TB, [Scalar("a", 1, 1.0, 0.5)])]
    parts += [_start(7), _start(6), *records(TB, [Scalar("b", 2, 1.0, 0.5), Scalar("a", 2, 1.0, 0.5)])]

    batch = scan(scanner_type, TB, b"".join(parts))

    assert batch.starts["step"].tolist() == [3, 7, 6]
    assert batch.starts["wall"].tolist() == [103.0, 107.0, 106.0]
    assert batch.starts["offset"].tolist() == [
        offset for offset, *_ in sorted((at, step) for step, _, at, _ in blobs_of(batch)[b"\x12start"])
    ]
    assert batch.sessions.tolist() == [1, 3, 1, 3]  # b, which came first, and a


def test_sessions_are_left_out_where_no_point_comes_before_a_start(scanner_type: type[Scanner]) -> None:
    batch = scan(scanner_type, TB, _start(3) + _start(2) + b"".join(records(TB, [Scalar("a", 1, 1.0, 0.5)])))

    assert batch.starts["step"].tolist() == [3, 2]
    assert batch.sessions.tolist() == []


@settings(max_examples=60)
@given(entries=st.lists(st.integers(-3, 9), max_size=20), cuts=st.lists(st.integers(0, 2000), max_size=3))
def test_both_scanners_find_the_same_sessions(
    both_scanners: tuple[type[Scanner], type[Scanner]], entries: list[int], cuts: list[int]
) -> None:
    data = b"".join(
        _start(-entry) if entry < 0 else records(TB, [Scalar("ab"[entry % 2], entry, 1.0, 0.5)])[0] for entry in entries
    )

    twin, native = (scan(one, TB, data, [cut for cut in cuts if cut < len(data)]) for one in both_scanners)

    assert_same(twin, native)


@settings(max_examples=60)
@given(walls=st.lists(st.floats(), min_size=1, max_size=6))
def test_odd_wall_times_are_summarised_alike(
    both_scanners: tuple[type[Scanner], type[Scanner]], walls: list[float]
) -> None:
    data = b"".join(records(TB, [Scalar("x", step, wall, 1.0) for step, wall in enumerate(walls)]))

    twin, native = (scan(one, TB, data) for one in both_scanners)

    assert_same(twin, native)


def test_large_batches_are_the_same_on_both(both_scanners: tuple[type[Scanner], type[Scanner]]) -> None:
    rng = np.random.default_rng(7)
    scalars = [
        Scalar(f"tag {tag}", int(step), float(wall), float(np.float32(value)))
        for tag, step, wall, value in zip(
            rng.integers(0, 9, 6_000),
            rng.integers(0, 2_000, 6_000),
            rng.uniform(1e9, 2e9, 6_000),
            rng.normal(size=6_000),
            strict=True,
        )
    ]
    data = b"".join(records(TB, scalars))

    twin, native = (scan(one, TB, data) for one in both_scanners)

    assert_same(twin, native)
    assert len(native.breaks) > 1_000
