"""Rows of CSV files: their header, what is new behind a place, and points of the columns that are numbers.

A row counts when its line has ended. A file that grew goes on behind the last row; one that begins differently, or in
which other bytes stand before that place, was rewritten and is read anew.
"""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from mindinsight_like.logs.batch import Damage
from mindinsight_like.native import implementation
from mindinsight_like.trackers.appended_files import read_tail
from mindinsight_like.trackers.reader import Log, Points
from mindinsight_like.trackers.reference.cells import EMPTY, NUMBER, TEXT

if TYPE_CHECKING:
    from mindinsight_like.trackers.reference.cells import read_cells
else:
    read_cells = implementation(
        "mindinsight_like.trackers._cells", "mindinsight_like.trackers.reference.cells"
    ).read_cells

SEPARATORS: Final = (",", ";", "\t")
TIMES: Final = ("_timestamp", "timestamp", "wall_time", "wall time", "time", "ts")
_MOST_FIRST = 16 * 1024  # mostly holds the header
_MOST_HEADER = 1024 * 1024
_MOST_COLUMNS = 10_000
_LONGEST_NAME = 200
_PIECE = 4 * 1024 * 1024
_MOST_NAMED = 20  # damaged rows of a slice that are named one by one
_NOTHING = frozenset({"", "none", "null", "na", "n/a", "<na>", "-", "--"})
_LOOKS_LIKE_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_WHOLE = 1 << 53  # whole numbers up to this are exact in cells
_SECONDS = (1e8, 1e11)  # unix times lie between; those in milliseconds are a thousand times as large


class Header(NamedTuple):
    """The first line of a file, and comments before it."""

    names: tuple[str, ...]
    separator: str
    end: int  # where the rows begin
    comment: str  # the first line if it begins with #


