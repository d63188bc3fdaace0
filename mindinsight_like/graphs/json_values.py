"""Reading JSON that may hold anything anywhere."""

from __future__ import annotations

from typing import Any

import orjson

from mindinsight_like.graphs.details import cut
from mindinsight_like.graphs.drafts import BadGraph


def loads(data: bytes) -> dict[str, Any]:
    """The object in some bytes; raises BadGraph."""
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise BadGraph(f"the file is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise BadGraph("the JSON is no object")
    return found


def dictionary(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def value_text(value: Any) -> str:
    """Any value for people: text as it is, the rest as JSON."""
    if isinstance(value, str):
        return cut(value)
    try:
        return cut(orjson.dumps(value).decode())
    except orjson.JSONEncodeError:
        return "nested too deep to be shown"
