"""Rate-limited log: at most one line a minute for each kind of event that clients can trigger."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable


class QuietLog:
    """Writes the first message of a kind at once, and the next after a pause with the number of those left out."""

    def __init__(
        self, log: logging.Logger, *, pause_seconds: float = 60.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._log = log
        self._pause = pause_seconds
        self._clock = clock
        self._next_at: dict[str, float] = {}
        self._left_out: dict[str, int] = {}

    def warning(self, kind: str, message: str, *, error: Exception | None = None) -> None:
        """`kind` is one of a few words of ours, the message may hold what came from outside.

        With an error, its traceback is written, too.
        """
        now = self._clock()
        if now < self._next_at.get(kind, 0.0):
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
            return
        self._next_at[kind] = now + self._pause
        left_out = self._left_out.pop(kind, 0)
        more = f" ({left_out} more like this before)" if left_out else ""
        self._log.warning("%s%s", message, more, exc_info=error)
