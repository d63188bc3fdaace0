"""Columns of trace events, as scanned from a file in Chrome's "Trace Event" JSON.

A scanner (`_events`, or its Python reference) returns `ScannedEvents`, whose texts are JSON tokens; `events` decodes
them into `Events`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .trace import Bytes, Floats, Ints, Longs

ABSENT: Final = -(2**63)  # in columns of times: not in the file, or nothing that can be read as a time
MOST_EVENT_BYTES: Final = 2**24  # an event that seems to be longer has lost its end
MOST_DEPTH: Final = 64  # of brackets in an event
MOST_ROOT_BYTES: Final = 2**20  # of one value beside the events; longer ones are left out
MOST_ROOT_VALUES: Final = 1000
MOST_ARGUMENTS: Final = 60  # that can be asked for


class Kind(IntEnum):
    """How the values of an argument are wanted. Strings that hold a number count as that number."""

    INTEGER = 0  # int64; up to 2**64 they wrap, beyond that they are left out; decimals are rounded
    DECIMAL = 1  # float64
    TIME = 2  # microseconds, with or without text behind them ("48.642 us"), as int64 nanoseconds
    TEXT = 3  # index into texts: what a string says, or the JSON of anything else


@dataclass(frozen=True)
class Values:
    """The values of one argument, of the rows that have it, in order of rows."""

    row: Ints
    value: NDArray[Any]  # int64, float64 or, of texts, int32

    def dense(self, rows: int, missing: int) -> NDArray[Any]:
        """A column for all rows."""
        column = np.full(rows, missing, self.value.dtype)
        column[self.row] = self.value
        return column


@dataclass(frozen=True)
class Rows:
    """Events in the order of the file."""

    phase: Bytes  # the letter of `ph`
    time: Longs  # nanoseconds, ABSENT for none
    duration: Longs  # nanoseconds, ABSENT for none
    track: Ints  # index into Events.tracks
    name: Ints  # index into Events.texts, -1 for none
    category: Ints  # the same
    place: Longs  # where in the unpacked file the event begins
    identity: Values  # `id`: an integer as it is, any other text as -2 - index into texts
    arguments: dict[str, Values]  # of those that were asked for

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True)
class CounterValues:
    """The numbers in the arguments of counters (phase C)."""

    row: Ints  # of Events.others
    name: Ints  # key of the argument, index into Events.texts
    value: Floats


@dataclass(frozen=True)
class Damage:
    """Bytes that are no event."""

    place: int
    bytes: int


@dataclass(frozen=True)
class Events:
    """A whole file."""

    slices: Rows  # phase X
    others: Rows  # all other phases
    counters: CounterValues
    tracks: list[tuple[str, str]]  # pid and tid as texts, "" for none
    texts: list[str]
    root: dict[str, Any]  # what stands beside the events
    is_cut: bool  # the file ends within the list of events or within an event
    cut_bytes: int  # of the event that has no end
    damages: int
    damage: list[Damage]  # the first ones
    nameless: int  # objects without `ph`, such as the {} that ends some lists
    arrows_left_out: int
    bytes: int  # unpacked
    unpack_error: str  # why unpacking ended early, "" if it did not


class ScannedRows(NamedTuple):
    """Columns of a scanner, in the order of `Rows`; arguments in the order in which they were asked for."""

    phase: Bytes
    time: Longs
    duration: Longs
    track: Ints
    name: Ints
    category: Ints
    place: Longs
    identity: tuple[Ints, Longs]
    arguments: list[tuple[Ints, NDArray[Any]]]


class ScannedEvents(NamedTuple):
    """All that a scanner has read."""

    slices: ScannedRows
    others: ScannedRows
    counters: tuple[Ints, Ints, Floats]
    tracks: list[tuple[int, int]]  # texts of pid and tid, -1 for none
    texts: list[bytes]  # tokens of JSON
    root: list[tuple[bytes, bytes]]  # tokens of keys and values
    is_cut: bool
    cut_bytes: int
    damages: int
    damage: list[tuple[int, int]]
    nameless: int
    arrows_left_out: int
