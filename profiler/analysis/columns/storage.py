"""On-disk format of an analysed profile: one file of memory-mapped columns and one of metadata.

The digest of a rank is one file: the length of its JSON, the JSON, the columns. All files are sealed. Those with JSON
are verified when they are opened, a mapped column when it is looked at for the first time.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.ranks import rank_digest
from mindinsight_like.profiler.analysis.ranks.rank_digest import RankDigest
from mindinsight_like.profiler.traces import trace as model
from mindinsight_like.store.segments.sealing import (
    BrokenSeal,
    Buffer,
    Seal,
    file_state,
    number_for,
    seal,
    sealed,
    unsealed,
)

from . import columns as analysed_model
from .columns import Columns

_VERSION: Final = 5
_COLUMNS: Final = "columns.bin"
_REST: Final = "analysed.json"
_ALIGNMENT: Final = 64
_LENGTH: Final = struct.Struct("<Q")
_KIND: Final = "$kind"
_UNREAD: Final = "_unread"
# Only these are ever made from what a file says.
_KINDS: Final = {
    kind.__name__: kind
    for module in (model, analysed_model, rank_digest)
    for kind in vars(module).values()
    if isinstance(kind, type) and is_dataclass(kind)
}


def save(columns: Columns, folder: Path) -> None:
    """Writes both files; the second one last, so that a folder without it is not whole."""
    number = number_for(folder.name)
    writer = _Writer()
    content = writer.packed(columns)
    with (folder / _COLUMNS).open("wb") as file:
        file.writelines(seal(writer.buffers, number))
    text = json.dumps({"version": _VERSION, "bytes": writer.size, "content": content}, ensure_ascii=False)
    (folder / _REST).write_bytes(sealed(text.encode("utf-8", "surrogatepass"), number))


def load(folder: Path) -> tuple[Columns, Seal]:
    """What `save` wrote; raises OSError, and ValueError for a folder that is not whole.

    A column is verified by the seal when it is looked at for the first time, which raises BrokenSeal if it is damaged.
    """
    number = number_for(folder.name)
    try:
        text = unsealed((folder / _REST).read_bytes(), number)
        with (folder / _COLUMNS).open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        proof = Seal(content, number)
    except BrokenSeal as error:
        raise ValueError(f"the analysed profile is damaged: {error}") from error
    document = json.loads(text.decode("utf-8", "surrogatepass"))
    if not isinstance(document, dict) or document.get("version") != _VERSION:
        raise ValueError("the analysed profile has another version")
    if proof.payload_bytes != document["bytes"]:
        raise ValueError("the columns of the analysed profile are incomplete")
    result = _Reader(memoryview(content), proof.verify).unpacked(document["content"])
    if not isinstance(result, Columns):
        raise ValueError("the folder does not contain an analysed profile")
    return result, proof


def state_of(folder: Path) -> object:
    """What is another one after anybody has written to the files of a folder; raises FileNotFoundError."""
    return file_state(folder / _COLUMNS), file_state(folder / _REST)


def save_digest(digest: RankDigest, path: Path) -> None:
    """Writes the file; readers see all of it or none."""
    writer = _Writer()
    content = {"version": _VERSION, "content": writer.packed(digest), "bytes": writer.size}
    text = json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")
    text += b" " * (-(_LENGTH.size + len(text)) % _ALIGNMENT)  # so that columns are aligned
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("wb") as file:
        file.writelines(seal([_LENGTH.pack(len(text)) + text, *writer.buffers], number_for(path.name)))
    part.replace(path)


def load_digest(path: Path) -> RankDigest:
    """What `save_digest` wrote; raises OSError, and ValueError for a file that is not whole."""
    try:
        whole = memoryview(unsealed(path.read_bytes(), number_for(path.name)))
    except BrokenSeal as error:
        raise ValueError(f"the digest of a rank is damaged: {error}") from error
    begin = _LENGTH.size + _LENGTH.unpack_from(whole)[0]
    document = json.loads(bytes(whole[_LENGTH.size : begin]).decode("utf-8", "surrogatepass"))
    if not isinstance(document, dict) or document.get("version") != _VERSION or len(whole) != begin + document["bytes"]:
        raise ValueError("the digest of a rank has another version or is incomplete")
    result = _Reader(whole[begin:], None).unpacked(document["content"])
    if not isinstance(result, RankDigest):
        raise ValueError("the file does not contain the digest of a rank")
    return result


class _Writer:
    """Turns objects into what JSON can hold, and arrays into the buffers of a file."""

    def __init__(self) -> None:
        self.buffers: list[Buffer] = []
        self.size = 0

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
        self._append(bytes(-self.size % _ALIGNMENT))
        at = self.size
        column = np.ascontiguousarray(column)
        self._append(column.view(np.uint8).reshape(-1).data if column.size else b"")
        return {_KIND: "column", "at": at, "type": column.dtype.str, "shape": list(column.shape)}

    def _append(self, buffer: Buffer) -> None:
        self.buffers.append(buffer)
        self.size += len(buffer)


class _Reader:
    """Turns what a writer made into objects again."""

    def __init__(self, content: memoryview, verify: Callable[[int, int], None] | None) -> None:
        """With `verify`, columns are verified when they are looked at; without, all of the content is verified."""
        self._content = content
        self._verify = verify

    def unpacked(self, value: Any) -> Any:
        if isinstance(value, list):
            is_texts = bool(value) and all(type(item) is str for item in value)
            return value if is_texts else [self.unpacked(item) for item in value]
        if not isinstance(value, dict):
            return value
        kind = value[_KIND]
        if kind == "column":
            return self._column(value)
        if kind == "tuple":
            return tuple(self.unpacked(item) for item in value["items"])
        if kind == "dict":
            return {key: self.unpacked(item) for key, item in value["items"]}
        if kind not in _KINDS:
            raise ValueError(f"an analysed profile contains no {kind}")
        if self._verify is None or not any(map(_is_column, value["fields"].values())):
            return _KINDS[kind](**{name: self.unpacked(item) for name, item in value["fields"].items()})
        return self._deferred(_KINDS[kind], value["fields"])

    def _column(self, value: dict[str, Any]) -> NDArray[Any]:
        shape, dtype = tuple(value["shape"]), np.dtype(value["type"])
        count = int(np.prod(shape))
        at = value["at"] if count else 0
        if self._verify is not None:
            self._verify(at, at + count * dtype.itemsize)
        column: NDArray[Any] = np.frombuffer(self._content, dtype, count, at)
        return column.reshape(shape)

    def _deferred(self, kind: type, values: dict[str, Any]) -> Any:
        """An object whose columns are verified when they are looked at."""
        result: Any = object.__new__(_deferring(kind))
        unread = {name: value for name, value in values.items() if _is_column(value) and not hasattr(kind, name)}
        vars(result).update({name: self.unpacked(value) for name, value in values.items() if name not in unread})
        vars(result)[_UNREAD] = (self, unread)
        return result


def _is_column(value: Any) -> bool:
    """Whether something packed is a column, or a tuple of columns."""
    if not isinstance(value, dict):
        return False
    return value[_KIND] == "column" or (value[_KIND] == "tuple" and any(map(_is_column, value["items"])))


@cache
def _deferring(kind: type) -> type:
    """The same dataclass with fields that are read, and verified, when they are first looked at."""

    def read(self: Any, name: str) -> Any:
        reader, unread = vars(self).get(_UNREAD, (None, {}))
        if name not in unread:
            raise AttributeError(f"{kind.__name__} has no {name}")
        vars(self)[name] = value = reader.unpacked(unread[name])
        return value

    return type(kind.__name__, (kind,), {"__getattr__": read, "__module__": kind.__module__})
