"""A value's record as decoders get it, and what they say when it is no good."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from mindinsight_like.logs import visualdl_values
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.message_fields import MessageFields

MOST_FIELDS = 200_000  # of one message; the largest real ones, histograms written field by field, have some thousands


class BadValue(ValueError):
    """The bytes do not hold what they should; the message is for people."""


class MoreNeeded(Exception):
    """The first bytes of a record were not enough to tell."""


def _nothing_beside(name: str) -> bytes:
    raise BadValue("nothing was recorded")


@dataclass(frozen=True)
class Record:
    """The message of one value in a log file, in whole or its first bytes only."""

    dialect: Dialect
    data: bytes
    length: int  # of the whole message
    beside: Callable[[str], bytes] = _nothing_beside  # content that VisualDL 1.x keeps in files of their own

    @classmethod
    def of(cls, dialect: Dialect, data: bytes) -> Record:
        return cls(dialect, data, len(data))

    @property
    def is_whole(self) -> bool:
        return len(self.data) == self.length

    @cached_property
    def fields(self) -> MessageFields:
        """The message of a whole record; raises Malformed."""
        return MessageFields(self.data, most_fields=MOST_FIELDS)

    @cached_property
    def visualdl(self) -> visualdl_values.Value:
        """The value of a whole record of VisualDL 2.x; raises Malformed."""
        return visualdl_values.parse(self.data, 0, most_fields=MOST_FIELDS)

    def inner(self, number: int, what: str) -> MessageFields:
        """The message in a field, which must be there."""
        found = self.fields.messages(number)
        if not found:
            raise BadValue(f"the record holds no {what}")
        return found[-1]

    def entries(self) -> list[MessageFields]:
        """What a record of VisualDL 1.x consists of."""
        return self.fields.messages(1)
