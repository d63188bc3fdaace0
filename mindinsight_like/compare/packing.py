"""Binary encoding of curves: one array per column over all series, in the smallest type that is lossless.

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

ColumnArray = NDArray[np.float64] | NDArray[np.int64]

_MAGIC = b"MICC"
_ALIGNMENT = 8
_NARROW_TYPES = ("<i4", "<f4")


def pack_columns(described: Mapping[str, object], columns: Mapping[str, Sequence[ColumnArray]]) -> bytes:
    """A description and the columns of its series."""
    whole = {name: _narrow(np.concatenate(parts) if parts else np.zeros(0)) for name, parts in columns.items()}
    listed = [{"name": name, "type": each.dtype.str[1:], "count": len(each)} for name, each in whole.items()]
    text = orjson.dumps({**described, "columns": listed})
    text += b" " * (-(len(text)) % _ALIGNMENT)
    pieces = [_MAGIC + len(text).to_bytes(4, "little"), text]
    for each in whole.values():
        pieces += each.tobytes(), bytes(-each.nbytes % _ALIGNMENT)
    return b"".join(pieces)


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    for kind in _NARROW_TYPES:
        with np.errstate(invalid="ignore", over="ignore"):  # what does not fit is told by the comparison
            narrow = values.astype(kind)
        if np.array_equal(narrow, values, equal_nan=kind == "<f4"):
            return narrow
    return values.astype("<f8", copy=False)
