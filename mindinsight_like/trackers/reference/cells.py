"""Reference of `_cells`: the numbers in the lines of a CSV file, as columns."""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import numpy.typing as npt

EMPTY: Final = 0
NUMBER: Final = 1
TEXT: Final = 2

# What numbers look like, blanks around them and quotes taken away.
_NUMBER: Final = re.compile(
    rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE
)
_BLANKS: Final = b" \t\r"


def read_cells(
    data: bytes, begin: int, end: int, separator: int, columns: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The cells of the lines between two places: their numbers and what they are, a row for each column of the file.

    The last two are where the lines begin that have as many cells as there are columns, and where the others do.
    Blank lines are passed over. A quoted cell ends with its line, so that one wrong byte costs no more than that.
    """
    if not 0 <= begin <= end <= len(data) or columns < 1:
        raise ValueError("no such part of the data")
    lines: list[tuple[int, list[bytes]]] = []
    broken = []
    at = begin
    while at < end:
        stop = data.find(b"\n", at, end)
        stop = end if stop < 0 else stop
        line = data[at:stop]
        if line.strip(_BLANKS):
            cells = _split(line, separator)
            if len(cells) == columns:
                lines.append((at, cells))
            else:
                broken.append(at)
        at = stop + 1
    values = np.zeros((columns, len(lines)))
    kinds = np.zeros((columns, len(lines)), np.uint8)
    for row, (_, cells) in enumerate(lines):
        for column, cell in enumerate(cells):
            if _NUMBER.fullmatch(cell):
                values[column, row] = float(cell)
                kinds[column, row] = NUMBER
            elif cell:
                kinds[column, row] = TEXT
    return values, kinds, np.array([start for start, _ in lines], np.int64), np.array(broken, np.int64)


def _split(line: bytes, separator: int) -> list[bytes]:
    """The cells of a line without blanks around them and without quotes."""
    cells = []
    at, end = 0, len(line)
    blanks = _BLANKS.replace(bytes([separator]), b"")
    while True:
        while at < end and line[at] in blanks:
            at += 1
        if at < end and line[at] == 0x22:
            stop = _closing_quote(line, at + 1)
            cell = line[at + 1 : stop]
            at = line.find(separator, stop)
        else:
            stop = line.find(separator, at)
            cell = line[at : end if stop < 0 else stop]
            at = stop
        cells.append(cell.strip(_BLANKS))
        if at < 0:
            return cells
        at += 1


def _closing_quote(line: bytes, at: int) -> int:
    """Where the quoted text ends that begins here; two quotes in a row stand for one."""
    while (at := line.find(b'"', at)) >= 0:
        if line[at + 1 : at + 2] != b'"':
            return at
        at += 2
    return len(line)
