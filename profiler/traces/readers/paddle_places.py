"""What Paddle calls the places of memory, in the words of all readers."""

from __future__ import annotations

import re
from typing import Final

_PLACE: Final = re.compile(r"^Place\((\w+)(?::(\d+))?\)$")


def device_name(place: str) -> str:
    """ "Place(gpu:1)" is "GPU 1"."""
    found = _PLACE.match(place)
    if found is None:
        return place or "CPU"
    return found[1].upper() if found[2] is None else f"{found[1].upper()} {found[2]}"
