"""The native scan of logs of records and its reference give the same; damage costs only what is damaged."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.logs.protobuf.schemas import wandb
from mindinsight_like.trackers.record_logs import BLOCK_BYTES, HEADER_BYTES, WANDB, Memory, Scanned
from mindinsight_like.trackers.reference import records as reference
from mindinsight_like.writers.encoding import wire

from .cases import CASES
from .wandb_log import framed, history_record, item, output_record, summary_record

try:
    from mindinsight_like.trackers import _records as native
except ImportError:
    native = None  # no compiler here

LOGS = sorted([*CASES.glob("wandb/**/run-*.wandb"), *CASES.glob("swanlab/**/run-*.swanlab")])
LOGS = [path for path in LOGS if "latest-run" not in path.parts]
SMALL = [path for path in LOGS if 100 < path.stat().st_size < 200_000]
Scan = Callable[[bytes, int, int, bool, Memory], Scanned]
WAYS = [reference.scan] if native is None else [reference.scan, native.scan]
NAMES = ["reference", "native"][: len(WAYS)]


def layout(path: Path) -> int:
    return int(path.suffix == ".swanlab")


def whole(content: bytes, way: Scan, number: int = WANDB) -> Scanned:
    return way(content[HEADER_BYTES:], HEADER_BYTES, number, True, Memory())


def plain(found: Scanned) -> list[Any]:
    """What was found in a form that can be compared, NaN included."""
    return [each.tobytes() if isinstance(each, np.ndarray) else repr(each) for each in found]


def pieces(content: bytes, way: Scan, number: int, sizes: Iterator[int]) -> Iterator[Scanned]:
    """A log in pieces of some sizes."""
    at, memory, size = HEADER_BYTES, Memory(), 0
    while at < len(content):
        size += next(sizes)
        piece = content[at : at + size]
        found = way(piece, at, number, at + size >= len(content), memory)
        yield found
        if at + size >= len(content):
            return
        memory = found.memory
        at += found.consumed
        size = 0 if found.consumed else size


def damaged(content: bytes, chance: random.Random) -> bytes:
    """A copy with some bits flipped, bytes lost or zeroed."""
    copy = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(HEADER_BYTES, len(copy))
        what = chance.random()
        if what < 0.6:
            copy[place] ^= 1 << chance.randrange(8)
        elif what < 0.8:
            count = min(chance.randint(1, 5000), len(copy) - place)
            copy[place : place + count] = bytes(count)
        elif len(copy) > 50_000:
            del copy[place : place + chance.randint(1, 40_000)]
    return bytes(copy)


@pytest.mark.skipif(native is None, reason="no compiler")
@pytest.mark.parametrize("path", LOGS, ids=lambda path: "/".join(path.relative_to(CASES).parts[:3]))
def test_native_and_reference_give_the_same(path: Path) -> None:
    content = path.read_bytes()
    chance = random.Random(len(content))
    for attempt in range(4):
        copy = damaged(content, chance) if attempt and len(content) > 100 else content
        sizes = [chance.choice([100, 5000, 40_000, 10**7]) for _ in range(100_000)]
        pairs = zip(
            pieces(copy, native.scan, layout(path), iter(sizes)),
            pieces(copy, reference.scan, layout(path), iter(sizes)),
            strict=True,
        )
        for ours, theirs in pairs:
            assert plain(ours) == plain(theirs)


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 1 << 32))
def test_damage_costs_only_the_records_that_it_touches(way: Scan, seed: int) -> None:
    chance = random.Random(seed)
    path = chance.choice(SMALL)
    content = path.read_bytes()
    place = chance.randrange(HEADER_BYTES, len(content))
    copy = content[:place] + bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1 :]

    sound, found = whole(content, way, layout(path)), whole(copy, way, layout(path))

    assert points_of(found) <= points_of(sound)
    assert len(sound.values) - len(found.values) <= 150
    assert found.damage or found.consumed < len(copy) - HEADER_BYTES or len(found.values) == len(sound.values)


def points_of(found: Scanned) -> set[tuple[str, int, str]]:
    """All points; the steps of host metrics are left out, as they count samples."""
    columns = zip(found.numbers.tolist(), found.steps.tolist(), found.values.tolist(), strict=True)
    named = ((found.tags[number], step, repr(value)) for number, step, value in columns)
    return {(tag, 0 if tag.startswith("system/") else step, value) for tag, step, value in named}


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
@settings(max_examples=40, deadline=None)
@given(content=st.binary(max_size=3000), seed=st.integers(0, 1 << 32))
def test_any_bytes_are_read_to_their_end(way: Scan, content: bytes, seed: int) -> None:
    sizes = random.Random(seed)
    for number in (0, 1):
        for found in pieces(bytes(7) + content, way, number, iter(lambda: sizes.randint(1, 2000), 0)):
            assert 0 <= found.consumed <= len(content)
        whole(framed([content]), way, number)


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
@settings(max_examples=60, deadline=None)
@given(number=st.floats() | st.integers(-(10**25), 10**25), form=st.sampled_from(["{!r}", "{:e}", "{:.3f}", "{:.25g}"]))
def test_numbers_are_those_that_python_reads(way: Scan, number: float, form: str) -> None:
    text = form.format(number).replace("nan", "NaN").replace("inf", "Infinity")
    found = whole(framed([row_of(text)]), way)

    assert np.array_equal(found.values, [float(text)], equal_nan=True)
    assert math.copysign(1, found.values[0]) == math.copysign(1, float(text)) or math.isnan(float(text))


def row_of(text: str) -> bytes:
    """A row whose one value is written so."""
    value = wire.blob(wandb.Item.key, b"x") + wire.blob(wandb.Item.value_json, text.encode())
    return wire.blob(wandb.Record.history, wire.blob(wandb.HistoryRecord.item, value))


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_rows_keep_what_is_no_number(way: Scan) -> None:
    values = {
        "a": 1,
        ("n", "x"): 2.5,
        ("pic", "_type"): "image-file",
        ("pic", "width"): 7,
        ("pic", "boxes", "size"): 8,
        "yes": True,
        "nothing": None,
        "many": [1, 2],
        "plain": {"x": 1},
    }
    found = whole(framed([history_record(5, 6.5, values)]), way)

    assert found.tags == ["a", "n\x1fx", "yes"]
    assert found.values.tolist() == [1.0, 2.5, 1.0]
    assert found.steps.tolist() == [5, 5, 5]
    assert [(kept.step, kept.wall) for kept in found.records] == [(5, 6.5)]


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_a_row_without_a_step_has_that_of_the_row_before(way: Scan) -> None:
    found = whole(framed([history_record(5, 6.5, {"a": 1}), row_of("2")]), way)

    assert found.steps.tolist() == [5, 5]
    assert np.isnan(found.walls[1])


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_of_the_summary_the_last_values_count(way: Scan) -> None:
    found = whole(
        framed([summary_record({"a": 1, "b": 2, "_step": 3}), summary_record({"b": "x" * 5000, "a": 1.5})]), way
    )

    assert found.summary == {"a": b"1.5", "b": b""}


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_output_is_joined_as_a_terminal_shows_it(way: Scan) -> None:
    texts = ["one ", "two\nthr", "ee\r\n", " 10%\r", " 20%\r", "\n", "rest"]
    records = [output_record(text, 100 + number) for number, text in enumerate(texts)]
    found = whole(framed([*records, output_record("error\n", 200, is_error=True)]), way)

    assert found.lines == b"one two\nthree\n 20%\nerror\n"
    assert found.line_times.tolist() == [101, 102, 105, 200]
    assert found.memory.stdout == b"rest"


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_a_line_without_an_end_is_cut(way: Scan) -> None:
    found = whole(framed([output_record("x" * 200_000, 1)]), way)

    assert [len(line) for line in found.lines.split(b"\n")] == [65536, 65536, 65536, 0]
    assert len(found.memory.stdout) == 200_000 - 3 * 65536


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_zeros_at_the_end_wait_and_zeros_inside_are_damage(way: Scan) -> None:
    records = [history_record(step, 1.0, {"a": step}) for step in range(2000)]
    content = framed(records)

    cut = whole(framed(records[:900]) + bytes(100_000), way)
    holed = whole(content[:40_000] + bytes(1000) + content[41_000:], way)

    assert cut.damage == []
    assert len(holed.damage) == 1
    assert 1900 < len(holed.values) < 2000


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_hostile_blocks_are_searched_for_a_bounded_time(way: Scan) -> None:
    blocks = 2 if way is reference.scan else 500
    content = framed([]) + bytes([3]) * (BLOCK_BYTES * blocks)

    found = whole(content, way)

    assert len(found.damage) == 1


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_many_objects_in_a_row_are_told_apart_quickly(way: Scan) -> None:
    values: dict[Any, Any] = {}
    for number in range(3000):
        values[f"h{number}", "_type"] = "histogram"
        values[f"h{number}", "values"] = 1
        values[f"s{number}"] = number

    found = whole(framed([history_record(1, 1.0, values)]), way)

    assert len(found.values) == 3000
    assert len(found.records) == 1


def test_items_are_written_as_the_library_does() -> None:
    assert json.loads(item("a", 1.5)[-3:]) == 1.5
