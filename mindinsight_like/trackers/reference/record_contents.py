"""What the records of W&B's and SwanLab's logs hold; see `records`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas import swanlab, wandb
from mindinsight_like.logs.protobuf.wire import BYTES, Malformed, fields
from mindinsight_like.trackers.record_logs import SEPARATOR, WANDB, KeptRecord, Memory, Region, Scanned

_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_INTEGER = re.compile(rb"-?[0-9]{1,18}")
_WORDS = {b"NaN": math.nan, b"Infinity": math.inf, b"-Infinity": -math.inf, b"true": 1.0, b"false": 0.0}
_WORDS |= {b'"' + word + b'"': number for word, number in _WORDS.items() if word[-1:] in b"Ny"}
_SEPARATOR = SEPARATOR.encode()
_TYPE = b"_type"
_OWN_KEYS = frozenset((b"_step", b"_timestamp", b"_runtime", b"_wandb"))
_LONGEST_NUMBER = 400
_MOST_SUMMARY = 4096  # bytes of a value that is kept
_LONGEST_LINE = 1 << 16
_KEPT_OF_WANDB = frozenset(
    {
        *(wandb.Record.config, wandb.Record.artifact, wandb.Record.alert, wandb.Record.metric, wandb.Record.run),
        *(wandb.Record.exit, wandb.Record.header, wandb.Record.preempting, wandb.Record.use_artifact),
        wandb.Record.environment,
    }
)
_KEPT_OF_SWANLAB = frozenset({swanlab.Record.start, swanlab.Record.finish, swanlab.Record.column, swanlab.Record.media})


class _Item(NamedTuple):
    key: bytes
    value: bytes

    @property
    def is_own(self) -> bool:
        """Whether W&B itself adds it to each row."""
        return self.key.split(_SEPARATOR, 1)[0] in _OWN_KEYS


class Contents:
    """Gathers what records hold."""

    def __init__(self, layout: int, memory: Memory) -> None:
        self._read = self._read_wandb if layout == WANDB else self._read_swanlab
        self._step = memory.step
        self._samples = memory.samples
        self._unfinished = [memory.stderr, memory.stdout]
        self._numbers: dict[bytes, int] = {}  # of tags
        self._points: list[tuple[int, int, float, float]] = []
        self._summary: dict[bytes, bytes] = {}
        self._lines: list[bytes] = []
        self._line_times: list[float] = []
        self._kept: list[KeptRecord] = []

    def read(self, record: bytes) -> bool:
        """Take what a record holds; False, and nothing is taken, when it is none."""
        try:
            parts = [
                (field.id, record[field.begin : field.end])
                for field in fields(record, 0, len(record))
                if field.wire == BYTES
            ]
            taken = [self._read(number, part) for number, part in parts]
        except Malformed:
            return False
        for take in taken:
            take()
        return True

    def scanned(self, consumed: int, damaged: bool, regions: list[Region]) -> Scanned:
        numbers, steps, walls, values = zip(*self._points, strict=True) if self._points else ((), (), (), ())
        return Scanned(
            consumed,
            Memory(damaged, self._step, self._samples, *self._unfinished),
            regions,
            [tag.decode(errors="replace") for tag in self._numbers],
            np.array(numbers, np.int64),
            np.array(steps, np.int64),
            np.array(walls, np.float64),
            np.array(values, np.float64),
            {key.decode(errors="replace"): value for key, value in self._summary.items()},
            b"".join(self._lines),
            np.array(self._line_times, np.float64),
            self._kept,
        )

    def _read_wandb(self, number: int, content: bytes) -> Callable[[], None]:
        """Check a part of a record, raising Malformed; what is returned takes it."""
        if number == wandb.Record.history:
            return self._history(content)
        if number == wandb.Record.summary:
            return self._summary_of(content)
        if number == wandb.Record.stats:
            return self._stats(content)
        if number == wandb.Record.output_raw:
            return self._output(content)
        return self._keep(number, content, _KEPT_OF_WANDB)

    def _read_swanlab(self, number: int, content: bytes) -> Callable[[], None]:
        if number == swanlab.Record.scalar:
            return self._scalar(content)
        if number == swanlab.Record.log:
            return self._log(content)
        return self._keep(number, content, _KEPT_OF_SWANLAB)

    def _keep(self, number: int, content: bytes, kept: frozenset[int]) -> Callable[[], None]:
        is_kept = number in kept
        return lambda: self._kept.append(KeptRecord(number, content, 0, math.nan)) if is_kept else None

    def _history(self, content: bytes) -> Callable[[], None]:
        row = MessageFields(content)
        items = _items(row, wandb.HistoryRecord.item)
        step: int | None = None
        for each in row.messages(wandb.HistoryRecord.step):
            step = each.integer(wandb.HistoryStep.num)
        wall = math.nan
        for item in items:
            if item.key == b"_step":
                found = _integer(item.value)
                step = step if found is None else found
            elif item.key == b"_timestamp":
                wall = number if (number := _number(item.value)) is not None and math.isfinite(number) else math.nan

        def take() -> None:
            if step is not None:
                self._step = step
            if self._take_row(items, self._step, wall):
                self._kept.append(KeptRecord(wandb.Record.history, content, self._step, wall))

        return take

    def _take_row(self, items: Sequence[_Item], step: int, wall: float) -> bool:
        """Take the numbers of a row; whether it has anything else to be kept."""
        ending = _SEPARATOR + _TYPE
        objects = {item.key[: -len(_TYPE)] for item in items if item.key.endswith(ending)}
        has_more = False
        for item in items:
            if item.is_own:
                continue
            if objects and _is_inside(item.key, objects):
                has_more = True
            elif (number := _number(item.value)) is not None:
                self._point(item.key, step, wall, number)
            elif item.value[:1] == b'"' or (item.value[:1] == b"{" and b'"_type"' in item.value):
                has_more = True
        return has_more

    def _summary_of(self, content: bytes) -> Callable[[], None]:
        summary = MessageFields(content)
        updates, removals = _items(summary, wandb.SummaryRecord.update), _items(summary, wandb.SummaryRecord.remove)

        def take() -> None:
            for item in updates:
                if not item.is_own:
                    self._summary[item.key] = item.value if len(item.value) <= _MOST_SUMMARY else b""
            for item in removals:
                if not item.is_own:
                    self._summary[item.key] = b""

        return take

    def _stats(self, content: bytes) -> Callable[[], None]:
        stats = MessageFields(content)
        wall = _time(stats, wandb.StatsRecord.timestamp)
        items = _items(stats, wandb.StatsRecord.item)

        def take() -> None:
            for item in items:
                if (number := _number(item.value)) is not None:
                    self._point(b"system/" + item.key, self._samples, wall, number)
            self._samples += 1

        return take

    def _output(self, content: bytes) -> Callable[[], None]:
        output = MessageFields(content)
        wall = _time(output, wandb.OutputRawRecord.timestamp)
        stream = 0 if output.integer(wandb.OutputRawRecord.output_type) == wandb.OutputType.STDERR else 1
        return lambda: self._write(stream, output.content(wandb.OutputRawRecord.line), wall)

    def _write(self, stream: int, piece: bytes, wall: float) -> None:
        """Take a piece of output as a terminal does: what follows a return replaces the line."""
        line = self._unfinished[stream]
        for part in re.findall(rb"\n|\r|[^\n\r]+", piece):
            if part == b"\n":
                self._line(line.removesuffix(b"\r"), wall)
                line = b""
            elif part == b"\r":
                line = line.removesuffix(b"\r") + part
            else:
                line = part if line.endswith(b"\r") else line + part
                while len(line) > _LONGEST_LINE:
                    self._line(line[:_LONGEST_LINE], wall)
                    line = line[_LONGEST_LINE:]
        self._unfinished[stream] = line

    def _line(self, line: bytes, wall: float) -> None:
        self._lines.append(line + b"\n")
        self._line_times.append(wall)

    def _scalar(self, content: bytes) -> Callable[[], None]:
        scalar = MessageFields(content)
        key = scalar.content(swanlab.ScalarRecord.key)
        step = scalar.integer(swanlab.ScalarRecord.step)
        wall = _time(scalar, swanlab.ScalarRecord.timestamp)
        values = scalar.messages(swanlab.ScalarRecord.value)
        numbers = [value.double(swanlab.ScalarValue.number) for value in values]
        return lambda: self._point(key, step, wall, numbers[-1]) if numbers else None

    def _log(self, content: bytes) -> Callable[[], None]:
        log = MessageFields(content)
        wall = _time(log, swanlab.LogRecord.timestamp)
        text = log.content(swanlab.LogRecord.line)

        def take() -> None:
            for line in text.removesuffix(b"\n").split(b"\n"):
                self._line(line, wall)

        return take

    def _point(self, tag: bytes, step: int, wall: float, value: float) -> None:
        self._points.append((self._numbers.setdefault(tag, len(self._numbers)), step, wall, value))


def _items(message: MessageFields, number: int) -> list[_Item]:
    items = []
    for item in message.messages(number):
        parts = item.contents(wandb.Item.nested_key)
        key = _SEPARATOR.join(parts) if parts else item.content(wandb.Item.key)
        items.append(_Item(key, item.content(wandb.Item.value_json)))
    return items


def _is_inside(key: bytes, objects: set[bytes]) -> bool:
    """Whether a key lies in one of the objects, whose keys end with a separator."""
    at = key.find(_SEPARATOR)
    while at >= 0:
        if key[: at + 1] in objects:
            return True
        at = key.find(_SEPARATOR, at + 1)
    return False


def _time(message: MessageFields, number: int) -> float:
    """A timestamp in a message, NaN when there is none."""
    times = message.messages(number)
    if not times:
        return math.nan
    seconds, nanos = times[-1].integer(wandb.Timestamp.seconds), times[-1].integer(wandb.Timestamp.nanos)
    return float(seconds) + float(nanos) / 1e9


def _number(text: bytes) -> float | None:
    if len(text) <= _LONGEST_NUMBER and _NUMBER.fullmatch(text):
        return float(text)
    return _WORDS.get(text)


def _integer(text: bytes) -> int | None:
    if _INTEGER.fullmatch(text):
        return int(text)
    number = _number(text)
    return int(number) if number is not None and abs(number) < 2.0**62 else None
