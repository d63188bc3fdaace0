"""Locate the image and audio files inside a record."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from mindinsight_like.logs.protobuf.schemas.tensorboard import Summary
from mindinsight_like.logs.protobuf.schemas.tensorflow import TensorProto
from mindinsight_like.logs.protobuf.wire import BYTES, Field, fields
from mindinsight_like.values.records import BadValue, Record

_MOST_FIELDS = 10_000  # looked at in one message; each file of a record is one

Place = tuple[int, int]  # begin and end in the record


class FileField(NamedTuple):
    """Where a file is in a record: a message, and the field of it."""

    message: int
    field: int


def enclosed(record: Record, file: FileField, what: str) -> list[Place]:
    """The place of the file in the record's message, for a picture or sound on its own.

    An empty list: there is no such message. Raises Malformed, BadValue.
    """
    for outer in _parts(record, 0, len(record.data)):
        if outer.id == file.message:
            for inner in _parts(record, outer.begin, outer.end):
                if inner.id == file.field:
                    return [(inner.begin, inner.end)]
            raise BadValue(f"the record contains no {what}")
    return []


def enclosed_strings(record: Record) -> list[Place]:
    """The places of the strings in the record's tensor; raises as `enclosed` does."""
    for outer in _parts(record, 0, len(record.data)):
        if outer.id == Summary.Value.tensor:
            return [
                (inner.begin, inner.end)
                for inner in _parts(record, outer.begin, outer.end)
                if inner.id == TensorProto.string_val
            ]
    return []


def _parts(record: Record, begin: int, end: int) -> Iterator[Field]:
    """The fields of a message that hold bytes."""
    every_field = fields(record.data, begin, end)
    yield from (field for field in islice(every_field, _MOST_FIELDS) if field.wire == BYTES)
    for _ in every_field:
        raise BadValue(f"the record has more than {_MOST_FIELDS:,} parts")


def head(record: Record, place: Place, size: int) -> bytes:
    """The first bytes of a file."""
    begin, end = place
    return record.data[begin : min(end, begin + size)]
