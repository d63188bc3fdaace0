"""Damage costs the damaged records, is told once, and nothing else is lost."""

from __future__ import annotations

import random
import resource
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.logs.framing import frame, masked_crc32c
from mindinsight_like.logs.kinds import Dialect, Kind, series_key
from mindinsight_like.logs.reference.scan import MAX_RECORD, Scanner

from .messages import SCANNED, Scalar, expected_points, framed, records
from .reading import assert_same, follow, points_of, scan

CHECKED = [Dialect.TENSORBOARD, Dialect.MINDSPORE]
ALL = [*CHECKED, Dialect.VISUALDL]


def _scalars(count: int) -> list[Scalar]:
    # A tag of its own for each: what damage makes of one cannot hide another. Big enough to outlast any removal.
    return [Scalar(f"tag number {number}", number, 1.7e9, number / 4) for number in range(count)]


def _found(scanner_type: type[Scanner], dialect: Dialect, data: bytes, cuts: list[int]) -> tuple[set[bytes], list[int]]:
    batch = scan(scanner_type, dialect, data, cuts)
    return set(points_of(batch)), [damage.offset for damage in batch.damage]


@settings(max_examples=60)
@given(data=st.data())
@pytest.mark.parametrize("dialect", CHECKED)
def test_a_flipped_bit_costs_one_record(scanner_type: type[Scanner], dialect: Dialect, data: st.DataObject) -> None:
    scalars = _scalars(6)
    written = records(dialect, scalars)
    hit = data.draw(st.integers(0, 5))
    bit = data.draw(st.integers(0, len(written[hit]) * 8 - 1))
    start = len(b"".join(written[:hit]))
    broken = bytearray(b"".join(written))
    broken[start + bit // 8] ^= 1 << bit % 8
    cuts = data.draw(st.lists(st.integers(0, len(broken)), max_size=4))

    keys, damage = _found(scanner_type, dialect, bytes(broken), cuts)

    assert keys == set(expected_points(scalars[:hit] + scalars[hit + 1 :]))
    assert damage == [start]


@settings(max_examples=60)
@given(data=st.data())
@pytest.mark.parametrize("dialect", ALL)
def test_garbage_between_records_costs_nothing_but_itself(
    scanner_type: type[Scanner], dialect: Dialect, data: st.DataObject
) -> None:
    scalars = _scalars(6)
    written = records(dialect, scalars)
    at = data.draw(st.integers(0, 5))
    # A high last byte of the first eight: taken as a length it is absurd, whatever stands before it.
    garbage = data.draw(st.binary(min_size=7, max_size=60))
    garbage = garbage[:7] + b"\xff" + garbage[7:]
    start = len(b"".join(written[:at]))
    broken = b"".join([*written[:at], garbage, *written[at:]])
    cuts = data.draw(st.lists(st.integers(0, len(broken)), max_size=4))

    keys, damage = _found(scanner_type, dialect, broken, cuts)

    assert keys == set(expected_points(scalars))
    assert damage == [start]


@settings(max_examples=60)
@given(data=st.data())
@pytest.mark.parametrize("dialect", ALL)
def test_garbage_inside_a_record_costs_that_record(
    scanner_type: type[Scanner], dialect: Dialect, data: st.DataObject
) -> None:
    scalars = _scalars(6)
    written = records(dialect, scalars)
    hit = data.draw(st.integers(0, 4))
    inside = data.draw(st.integers(1, len(written[hit]) - 1))
    garbage = data.draw(st.binary(min_size=1, max_size=60))
    broken = b"".join([*written[:hit], written[hit][:inside], garbage, written[hit][inside:], *written[hit + 1 :]])

    batch = scan(scanner_type, dialect, broken)

    others = set(expected_points(scalars[:hit] + scalars[hit + 1 :]))
    assert others <= set(points_of(batch))
    assert len(batch.damage) <= 1
    if dialect in CHECKED and not written[hit].startswith(written[hit][:inside] + garbage):
        assert [damage.offset for damage in batch.damage] == [len(b"".join(written[:hit]))]


@settings(max_examples=60)
@given(data=st.data())
@pytest.mark.parametrize("dialect", ALL)
def test_removed_bytes_cost_their_record(scanner_type: type[Scanner], dialect: Dialect, data: st.DataObject) -> None:
    scalars = _scalars(6)
    written = records(dialect, scalars)
    hit = data.draw(st.integers(0, 3))
    begin = data.draw(st.integers(0, len(written[hit]) - 1))
    end = data.draw(st.integers(begin + 1, len(written[hit])))
    broken = b"".join([*written[:hit], written[hit][:begin], written[hit][end:], *written[hit + 1 :]])

    keys, damage = _found(scanner_type, dialect, broken, [])

    others = set(expected_points(scalars[:hit] + scalars[hit + 1 :]))
    whole = end - begin == len(written[hit])
    if whole:
        assert keys == others
        assert damage == []
    elif dialect in CHECKED:
        assert keys == others
        assert damage == [len(b"".join(written[:hit]))]
    else:
        # Without a checksum the first bytes of the next record may pass for the missing ones.
        assert others - set(expected_points(scalars[hit + 1 : hit + 2])) <= keys
        assert len(damage) == 1


@settings(max_examples=100)
@given(data=st.data())
def test_a_flipped_bit_costs_visualdl_at_most_one_record(scanner_type: type[Scanner], data: st.DataObject) -> None:
    scalars = _scalars(6)
    written = records(Dialect.VISUALDL, scalars)
    hit = data.draw(st.integers(0, 5))
    bit = data.draw(st.integers(0, len(written[hit]) * 8 - 1))
    broken = bytearray(b"".join(written))
    broken[len(b"".join(written[:hit])) + bit // 8] ^= 1 << bit % 8

    keys, damage = _found(scanner_type, Dialect.VISUALDL, bytes(broken), [])

    assert set(expected_points(scalars[:hit] + scalars[hit + 1 :])) <= keys
    assert len(keys) <= len(scalars)
    assert len(damage) <= 1


@settings(max_examples=150)
@given(data=st.data())
@pytest.mark.parametrize("dialect", [*ALL, Dialect.MINDSPORE_LINEAGE])
def test_both_scanners_see_the_same_in_a_mangled_file(
    both_scanners: tuple[type[Scanner], type[Scanner]], dialect: Dialect, data: st.DataObject
) -> None:
    source = dialect if dialect in ALL else Dialect.MINDSPORE
    mangled = bytearray(b"".join(records(source, _scalars(5))))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(mangled)))
        until = at + data.draw(st.integers(0, 30))
        mangled[at:until] = data.draw(
            st.binary(max_size=40) | st.sampled_from([bytes(40), b"\xff" * 30, bytes(mangled)])
        )
    cuts = data.draw(st.lists(st.integers(0, len(mangled)), max_size=4))

    twin, native = (one(dialect) for one in both_scanners)
    for scanner in (twin, native):
        follow(scanner, bytes(mangled), cuts)

    assert (twin.offset, twin.damaged, twin.wanted, twin.pending) == (
        native.offset,
        native.damaged,
        native.wanted,
        native.pending,
    )
    assert_same(twin.take(), native.take())


