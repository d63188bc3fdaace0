"""Points of JSON lines: an object for each step, whose numbers are the values; nested keys are joined by dots.

Lines mostly have the same keys with the same types. Then a piece of them is decoded into objects with just these
fields, and columns are made of them, which takes a quarter of the time of `json.loads`. Whatever does not fit (other
keys, bare NaN, damage) is read line by line, and the keys are known for the next piece.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
import orjson

from mindinsight_like.logs.batch import Damage
from mindinsight_like.trackers.reader import Points

TIME_KEYS: Final = ("_timestamp", "timestamp", "wall_time", "time", "ts")
_PIECE = 256 * 1024  # bytes; what is made of them stays in the cache of the processor
_DEEPEST = 8
_MOST_KEYS = 2000  # that are decoded together
_SECONDS = (1e8, 1e11)  # unix times lie between; those in milliseconds are a thousand times as large
_STEPS = (-(1 << 63), (1 << 63) - 1)
_EXACT = 1 << 53

# What is known of the values of a key: a number, another kind of value that is no point, or an object of such.
_Shape = dict[str, Any]
_NUMBER, _OTHERS = "number", {str: "text", bool: "flag", list: "list"}
_TYPES: dict[str, Any] = {"number": float, "text": str, "flag": bool, "list": list}

Floats = npt.NDArray[np.float64]


def parsed(line: bytes) -> dict[str, Any] | None:
    """The object of a line; None when it is none."""
    try:
        row = orjson.loads(line)
    except ValueError:
        # NaN and infinities stand bare in what Python writes, and bytes need not be UTF-8.
        try:
            row = json.loads(line.decode(errors="replace"))
        except (ValueError, RecursionError):
            return None
    return row if isinstance(row, dict) else None


def whole_number(value: object) -> int | None:
    """A step: a whole number that fits 64 bits."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return value if isinstance(value, int) and _STEPS[0] <= value <= _STEPS[1] else None


def numbers(
    row: Mapping[str, Any], prefix: str = "", depth: int = 0, separator: str = "."
) -> Iterable[tuple[str, float]]:
    """The numbers of an object by their joined keys."""
    for name, value in row.items():
        kind = type(value)
        if kind is float:
            yield prefix + name, value
        elif kind is int:
            if (number := _as_float(value)) is not None:
                yield prefix + name, number
        elif kind is dict and depth < _DEEPEST:
            yield from numbers(value, f"{prefix}{name}{separator}", depth + 1, separator)


class JsonRows:
    """Collects the points of lines."""

    def __init__(self, step_key: str, *, separator: str = ".", skipped: Collection[str] = ()) -> None:
        """`skipped` are keys of the outermost object whose numbers are no points."""
        self._step_key = step_key
        self._separator = separator
        self._skipped = skipped
        self._shape: _Shape | None = None
        self._tags: dict[str, int] = {}
        self._parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats, Floats]] = []
        self.damage: list[Damage] = []

    def read(self, data: bytes, offset: int) -> None:
        """Read whole lines, which stand at an offset of the file."""
        begin = 0
        while begin < len(data):
            end = data.rfind(b"\n", begin, begin + _PIECE) + 1 or data.find(b"\n", begin) + 1 or len(data)
            piece = data[begin:end]
            if not self._read_alike(piece):
                self._read_lines(piece, offset + begin)
            begin = end

    def points(self) -> Points | None:
        if not self._parts:
            return None
        columns = [np.concatenate(column) for column in zip(*self._parts, strict=True)]
        return Points(list(self._tags), columns[0], columns[1], columns[2], columns[3])

    def _read_alike(self, piece: bytes) -> bool:
        """Read lines that all have the known keys and types; False when they have not."""
        if self._shape is None:
            first = parsed(piece[: piece.find(b"\n") + 1])
            self._shape = _shape_of(first) if first else {}
        if not 0 < len(self._shape) <= _MOST_KEYS or self._shape.get(self._step_key) != _NUMBER:
            return False
        struct, decoder = _decoder(json.dumps(self._shape), self._step_key)
        try:
            rows = decoder.decode_lines(piece)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return False
        try:
            steps = np.array([row.f0 for row in rows], np.int64)
        except (TypeError, OverflowError):
            return False  # some have none
        fields = [each for each in struct if each.key not in self._skipped]
        listed = list(_columns(fields, rows, "", self._separator))
        columns = {tag: np.array(column, np.float64) for tag, column in listed}
        if len(columns) < len(listed):
            return False  # joined keys may be equal
        walls = _walls(columns, len(rows))
        for tag, column in columns.items():
            places = np.flatnonzero(~np.isnan(column))
            if len(places):
                number = np.full(len(places), self._tags.setdefault(tag, len(self._tags)))
                self._parts.append((number, steps[places], walls[places], column[places]))
        return True

    def _read_lines(self, piece: bytes, offset: int) -> None:
        tags = self._tags
        places: list[int] = []
        steps: list[int] = []
        walls: list[float] = []
        values: list[float] = []
        for line in piece.split(b"\n"):
            if line and not line.isspace():
                row = parsed(line)
                if row is None:
                    self.damage.append(Damage(offset, "unparsable", f"a line is not a JSON object: {_excerpt(line)}"))
                else:
                    self._shape = _joined(self._shape or {}, _shape_of(row))
                    step = whole_number(row.pop(self._step_key, None))
                    if step is not None:  # a summary at the end has none
                        wall = take_wall(row)
                        for key in self._skipped:
                            row.pop(key, None)
                        for tag, value in numbers(row, separator=self._separator):
                            places.append(tags.setdefault(tag, len(tags)))
                            steps.append(step)
                            walls.append(wall)
                            values.append(value)
            offset += len(line) + 1
        if places:
            self._parts.append((np.array(places), np.array(steps), np.array(walls), np.array(values)))


