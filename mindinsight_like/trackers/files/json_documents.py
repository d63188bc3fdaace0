"""JSON files of trackers, of which Python writes some with bare NaN."""

from __future__ import annotations

import json
from typing import Any

import orjson


class JsonUnreadable(Exception):
    """A file holds no JSON object; the message is for people."""


def parsed_object(content: bytes) -> dict[str, Any]:
    """The object of a file; raises JsonUnreadable."""
    value = parsed(content)
    if not isinstance(value, dict):
        raise JsonUnreadable("it holds no JSON object")
    return value


def parsed(content: bytes) -> Any:
    """The value of a file; raises JsonUnreadable."""
    try:
        return orjson.loads(content)
    except ValueError:
        try:
            return json.loads(content.decode(errors="replace"))
        except (ValueError, RecursionError) as error:
            raise JsonUnreadable(f"it holds no JSON: {str(error)[:100]}") from error
