"""Decode tables: JSON documents of trackers' logs, or the files that these name. Rows are decoded when looked at."""

from __future__ import annotations

import hashlib
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec

from mindinsight_like.logs.kinds import TRACKER_DIALECTS
from mindinsight_like.values.documents import file_window
from mindinsight_like.values.records import BadValue, Record

_MOST_BYTES: Final = 128 * 2**20  # of one table
_MOST_KEPT: Final = 256 * 2**20  # of all open tables of a process
_MOST_COLUMNS: Final = 10_000
_BYTES_OF_ROW: Final = 80  # of the object that stands for it
_PIECE: Final = 4096  # rows decoded at a time
_MOST_OUTLINES: Final = 10_000
_MOST_REMEMBERED: Final = 100  # columns of an outline that is kept

# Python writes numbers that JSON does not have; as everywhere in answers they become texts.
_WITH_NUMBERS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|-?Infinity|NaN', re.DOTALL)
# It also writes halves of surrogate pairs, as of texts that were cut; pairs and other escapes stay.
_ESCAPES: Final = re.compile(
    rb"(?P<half>(?!\\u[dD][89abAB]..\\u[dD][c-fC-F])\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\.",
    re.DOTALL,
)

_Key = tuple[bytes, tuple[int, ...]]


class Outline(NamedTuple):
    columns: list[str]
    row_count: int


class MediaCell(NamedTuple):
    """A cell that stands for a file; the path is relative to the folder of the log."""

    path: str
    caption: str


class _Document(msgspec.Struct):
    """What a log keeps of a table, or its file; lists of rows are `rows` in the one and `data` in the other."""

    file: str | None = None
    columns: list[str | int | float | bool | None] | None = None
    rows: list[msgspec.Raw] | None = None
    data: list[msgspec.Raw] | None = None


@dataclass(frozen=True)
class Table:
    """A table whose rows are JSON until they are looked at."""

    columns: list[str]
    encoded: Sequence[msgspec.Raw] = field(repr=False)
    kept: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)  # what was computed of it

    @property
    def count(self) -> int:
        return len(self.encoded)

    def rows(self, places: Sequence[int]) -> list[list[Any]]:
        """Rows at some places, each with a cell for every column."""
        return self._decoded([self.encoded[place] for place in places])

    def pieces(self) -> Iterator[list[list[Any]]]:
        """All rows, some at a time."""
        remaining = iter(self.encoded)
        while piece := list(islice(remaining, _PIECE)):
            yield self._decoded(piece)

    def _decoded(self, encoded: Sequence[msgspec.Raw]) -> list[list[Any]]:
        try:
            rows = msgspec.json.decode(b"[" + b",".join(map(bytes, encoded)) + b"]", type=list[Any])
        except (msgspec.DecodeError, RecursionError):
            rows = [_decoded_alone(row) for row in encoded]
        width = len(self.columns)
        return [row if type(row) is list and len(row) == width else _fitted(row, width) for row in rows]


def outline(record: Record) -> Outline:
    """Columns and number of rows; raises BadValue, BlobGone."""
    return _OPEN.outline(record)


def table(record: Record) -> Table:
    """The table of a record; raises BadValue, BlobGone."""
    return _OPEN.table(record)


def media_cell(cell: object) -> MediaCell | None:
    """The file that a cell stands for: what our readers write, or W&B in files of tables."""
    if not isinstance(cell, dict):
        return None
    caption = cell.get("caption")
    told = caption if isinstance(caption, str) else ""
    path, kind = cell.get("file"), cell.get("_type")
    if isinstance(path, str) and path and cell.keys() <= {"file", "caption"}:
        return MediaCell(path, told)
    path = cell.get("path")
    if isinstance(kind, str) and kind.endswith("-file") and isinstance(path, str) and path:
        return MediaCell(f"files/{path}", told)
    return None


def cell_file(record: Record, part: int) -> bytes:
    """The file of a cell, which are numbered row by row; raises BadValue, BlobGone."""
    opened = table(record)
    row, column = divmod(part, max(1, len(opened.columns)))
    if not (opened.columns and 0 <= row < opened.count):
        raise BadValue("the table has fewer cells")
    media = media_cell(opened.rows([row])[0][column])
    if media is None:
        raise BadValue("the cell is no file")
    return file_window(record, media.path)[:]


