"""Audio of a training: a tone whose pitch rises as the loss falls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

RATE = 8000  # samples per second
_SECONDS = 1.5
_LOWEST, _OCTAVES = 220.0, 2.0


def tone(losses: Sequence[float]) -> NDArray[np.float32]:
    """A tone that follows the losses; it is silent where there is no number to follow."""
    levels = np.asarray(losses)
    levels = levels[np.linspace(0, len(levels) - 1, int(RATE * _SECONDS)).astype(int)]
    is_heard = np.isfinite(levels) & (levels > 0)
    logs = np.log(np.where(is_heard, levels, 1.0))
    low, high = (logs[is_heard].min(), logs[is_heard].max()) if is_heard.any() else (0.0, 0.0)
    height = (high - logs) / max(high - low, 1e-9)
    phase = np.cumsum(2 * np.pi * _LOWEST * 2 ** (_OCTAVES * height) / RATE)
    return np.where(is_heard, 0.4 * np.sin(phase), 0.0).astype(np.float32)
