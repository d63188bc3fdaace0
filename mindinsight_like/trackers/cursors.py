"""Cursors of readers as bytes: small JSON objects."""

from __future__ import annotations

import json
from typing import Any


def pack(**values: Any) -> bytes:
    """A cursor with these values."""
    return json.dumps(values, separators=(",", ":")).encode()


def unpack(cursor: bytes) -> dict[str, Any]:
    """The values of a cursor; none of an empty one."""
    return json.loads(cursor) if cursor else {}