class _OpenTables:
    """Tables that were looked at last, so that the next page of one costs only its own rows."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: OrderedDict[_Key, tuple[Table, int]] = OrderedDict()
        self._outlines: OrderedDict[_Key, Outline] = OrderedDict()
        self._bytes = 0

    def outline(self, record: Record) -> Outline:
        key, read = _located(record)
        with self._lock:
            known = self._outlines.get(key)
        if known is not None:
            return known
        opened = self._opened(key, read)
        return Outline(opened.columns, opened.count)

    def table(self, record: Record) -> Table:
        return self._opened(*_located(record))

    def _opened(self, key: _Key, read: Callable[[], bytes]) -> Table:
        with self._lock:
            if key in self._tables:
                self._tables.move_to_end(key)
                return self._tables[key][0]
        data = read()
        opened = _parsed(data)
        size = len(data) + _BYTES_OF_ROW * opened.count
        with self._lock:
            if len(opened.columns) <= _MOST_REMEMBERED:
                self._outlines[key] = Outline(opened.columns, opened.count)
            while len(self._outlines) > _MOST_OUTLINES:
                self._outlines.popitem(last=False)
            if key not in self._tables:
                self._tables[key] = opened, size
                self._bytes += size
            while self._bytes > _MOST_KEPT and len(self._tables) > 1:
                self._bytes -= self._tables.popitem(last=False)[1][1]
        return opened


_OPEN: Final = _OpenTables()


def _located(record: Record) -> tuple[_Key, Callable[[], bytes]]:
    """What tells a table from others, and how to read it."""
    if record.dialect not in TRACKER_DIALECTS:
        raise BadValue("tables are not supported in this log format")
    data = record.data[:]
    digest = hashlib.sha256(data).digest()
    # Only documents that name a file are this short; those with rows are parsed once, when they are opened.
    name = _document(data).file if len(data) <= _MOST_NAME else None
    if name is None:
        return (digest, ()), lambda: data
    handle = record.inside(name)
    try:
        status = os.fstat(handle)
    finally:
        os.close(handle)
    if status.st_size > _MOST_BYTES:
        raise BadValue(f"the table has {status.st_size:,} bytes; the limit is {_MOST_BYTES:,}")
    version = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    return (digest, version), lambda: file_window(record, name)[:]


_MOST_NAME: Final = 16_384


def _document(data: bytes) -> _Document:
    try:
        try:
            return msgspec.json.decode(data, type=_Document)
        except msgspec.DecodeError:
            return msgspec.json.decode(_strict(data), type=_Document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadValue(f"the table is not valid JSON: {error}") from error


def _strict(data: bytes) -> bytes:
    """What Python takes for JSON as what is JSON."""
    if b"NaN" in data or b"Infinity" in data:
        data = _WITH_NUMBERS.sub(lambda found: found[0] if found[0][:1] == b'"' else b'"%b"' % found[0], data)
    return _ESCAPES.sub(lambda found: rb"\ufffd" if found["half"] else found[0], data)


def _parsed(data: bytes) -> Table:
    document = _document(data)
    rows = document.rows if document.rows is not None else document.data
    if rows is None:
        raise BadValue("the record contains no table")
    columns = ["" if name is None else str(name) for name in document.columns or ()]
    if not columns and rows:
        first = _decoded_alone(rows[0])
        columns = [str(number) for number in range(len(first) if isinstance(first, list) else 1)]
    if len(columns) > _MOST_COLUMNS:
        raise BadValue(f"the table has {len(columns):,} columns; the limit is {_MOST_COLUMNS:,}")
    return Table(columns, rows)


def _decoded_alone(row: msgspec.Raw) -> Any:
    try:
        return msgspec.json.decode(row)
    except (msgspec.DecodeError, RecursionError):
        return []


def _fitted(row: object, width: int) -> list[Any]:
    cells = row if isinstance(row, list) else [row]
    return (cells + [None] * (width - len(cells)))[:width]
