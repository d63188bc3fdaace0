"""Messages walked through in step give the very fields that a walk one by one gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.logs.protobuf import message_columns
from mindinsight_like.logs.protobuf.message_columns import FieldColumns, each_last, equals, walk, walk_one
from mindinsight_like.logs.protobuf.wire import Malformed, fields
from mindinsight_like.writers.encoding import wire

_FIELD = st.one_of(
    st.builds(wire.integer, st.integers(1, 3000), st.integers(-(2**63), 2**64 - 1)),
    st.builds(wire.double, st.integers(1, 20), st.floats(allow_nan=False)),
    st.builds(wire.single, st.integers(1, 20), st.floats(width=32, allow_nan=False)),
    st.builds(wire.blob, st.integers(1, 20), st.binary(max_size=300)),
)
_MESSAGES = st.lists(st.lists(_FIELD, max_size=6).map(b"".join), max_size=60)


def _laid_out(messages: list[bytes]) -> tuple[bytes, np.ndarray, np.ndarray]:
    ends = np.cumsum([len(message) for message in messages], dtype=np.int64)
    return b"".join(messages), ends - [len(message) for message in messages], ends


def _rows(found: FieldColumns) -> list[tuple[int, ...]]:
    columns = (found.owners, found.ids, found.wires, found.numbers, found.begins, found.ends)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(_MESSAGES)
def test_fields_are_those_of_each_message_in_order(messages: list[bytes]) -> None:
    data, begins, ends = _laid_out(messages)

    found = walk(data, begins, ends)

    expected = [
        (owner, field.id, field.wire, field.number, field.begin, field.end)
        for owner, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True))
        for field in fields(data, begin, end)
    ]
    assert _rows(found) == expected


@given(_MESSAGES, st.integers(0, 100_000), st.integers(0, 255))
def test_what_one_walk_refuses_the_other_refuses(messages: list[bytes], place: int, byte: int) -> None:
    data, begins, ends = _laid_out(messages)
    if not data:
        return
    damaged = bytearray(data)
    damaged[place % len(data)] = byte
    try:
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            list(fields(damaged, begin, end))
    except Malformed:
        with pytest.raises(Malformed):
            walk(bytes(damaged), begins, ends)
    else:
        assert len(walk(bytes(damaged), begins, ends).ids) >= 0


@pytest.mark.parametrize(
    "message",
    [
        b"\x0a",  # a length is missing
        b"\x0a\x05abc",  # shorter than it says
        b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f",  # a length that no file has
        b"\x08",  # no value
        b"\x08" + b"\xff" * 11,  # a number without an end
        b"\x0d\x00",  # a cut float
        b"\x09\x00",
        b"\x0b",  # a group
        b"\x07",
        b"\x00\x00",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    ],
)
@pytest.mark.parametrize("beside", [0, 100])
def test_messages_that_are_none_are_refused(message: bytes, beside: int) -> None:
    good = wire.integer(1, 1)
    data, begins, ends = _laid_out([good] * beside + [message])

    with pytest.raises(Malformed):
        walk(data, begins, ends)


def test_a_message_of_far_more_fields_than_the_others_is_no_hurdle() -> None:
    long = b"".join(wire.integer(1, number) for number in range(50_000))
    data, begins, ends = _laid_out([wire.integer(2, 7)] * 100 + [long] + [wire.integer(2, 7)] * 100)

    found = walk(data, begins, ends)

    assert len(found.ids) == 50_200
    assert found.numbers[found.owners == 100].tolist() == list(range(50_000))


def test_there_is_an_end_to_the_fields_that_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_columns, "MOST_FIELDS", 1000)

    with pytest.raises(Malformed, match="more than 1,000 fields"):
        walk_one(wire.integer(1, 1) * 1001)
    data, begins, ends = _laid_out([wire.integer(1, 1) * 11] * 100)
    with pytest.raises(Malformed, match="more than 1,000 fields"):
        walk(data, begins, ends)


def test_contents_of_fields() -> None:
    data, begins, ends = _laid_out([wire.text(1, "a") + wire.text(1, "bc"), wire.text(2, "x"), wire.text(1, "bc")])
    found = walk(data, begins, ends).of(1)

    assert each_last(data, found, 3) == [b"bc", b"", b"bc"]
    assert equals(data, found, b"bc").tolist() == [False, True, True]
    assert equals(data, found, b"").tolist() == [False, False, False]
