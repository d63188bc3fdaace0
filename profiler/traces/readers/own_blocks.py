"""Blocks of our own trace format, validated before memory is allocated."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

import numpy as np

from mindinsight_like.logs.framing import masked_crc32c
from mindinsight_like.profiler.traces.trace import Longs

_MOST_BLOCK: Final = 2**26  # bytes; writers stay far below
_HEAD = struct.Struct("<QI")
_CHECK = struct.Struct("<I")


def blocks(file: BinaryIO, size: int | None, lose: Callable[[str], None]) -> Iterator[tuple[bytes, int]]:
    """Contents of the whole blocks, with the places behind them; the size is None where packing hides it."""
    place = 0
    while head := file.read(_HEAD.size):
        if len(head) < _HEAD.size:
            return lose("the last block is cut off")
        length, expected = _HEAD.unpack(head)
        if masked_crc32c(head[:8]) != expected or length > _MOST_BLOCK:
            return lose("a block has a damaged length: what follows cannot be read")
        # Compared before memory is taken.
        if size is not None and place + _HEAD.size + length + _CHECK.size > size:
            return lose("the last block is cut off")
        content, check = file.read(length), file.read(_CHECK.size)
        place += _HEAD.size + length + _CHECK.size
        if len(content) < length or len(check) < _CHECK.size:
            return lose("the last block is cut off")
        if masked_crc32c(content) == _CHECK.unpack(check)[0]:
            yield content, place
        else:
            lose("blocks have damaged contents")
    return None


def json_of(body: memoryview) -> dict[str, Any]:
    """The object that a block holds; raises ValueError for anything else."""
    content = json.loads(bytes(body))
    if not isinstance(content, dict):
        raise ValueError("not an object")
    return content


def numbered(definitions: dict[str, Any], table: str) -> Iterator[tuple[int, list[Any]]]:
    """The rows that a block of definitions has for a table, with their numbers."""
    first, rows = definitions.get(table, (0, ()))
    yield from enumerate(rows, int(first))


def longs(body: memoryview, offset: int, columns: int, count: int) -> Longs:
    """So many columns of so many numbers; raises ValueError unless just these follow."""
    if not 2 <= columns <= 5 or len(body) - offset != 8 * columns * count:
        raise ValueError("sizes do not fit")
    return np.frombuffer(body, "<i8", columns * count, offset).reshape(columns, count).astype(np.int64, copy=False)
