"""Which logs are expected to grow: those that were written to lately. No log format tells that training has ended."""

from __future__ import annotations

GROWING_SECONDS = 15 * 60


def is_growing(updated_at: float, now: float) -> bool:
    """Whether what was last written to at that time is expected to grow again."""
    return updated_at > now - GROWING_SECONDS
