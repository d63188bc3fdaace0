"""Where in a record the files of pictures and sounds lie that it encloses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from mindinsight_like.logs.wire import BYTES, Field, fields
from mindinsight_like.values.records import BadValue, Record

_MOST_FIELDS = 10_000  # looked at in one message; each file of a record is one

Place = tuple[int, int]  # begin and end in the record


def enclosed(record: Record, message: int, what: str) -> list[Place]:
    """The place of the file in the record's message of that number, for a picture or sound on its own.

    The file is field 4 of each such message. An empty list: there is no such message. Raises Malformed, BadValue.
    """
    for outer in _parts(record, 0, len(record.data)):
        if outer.id == message:
            for inner in _parts(record, outer.begin, outer.end):
                if inner.id == 4:
                    return [(inner.begin, inner.end)]
            raise BadValue(f"the record holds no {what}")
    return []


def enclosed_strings(record: Record) -> list[Place]:
    """The places of the strings in the record's tensor; raises as `enclosed` does."""
    for outer in _parts(record, 0, len(record.data)):
        if outer.id == 8:
            return [(inner.begin, inner.end) for inner in _parts(record, outer.begin, outer.end) if inner.id == 8]
    return []


def _parts(record: Record, begin: int, end: int) -> Iterator[Field]:
    """The fields of a message that hold bytes."""
    found = fields(record.data, begin, end)
    yield from (field for field in islice(found, _MOST_FIELDS) if field.wire == BYTES)
    for _ in found:
        raise BadValue(f"the record has more than {_MOST_FIELDS:,} parts")


def head(record: Record, place: Place, size: int) -> bytes:
    """The first bytes of a file."""
    begin, end = place
    return record.data[begin : min(end, begin + size)]
