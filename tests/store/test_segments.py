"""Segments give back the columns they were made of, alone and merged."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.logs.batch import BLOCK_POINTS
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.scanner import Scanner
from mindinsight_like.store.segments.segments import BadSegment, Segment, decode, encode, map_file, merge, summarise
from mindinsight_like.writers.encoding import tensorboard

from .making import Point, assert_same_column, batches

_steps = st.integers(-(2**63), 2**63 - 1) | st.integers(0, 5)
_values = st.floats() | st.floats(width=32)
_points = st.lists(st.tuples(st.sampled_from("abc"), _steps, _values), max_size=40)


def _copy(segment: Segment | object) -> Segment:
    return decode(b"".join(encode(segment)))  # type: ignore[arg-type]


def _assert_same(one: object, other: object) -> None:
    for field in fields(Segment):
        assert_same_column(getattr(one, field.name), getattr(other, field.name))


@given(_points)
def test_a_segment_gives_back_what_the_scanner_found(points: list[Point]) -> None:
    (batch,) = batches(points)

    segment = _copy(batch)

    _assert_same(segment, batch)
    assert segment.values.dtype == batch.values.dtype
    assert segment.points == len(batch.steps)


@given(_points, st.data())
def test_merged_segments_equal_one_segment_of_all_points(points: list[Point], data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(points)), max_size=5)))
    pieces = [points[low:high] for low, high in zip([0, *cuts], [*cuts, len(points)], strict=True)]
    (whole,) = batches(points)

    merged = _copy(merge([_copy(batch) for batch in batches(*pieces)]))

    _assert_same(merged, whole)


@given(_points, _points)
def test_merging_keeps_every_point(first: list[Point], second: list[Point]) -> None:
    parts = [_copy(batch) for batch in batches(first, second)]

    merged = merge(parts)

    for number in range(4):
        found = [columns for part in parts if (columns := part.scalars(number)) is not None]
        columns = merged.scalars(number)
        if not found:
            assert columns is None
            continue
        assert columns is not None
        for name in ("steps", "walls", "values"):
            together = np.concatenate([getattr(each, name) for each in found])
            np.testing.assert_array_equal(getattr(columns, name), together)
        assert columns.breaks.tolist() == [
            at for at in range(1, len(columns.steps)) if int(columns.steps[at]) <= int(columns.steps[at - 1])
        ]
        assert_same_column(columns.blocks, summarise(columns.values, np.array([0, len(columns.values)])))


@settings(max_examples=20)
@given(
    st.lists(st.sampled_from([0, 1, BLOCK_POINTS - 1, BLOCK_POINTS, BLOCK_POINTS + 1, 2500]), min_size=1, max_size=3),
    st.integers(0, 2**32),
)
def test_summaries_equal_those_of_the_scanner(lengths: list[int], seed: int) -> None:
    chance = np.random.default_rng(seed)
    log = []
    for name, length in zip("abc", lengths, strict=False):
        values = chance.integers(-3, 4, length).astype(np.float64)  # repeated extremes: the first one counts
        values[chance.random(length) < 0.2] = np.nan
        values[chance.random(length) < 0.1] = np.inf
        for step, value in enumerate(values.tolist()):
            event = tensorboard.event([tensorboard.scalar(name, value)], step=step, wall_time=1.0)
            log.append(tensorboard.frame(event))
    scanner = Scanner(int(Dialect.TENSORBOARD))
    scanner.feed(b"".join(log), at_end=True)
    batch = scanner.take()

    summaries = summarise(batch.values, batch.scalar_starts)

    assert_same_column(summaries, batch.blocks)


@given(st.lists(st.integers(-3, 9), max_size=20), st.lists(st.integers(0, 20), max_size=4))
def test_merging_keeps_which_points_come_before_a_start(entries: list[int], cuts: list[int]) -> None:
    def log(entry: int) -> bytes:
        if entry < 0:
            return tensorboard.frame(tensorboard.session_start(step=-entry, wall_time=1.0))
        scalar = tensorboard.scalar("ab"[entry % 2], 0.5)
        return tensorboard.frame(tensorboard.event([scalar], step=entry, wall_time=1.0))

    def found(pieces: list[list[int]]) -> list[Segment]:
        scanner = Scanner(int(Dialect.TENSORBOARD))
        parts = []
        for piece in pieces:
            scanner.feed(b"".join(map(log, piece)), at_end=True)
            parts.append(_copy(scanner.take()))
        return parts

    borders = sorted({min(cut, len(entries)) for cut in cuts})
    parts = found([entries[low:high] for low, high in zip([0, *borders], [*borders, len(entries)], strict=True)])

    _assert_same(merge(parts), found([entries])[0])


def test_blobs_are_found_where_they_lie_in_the_log() -> None:
    def text(step: int) -> bytes:
        event = tensorboard.event([tensorboard.text("note", f"step {step}")], step=step, wall_time=step + 0.5)
        return tensorboard.frame(event)

    logs = [text(0) + text(1), text(2)]
    scanner = Scanner(int(Dialect.TENSORBOARD))
    parts = []
    for log in logs:
        scanner.feed(log, at_end=True)
        parts.append(_copy(scanner.take()))

    blobs = merge(parts).blobs(0)

    assert blobs is not None
    assert blobs.steps.tolist() == [0, 1, 2]
    assert blobs.walls.tolist() == [0.5, 1.5, 2.5]
    log = b"".join(logs)
    for step, (offset, length) in enumerate(zip(blobs.offsets, blobs.lengths, strict=True)):
        assert f"step {step}".encode() in log[offset : offset + length]
    assert merge(parts).blobs(1) is None
    assert merge(parts).scalars(0) is None


def test_a_mapped_segment_outlives_its_file(tmp_path: Path) -> None:
    (batch,) = batches([("a", step, float(step)) for step in range(100)])
    path = tmp_path / "1"
    path.write_bytes(b"".join(encode(batch)))

    segment = decode(map_file(path))
    path.unlink()

    _assert_same(segment, batch)


@pytest.mark.parametrize("cut", [0, 5, 30, 60, 200, -1])
def test_cut_or_foreign_bytes_are_refused(cut: int) -> None:
    (batch,) = batches([("a", step, float(step)) for step in range(100)])
    whole = b"".join(encode(batch))

    with pytest.raises(BadSegment):
        decode(whole[:cut])
    with pytest.raises(BadSegment):
        decode(b"\0" * len(whole))
