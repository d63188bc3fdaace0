"""Plain JSON lines with a step-like key: one object a line, whose numbers are the points of a step.

The rules are narrow, as JSON lines hold all sorts of things: the first lines must be objects that have one of the known
keys for steps with whole numbers, another number besides, and no long texts, as samples of data sets have.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import orjson

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors
from mindinsight_like.trackers.appended_files import Tail, read_tail
from mindinsight_like.trackers.reader import Folder, Log, LogUnreadable, Points, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.source import Source

# The first one that the first line has counts.
STEP_KEYS: Final = (
    "_step",
    "global_step",
    "step",
    "steps",
    "total_steps",
    "train_step",
    "num_updates",
    "iteration",
    "iter",
    "epoch",
)
_TIME_KEYS: Final = ("_timestamp", "timestamp", "wall_time", "time", "ts")
_NAMES: Final = frozenset({"log.txt", "metrics.json", "log.json"})
_ENDINGS: Final = (".jsonl", ".ndjson")
_LONGEST_TEXT = 200  # characters of a value in a line of a log
_LINES_LOOKED_AT = 8
_PIECE = 4 * 1024 * 1024
_SECONDS = (1e8, 1e11)  # unix times lie between; those in milliseconds are a thousand times as large
_STEPS = (-(1 << 63), (1 << 63) - 1)


class JsonLinesReader:
    """Reads JSON lines."""

    dialect = Dialect.JSON_LINES
    is_store = False

    def __init__(
        self,
        steps: Sequence[str] = STEP_KEYS,
        *,
        separator: str = ".",
        skipped: Collection[str] = frozenset(),
        longest_text: int = _LONGEST_TEXT,
    ) -> None:
        """`skipped` are keys of the outermost object whose numbers are no points."""
        self._longest_text = longest_text
        self._steps = steps
        self._separator = separator
        self._skipped = skipped

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        for name in sorted(folder.files):
            if (name in _NAMES or name.endswith(_ENDINGS)) and self.is_log(folder.head(name)):
                yield RecognisedLog(folder.path(name), folder.name, frozenset({name}))

    def is_log(self, head: bytes) -> bool:
        """Whether a file that begins so is one of such lines."""
        return _step_key(head, self._steps, self._longest_text) is not None

    def members(self, source: Source, name: str) -> Sequence[str]:
        return (name,)

    def read(self, log: Log) -> Slice:
        cursor = cursors.unpack(log.cursor)
        version = log.versions[log.name]
        tail = _whole_lines(log, cursor.get("place"))
        run = RunSlice(starts_over=tail.starts_over)
        step_key = cursor.get("step") if not tail.starts_over else None
        if step_key is None:
            step_key = _step_key(tail.data, self._steps, self._longest_text)
        if step_key is None:
            if not cursor and version.size:
                raise LogUnreadable("no line has a known key for steps, such as step, iteration or epoch")
            step_key = self._steps[0]
        end = _end_of_lines(tail)
        rows = Rows(step_key, self._separator, self._skipped)
        rows.read(tail.data[:end], tail.offset)
        run.points, run.damage = rows.points(), rows.damage
        place = tail.place(log.source, log.name, version, end)
        return Slice(
            cursors.pack(place=place, step=step_key),
            place["position"],
            is_partial=not tail.is_at_end,
            runs=[run],
        )


def _whole_lines(log: Log, place: dict[str, Any] | None) -> Tail:
    """What is new, with a whole line in it unless a line is longer than all that a slice may have."""
    most = min(_PIECE, log.limits.bytes)
    while True:
        tail = read_tail(log.source, log.name, log.versions[log.name], place, most)
        if tail.is_at_end or b"\n" in tail.data or most >= 64 * _PIECE:
            return tail
        most *= 4


def _end_of_lines(tail: Tail) -> int:
    """Where the last whole line ends; at the end of the file that may be a line without a line break."""
    end = tail.data.rfind(b"\n") + 1
    rest = tail.data[end:]
    if tail.is_at_end:
        return len(tail.data) if rest.rstrip().endswith(b"}") and _parsed(rest) is not None else end
    return end or len(tail.data)  # a line without an end is passed over piece by piece


class Rows:
    """Collects the points of lines."""

    def __init__(self, step_key: str, separator: str = ".", skipped: Collection[str] = frozenset()) -> None:
        self._step_key = step_key
        self._separator = separator
        self._skipped = skipped
        self._tags: dict[str, int] = {}
        self._numbers: list[int] = []
        self._steps: list[int] = []
        self._walls: list[float] = []
        self._values: list[float] = []
        self.damage: list[Damage] = []

    def read(self, data: bytes, offset: int) -> None:
        for line in data.split(b"\n"):
            if line and not line.isspace():
                row = _parsed(line)
                if row is None:
                    self.damage.append(Damage(offset, "unparsable", f"a line is not a JSON object: {_excerpt(line)}"))
                else:
                    self.add(row)
            offset += len(line) + 1

    def add(self, row: dict[str, Any]) -> None:
        """Add the numbers of an object, which is used up."""
        step = _whole(row.pop(self._step_key, None))
        if step is None:
            return  # such as a summary at the end
        wall = math.nan
        for key in _TIME_KEYS:
            if (time := _unix_seconds(row.get(key))) is not None:
                wall = time
                del row[key]
                break
        for key in self._skipped:
            row.pop(key, None)
        tags, numbers, values = self._tags, self._numbers, self._values
        before = len(numbers)
        for name, value in _flat(row, self._separator):
            numbers.append(tags.setdefault(name, len(tags)))
            values.append(value)
        count = len(numbers) - before
        self._steps += [step] * count
        self._walls += [wall] * count

    def points(self) -> Points | None:
        if not self._numbers:
            return None
        return Points(
            list(self._tags),
            np.array(self._numbers, np.int64),
            np.array(self._steps, np.int64),
            np.array(self._walls, np.float64),
            np.array(self._values, np.float64),
        )


def _flat(row: Mapping[str, Any], separator: str, prefix: str = "", depth: int = 0) -> Iterable[tuple[str, float]]:
    for name, value in row.items():
        kind = type(value)
        if kind is float:
            yield prefix + name, value
        elif kind is int:
            if (number := _as_float(value)) is not None:
                yield prefix + name, number
        elif kind is dict and depth < 8:
            yield from _flat(value, separator, f"{prefix}{name}{separator}", depth + 1)


def _as_float(value: int) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None


def _parsed(line: bytes) -> dict[str, Any] | None:
    """The object of a line; None when it is none."""
    try:
        row = orjson.loads(line)
    except ValueError:
        # NaN and infinities stand bare in what Python writes, and bytes need not be UTF-8.
        try:
            row = json.loads(line.decode(errors="replace"))
        except (ValueError, RecursionError):
            return None
    return row if isinstance(row, dict) else None


def _step_key(head: bytes, keys: Sequence[str], longest_text: int) -> str | None:
    """The key for steps of a log that begins so; None when it is no log."""
    lines = head.split(b"\n")
    whole = lines[:-1] if len(lines) > 1 else lines  # the last one may be cut
    rows = [_parsed(line) for line in [line for line in whole if line.strip()][:_LINES_LOOKED_AT]]
    if not rows or rows[0] is None or not all(row is None or _is_row(row, longest_text) for row in rows):
        return None
    first = rows[0]
    key = next((key for key in keys if _whole(first.get(key)) is not None), None)
    if key is None:
        return None
    steps = [_whole(row.get(key)) for row in rows if row is not None]
    has_values = any(name != key and name not in _TIME_KEYS for name, _ in _flat(first, "."))
    return key if has_values and all(step is not None for step in steps) else None


def _is_row(row: Mapping[str, Any], longest_text: int) -> bool:
    return all(not isinstance(value, str) or len(value) <= longest_text for value in row.values())


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return int(value)
    return value if isinstance(value, int) and _STEPS[0] <= value <= _STEPS[1] else None


def _unix_seconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if _SECONDS[0] < value < _SECONDS[1]:
        return float(value)
    return value / 1000 if _SECONDS[0] * 1000 < value < _SECONDS[1] * 1000 else None


def _excerpt(line: bytes) -> str:
    text = line[:60].decode(errors="replace")
    return f"{text}…" if len(line) > 60 else text
