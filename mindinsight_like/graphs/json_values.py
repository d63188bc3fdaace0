"""Read untrusted JSON: accessors that return an empty value where the type is not the expected one."""

from __future__ import annotations

from typing import Any

import orjson

from mindinsight_like.graphs.details import cut
from mindinsight_like.graphs.drafts import BadGraph


def loads(data: bytes) -> dict[str, Any]:
    """The object in some bytes; raises BadGraph."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise BadGraph(f"not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadGraph("not a JSON object")
    return value


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
