"""CSV tables: columns by name, exact decimals, missing cells."""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.files import Files, Unreadable
from mindinsight_like.profiler.traces.trace import Floats, Longs

_LONGEST_LINE: Final = 2**27  # with the communication of a whole step
_MOST_ROWS: Final = 20_000_000
_CELLS_AT_ONCE: Final = 16_384
_ROWS_AT_ONCE: Final = 50_000
_MOST_LINES_OF_A_ROW: Final = 10_000
_WIDEST_NUMBER: Final = 40
_UNITS: Final = {"ns": 0, "us": 3, "ms": 6, "s": 9}
_UNIT_IN_HEADER = re.compile(r"\((ns|us|ms|s)(?:\W.*)?\)$")
_MISSING: Final = frozenset({"", "N/A", "NA", "-", "None", "null"})
csv.field_size_limit(2**26)  # cells with JSON of a whole step are longer than the module expects


@dataclass
class Table:
    """The cells of the columns that were asked for, as texts."""

    name: str
    rows: int
    columns: dict[str, list[str]] = field(default_factory=dict)  # by the name in the header
    is_cut: bool = False  # the last row was not whole
    _plain: dict[str, str] = field(default_factory=dict)  # headers by what is looked for

    def find(self, *names: str) -> str | None:
        """The header of the first of these columns that the file has; units in brackets and case do not matter."""
        if not self._plain:
            self._plain = {_plain(header): header for header in self.columns}
        return next((self._plain[_plain(name)] for name in names if _plain(name) in self._plain), None)

    def find_exact(self, name: str) -> str | None:
        """The header of that name, with any unit in brackets behind it."""
        return next((header for header in self.columns if header.partition("(")[0].strip() == name), None)

    def texts(self, *names: str, missing: str = "") -> list[str]:
        """A column, or `missing` in every row."""
        header = self.find(*names)
        return [missing] * self.rows if header is None else self.columns[header]

    def needed(self, *names: str) -> list[str]:
        """A column that must be there; raises Unreadable."""
        header = self.find(*names)
        if header is None:
            raise Unreadable(f"{self.name} has no column {names[0]!r}")
        return self.columns[header]

    def nanoseconds(self, *names: str, unit: str = "us") -> tuple[Longs, NDArray[np.bool_]]:
        """A column of times, and where it has one; the unit is the header's, else the one given."""
        header = self.find(*names)
        if header is None:
            return np.zeros(self.rows, np.int64), np.zeros(self.rows, bool)
        header_unit = _UNIT_IN_HEADER.search(header)
        return decimals(self.columns[header], _UNITS[header_unit[1] if header_unit else unit])

    def numbers(self, *names: str, missing: float = float("nan")) -> Floats:
        """A column of numbers."""
        header = self.find(*names)
        if header is None:
            return np.full(self.rows, missing)
        return np.fromiter((_number(cell, missing) for cell in self.columns[header]), np.float64, self.rows)

    def integers(self, *names: str, missing: int = -1) -> Longs:
        """A column of whole numbers."""
        numbers = self.numbers(*names)
        usable = np.isfinite(numbers) & (np.abs(numbers) < 2**62)
        return np.where(usable, np.where(usable, numbers, 0).astype(np.int64), missing)