@settings(max_examples=150)
@given(noise=st.binary(max_size=300))
@pytest.mark.parametrize("dialect", SCANNED)
def test_noise_never_stops_a_scanner(
    both_scanners: tuple[type[Scanner], type[Scanner]], dialect: Dialect, noise: bytes
) -> None:
    twin, native = (scan(one, dialect, noise) for one in both_scanners)

    assert_same(twin, native)


@pytest.mark.parametrize("dialect", CHECKED)
def test_two_damaged_places_are_told_apart(scanner_type: type[Scanner], dialect: Dialect) -> None:
    written = records(dialect, _scalars(6))
    broken = bytearray(b"".join(written))
    size = len(written[0])
    broken[size + 20] ^= 1
    broken[3 * size + 9] ^= 1
    broken[4 * size + 20] ^= 1

    batch = scan(scanner_type, dialect, bytes(broken))

    assert [(one.offset, one.kind, one.message) for one in batch.damage] == [
        (size, "payload_checksum", f"the content of a record fails its checksum; {size} bytes were skipped"),
        (3 * size, "length_checksum", f"the length of a record fails its checksum; {2 * size} bytes were skipped"),
    ]
    assert len(points_of(batch)) == 3


def test_a_damaged_region_is_told_once_over_takes_and_sessions(scanner_type: type[Scanner]) -> None:
    first, second = records(Dialect.TENSORBOARD, _scalars(2))
    broken = first + bytes(100) + second
    scanner = scanner_type(Dialect.TENSORBOARD)

    scanner.feed(broken[: len(first) + 50], at_end=True)
    told = scanner.take().damage
    resumed = scanner_type(Dialect.TENSORBOARD, offset=scanner.offset, damaged=scanner.damaged)
    resumed.feed(broken[scanner.offset :], at_end=True)
    batch = resumed.take()

    assert [(one.offset, one.kind) for one in told] == [(len(first), "length_checksum")]
    assert told[0].message.endswith("no intact record was found after it yet")
    assert batch.damage == []
    assert len(batch.steps) == 1
    assert not resumed.damaged


