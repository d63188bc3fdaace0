"""Links between ranks from the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mindinsight_like.profiler.traces.trace import Links


@dataclass(frozen=True)
class LinkRow:
    """Traffic over one link in a step."""

    step: int
    source: int
    target: int
    kind: str
    milliseconds: float
    megabytes: float


def links_of(rows: Sequence[LinkRow]) -> Links:
    """The rows as columns, with their speeds."""
    milliseconds = np.array([row.milliseconds for row in rows])
    megabytes = np.array([row.megabytes for row in rows])
    return Links(
        np.array([row.step for row in rows], np.int64),
        np.array([row.source for row in rows], np.int32),
        np.array([row.target for row in rows], np.int32),
        [row.kind for row in rows],
        milliseconds,
        megabytes,
        np.divide(megabytes, milliseconds, out=np.zeros_like(megabytes), where=milliseconds > 0),  # MB per ms
    )