class _Lines:
    """The lines of a file, one at a time; what is packed may end early."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
        self._name = name
        self.last = "\n"
        self.is_cut = False
        self.consumed: list[str] = []  # since the last row was given

    def __iter__(self) -> Iterator[str]:
        while True:
            try:
                line = self._file.readline(_LONGEST_LINE)
            except (EOFError, zlib.error, OSError):
                self.is_cut = True
                return
            if len(line) >= _LONGEST_LINE:
                raise Unreadable(f"{self._name} has a line longer than {_LONGEST_LINE >> 20} million characters")
            if not line:
                return
            self.last = line
            self.consumed.append(line := line.replace("\0", ""))
            if len(self.consumed) > _MOST_LINES_OF_A_ROW:
                raise _Unclosed
            yield line


class _Unclosed(Exception):
    """A quote that was never closed takes all that follows for one cell."""


def _rows(lines: _Lines, delimiter: str) -> Iterator[list[str]]:
    """The rows of a file, the header first; a quote without its other end costs no row but its own."""
    width = None
    while True:
        rows = csv.reader(iter(lines), delimiter=delimiter, skipinitialspace=True)
        try:
            for row in rows:
                consumed, lines.consumed = lines.consumed, []
                if width is None or len(consumed) == 1:
                    width = width or len(row)
                    yield row
                    continue
                alone = [next(csv.reader([line], delimiter=delimiter, skipinitialspace=True)) for line in consumed]
                # Cells of several lines are call stacks; lines of them do not look like whole rows.
                yield from alone if any(len(one) == width for one in alone[1:]) else [row]
        except _Unclosed:
            consumed, lines.consumed = lines.consumed, []
            yield from (next(csv.reader([line], delimiter=delimiter, skipinitialspace=True)) for line in consumed)
            continue
        return


def read_table(
    files: Files, name: str, keep: Callable[[str], bool] = lambda header: True, delimiter: str = ","
) -> Table:
    """The rows of a CSV file, which is read line by line; columns whose header is not to be kept take no memory."""
    with files.open(name) as file:
        lines = _Lines(file, name)
        rows = _rows(lines, delimiter)
        header = next(rows, None)
        if header is None:
            return Table(name, 0, is_cut=lines.is_cut)
        names = [cell.strip().lstrip("\ufeff") for cell in header]
        places = [place for place, cell in enumerate(names) if keep(cell)]
        cells: list[list[str]] = [[] for _ in places]
        is_cut = False
        count = 0
        whole: list[list[str]] = []
        for row in rows:
            if len(row) != len(names):
                if not any(row):
                    continue
                # Tools leave out the last cells when they are empty, but a file that ends inside a row was cut.
                if len(row) < len(names) and not lines.last.endswith("\n"):
                    is_cut = True
                    break
                row += [""] * (len(names) - len(row))
            whole.append(row)
            if len(whole) == _ROWS_AT_ONCE:
                count += len(whole)
                _take(whole, places, cells)
                whole = []
                if count >= _MOST_ROWS:
                    is_cut = True
                    break
        count += len(whole)
        _take(whole, places, cells)
    columns = {names[place]: column for column, place in zip(cells, places, strict=True)}
    return Table(name, count, columns, is_cut or lines.is_cut)


def _take(rows: list[list[str]], places: list[int], cells: list[list[str]]) -> None:
    """Puts rows behind the columns; equal cells of a column are kept once."""
    for column, place in zip(cells, places, strict=True):
        values = [row[place] for row in rows]
        interned: dict[str, str] = {}
        column.extend(map(interned.setdefault, values, values))


def _plain(header: str) -> str:
    """A header without its unit, case and blanks."""
    return re.sub(r"[\s_]+", "", _UNIT_IN_HEADER.sub("", header.strip())).lower()


def _number(cell: str, missing: float) -> float:
    try:
        return float(cell)
    except ValueError:
        return missing


def decimals(cells: Sequence[str], digits: int) -> tuple[Longs, NDArray[np.bool_]]:
    """Exact decimals times ten to the power of `digits`, cut to whole numbers, and which cells have one.

    Never through floats: unix microseconds with three places have more digits than a float can hold.
    """
    count = len(cells)
    if count == 0:
        return np.zeros(0, np.int64), np.zeros(0, bool)
    if count > _CELLS_AT_ONCE:  # as fit into a processor's cache
        parts = [decimals(cells[at : at + _CELLS_AT_ONCE], digits) for at in range(0, count, _CELLS_AT_ONCE)]
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    try:
        array = np.array([cell.strip() for cell in cells], "S")
    except UnicodeEncodeError:
        array = np.array([cell.strip().encode("ascii", "replace") for cell in cells], "S")
    width = array.dtype.itemsize
    if width > _WIDEST_NUMBER:
        pairs = [_decimal(cell, digits) for cell in cells]
        return np.array([p or 0 for p in pairs], np.int64), np.array([p is not None for p in pairs], bool)
    characters = array.view(np.uint8).reshape(count, width)
    sums = np.zeros(count, np.uint64)
    behind_point = np.zeros(count, bool)
    places = np.zeros(count, np.int64)  # digits behind the point that were taken
    digits_used = np.zeros(count, np.int64)
    odd = np.zeros(count, bool)
    negative = characters[:, 0] == ord("-")
    for place in range(width):
        character = characters[:, place]
        digit = character.astype(np.int64) - ord("0")
        is_digit = (digit >= 0) & (digit <= 9)
        is_point = character == ord(".")
        is_sign = (place == 0) & ((character == ord("-")) | (character == ord("+")))
        odd |= ~(is_digit | is_point | is_sign | (character == 0)) | (is_point & behind_point)
        take = is_digit & (places < digits) | is_digit & ~behind_point
        sums[take] = sums[take] * 10 + digit[take].astype(np.uint64)
        places += take & behind_point
        digits_used += take & ((sums > 0) | (digit > 0))
        behind_point |= is_point
    odd |= digits_used + (digits - places) > 19  # as many as 64 bits always hold
    has_digit = ((characters >= ord("0")) & (characters <= ord("9"))).any(axis=1)
    sums *= (10 ** np.where(odd, 0, digits - places)).astype(np.uint64)
    odd |= sums >= 2**62
    values = np.where(odd, 0, sums).astype(np.int64)
    values[negative] *= -1
    has_value = has_digit & ~odd
    for place in np.flatnonzero(odd & has_digit).tolist():  # exponents and the like; rare
        value = _decimal(cells[place], digits)
        has_value[place] = value is not None
        values[place] = value or 0
    values[~has_value] = 0
    return values, has_value


def _decimal(cell: str, digits: int) -> int | None:
    cell = cell.strip()
    if cell in _MISSING or len(cell) > 100:
        return None
    try:
        value = Decimal(cell)
        if not value.is_finite() or value.adjusted() > 30:
            return None
        whole = int(value.scaleb(digits))
    except (InvalidOperation, ValueError, OverflowError):
        return None
    return whole if abs(whole) < 2**62 else None
