"""`Record`, the input of decoders, and `BadValue`, the error for records that cannot be decoded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import overload

from mindinsight_like.logs import visualdl_values
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas import visualdl_legacy

MOST_FIELDS = 200_000  # of one message; the largest real ones, histograms written field by field, have some thousands


class BadValue(ValueError):
    """The bytes do not hold what they should; the message is for people."""


class Window:
    """The bytes of a record, read piece by piece as they are looked at: a record may be large and its head enough."""

    def __init__(self, read: Callable[[int, int], bytes], length: int, *, piece: int = 512) -> None:
        """`read(begin, count)` gives exactly those bytes of the record."""
        self._read = read
        self._length = length
        self._piece = piece
        self._begin = 0
        self._held = b""

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int, /) -> int: ...

    @overload
    def __getitem__(self, place: slice, /) -> bytes: ...

    def __getitem__(self, place: int | slice, /) -> int | bytes:
        if isinstance(place, slice):
            begin, end, _ = place.indices(self._length)
            self._reach(begin, end)
            return self._held[begin - self._begin : max(begin, end) - self._begin]
        if not self._begin <= place < self._begin + len(self._held):
            self._reach(place, place + 1)
        return self._held[place - self._begin]

    def _reach(self, begin: int, end: int) -> None:
        if begin < self._begin or end > self._begin + len(self._held):
            count = min(max(end - begin, self._piece), self._length - begin)
            self._begin, self._held = begin, self._read(begin, count)


def _nothing_beside(name: str) -> bytes:
    raise BadValue("nothing was recorded")


def _no_folder(name: str) -> int:
    raise BadValue("it has no folder")


@dataclass(frozen=True)
class Record:
    """The message of one value in a log file."""

    dialect: Dialect
    data: bytes | Window
    beside: Callable[[str], bytes] = _nothing_beside  # content that VisualDL 1.x keeps in files of their own
    inside: Callable[[str], int] = _no_folder  # descriptor of a file in the folder of the run, to be closed

    @cached_property
    def _whole(self) -> bytes:
        return self.data[:]

    @cached_property
    def fields(self) -> MessageFields:
        """The message; raises Malformed."""
        return MessageFields(self._whole, most_fields=MOST_FIELDS)

    @cached_property
    def visualdl(self) -> visualdl_values.Value:
        """The value of a record of VisualDL 2.x; raises Malformed."""
        return visualdl_values.parse(self._whole, 0, most_fields=MOST_FIELDS)

    def inner(self, number: int, what: str) -> MessageFields:
        """The message in a field, which must be there."""
        messages = self.fields.messages(number)
        if not messages:
            raise BadValue(f"the record contains no {what}")
        return messages[-1]

    def entries(self) -> list[MessageFields]:
        """What a record of VisualDL 1.x consists of."""
        return self.fields.messages(visualdl_legacy.Record.data)