def _shape_of(row: Mapping[str, Any], depth: int = 0) -> _Shape:
    shape: _Shape = {}
    for name, value in row.items():
        if isinstance(value, dict):
            # What lies deeper is no point, and what is empty may be filled later.
            shape[name] = _shape_of(value, depth + 1) if depth < _DEEPEST else {}
        else:
            shape[name] = _OTHERS.get(type(value), _NUMBER)
    return shape


def _joined(shape: _Shape, other: _Shape) -> _Shape:
    """What is known after another row; of types that change the last one counts."""
    joined = dict(shape)
    for name, kind in other.items():
        before = joined.get(name)
        if isinstance(kind, dict) and isinstance(before, dict):
            joined[name] = _joined(before, kind)
        elif not (isinstance(before, dict) and kind == _NUMBER):  # null says nothing of an object
            joined[name] = kind
    return joined


class _Field(NamedTuple):
    """A field of decoded rows with points: its attribute, its key, and its fields where it is an object."""

    attribute: str
    key: str
    fields: tuple[Any, ...] | None


@lru_cache(maxsize=64)
def _decoder(shape: str, step_key: str) -> tuple[tuple[_Field, ...], msgspec.json.Decoder[Any]]:
    struct, fields = _struct(json.loads(shape), step_key)
    return fields, msgspec.json.Decoder(struct)


def _struct(shape: _Shape, step_key: str | None) -> tuple[Any, tuple[_Field, ...]]:
    """A class of rows, in which the step is the first field, and those of its fields that have points."""
    defined: list[tuple[str, Any, Any]] = []
    renamed: dict[str, str] = {}
    fields: list[_Field] = []
    if step_key is not None:
        defined.append(("f0", int | None, None))
        renamed["f0"] = step_key
    for name, kind in shape.items():
        if name == step_key:
            continue
        attribute = f"f{len(defined)}"
        renamed[attribute] = name
        if isinstance(kind, dict):
            inner, inside = _struct(kind, None)
            defined.append((attribute, inner | None, None))
            fields.append(_Field(attribute, name, inside))
        else:
            defined.append((attribute, _TYPES[kind] | None, None))
            if kind == _NUMBER:
                fields.append(_Field(attribute, name, None))
    made = msgspec.defstruct("Row", defined, rename=renamed, forbid_unknown_fields=True, gc=False)
    return made, tuple(fields)


def _columns(
    fields: Sequence[_Field], rows: Sequence[Any], prefix: str, separator: str
) -> Iterable[tuple[str, list[float | None]]]:
    for attribute, key, inside in fields:
        if prefix:
            column = [None if row is None else getattr(row, attribute) for row in rows]
        else:
            column = [getattr(row, attribute) for row in rows]
        if inside is None:
            yield f"{prefix}{key}", column
        else:
            yield from _columns(inside, column, f"{prefix}{key}{separator}", separator)


def _walls(columns: dict[str, Floats], count: int) -> Floats:
    """The times of rows, by the first key that has one; what is taken as a time is no value."""
    walls = np.full(count, math.nan)
    for key in TIME_KEYS:
        if (column := columns.get(key)) is None:
            continue
        seconds = (column > _SECONDS[0]) & (column < _SECONDS[1])
        milliseconds = (column > _SECONDS[0] * 1000) & (column < _SECONDS[1] * 1000)
        is_time = np.isnan(walls) & (seconds | milliseconds)
        walls[is_time] = np.where(seconds, column, column / 1000)[is_time]
        column[is_time] = math.nan
    return walls


def take_wall(row: dict[str, Any]) -> float:
    """The time of a row, which is taken out of it."""
    for key in TIME_KEYS:
        value = row.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if _SECONDS[0] < value < _SECONDS[1]:
            return float(row.pop(key))
        if _SECONDS[0] * 1000 < value < _SECONDS[1] * 1000:
            return float(row.pop(key)) / 1000
    return math.nan


def _as_float(value: int) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None


def _excerpt(line: bytes) -> str:
    text = line[:60].decode(errors="replace")
    return f"{text}…" if len(line) > 60 else text
