"""Activity of an operation, from the type that the user has named."""

from __future__ import annotations

from typing import Final

# Numbers of `traces.trace.Activity`, which is not imported here: recording needs no numpy.
_OPERATOR: Final = 1
_ACTIVITIES: Final = {
    "kernel": 2,
    "communication": 3,
    "copy": 4,
    "launch": 6,
    "data": 7,
    "annotation": 9,
    "wait": 11,
    "phase": 12,
}


def activity_of(type: str) -> int:
    """An operator, unless the type is one of those that say otherwise."""
    return _ACTIVITIES.get(type.lower(), _OPERATOR)
