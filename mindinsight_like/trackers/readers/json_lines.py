"""Plain JSON lines with a step-like key: one object a line, whose numbers are the points of a step.

The rules are narrow, as JSON lines hold all sorts of things: the first lines must be objects that have one of the known
keys for steps with whole numbers, another number besides, and no long texts, as samples of data sets have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors
from mindinsight_like.trackers.appended_files import Tail, read_tail
from mindinsight_like.trackers.files.json_rows import TIME_KEYS, JsonRows, numbers, parsed, whole_number
from mindinsight_like.trackers.reader import Folder, Log, LogUnreadable, RecognisedLog, RunSlice, Slice
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
_NAMES: Final = frozenset({"log.txt", "metrics.json", "log.json"})
_ENDINGS: Final = (".jsonl", ".ndjson")
_LONGEST_TEXT = 200  # characters of a value in a line of a log
_LINES_LOOKED_AT = 8
_PIECE = 4 * 1024 * 1024


class JsonLinesReader:
    """Reads JSON lines."""

    dialect = Dialect.JSON_LINES
    is_store = False

    def __init__(
        self,
        steps: Sequence[str] = STEP_KEYS,
        *,
        separator: str = ".",
        skipped: Collection[str] = (),
        longest_text: int = _LONGEST_TEXT,
    ) -> None:
        """`skipped` are keys of the outermost object whose numbers are no points."""
        self._steps = steps
        self._separator = separator
        self._skipped = skipped
        self._longest_text = longest_text

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
        rows = JsonRows(step_key, separator=self._separator, skipped=self._skipped)
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
        return len(tail.data) if rest.rstrip().endswith(b"}") and parsed(rest) is not None else end
    return end or len(tail.data)  # a line without an end is passed over piece by piece


def _step_key(head: bytes, keys: Sequence[str], longest_text: int) -> str | None:
    """The key for steps of a log that begins so; None when it is no log."""
    lines = head.split(b"\n")
    whole = lines[:-1] if len(lines) > 1 else lines  # the last one may be cut
    rows = [parsed(line) for line in [line for line in whole if line.strip()][:_LINES_LOOKED_AT]]
    if not rows or rows[0] is None or not all(row is None or _is_row(row, longest_text) for row in rows):
        return None
    first = rows[0]
    key = next((key for key in keys if whole_number(first.get(key)) is not None), None)
    if key is None:
        return None
    steps = [whole_number(row.get(key)) for row in rows if row is not None]
    has_values = any(name != key and name not in TIME_KEYS for name, _ in numbers(first))
    return key if has_values and all(step is not None for step in steps) else None


def _is_row(row: Mapping[str, Any], longest_text: int) -> bool:
    return all(not isinstance(value, str) or len(value) <= longest_text for value in row.values())