@dataclass(frozen=True)
class Cells:
    """The cells of rows: numbers and kinds by column, and where each row begins."""

    header: Header
    values: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    broken: npt.NDArray[np.int64]

    def column(self, name: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """The numbers of a column, and which of them are there."""
        at = self.header.names.index(name)
        return self.values[at], self.kinds[at] == NUMBER


@dataclass
class NewRows:
    """What a file has brought since a place."""

    cells: Cells | None  # None: there is no header yet
    place: dict[str, Any]
    starts_over: bool
    is_at_end: bool
    data: bytes
    offset: int
    damage: list[Damage] = field(default_factory=list)


def parse_header(head: bytes) -> Header | None:
    """The header of a file that begins so; None when there is none, or not all of it yet."""
    at, comment = (3 if head.startswith(b"\xef\xbb\xbf") else 0), ""
    while head[at : at + 1] == b"#":
        end = head.find(b"\n", at)
        if end < 0:
            return None
        comment = comment or head[at:end].decode(errors="replace").strip()
        at = end + 1
    end = head.find(b"\n", at)
    if end < 0:
        return None
    line = head[at:end].decode(errors="replace").strip("\r")
    separator = max(SEPARATORS, key=line.count)
    if not 0 < line.count(separator) < _MOST_COLUMNS or "\0" in line:
        return None
    try:
        names = next(csv.reader([line], delimiter=separator, skipinitialspace=separator != " "))
    except (csv.Error, StopIteration):
        return None
    names = [name.strip() for name in names]
    if any(len(name) > _LONGEST_NAME or _LOOKS_LIKE_NUMBER.fullmatch(name) for name in names):
        return None
    return Header(tuple(names), separator, end + 1, comment) if any(names) else None


@lru_cache(64)  # readers ask one after the other about the same files
def read_sample(head: bytes) -> Cells | None:
    """The rows that the first bytes of a file hold as a whole."""
    header = parse_header(head)
    if header is None:
        return None
    end = head.rfind(b"\n") + 1
    return Cells(header, *read_cells(head, header.end, end, ord(header.separator), len(header.names)))


def read_rows(log: Log, name: str, place: dict[str, Any] | None) -> NewRows:
    """The rows of a file behind a place (None: all rows); raises OSError."""
    version = log.versions[name]
    if place is not None and not version.size:
        return NewRows(None, place, False, True, b"", 0)  # it is about to be rewritten
    head = log.source.read(name, 0, min(_MOST_FIRST, version.size))
    header = parse_header(head)
    if header is None and version.size > len(head):
        head = log.source.read(name, 0, min(_MOST_HEADER, version.size))
        header = parse_header(head)
    if header is None:
        position = 0 if place is None else place["position"]
        return NewRows(None, {**(place or {}), "position": position} if place else {}, False, True, b"", 0)
    checksum = zlib.crc32(head[: header.end])
    starts_over = place is not None and place["header"] != checksum
    start = None if place is None or starts_over else place
    most = min(_PIECE, max(log.limits.bytes, 16))
    while True:
        tail = read_tail(log.source, name, version, start, most)
        begin = max(0, header.end - tail.offset)
        end = tail.data.rfind(b"\n") + 1
        if tail.is_at_end or end > begin or most > 64 * _PIECE:
            break
        most *= 4
    if not tail.is_at_end and end <= begin:
        end = len(tail.data)  # a line without an end is passed over piece by piece
    begin = min(begin, len(tail.data))
    end = max(end, begin)
    cells = Cells(header, *read_cells(tail.data, begin, end, ord(header.separator), len(header.names)))
    rows = NewRows(
        cells,
        {**tail.place(log.source, name, version, end), "header": checksum},
        starts_over or tail.starts_over,
        tail.is_at_end,
        tail.data,
        tail.offset,
    )
    _name_broken(rows, cells, head[: header.end])
    return rows


def _name_broken(rows: NewRows, cells: Cells, head: bytes) -> None:
    again = head.rpartition(b"\n")[0].rpartition(b"\n")[2].strip()  # a header is written again by who resumes
    width = len(cells.header.names)
    for start in cells.broken.tolist():
        if (line := _line(rows.data, start)).strip() == again:
            continue
        rows.damage.append(
            Damage(
                rows.offset + start, "unparsable", f"a row has not {width} cells as the header has: {_excerpt(line)}"
            )
        )
        if len(rows.damage) == _MOST_NAMED:
            return


def points_of(
    rows: NewRows,
    steps: npt.NDArray[np.float64],
    has_step: npt.NDArray[np.bool_],
    *,
    skipped: Sequence[str] = (),
    walls: npt.NDArray[np.float64] | None = None,
) -> Points | None:
    """The points of all columns but those that are skipped, column by column; damage is added to the rows."""
    cells = rows.cells
    assert cells is not None
    with np.errstate(invalid="ignore"):
        is_row = has_step & (np.abs(steps) <= _WHOLE) & (steps == np.floor(steps))
    _name_texts(rows, cells, is_row, frozenset(skipped))
    whole = np.where(is_row, steps, 0).astype(np.int64)
    tags: list[str] = []
    parts: list[tuple[npt.NDArray[Any], ...]] = []
    all_rows = bool(is_row.all())
    times = np.full(len(steps), np.nan) if walls is None else walls
    for column, name in enumerate(cells.header.names):
        if not name or name in skipped or name in tags:
            continue
        there = cells.kinds[column] == NUMBER
        if all_rows and there.all():
            part: tuple[npt.NDArray[Any], ...] = whole, times, cells.values[column]
        else:
            there &= is_row
            part = whole[there], times[there], cells.values[column][there]
        if len(part[0]):
            tags.append(name)
            parts.append(part)
    if not parts:
        return None
    numbers = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    joined = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    return Points(tags, numbers, *joined)


def _name_texts(rows: NewRows, cells: Cells, is_row: npt.NDArray[np.bool_], skipped: frozenset[str]) -> None:
    """Name texts in columns of numbers, and rows without a step."""
    has_text = (cells.kinds == TEXT).any(axis=1)
    if is_row.all() and not has_text.any():
        return
    for column in np.flatnonzero(has_text).tolist():
        if cells.header.names[column] in skipped or not (cells.kinds[column] == NUMBER).any():
            continue
        for row in np.flatnonzero((cells.kinds[column] == TEXT) & is_row).tolist():
            text = _cell(rows, cells, row, column)
            if text.lower() not in _NOTHING:
                what = f"{cells.header.names[column]} is no number: {text[:60]}"
                rows.damage.append(Damage(rows.offset + int(cells.starts[row]), "unparsable", what))
            if len(rows.damage) >= _MOST_NAMED:
                return
    for row in np.flatnonzero(~is_row).tolist():
        line = _line(rows.data, int(cells.starts[row]))
        values = [each.strip() for each in line.decode(errors="replace").split(cells.header.separator)]
        if tuple(values) != cells.header.names and (cells.kinds[:, row] == TEXT).any():
            what = f"a row has no step: {_excerpt(line)}"
            rows.damage.append(Damage(rows.offset + int(cells.starts[row]), "unparsable", what))
        if len(rows.damage) >= _MOST_NAMED:
            return


def step_column(cells: Cells, candidates: Sequence[str]) -> str | None:
    """The first column of these whose numbers are whole and never go back."""
    by_name = {name.lower(): name for name in reversed(cells.header.names)}
    for each in candidates:
        name = by_name.get(each.lower())
        if name is None:
            continue
        values, there = cells.column(name)
        kinds = cells.kinds[cells.header.names.index(name)]
        steps = values[there]
        if (
            len(steps)
            and 4 * np.count_nonzero(kinds == TEXT) <= len(kinds)
            and (np.abs(steps) <= _WHOLE).all()
            and (steps == np.floor(steps)).all()
            and (steps[1:] >= steps[:-1]).all()
        ):
            return name
    return None


def walls_of(cells: Cells) -> tuple[str, npt.NDArray[np.float64]] | None:
    """The column of unix times, in seconds or milliseconds, and the times; None when there is none."""
    for name in cells.header.names:
        if name.lower() not in TIMES:
            continue
        values, there = cells.column(name)
        times = np.where(there, values, np.nan)
        for unit in (1.0, 1000.0):
            if there.any() and ((times[there] > _SECONDS[0] * unit) & (times[there] < _SECONDS[1] * unit)).all():
                return name, times / unit
    return None


def share_of_numbers(cells: Cells, step: str) -> float:
    """Which share of the cells that are not empty, those of the step aside, are numbers."""
    at = cells.header.names.index(step)
    kinds = np.delete(cells.kinds, at, axis=0)
    filled = np.count_nonzero(kinds != EMPTY)
    return np.count_nonzero(kinds == NUMBER) / filled if filled else 0.0


def has_columns(header: Header, *rules: Callable[[str], bool]) -> bool:
    """Whether for each rule a column keeps it."""
    return all(any(rule(name) for name in header.names) for rule in rules)


def _cell(rows: NewRows, cells: Cells, row: int, column: int) -> str:
    line = _line(rows.data, int(cells.starts[row])).decode(errors="replace")
    try:
        return next(csv.reader([line.replace("\0", "")], delimiter=cells.header.separator))[column].strip()
    except (csv.Error, StopIteration, IndexError):
        return line


def _line(data: bytes, start: int) -> bytes:
    end = data.find(b"\n", start)
    return data[start : end if end >= 0 else len(data)]


def _excerpt(line: bytes) -> str:
    text = line[:60].decode(errors="replace")
    return f"{text}…" if len(line) > 60 else text
