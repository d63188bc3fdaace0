"""Records are found whole, once, and however the file grew."""

from __future__ import annotations

import mmap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.logs.framing import frame
from mindinsight_like.logs.kinds import Dialect, Kind, series_key
from mindinsight_like.logs.reference.scan import Scanner

from .messages import SCANNED, Scalar, expected_points, payload, records
from .reading import assert_points, follow, points_of, scan

DIALECTS = [Dialect.TENSORBOARD, Dialect.MINDSPORE, Dialect.VISUALDL]
STEPS = st.one_of(st.integers(0, 3), st.integers(-(2**63), 2**63 - 1))
TAGS = st.one_of(st.sampled_from(["loss", "acc"]), st.text(min_size=1, max_size=20), st.just("tiefe/ü🙂" * 120))
SCALARS = st.builds(
    Scalar,
    tag=TAGS.filter(lambda tag: "\0" not in tag and tag.isprintable() and not tag.isspace()),
    step=STEPS,
    wall=st.integers(0, 10**8 - 1).map(float) | st.integers(10**11, 10**13).map(lambda stamp: stamp / 1000),
    value=st.floats(width=32),
)


@settings(max_examples=40)
@given(scalars=st.lists(SCALARS, max_size=8), data=st.data())
@pytest.mark.parametrize("dialect", DIALECTS)
def test_records_survive_any_flush_pattern(
    scanner_type: type[Scanner], dialect: Dialect, scalars: list[Scalar], data: st.DataObject
) -> None:
    written = b"".join(records(dialect, scalars))
    cuts = data.draw(st.lists(st.integers(0, len(written)), max_size=8))

    batch = scan(scanner_type, dialect, written, cuts)

    assert_points(points_of(batch), expected_points(scalars))
    assert batch.damage == []


@settings(max_examples=40)
@given(scalars=st.lists(SCALARS, max_size=8), data=st.data())
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_new_session_goes_on_where_the_last_one_stopped(
    scanner_type: type[Scanner], dialect: Dialect, scalars: list[Scalar], data: st.DataObject
) -> None:
    framed = records(dialect, scalars)
    seen = data.draw(st.integers(0, len(scalars)))
    half_written = data.draw(st.integers(0, len(framed[seen]) - 1 if seen < len(framed) else 0))
    written = b"".join(framed)
    boundary = len(b"".join(framed[:seen]))

    first = scanner_type(dialect)
    first.feed(written[: boundary + half_written], at_end=True)
    before = first.take()
    second = scanner_type(dialect, before.keys, offset=first.offset, damaged=first.damaged)
    second.feed(written[first.offset :], at_end=True)
    after = second.take()

    assert first.offset == boundary
    assert second.offset == len(written)
    assert_points(points_of(before), expected_points(scalars[:seen]))
    assert points_of(after, before.keys).keys() == expected_points(scalars[seen:]).keys()
    in_order = dict(sorted(points_of(after, before.keys).items()))
    assert_points(in_order, dict(sorted(expected_points(scalars[seen:]).items())))
    assert before.keys + after.keys == list(expected_points(scalars))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_taking_between_feeds_gives_each_point_once(scanner_type: type[Scanner], dialect: Dialect) -> None:
    scalars = [Scalar(f"tag {number % 3}", number, 1.0, number / 8) for number in range(30)]
    scanner = scanner_type(dialect)

    batches = []
    for record in records(dialect, scalars):
        scanner.feed(record, at_end=False)
        assert scanner.pending == 1
        batches.append(scanner.take())
        assert scanner.pending == 0

    assert [key for batch in batches for key in batch.keys] == [series_key(Kind.SCALAR, f"tag {n}") for n in range(3)]
    assert [int(batch.scalar_numbers[0]) for batch in batches] == [number % 3 for number in range(30)]
    assert [float(batch.values[0]) for batch in batches] == [scalar.value for scalar in scalars]


def test_a_take_without_news_is_empty(scanner_type: type[Scanner]) -> None:
    batch = scanner_type(Dialect.TENSORBOARD).take()

    assert batch.keys == [] and batch.damage == []
    assert batch.scalar_starts.tolist() == batch.blob_starts.tolist() == [0]
    assert len(batch.steps) == len(batch.blocks) == len(batch.breaks) == len(batch.blob_steps) == 0


@pytest.mark.parametrize("dialect", DIALECTS)
def test_half_a_record_waits_and_says_how_much_it_needs(scanner_type: type[Scanner], dialect: Dialect) -> None:
    (record,) = records(dialect, [Scalar("loss", 1, 2.0, 3.0)])
    scanner = scanner_type(dialect)

    for end in range(len(record)):
        assert scanner.feed(record[:end], at_end=True) == 0
        assert scanner.wanted in (0, len(record))
    wanted = scanner.wanted
    scanner.feed(record, at_end=True)

    assert wanted == len(record)
    assert scanner.wanted == 0
    assert scanner.pending == 1
    assert scanner.take().damage == []


@pytest.mark.parametrize("source", [bytes, bytearray, memoryview])
def test_any_buffer_can_be_fed(scanner_type: type[Scanner], source: type[bytes]) -> None:
    data = b"".join(records(Dialect.TENSORBOARD, [Scalar("loss", 1, 2.0, 3.0)]))
    scanner = scanner_type(Dialect.TENSORBOARD)

    assert scanner.feed(source(data), at_end=True) == len(data)


def test_a_mapped_file_can_be_fed(scanner_type: type[Scanner], tmp_path: Path) -> None:
    log = tmp_path / "events.out.tfevents.1"
    log.write_bytes(b"".join(records(Dialect.TENSORBOARD, [Scalar("loss", 1, 2.0, 3.0)])))
    scanner = scanner_type(Dialect.TENSORBOARD)

    with log.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        scanner.feed(mapped, at_end=True)

    assert scanner.pending == 1


def test_nothing_can_be_fed(scanner_type: type[Scanner]) -> None:
    for dialect in SCANNED:
        scanner = scanner_type(dialect)

        assert scanner.feed(b"", at_end=True) == 0
        assert scanner.take().damage == []


def test_time_and_step_may_stand_behind_the_values(scanner_type: type[Scanner]) -> None:
    content = payload(Dialect.TENSORBOARD, Scalar("loss", 7, 8.0, 9.0))
    turned = content[11:] + content[:11]  # nine bytes of time, two of step

    batch = scan(scanner_type, Dialect.TENSORBOARD, frame(turned))

    assert points_of(batch) == {series_key(Kind.SCALAR, "loss"): [(7, 8.0, 9.0)]}


def test_an_unknown_dialect_is_refused(scanner_type: type[Scanner]) -> None:
    for dialect in (Dialect.MINDSPORE_MODEL, 99):
        with pytest.raises(ValueError, match=f"{dialect:d} is not a valid Dialect"):
            scanner_type(dialect)


def test_a_key_of_no_kind_is_refused(scanner_type: type[Scanner]) -> None:
    with pytest.raises(ValueError):
        scanner_type(Dialect.TENSORBOARD, [b"\xffloss"])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_thousands_of_series_stay_apart(scanner_type: type[Scanner], dialect: Dialect) -> None:
    scalars = [Scalar(f"layer_{number % 997}/w{number % 3}", number, 1.0, 0.5) for number in range(3_000)]
    scanner = scanner_type(dialect)
    follow(scanner, b"".join(records(dialect, scalars)))

    assert_points(points_of(scanner.take()), expected_points(scalars))
