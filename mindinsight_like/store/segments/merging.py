"""Merge policy of segments: small ones of a log file are joined, so that a file followed for weeks stays quick to read.

Segments are merged in tiers, as in a log-structured merge tree: eight of a tier become one of the next. What is
smaller than a segment that came after it joins that one, so that sizes fall towards the end and at most seven segments
of each tier are left. A point is rewritten once on arrival at most, and then only to enter a higher tier.
"""

from __future__ import annotations

from collections.abc import Sequence

FAN = 8
LARGEST = 2_000_000  # points; what would grow beyond stays as it is


def merge_start(points: Sequence[int]) -> int | None:
    """From which segment on (given their sizes in file order) the rest should become one; None: leave them."""
    tier, of_tier, total = -1, 0, 0
    start = None
    for place in reversed(range(len(points))):
        total += points[place]
        if total > LARGEST:
            break
        own = _tier(points[place])
        if own > tier:
            tier, of_tier = own, 0
        of_tier += own == tier
        if own < tier or of_tier >= FAN:
            start = place
    return start


def _tier(size: int) -> int:
    tier = 0
    while size >= FAN:
        size //= FAN
        tier += 1
    return tier
