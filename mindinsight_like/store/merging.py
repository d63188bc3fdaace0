"""Which small segments of a log file become one, so that a file followed for weeks stays quick to read.

Segments are merged in tiers, as in a log-structured merge tree: eight of a tier become one of the next. Each
point is rewritten only about as often as there are tiers, and few segments are left at any time.
"""

from __future__ import annotations

from collections.abc import Sequence

FAN = 8
LARGEST = 2_000_000  # points; what would grow beyond stays as it is


def merge_start(points: Sequence[int]) -> int | None:
    """From which segment on (given their sizes in file order) the rest should become one; None: leave them."""
    tier, of_tier, total = -1, 0, 0
    start = len(points)
    for size in reversed(points):
        if total + size > LARGEST:
            break
        own = _tier(size)
        if own > tier:
            if of_tier >= FAN:
                break
            tier, of_tier = own, 0
        of_tier += own == tier
        total += size
        start -= 1
    return start if of_tier >= FAN else None


def _tier(size: int) -> int:
    tier = 0
    while size >= FAN:
        size //= FAN
        tier += 1
    return tier
