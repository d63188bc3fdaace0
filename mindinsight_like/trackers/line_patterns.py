"""Points in lines of text, found by patterns, and a reader for logs of such lines."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.appended_files import read_tail
from mindinsight_like.trackers.point_rows import PointRows
from mindinsight_like.trackers.reader import Folder, Log, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.source import Source

_PIECE: Final = 4 * 1024 * 1024
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*m")
_OTHER_LOGS: Final = ("events.out.tfevents.", "run-")  # hold the points of a text log beside them, and not rounded
_MOST_LINE: Final = 16 * 1024  # characters that are looked at


@dataclass(frozen=True)
class LinePattern:
    """What lines of a library look like.

    `line` has a group `step`. Its other groups are the values that they are named after; `pairs` finds names and values
    in the rest of the line. A group `time` is the time of the line, local as it was printed.
    """

    name: str
    line: re.Pattern[str]
    pairs: re.Pattern[str] | None = None
    marks: tuple[str, ...] = ()  # texts that stand in such logs before their first values

    def values(self, line: str) -> dict[str, Any] | None:
        """The values of a line, `step` and perhaps `timestamp` among them; None when it has none."""
        match = self.line.search(line)
        if match is None:
            return None
        found: dict[str, Any] = {}
        if self.pairs is not None:
            for name, text in self.pairs.findall(line, match.end()):
                if (value := number(text)) is not None:
                    found[name.strip()] = value
        for name, text in match.groupdict().items():
            value = None if text is None or name in ("step", "time") else number(text)
            if value is not None:
                found[name] = value
        step = number(match["step"])
        if not found or step is None or not step.is_integer() or abs(step) >= 1 << 53:
            return None
        if "time" in self.line.groupindex and (time := _unix_seconds(match["time"])) is not None:
            found["timestamp"] = time
        return {**found, "": int(step)}


class LineReader:
    """Reads text logs by the first pattern that fits."""

    dialect: ClassVar[Dialect]
    is_store = False
    patterns: Sequence[LinePattern] = ()
    endings: Sequence[str] = (".log", ".out")

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        if any(name.startswith(_OTHER_LOGS[0]) or name.endswith(".wandb") for name in folder.files):
            return
        for name in sorted(folder.files):
            if name.endswith(tuple(self.endings)) and self.pattern_of(folder.head(name)) is not None:
                yield RecognisedLog(folder.path(name), folder.path(name), frozenset({name}))

    def pattern_of(self, head: bytes) -> LinePattern | None:
        """The pattern of a log that begins so."""
        text = _ESCAPES.sub("", head[: head.rfind(b"\n") + 1].decode(errors="replace"))
        if "\0" in text:
            return None
        lines = [line[:_MOST_LINE] for line in text.splitlines()]
        for each in self.patterns:
            if any(each.values(line) for line in lines):
                return each
        return next((each for each in self.patterns if any(mark in text for mark in each.marks)), None)

    def members(self, source: Source, name: str) -> Sequence[str]:
        return (name,)

    def read(self, log: Log) -> Slice:
        cursor = cursors.unpack(log.cursor)
        version = log.versions[log.name]
        most = min(_PIECE, max(log.limits.bytes, 1))
        while True:
            tail = read_tail(log.source, log.name, version, cursor.get("place"), most)
            end = tail.data.rfind(b"\n") + 1
            if tail.is_at_end or end or most >= 64 * _PIECE:
                break
            most *= 4
        if not end and not tail.is_at_end:
            end = len(tail.data)  # a line without an end is passed over piece by piece
        run = RunSlice(starts_over=tail.starts_over)
        known = None if tail.starts_over else cursor.get("pattern")
        pattern = next((each for each in self.patterns if each.name == known), None)
        rows = PointRows("")
        for line in tail.data[:end].split(b"\n"):
            text = _ESCAPES.sub("", line[:_MOST_LINE].decode(errors="replace"))
            for each in self.patterns if pattern is None else (pattern,):
                if (values := each.values(text)) is not None:
                    pattern = each
                    rows.add(values)
                    break
        run.points = rows.points()
        if pattern is not None and pattern.name != known:
            run.lineage = documents.lineage(pattern.name)
        place = tail.place(log.source, log.name, version, end)
        return Slice(
            cursors.pack(place=place, pattern=pattern.name if pattern else None),
            place["position"],
            is_partial=not tail.is_at_end,
            runs=[run],
        )


_NUMBER: Final = re.compile(r"[+-]?(?:(?:\d+(?:,\d{3})*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan|inf|infinity)", re.IGNORECASE)


def number(text: str) -> float | None:
    """The number of a text, in which commas may part thousands."""
    text = text.strip()
    if not text.isascii() or len(text) > 400 or not _NUMBER.fullmatch(text):
        return None
    return float(text.replace(",", ""))


def _unix_seconds(text: str | None) -> float | None:
    try:
        time = datetime.fromisoformat((text or "").strip().replace(",", ".").replace("/", "-")).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
    return time if math.isfinite(time) else None
