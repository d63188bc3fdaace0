"""Scanner of trace event JSON: the Python reference of the native one.

An event is taken when its brackets, its keys and its numbers of interest can be told, and nothing else is demanded of
it: control characters, bytes that are no UTF-8, NaN, commas too many pass. Where no event can be read, the scanner
goes on at the next object that has a `ph` and is not the value of a key, and remembers the bytes between as damage.
Keys are compared as they are written; of equal ones in an object the last one counts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from mindinsight_like.profiler.traces.event_rows import (
    ABSENT,
    MOST_ARGUMENTS,
    MOST_EVENT_BYTES,
    MOST_ROOT_BYTES,
    MOST_ROOT_VALUES,
    Kind,
    ScannedEvents,
)

from .growing_rows import GrowingRows
from .numbers import decimal
from .token_values import argument_of, content_of, integer_of, time_of
from .tokens import CLOSE, COLON, LIST, LIST_END, OPEN, QUOTE, SPACE_OR_COMMA, Incomplete, Malformed, Tokens

__all__ = ["EventScanner"]

_MOST_DAMAGE: Final = 100  # places that are remembered; all are counted
_START, _ROOT, _EVENTS, _END, _LOST = range(5)
_MEMBERS: Final = {
    b"ph": "phase",
    b"ts": "time",
    b"dur": "duration",
    b"pid": "process",
    b"tid": "thread",
    b"name": "name",
    b"cat": "category",
    b"id": "identity",
}
_SLICE: Final = ord("X")
_COUNTER: Final = ord("C")
_ARROW: Final = b"stf"
_MARK: Final = b"\xef\xbb\xbf"


class _Event:
    """What has been read of one event: tokens of JSON, b"" for none."""

    def __init__(self) -> None:
        self.phase = 0
        self.time = self.duration = ABSENT
        self.process = self.thread = self.name = self.category = self.identity = b""
        self.arguments: dict[int, int | float | bytes] = {}
        self.arguments_from = -1
        self.end = 0


class EventScanner(Tokens):
    """Finds every event of one file, fed piece by piece; `arguments` are keys of `args` with their kinds.

    Arrows (phases s, t, f) whose names are the tokens `without` are only counted.
    """

    def __init__(self, arguments: Sequence[tuple[bytes, int]], without: Collection[bytes] = ()) -> None:
        super().__init__()
        if len(arguments) > MOST_ARGUMENTS:
            raise ValueError(f"at most {MOST_ARGUMENTS} arguments can be read")
        self._kinds = [Kind(kind) for _, kind in arguments]
        self._argument_numbers = {bytes(key): number for number, (key, _) in enumerate(arguments)}
        self._slices, self._others = GrowingRows(len(arguments)), GrowingRows(len(arguments))
        self._counters: tuple[list[int], list[int], list[float]] = ([], [], [])
        self._texts: dict[bytes, int] = {}
        self._tracks: dict[tuple[int, int], int] = {}
        self._root: dict[bytes, bytes] = {}
        self._damage: list[tuple[int, int]] = []
        self._without = frozenset(without)
        self._damages = self._nameless = self._cut_bytes = self._arrows_left_out = 0
        self._is_cut = False
        self._state = _START
        self._is_bare = False  # the file is a list of events, without an object around it
        self._offset = 0  # of the data's first byte in the file
        self._lost_from = 0
        self._is_open_end = False  # what is lost may just be the cut end of the file
        self._before = 0  # the last byte that is no space, while lost
        self._item = 0  # where in the data what is read next begins
        self._at_end = False

    def feed(self, data: bytes | bytearray | memoryview, *, at_end: bool, share: float = 1.0) -> int:
        """Read all whole events from bytes that follow the ones done with; returns how many bytes are done with.

        `at_end` says that the file has no more, `share` (0 to 1) how much of it has come; the native scanner makes
        room for the rest.
        """
        self.data, self._item, self._at_end = bytes(data), 0, at_end
        steps = (self._start, self._in_root, self._in_events, self._behind, self._find)
        while True:
            try:
                steps[self._state]()
            except Malformed:
                self._lose(is_open_end=False)
            except Incomplete:
                rest = len(self.data) - self._item
                if self._state == _LOST or rest == 0:
                    break
                if rest > MOST_EVENT_BYTES:
                    self._lose(is_open_end=False)
                elif at_end:
                    self._lose(is_open_end=True)
                else:
                    break
        self._offset += self._item
        if at_end:
            self._finish()
        self.data = b""
        return self._item

    def take(self) -> ScannedEvents:
        """Everything read."""
        rows, names, values = self._counters
        return ScannedEvents(
            slices=self._slices.scanned(self._kinds),
            others=self._others.scanned(self._kinds),
            counters=(np.array(rows, np.int32), np.array(names, np.int32), np.array(values, np.float64)),
            tracks=list(self._tracks),
            texts=list(self._texts),
            root=list(self._root.items()),
            is_cut=self._is_cut,
            cut_bytes=self._cut_bytes,
            damages=self._damages,
            damage=self._damage,
            nameless=self._nameless,
            arrows_left_out=self._arrows_left_out,
        )

    # --- one step: reads what begins at `_item` and moves it on ---------------------------------------------------

    def _start(self) -> None:
        if self._offset == 0 and self._item == 0:
            mark = self.data[:3]
            if len(mark) < 3 and not self._at_end:
                raise Incomplete
            self._item = 3 if mark == _MARK else 0
        self._item = self.space(self._item)
        first = self.at(self._item)
        self._is_bare = first != OPEN
        if first not in (OPEN, LIST):
            raise Malformed
        self._state = _EVENTS if self._is_bare else _ROOT
        self._item += 1

    def _in_root(self) -> None:
        begin = self._item = self.space(self._item, SPACE_OR_COMMA)
        first = self.at(begin)
        if first == CLOSE:
            self._state = _END
            self._item += 1
            return
        if first != QUOTE:
            raise Malformed
        key_end = self.string(begin)
        colon = self.space(key_end)
        if self.at(colon) != COLON:
            raise Malformed
        value = self.space(colon + 1)
        key = self.data[begin:key_end]
        if self.at(value) == LIST:
            inner = self.space(value + 1)
            if key == b'"traceEvents"' or (self.at(inner) == OPEN and self._is_event(inner)):
                self._state = _EVENTS
                self._item = value + 1
                return
        end = self.skip(value)
        if end - begin > MOST_EVENT_BYTES:
            raise Malformed
        is_kept = end - begin <= MOST_ROOT_BYTES and len(self._root) < MOST_ROOT_VALUES
        if is_kept:
            self._root[key] = self.data[value:end]
        self._item = end

    def _in_events(self) -> None:
        begin = self._item = self.space(self._item, SPACE_OR_COMMA)
        first = self.at(begin)
        if first == LIST_END:
            self._state = _END if self._is_bare else _ROOT
            self._item += 1
            return
        if first != OPEN:
            raise Malformed
        event = self._event(begin)
        self._item = event.end
        if event.phase:
            self._add(event, begin)
        else:
            self._nameless += 1

    def _behind(self) -> None:
        self._item = self.space(self._item)
        self.at(self._item)
        raise Malformed  # nothing may follow

    def _find(self) -> None:
        """Look for the next event."""
        position = self._item
        while True:
            begin = self.data.find(b"{", position)
            passed = self.data[position : begin if begin >= 0 else None].rstrip(b" \t\r\n")
            self._before = passed[-1] if passed else self._before
            self._item = begin if begin >= 0 else len(self.data)
            if begin < 0:
                raise Incomplete
            try:
                if self._before == COLON or self.at(self.space(begin + 1)) != QUOTE:
                    raise Malformed
                event = self._event(begin)
            except Malformed:
                self._before, position = OPEN, begin + 1
                continue
            except Incomplete:
                if not self._at_end and len(self.data) - begin <= MOST_EVENT_BYTES:
                    raise
                self._before, position = OPEN, begin + 1
                continue
            if event.phase:
                break
            self._before, position = CLOSE, event.end
        self._note_damage(self._offset + begin)
        self._state = _EVENTS
        self._item = event.end
        self._add(event, begin)

    def _lose(self, *, is_open_end: bool) -> None:
        self._state = _LOST
        self._lost_from = self._offset + self._item
        self._is_open_end = is_open_end
        self._before = self.data[self._item]
        self._item += 1

    def _note_damage(self, end: int) -> None:
        self._damages += 1
        if len(self._damage) < _MOST_DAMAGE:
            self._damage.append((self._lost_from, end - self._lost_from))

    def _finish(self) -> None:
        if self._state != _LOST:
            self._is_cut = self._state in (_START, _ROOT) or (self._state == _EVENTS and not self._is_bare)
        elif self._is_open_end:
            self._is_cut = True
            self._cut_bytes = self._offset - self._lost_from
        else:
            self._note_damage(self._offset)

    # --- events ---------------------------------------------------------------------------------------------------

    def _is_event(self, begin: int) -> bool:
        try:
            return self._event(begin).phase != 0
        except Malformed:
            return False

    def _event(self, begin: int) -> _Event:
        event = _Event()

        def argument(key: bytes, value: int) -> int:
            end = self.skip(value)
            number = self._argument_numbers.get(key)
            if number is not None:
                read = argument_of(self._kinds[number], self.data[value:end])
                if read is None:
                    event.arguments.pop(number, None)
                else:
                    event.arguments[number] = read
            return end

        def member(key: bytes, value: int) -> int:
            if key == b"args":
                event.arguments, event.arguments_from = {}, -1
                if self.data[value] == OPEN:
                    event.arguments_from = value
                    return self.object(value, argument)
            end = self.skip(value)
            if key in _MEMBERS:
                self._member(event, key, self.data[value:end])
            return end

        event.end = self.object(begin, member)
        if event.end - begin > MOST_EVENT_BYTES:
            raise Malformed
        return event

    def _member(self, event: _Event, key: bytes, token: bytes) -> None:
        is_text = token.startswith(b'"')
        if key == b"ph":
            event.phase = token[1] if is_text and len(token) > 2 else 0
        elif key == b"ts":
            event.time = time_of(token)
        elif key == b"dur":
            event.duration = time_of(token)
        else:
            setattr(event, _MEMBERS[key], b"" if token == b"null" else token)

    def _add(self, event: _Event, begin: int) -> None:
        if event.phase in _ARROW and event.name in self._without:
            self._arrows_left_out += 1
            return
        rows = self._slices if event.phase == _SLICE else self._others
        row = len(rows)
        track = self._text(event.process), self._text(event.thread)
        for column, value in zip(
            rows.columns,
            (
                event.phase,
                event.time,
                event.duration,
                self._tracks.setdefault(track, len(self._tracks)),
                self._text(event.name),
                self._text(event.category),
                self._offset + begin,
            ),
            strict=True,
        ):
            column.append(value)
        if event.identity:
            integer = integer_of(event.identity)
            rows.identity[0].append(row)
            rows.identity[1].append(-2 - self._text(event.identity) if integer is None else integer)
        for number, read in sorted(event.arguments.items()):
            rows.arguments[number][0].append(row)
            rows.arguments[number][1].append(self._text(read) if isinstance(read, bytes) else read)
        if event.phase == _COUNTER and event.arguments_from >= 0:
            self._add_counters(row, event.arguments_from)

    def _add_counters(self, row: int, arguments: int) -> None:
        def counter(key: bytes, value: int) -> int:
            end = self.skip(value)
            number = decimal(content_of(self.data[value:end]))
            if number is not None:
                rows, names, values = self._counters
                rows.append(row)
                names.append(self._text(b'"%b"' % key))
                values.append(number)
            return end

        self.object(arguments, counter)

    def _text(self, token: bytes) -> int:
        return self._texts.setdefault(token, len(self._texts)) if token else -1
