"""What is written to a log is found there by the scanner."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindinsight_like.logs.kinds import Dialect, Kind, parse_key
from mindinsight_like.logs.scanner import Scanner
from mindinsight_like.writers.encoding import mindspore, tensorboard, visualdl
from mindinsight_like.writers.files.record_file import RecordFile

WALL = 1_750_000_000.25
POINTS = [(0, 0.0), (1, -2.5), (2, math.inf), (300, 1e-30), (2**40, 7.0), (2**40 + 1, math.nan)]


def _scan(path: Path, dialect: Dialect) -> Scanner:
    scanner = Scanner(dialect)
    content = path.read_bytes()
    assert scanner.feed(content, at_end=True) == len(content)
    return scanner


def _records(dialect: Dialect) -> Iterator[bytes]:
    for step, value in POINTS:
        wall_time = WALL + step % 1000
        if dialect is Dialect.VISUALDL:
            for tag in ("loss", "accuracy/top 1"):
                yield visualdl.record(tag, visualdl.scalar(value), step=step, wall_time=wall_time)
        elif dialect is Dialect.MINDSPORE:
            values = [mindspore.scalar(tag, value) for tag in ("loss", "accuracy/top 1")]
            yield mindspore.event(values, step=step, wall_time=wall_time)
        else:
            for encode, tag in ((tensorboard.scalar, "loss"), (tensorboard.tensor_scalar, "accuracy/top 1")):
                yield tensorboard.event([encode(tag, value)], step=step, wall_time=wall_time)


FRAMES = {
    Dialect.TENSORBOARD: (tensorboard.frame, tensorboard.opening(WALL)),
    Dialect.MINDSPORE: (mindspore.frame, mindspore.opening(WALL)),
    Dialect.VISUALDL: (visualdl.frame, visualdl.opening("run", wall_time=WALL)),
}


@pytest.mark.parametrize("dialect", FRAMES, ids=lambda dialect: dialect.name.lower())
def test_scalars_are_read_back_as_they_were_written(tmp_path: Path, dialect: Dialect) -> None:
    frame, opening = FRAMES[dialect]
    with RecordFile(tmp_path / "new" / "log", frame=frame) as log:
        log.write(opening)
        for record in _records(dialect):
            log.write(record)

    batch = _scan(log.path, dialect).take()

    assert not batch.damage
    read = {}
    for place, number in enumerate(batch.scalar_numbers):
        series = slice(int(batch.scalar_starts[place]), int(batch.scalar_starts[place + 1]))
        name = parse_key(batch.keys[number])
        assert name.kind is Kind.SCALAR
        read[name.tag] = (batch.steps[series].tolist(), batch.values[series].tolist(), batch.walls[series].tolist())
    steps = [step for step, _ in POINTS]
    values = pytest.approx([value for _, value in POINTS], rel=1e-6, nan_ok=True)
    walls = pytest.approx([WALL + step % 1000 for step in steps], abs=1e-3)
    assert read == dict.fromkeys(("loss", "accuracy/top 1"), (steps, values, walls))


def test_doubles_keep_all_their_digits(tmp_path: Path) -> None:
    with RecordFile(tmp_path / "log", frame=tensorboard.frame) as log:
        log.write(tensorboard.event([tensorboard.double_scalar("x", 0.1)], step=1, wall_time=WALL))

    batch = _scan(log.path, Dialect.TENSORBOARD).take()

    assert batch.values.tolist() == [0.1]


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        (Dialect.TENSORBOARD, {(Kind.IMAGE, "p"), (Kind.HISTOGRAM, "h"), (Kind.TEXT, "t/text_summary")}),
        (Dialect.MINDSPORE, {(Kind.IMAGE, "p"), (Kind.HISTOGRAM, "h")}),
        (Dialect.VISUALDL, {(Kind.IMAGE, "p"), (Kind.HISTOGRAM, "h"), (Kind.TEXT, "t"), (Kind.META, "meta_data_tag")}),
    ],
    ids=lambda parameter: parameter.name.lower() if isinstance(parameter, Dialect) else "",
)
def test_other_kinds_are_recognised(tmp_path: Path, dialect: Dialect, expected: set[tuple[Kind, str]]) -> None:
    frame, opening = FRAMES[dialect]
    edges, counts = [0.0, 1.0, 2.0], [5, 6]
    with RecordFile(tmp_path / "log", frame=frame) as log:
        log.write(opening)
        if dialect is Dialect.TENSORBOARD:
            for value in (
                tensorboard.image("p", b"\x89PNG", width=1, height=1),
                tensorboard.histogram("h", edges, counts, total=11, sum_squares=20),
                tensorboard.text("t", "words"),
            ):
                log.write(tensorboard.event([value], step=4, wall_time=WALL))
        elif dialect is Dialect.MINDSPORE:
            values = [
                mindspore.image("p", b"\x89PNG", width=1, height=1),
                mindspore.histogram("h", edges, counts, total=11),
            ]
            log.write(mindspore.event(values, step=4, wall_time=WALL))
        else:
            for tag, content in (
                ("p", visualdl.image(b"\x89PNG")),
                ("h", visualdl.histogram(edges, counts)),
                ("t", visualdl.text("words")),
            ):
                log.write(visualdl.record(tag, content, step=4, wall_time=WALL))

    batch = _scan(log.path, dialect).take()

    assert not batch.damage
    assert {(parse_key(key).kind, parse_key(key).tag) for key in batch.keys} == expected


def test_others_see_records_after_a_flush(tmp_path: Path) -> None:
    log = RecordFile(tmp_path / "log", frame=visualdl.frame)
    log.write(b"one")

    log.flush()

    assert log.path.read_bytes() == visualdl.frame(b"one")
    log.close()


def test_opening_a_log_again_keeps_what_it_holds(tmp_path: Path) -> None:
    for payload in (b"one", b"two"):
        with RecordFile(tmp_path / "log", frame=visualdl.frame) as log:
            log.write(payload)

    assert log.path.read_bytes() == visualdl.frame(b"one") + visualdl.frame(b"two")
