"""Run states that our writers keep in small files beside the logs."""

from __future__ import annotations

import json
import math
import re
from typing import Final, NamedTuple

MOST_BYTES: Final = 64 * 1024
NAME: Final = re.compile(r"mindinsight_like\.state\..*\.json")

_FORMAT: Final = "mindinsight-like run state"
_STATES: Final = ("running", "finished", "failed")
_MOST_TEXT: Final = 1000  # characters
_MOST_STEPS: Final = 1 << 62


class WriterState(NamedTuple):
    """What one process says of its run. That it lives shows in the time of the file."""

    state: str  # running, finished or failed
    started_at: float
    ended_at: float | None = None
    reason: str = ""  # of a failure
    word: str = ""  # of the tracker that wrote it, where that has one
    total_steps: int | None = None


def parse(content: bytes) -> WriterState | None:
    """The state in a file; None when it is nothing of ours, or was not written yet."""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.get("format") != _FORMAT or data.get("state") not in _STATES:
        return None
    started_at = _time(data.get("started"))
    if started_at is None:
        return None
    total = data.get("total_steps")
    is_count = isinstance(total, int) and not isinstance(total, bool) and 0 < total < _MOST_STEPS
    ended_at = _time(data.get("ended")) if data["state"] != "running" else None
    return WriterState(
        data["state"],
        started_at,
        ended_at,
        _text(data.get("reason")) if data["state"] == "failed" else "",
        _text(data.get("word")),
        total if is_count else None,
    )


def _time(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) and abs(value) < 1e12 else None  # type: ignore[arg-type]


def _text(value: object) -> str:
    # Without zero bytes and halves of characters, which databases refuse.
    text = value[:_MOST_TEXT].replace("\0", "") if isinstance(value, str) else ""
    return text.encode("utf-8", "replace").decode()
