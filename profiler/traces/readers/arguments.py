"""Arguments and call stack of single events, read on demand from the trace file."""

from __future__ import annotations

import json
from collections.abc import Sequence
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
        values = _event(pieces).get("args")
    if not isinstance(values, dict):
        return {}
    for key in _STACKS:
        calls = values.get(key)
        if isinstance(calls, str):
            values[key] = [call.strip() for call in calls.replace(";", "\n").splitlines() if call.strip()]
    printable: dict[str, Any] = _printable(values)
    return printable


def one_argument(files: Files, name: str, places: Sequence[int], argument: str) -> list[Any]:
    """An argument of the events that begin at these bytes, which must ascend; None where an event has none.

    The file is read once, up to the last of them. Raises Unreadable, OSError.
    """
    values: list[Any] = []
    decoder = json.JSONDecoder(strict=False)
    with Pieces(files.handle(name)) as pieces:
        content, begin = b"", 0  # what is read, and where in the file it begins
        for place in places:
            if place > begin + len(content):
                pieces.skip(place - begin - len(content))
                content, begin = b"", place
            content, begin = content[place - begin :], place
            event: Any = None
            while event is None:
                try:
                    event, _ = decoder.raw_decode(content.decode("utf-8", "replace"))
                except (ValueError, RecursionError):
                    more = bytearray(max(_FIRST_LOOK, 7 * len(content)))
                    got = pieces.fill(memoryview(more))
                    content += more[:got]
                    if not got or len(content) > MOST_EVENT_BYTES:
                        event = {}
            arguments = event.get("args") if isinstance(event, dict) else None
            values.append(arguments.get(argument) if isinstance(arguments, dict) else None)
    return values


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


def _printable(value: Any) -> Any:
    """The value with integers that a browser would change as texts."""
    if isinstance(value, dict):
        return {key: _printable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_printable(inner) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _EXACT_IN_PAGES:
        return str(value)
    return value