@pytest.mark.parametrize("length", [MAX_RECORD, 2**40, 2**64 - 1])
def test_an_absurd_length_is_skipped(scanner_type: type[Scanner], length: int) -> None:
    header = struct.pack("<Q", length)
    header += struct.pack("<I", masked_crc32c(header))
    data = header + b"".join(records(Dialect.TENSORBOARD, _scalars(1)))

    batch = scan(scanner_type, Dialect.TENSORBOARD, data)

    assert [one.kind for one in batch.damage] == ["absurd_length"]
    assert len(batch.steps) == 1


def test_an_absurd_length_of_visualdl_is_skipped(scanner_type: type[Scanner]) -> None:
    data = struct.pack("<Q", 2**40) + bytes(20) + b"".join(records(Dialect.VISUALDL, _scalars(1)))

    batch = scan(scanner_type, Dialect.VISUALDL, data)

    assert [one.kind for one in batch.damage] == ["absurd_length"]
    assert len(batch.steps) == 1


@pytest.mark.parametrize("dialect", ALL)
def test_a_long_record_takes_no_memory_before_it_is_there(scanner_type: type[Scanner], dialect: Dialect) -> None:
    length = struct.pack("<Q", MAX_RECORD - 100)
    head = length + b"\x0a" if dialect == Dialect.VISUALDL else length + struct.pack("<I", masked_crc32c(length))
    scanner = scanner_type(dialect)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    consumed = scanner.feed(head + bytes(10), at_end=True)

    assert consumed == 0
    assert MAX_RECORD - 100 < scanner.wanted <= MAX_RECORD
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
    assert scanner.take().damage == []


def test_a_wrong_length_of_visualdl_is_seen_when_a_record_follows(scanner_type: type[Scanner]) -> None:
    first, second, third = records(Dialect.VISUALDL, _scalars(3))
    wrong = struct.pack("<Q", 100_000) + second[8:]
    scanner = scanner_type(Dialect.VISUALDL)

    scanner.feed(first + wrong, at_end=True)
    waiting = scanner.take()
    scanner.feed(wrong + third, at_end=True)
    batch = scanner.take()

    assert waiting.damage == []
    assert [(one.offset, one.kind) for one in batch.damage] == [(len(first), "absurd_length")]
    assert batch.keys == [series_key(Kind.SCALAR, "tag number 2")]


def test_a_wrong_length_of_visualdl_is_not_waited_for(scanner_type: type[Scanner]) -> None:
    written = records(Dialect.VISUALDL, _scalars(4))
    written[1] = struct.pack("<Q", 10**9) + written[1][8:]
    scanner = scanner_type(Dialect.VISUALDL)

    scanner.feed(b"".join(written), at_end=False)
    batch = scanner.take()

    assert scanner.wanted == 0
    assert len(batch.steps) == 3
    assert [(one.offset, one.kind) for one in batch.damage] == [(len(written[0]), "absurd_length")]


def test_a_log_continued_after_a_crash_loses_only_the_cut_record(scanner_type: type[Scanner]) -> None:
    first, second, *others = records(Dialect.TENSORBOARD, _scalars(6))
    data = first + second[:20] + b"".join(others)

    batch = scan(scanner_type, Dialect.TENSORBOARD, data, [len(first) + 20])

    assert [(one.offset, one.kind) for one in batch.damage] == [(len(first), "payload_checksum")]
    assert len(batch.steps) == 5


@settings(max_examples=150)
@given(contents=st.lists(st.binary(max_size=60), min_size=1, max_size=4))
@pytest.mark.parametrize("dialect", [*ALL, Dialect.MINDSPORE_LINEAGE])
def test_nonsense_with_a_right_checksum_is_judged_alike(
    both_scanners: tuple[type[Scanner], type[Scanner]], dialect: Dialect, contents: list[bytes]
) -> None:
    good = records(dialect if dialect in ALL else Dialect.MINDSPORE, _scalars(1))
    data = b"".join([framed(dialect, content) for content in contents] + good)

    twin, native = (scan(one, dialect, data) for one in both_scanners)

    assert_same(twin, native)
    assert {one.kind for one in native.damage} <= {"unparsable", "absurd_length"}
    if dialect != Dialect.MINDSPORE_LINEAGE:
        assert series_key(Kind.SCALAR, "tag number 0") in native.keys


