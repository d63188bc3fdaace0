"""Points in lines of text, found by patterns, and a reader for logs of such lines."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Final

import regex

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.appended_files import read_tail
from mindinsight_like.trackers.point_rows import PointRows
from mindinsight_like.trackers.reader import Folder, Log, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.source import Source

_PIECE: Final = 4 * 1024 * 1024
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*m")
_LONGEST: Final = 1.0  # CPU seconds for the lines of a slice, as a pattern of users may take forever
ENDINGS: Final = (".log", ".out")


@dataclass(frozen=True)
class LinePattern:
    """What lines of a library look like.

    `line` has a group `step`. Its other groups are the values that they are named after; `pairs` finds names and values
    in the rest of the line. A group `time` is the time of the line.
    """

    name: str
    line: regex.Pattern[str]  # of MULTILINE
    pairs: regex.Pattern[str] | None = None
    sign: str = ""  # stands in each such line, and is found faster than the line
    marks: tuple[str, ...] = ()  # texts that stand in such logs before their first values
    units: Mapping[str, float] = field(default_factory=dict)  # letters behind numbers
    files: str = "*"  # names of files that may hold such lines

    def rows(self, text: str) -> Iterator[dict[str, Any]]:
        """The values of each line that has some, with its step under an empty name; raises TimeoutError."""
        if self.sign not in text:
            return
        for match in self.line.finditer(text, timeout=_LONGEST):
            end = text.find("\n", match.end())
            found: dict[str, Any] = {}
            if self.pairs is not None:
                for name, value in self.pairs.findall(text, match.end(), end if end >= 0 else len(text)):
                    if (parsed := self._number(value)) is not None:
                        found[name.strip()] = parsed
            groups = match.groupdict()
            step, time = groups.pop("step"), groups.pop("time", None)
            for name, value in groups.items():
                if value is not None and (parsed := self._number(value)) is not None:
                    found[name] = parsed
            at = number(step or "")
            if found and at is not None and at.is_integer() and abs(at) < 1 << 53:
                if time is not None and (seconds := _unix_seconds(time)) is not None:
                    found["timestamp"] = seconds
                yield {**found, "": int(at)}

    def _number(self, text: str) -> float | None:
        factor = self.units.get(text[-1:])
        value = number(text if factor is None else text[:-1])
        return value if factor is None or value is None else value * factor


def recognised_pattern(patterns: Sequence[LinePattern], head: bytes) -> LinePattern | None:
    """The pattern of a log that begins so: the first one with values, or else with its marks."""
    text = _plain(head[: head.rfind(b"\n") + 1])
    if "\0" in text:
        return None
    try:
        for each in patterns:
            if next(each.rows(text), None) is not None:
                return each
    except TimeoutError:
        return None
    return next((each for each in patterns if any(mark in text for mark in each.marks)), None)


def _plain(data: bytes) -> str:
    """A text without the colours that terminals show."""
    text = data.decode(errors="replace")
    return _ESCAPES.sub("", text) if "\x1b" in text else text


class LineReader:
    """Reads text logs by the first pattern that fits."""

    dialect: ClassVar[Dialect]
    is_store = False
    patterns: Sequence[LinePattern] = ()

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        if any(name.startswith("events.out.tfevents.") or name.endswith(".wandb") for name in folder.files):
            return  # which hold the same points, and not rounded
        for name in sorted(folder.files):
            patterns = self.patterns_for(name)
            if patterns and recognised_pattern(patterns, folder.head(name)) is not None:
                yield RecognisedLog(folder.path(name), folder.path(name), frozenset({name}))

    def patterns_for(self, name: str) -> Sequence[LinePattern]:
        """The patterns of lines that a file of this name may hold."""
        return self.patterns if name.endswith(ENDINGS) else ()

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
        patterns = self.patterns_for(log.name.rpartition("/")[2])
        pattern = next((each for each in patterns if each.name == known), None)
        rows = PointRows("")
        text = _plain(tail.data[:end])
        try:
            for each in patterns if pattern is None else (pattern,):
                for row in each.rows(text):
                    pattern = each
                    rows.add(row)
                if pattern is not None:
                    break
        except TimeoutError:
            run.damage.append(Damage(tail.offset, "unparsable", "looking for a pattern in these lines takes too long"))
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


def _unix_seconds(text: str) -> float | None:
    if (seconds := number(text)) is not None:
        return seconds
    try:
        time = datetime.fromisoformat(text.strip().replace(",", ".").replace("/", "-")).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
    return time if math.isfinite(time) else None
