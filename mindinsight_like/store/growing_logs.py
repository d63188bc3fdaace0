"""Growing logs: those written to recently, since no log format records that training has ended."""

from __future__ import annotations

import time

GROWING_SECONDS = 15 * 60


def growing_since() -> float:
    """What was written to after that unix time is expected to grow again."""
    return time.time() - GROWING_SECONDS
