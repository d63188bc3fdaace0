"""An analysed recording in a folder: one file with all columns, which are mapped, and one with the rest."""

from __future__ import annotations

import json
import mmap
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces import trace as model

from . import columns as analysed_model
from .columns import Columns

_VERSION: Final = 3
_COLUMNS: Final = "columns.bin"
_REST: Final = "analysed.json"
_ALIGNMENT: Final = 64
_KIND: Final = "$kind"
# Only these are ever made from what a file says.
_KINDS: Final = {
    kind.__name__: kind
    for module in (model, analysed_model)
    for kind in vars(module).values()
    if isinstance(kind, type) and is_dataclass(kind)
}


def save(columns: Columns, folder: Path) -> None:
    """Writes both files; the second one last, so that a folder without it is not whole."""
    with (folder / _COLUMNS).open("wb") as file:
        content = _Writer(file).packed(columns)
        size = file.tell()
    text = json.dumps({"version": _VERSION, "bytes": size, "content": content}, ensure_ascii=False)
    (folder / _REST).write_text(text, "utf-8", "surrogatepass")


def load(folder: Path) -> Columns:
    """What `save` wrote; raises OSError, and ValueError for a folder that is not whole."""
    found = json.loads((folder / _REST).read_bytes().decode("utf-8", "surrogatepass"))
    if not isinstance(found, dict) or found.get("version") != _VERSION:
        raise ValueError("the analysed recording is of another version")
    with (folder / _COLUMNS).open("rb") as file:
        size = file.seek(0, 2)
        if size != found["bytes"]:
            raise ValueError("the columns of the analysed recording are not whole")
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    result = _unpacked(found["content"], memoryview(content))
    if not isinstance(result, Columns):
        raise ValueError("the folder holds something else than an analysed recording")
    return result


class _Writer:
    """Turns objects into what JSON can hold, and puts arrays into the file of columns."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file

    def packed(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self._column(value)
        if isinstance(value, np.generic):
            return value.item()
        if is_dataclass(value) and not isinstance(value, type):
            packed = {field.name: self.packed(getattr(value, field.name)) for field in fields(value)}
            return {_KIND: type(value).__name__, "fields": packed}
        if isinstance(value, tuple):
            return {_KIND: "tuple", "items": [self.packed(item) for item in value]}
        if isinstance(value, list):
            # Names are many: nothing in a list of texts needs packing.
            return value if all(type(item) is str for item in value) else [self.packed(item) for item in value]
        if isinstance(value, dict):
            return {_KIND: "dict", "items": [[str(key), self.packed(item)] for key, item in value.items()]}
        if isinstance(value, (str, int, float, bool)) or value is None:
            return value
        return str(value)  # facts may hold anything a reader found

    def _column(self, column: NDArray[Any]) -> dict[str, Any]:
        self.file.write(bytes(-self.file.tell() % _ALIGNMENT))
        at = self.file.tell()
        column = np.ascontiguousarray(column)
        self.file.write(column.data if column.size else b"")
        return {_KIND: "column", "at": at, "type": column.dtype.str, "shape": list(column.shape)}


def _unpacked(value: Any, content: memoryview) -> Any:
    if isinstance(value, list):
        is_texts = bool(value) and all(type(item) is str for item in value)
        return value if is_texts else [_unpacked(item, content) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value[_KIND]
    if kind == "column":
        shape = tuple(value["shape"])
        count = int(np.prod(shape))
        column: NDArray[Any] = np.frombuffer(content, np.dtype(value["type"]), count, value["at"] if count else 0)
        return column.reshape(shape)
    if kind == "tuple":
        return tuple(_unpacked(item, content) for item in value["items"])
    if kind == "dict":
        return {key: _unpacked(item, content) for key, item in value["items"]}
    if kind not in _KINDS:
        raise ValueError(f"an analysed recording holds no {kind}")
    return _KINDS[kind](**{name: _unpacked(item, content) for name, item in value["fields"].items()})
