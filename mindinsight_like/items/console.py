"""The console of a run: windows of its lines, the lines of a moment, and search.

The index keeps lines in documents of about a thousand. Of each document only its place, first line and time are looked
at until its lines are wanted; a search looks at the bytes of a document before it takes it apart.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import BlobGone, TooLarge
from mindinsight_like.logs.kinds import Kind
from mindinsight_like.store.blobs import REFERENCE, BlobBytes, BlobSeries
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.values.console import LEVELS, Lines, Wanted, levels, lines, plain
from mindinsight_like.values.records import BadValue

MOST_CHARACTERS: Final = 20_000  # of a line in an answer
_MOST_IN_ANSWER: Final = 4 * 2**20  # characters
_SEARCH_SECONDS: Final = 2.5


class ConsoleLine(NamedTuple):
    """One line, without colours."""

    number: int
    text: str  # cut at MOST_CHARACTERS
    level: str | None  # by its prefix
    time: float | None  # unix seconds, where somebody wrote it


class FoundLines(NamedTuple):
    """What a search has found."""

    lines: list[ConsoleLine]
    next_line: int | None  # where it goes on; None: all lines were looked at


class _Block(NamedTuple):
    """The lines of one document."""

    first: int
    raw: Lines
    texts: list[str]
    levels: list[int | None]

    def line(self, place: int) -> ConsoleLine:
        level = self.levels[place]
        moment = self.raw.times[place] if self.raw.times else None
        is_known = isinstance(moment, int | float) and math.isfinite(moment)
        return ConsoleLine(
            self.first + place,
            self.texts[place][:MOST_CHARACTERS],
            None if level is None else LEVELS[level],
            float(moment) if is_known and moment is not None else None,
        )


class Console:
    """The lines of one run, of all its files one after the other, numbered from 0."""

    def __init__(self, series: Sequence[BlobSeries], content: BlobBytes) -> None:
        self._content = content
        parts = sorted((each for each in series if len(each.steps)), key=lambda each: _first_time(each.wall_times))
        none = np.zeros(0, np.int64)
        self._places = np.concatenate([np.zeros(0, REFERENCE), *(each.references for each in parts)])
        self._walls = np.concatenate([np.zeros(0), *(each.wall_times for each in parts)])
        steps = np.concatenate([none, *(each.steps for each in parts)])
        files = self._places["file"]
        ends = np.flatnonzero(np.r_[files[1:] != files[:-1], True]) if len(files) else none
        bases, base = np.zeros(len(steps), np.int64), 0
        begin = 0
        for end in ends.tolist():
            bases[begin : end + 1] = base
            base += int(steps[end]) + len(self._raw(end).texts)
            begin = end + 1
        self._firsts = steps + bases
        self.total = base

    @property
    def has_times(self) -> bool:
        """Whether anybody wrote when lines were printed."""
        return bool(np.isfinite(self._walls).any())

    def window(self, from_line: int | None, limit: int) -> list[ConsoleLine]:
        """At most so many lines from one on; None: the last ones. Fewer where they are long."""
        first = max(0, self.total - limit) if from_line is None else from_line
        lines: list[ConsoleLine] = []
        characters = 0
        for number in self._numbers(first, backward=False):
            block = self._block(number, self._raw(number))
            for place in range(max(0, first - block.first), len(block.texts)):
                line = block.line(place)
                characters += len(line.text)
                if lines and (len(lines) >= limit or characters > _MOST_IN_ANSWER):
                    return lines
                lines.append(line)
            if len(lines) >= limit:
                break
        return lines

    def at(self, moment: float) -> int | None:
        """The last line that was printed by then, the first one if none was; None: nobody wrote times."""
        if not self.has_times:
            return None
        walls = np.fmax.accumulate(np.where(np.isfinite(self._walls), self._walls, -np.inf))
        number = max(0, int(np.searchsorted(walls, moment, "right")) - 1)
        times = self._raw(number).times
        place = 0
        if times:
            times_so_far = np.fmax.accumulate(np.asarray(times, np.float64))
            place = max(0, int(np.searchsorted(times_so_far, moment, "right")) - 1)
        return int(self._firsts[number]) + place

    def search(
        self, wanted: Wanted, *, from_line: int, limit: int, backward: bool, seconds: float = _SEARCH_SECONDS
    ) -> FoundLines:
        """The next lines that are wanted from a line on, that line included; for so long at most."""
        end = time.monotonic() + seconds
        lines: list[ConsoleLine] = []
        characters = 0
        for number in self._numbers(from_line, backward=backward):
            data = self._bytes(number)
            if wanted.may_be_in(data):
                block = self._block(number, _lines_of(data))
                places = [
                    place
                    for place in wanted.places(block.texts, block.levels)
                    if (block.first + place <= from_line if backward else block.first + place >= from_line)
                ]
                for place in reversed(places) if backward else places:
                    line = block.line(place)
                    characters += len(line.text)
                    if lines and (len(lines) >= limit or characters > _MOST_IN_ANSWER):
                        return FoundLines(lines, line.number)
                    lines.append(line)
            if time.monotonic() > end:
                following = int(self._firsts[number]) - 1 if backward else self._end(number)
                return FoundLines(lines, following if 0 <= following < self.total else None)
        return FoundLines(lines, None)

    def pieces(self) -> Iterator[bytes]:
        """All lines as text, without colours, some at a time."""
        for number in range(len(self._firsts)):
            texts = [plain(text) for text in self._raw(number).texts]
            yield ("\n".join(texts) + "\n").encode("utf-8", "replace")

    def _numbers(self, from_line: int, *, backward: bool) -> range:
        """Documents from the one that holds a line on."""
        if not len(self._firsts) or (from_line >= self.total and not backward):
            return range(0)
        number = max(0, int(np.searchsorted(self._firsts, from_line, "right")) - 1)
        return range(number, -1, -1) if backward else range(number, len(self._firsts))

    def _block(self, number: int, raw: Lines) -> _Block:
        texts = [plain(text) for text in raw.texts]
        return _Block(int(self._firsts[number]), raw, texts, levels(texts))

    def _end(self, number: int) -> int:
        return int(self._firsts[number + 1]) if number + 1 < len(self._firsts) else self.total

    def _bytes(self, number: int) -> bytes:
        file, offset, length = self._places[number].tolist()
        try:
            return self._content.read(file, offset, length)
        except (BlobGone, TooLarge) as error:
            return _said(str(error))

    def _raw(self, number: int) -> Lines:
        return _lines_of(self._bytes(number))


@contextmanager
def open_console(reader: IndexReader, run: str) -> Iterator[Console]:
    """The console of a run; without lines where nothing was recorded."""
    series = reader.blobs([run], None, Kind.CONSOLE)
    files = {file for each in series for file in np.unique(each.references["file"]).tolist()}
    with reader.blob_bytes(files) as content:
        yield Console(series, content)


def _lines_of(data: bytes) -> Lines:
    """The lines of a document, or one that says why they cannot be had."""
    try:
        return lines(data)
    except BadValue as error:
        return Lines([f"[{error}]"], [])


def _said(reason: str) -> bytes:
    """A document whose only line says why the real ones cannot be had."""
    return b'{"lines":["[' + reason.replace('"', "'").replace("\\", "/").encode() + b']"]}'


def _first_time(walls: NDArray[np.float64]) -> float:
    finite = walls[np.isfinite(walls)]
    return float(finite[0]) if len(finite) else -math.inf
