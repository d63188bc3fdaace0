"""Columns of trace events that grow row by row."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from mindinsight_like.profiler.traces.event_rows import Kind, ScannedRows

_DTYPES: Final = {Kind.INTEGER: np.int64, Kind.DECIMAL: np.float64, Kind.TIME: np.int64, Kind.TEXT: np.int32}


class GrowingRows:
    """Columns that grow."""

    def __init__(self, arguments: int) -> None:
        self.columns: list[list[int]] = [[] for _ in range(7)]
        self.identity: tuple[list[int], list[int]] = ([], [])
        self.arguments: list[tuple[list[int], list[Any]]] = [([], []) for _ in range(arguments)]

    def __len__(self) -> int:
        return len(self.columns[0])

    def scanned(self, kinds: list[Kind]) -> ScannedRows:
        phase, time, duration, track, name, category, place = self.columns
        return ScannedRows(
            np.array(phase, np.uint8),
            np.array(time, np.int64),
            np.array(duration, np.int64),
            np.array(track, np.int32),
            np.array(name, np.int32),
            np.array(category, np.int32),
            np.array(place, np.int64),
            (np.array(self.identity[0], np.int32), np.array(self.identity[1], np.int64)),
            [
                (np.array(row, np.int32), np.array(value, _DTYPES[kind]))
                for kind, (row, value) in zip(kinds, self.arguments, strict=True)
            ],
        )
