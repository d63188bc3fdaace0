"""What a file says of one event beyond its columns: its arguments and its call stack, read when somebody asks."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

from mindinsight_like.profiler.traces.event_rows import MOST_EVENT_BYTES
from mindinsight_like.profiler.traces.files import Files
from mindinsight_like.profiler.traces.pieces import Pieces

_FIRST_LOOK: Final = 2**14
_STACKS: Final = ("Call stack", "callstack", "stack")  # torch, Paddle, others
_EXACT_IN_PAGES: Final = 2**53  # beyond, the numbers of a browser are not exact


@dataclass(frozen=True)
class Details:
    """Of one event."""

    arguments: dict[str, Any] = field(default_factory=dict)
    stack: list[str] = field(default_factory=list)  # innermost call first


def details_of(files: Files, name: str, place: int) -> Details:
    """The details of the event that begins at this byte of the unpacked file; empty where there is none.

    Packed files are unpacked up to there. Raises Unreadable, OSError.
    """
    if place < 0:
        return Details()
    with Pieces(files, name) as pieces:
        pieces.skip(place)
        event = _event(pieces)
    arguments = event.get("args")
    if not isinstance(arguments, dict):
        return Details()
    stack: list[str] = []
    for key in _STACKS:
        value = arguments.get(key)
        if isinstance(value, str):
            del arguments[key]
            stack = stack or [line.strip() for line in value.replace(";", "\n").splitlines() if line.strip()]
    return Details(_shown(arguments), stack)


def _event(pieces: Pieces) -> dict[str, Any]:
    content = bytearray()
    room = _FIRST_LOOK
    decoder = json.JSONDecoder(strict=False)
    while True:
        more = bytearray(room - len(content))
        got = pieces.fill(memoryview(more))
        content += more[:got]
        try:
            event, _ = decoder.raw_decode(content.decode("utf-8", "replace"))
            return event if isinstance(event, dict) else {}
        except (ValueError, RecursionError):
            if got < len(more) or len(content) > MOST_EVENT_BYTES:
                return {}
        room *= 8


def _shown(value: Any) -> Any:
    """The value with integers that a browser would change as texts."""
    if isinstance(value, dict):
        return {key: _shown(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_shown(inner) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _EXACT_IN_PAGES:
        return str(value)
    return value
