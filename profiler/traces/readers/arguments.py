"""What a file says of one event beyond its columns: its arguments, with its call stack, read when somebody asks."""

from __future__ import annotations

import json
from typing import Any, Final

from mindinsight_like.profiler.traces.event_rows import MOST_EVENT_BYTES
from mindinsight_like.profiler.traces.files import Files
from mindinsight_like.profiler.traces.pieces import Pieces

_FIRST_LOOK: Final = 2**14
_STACKS: Final = ("Call stack", "callstack", "stack")  # torch, Paddle, others
_EXACT_IN_PAGES: Final = 2**53  # beyond, the numbers of a browser are not exact


def arguments(files: Files, name: str, place: int) -> dict[str, Any]:
    """The arguments of the event that begins at this byte of the unpacked file; call stacks as lists of calls.

    Packed files are unpacked up to there. Empty where no event begins. Raises Unreadable, OSError.
    """
    if place < 0:
        return {}
    with Pieces(files.handle(name)) as pieces:
        pieces.skip(place)
        found = _event(pieces).get("args")
    if not isinstance(found, dict):
        return {}
    for key in _STACKS:
        calls = found.get(key)
        if isinstance(calls, str):
            found[key] = [call.strip() for call in calls.replace(";", "\n").splitlines() if call.strip()]
    shown: dict[str, Any] = _shown(found)
    return shown


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
