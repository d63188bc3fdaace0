"""Curves in binary: each column of all of them in one piece, in the smallest type that holds every number exactly.

After `MICC` and the length of the description (uint32) come the description in JSON and the columns it lists, in their
order. Everything begins at a multiple of eight bytes and is little-endian. Of a column, each series has `points`
numbers, one series after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

Numbers = NDArray[np.float64] | NDArray[np.int64]

_SIGN = b"MICC"
_STEP = 8
_NARROW = ("<i4", "<f4")


def packed(described: Mapping[str, object], columns: Mapping[str, Sequence[Numbers]]) -> bytes:
    """A description and the columns of its series."""
    whole = {name: _narrowed(np.concatenate(parts) if parts else np.zeros(0)) for name, parts in columns.items()}
    listed = [{"name": name, "type": each.dtype.str[1:], "count": len(each)} for name, each in whole.items()]
    text = orjson.dumps({**described, "columns": listed})
    text += b" " * (-(len(text)) % _STEP)
    pieces = [_SIGN + len(text).to_bytes(4, "little"), text]
    for each in whole.values():
        pieces += each.tobytes(), bytes(-each.nbytes % _STEP)
    return b"".join(pieces)


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    for kind in _NARROW:
        with np.errstate(invalid="ignore", over="ignore"):  # what does not fit is told by the comparison
            narrow = values.astype(kind)
        if np.array_equal(narrow, values, equal_nan=kind == "<f4"):
            return narrow
    return values.astype("<f8", copy=False)