def _message(draw: random.Random, depth: int) -> bytes:
    """A message whose fields have small numbers, so that it often looks like one of ours, now and then cut short."""
    parts = []
    for _ in range(draw.randrange(5)):
        wire = draw.choice([0, 0, 1, 2, 2, 2, 2, 5, 5, draw.randrange(8)])
        number = draw.choice([1, 2, 3, 4, 5, 8, 9, draw.randrange(18)])
        content = b""
        if wire == 0:
            content = draw.choice([b"\x01", b"\x00", b"\x13", bytes([draw.randrange(128)]), b"\xff" * 9 + b"\x01"])
        elif wire in (1, 5):
            content = draw.randbytes(8 if wire == 1 else 4)
        elif wire == 2:
            inner = draw.choice([b"scalars", b"hparams", b"tag", b"GIF89a", b"\0\0\x80?", b""])
            if depth and draw.random() < 0.8:
                inner = _message(draw, depth - 1)
            content = bytes([min(len(inner), 127)]) + inner[:127]
        parts.append(bytes([number << 3 & 0x78 | wire, *([number >> 4] if number > 15 else [])]) + content)
    message = b"".join(parts)
    return message if draw.random() < 0.9 else message[: draw.randrange(len(message) + 1)]


@pytest.mark.parametrize("dialect", SCANNED)
@pytest.mark.parametrize("seed", range(3))
def test_messages_of_any_shape_are_read_alike(
    both_scanners: tuple[type[Scanner], type[Scanner]], dialect: Dialect, seed: int
) -> None:
    draw = random.Random(seed)
    contents = [_message(draw, 5) for _ in range(200)]

    for content in contents:
        whole = content if dialect == Dialect.VISUALDL_LEGACY else framed(dialect, content)
        twin, native = (scan(one, dialect, whole) for one in both_scanners)
        assert_same(twin, native)
    if dialect in CHECKED:
        joined = b"".join(map(frame, contents))
        twin, native = (scan(one, dialect, joined) for one in both_scanners)
        assert_same(twin, native)


@settings(max_examples=60)
@given(data=st.data())
@pytest.mark.parametrize("dialect", ALL)
def test_zeros_between_records_cost_nothing_but_themselves(
    scanner_type: type[Scanner], dialect: Dialect, data: st.DataObject
) -> None:
    """Preallocated space and the holes of sparse files, among them stretches that end inside any word of memory."""
    scalars = _scalars(6)
    written = records(dialect, scalars)
    at = data.draw(st.integers(0, 5))
    zeros = data.draw(st.integers(12, 90))
    start = len(b"".join(written[:at]))
    broken = b"".join([*written[:at], bytes(zeros), *written[at:]])
    cuts = data.draw(st.lists(st.integers(0, len(broken)), max_size=4))

    keys, damage = _found(scanner_type, dialect, broken, cuts)

    assert keys == set(expected_points(scalars))
    assert damage == [start]


@pytest.mark.parametrize("tail", range(20))
@pytest.mark.parametrize("dialect", ALL)
def test_skipped_zeros_are_told_like_zeros_that_were_fed(
    scanner_type: type[Scanner], dialect: Dialect, tail: int
) -> None:
    scalars = _scalars(4)
    written = records(dialect, scalars)
    head, zeros = b"".join(written[:2]), bytes(1000)
    rest = zeros[:tail] + b"".join(written[2:])
    fed, skipping = scanner_type(int(dialect)), scanner_type(int(dialect))
    fed.feed(head + zeros + rest, at_end=True)

    skipping.feed(head + zeros[:50], at_end=False)
    assert skipping.damaged
    skipping.skip_zeros(len(head) + len(zeros) - skipping.offset)
    assert skipping.offset > len(head) + 900
    skipping.feed((head + zeros + rest)[skipping.offset :], at_end=True)

    assert skipping.offset == fed.offset
    assert_same(skipping.take(), fed.take())


def test_zeros_are_skipped_only_inside_damage(scanner_type: type[Scanner]) -> None:
    with pytest.raises(ValueError, match="in damaged data"):
        scanner_type(int(Dialect.TENSORBOARD)).skip_zeros(100)


def test_a_scanner_names_its_series(scanner_type: type[Scanner]) -> None:
    scanner = scanner_type(int(Dialect.TENSORBOARD), [series_key(Kind.SCALAR, "known")])
    scanner.feed(b"".join(records(Dialect.TENSORBOARD, _scalars(2))), at_end=True)

    assert scanner.new_keys == 2
    assert [scanner[number] for number in range(len(scanner))] == [
        series_key(Kind.SCALAR, tag) for tag in ("known", "tag number 0", "tag number 1")
    ]
    scanner.take()
    assert scanner.new_keys == 0
    with pytest.raises(IndexError):
        scanner[3]
