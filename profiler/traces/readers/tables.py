"""Tables of text files: columns by name, exact decimals, cells that are missing."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.files import Files, Unreadable
from mindinsight_like.profiler.traces.trace import Floats, Longs

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

    def find(self, *wanted: str) -> str | None:
        """The header of the first of these columns that the file has; units in brackets and case do not matter."""
        if not self._plain:
            self._plain = {_plain(header): header for header in self.columns}
        return next((self._plain[_plain(name)] for name in wanted if _plain(name) in self._plain), None)

    def find_exact(self, name: str) -> str | None:
        """The header of that name, with any unit in brackets behind it."""
        return next((header for header in self.columns if header.partition("(")[0].strip() == name), None)

    def texts(self, *wanted: str, missing: str = "") -> list[str]:
        """A column, or `missing` in every row."""
        header = self.find(*wanted)
        return [missing] * self.rows if header is None else self.columns[header]

    def needed(self, *wanted: str) -> list[str]:
        """A column that must be there; raises Unreadable."""
        header = self.find(*wanted)
        if header is None:
            raise Unreadable(f"{self.name} has no column {wanted[0]!r}")
        return self.columns[header]

    def nanoseconds(self, *wanted: str, unit: str = "us") -> tuple[Longs, NDArray[np.bool_]]:
        """A column of times, and where it has one; the unit is the header's, else the one given."""
        header = self.find(*wanted)
        if header is None:
            return np.zeros(self.rows, np.int64), np.zeros(self.rows, bool)
        told = _UNIT_IN_HEADER.search(header)
        return decimals(self.columns[header], _UNITS[told[1] if told else unit])

    def numbers(self, *wanted: str, missing: float = float("nan")) -> Floats:
        """A column of numbers."""
        header = self.find(*wanted)
        if header is None:
            return np.full(self.rows, missing)
        return np.fromiter((_number(cell, missing) for cell in self.columns[header]), np.float64, self.rows)

    def integers(self, *wanted: str, missing: int = -1) -> Longs:
        """A column of whole numbers."""
        numbers = self.numbers(*wanted)
        usable = np.isfinite(numbers) & (np.abs(numbers) < 2**62)
        return np.where(usable, np.where(usable, numbers, 0).astype(np.int64), missing)


def read_table(
    files: Files, name: str, keep: Callable[[str], bool] = lambda header: True, delimiter: str = ","
) -> Table:
    """The rows of a CSV file; columns whose header is not to be kept take no memory."""
    with files.text(name) as lines:
        text = lines.read()
    ends_whole, last_line = text.endswith("\n"), text.count("\n") + 1
    rows = csv.reader(_lines_of(text), delimiter=delimiter, skipinitialspace=True)
    header = next(rows, None)
    if header is None:
        return Table(name, 0)
    names = [cell.strip().lstrip("\ufeff") for cell in header]
    places = [place for place, cell in enumerate(names) if keep(cell)]
    cells: list[list[str]] = [[] for _ in places]
    known: dict[str, str] = {}  # equal cells are kept once
    count = 0
    is_cut = False
    for row in rows:
        if not row or all(not cell for cell in row):
            continue
        if len(row) < len(names):
            # Tools leave out the last cells when they are empty, but a file that ends inside a row was cut.
            if not ends_whole and rows.line_num >= last_line:
                is_cut = True
                break
            row += [""] * (len(names) - len(row))
        for column, place in zip(cells, places, strict=True):
            cell = row[place]
            column.append(known.setdefault(cell, cell) if len(cell) < 64 else cell)
        count += 1
        if len(known) > 1_000_000:
            known.clear()
    return Table(name, count, {names[place]: column for column, place in zip(cells, places, strict=True)}, is_cut)


def _lines_of(text: str) -> Iterable[str]:
    return text.replace("\0", "").splitlines(keepends=True)


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
    values = np.zeros(count, np.int64)
    if count == 0:
        return values, np.zeros(0, bool)
    try:
        array = np.array([cell.strip() for cell in cells], "S")
    except UnicodeEncodeError:
        array = np.array([cell.strip().encode("ascii", "replace") for cell in cells], "S")
    width = array.dtype.itemsize
    if width > _WIDEST_NUMBER:
        pairs = [_decimal(cell, digits) for cell in cells]
        return np.array([p or 0 for p in pairs], np.int64), np.array([p is not None for p in pairs], bool)
    characters = array.view(np.uint8).reshape(count, width)
    behind_point = np.zeros(count, bool)
    places = np.zeros(count, np.int64)  # digits behind the point that were taken
    taken = np.zeros(count, np.int64)
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
        values[take] = values[take] * 10 + digit[take]
        places += take & behind_point
        taken += take & ((values > 0) | (digit > 0))
        behind_point |= is_point
    odd |= taken + (digits - places) > 18
    has_digit = ((characters >= ord("0")) & (characters <= ord("9"))).any(axis=1)
    values *= 10 ** np.where(odd, 0, digits - places)
    values[negative] *= -1
    given = has_digit & ~odd
    for place in np.flatnonzero(odd & has_digit).tolist():  # exponents and the like; rare
        value = _decimal(cells[place], digits)
        given[place] = value is not None
        values[place] = value or 0
    values[~given] = 0
    return values, given


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
