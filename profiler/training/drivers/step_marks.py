"""Step table for frameworks whose profiler does not keep steps."""

from __future__ import annotations

import csv
import time
from pathlib import Path

from mindinsight_like.profiler.traces.own_format import STEP_TABLE, STEP_TABLE_COLUMNS


class StepMarks:
    """When the steps of one recording began and ended, on the clock of the machine."""

    def __init__(self) -> None:
        self._steps: list[tuple[int, int, int]] = []
        self._present: tuple[int, int] | None = None  # the step that has begun, and when

    def begin(self, step: int) -> None:
        """This step begins, and the one before it, if any, ends."""
        now = time.time_ns()
        self._finish(now)
        self._present = (step, now)

    def end(self, *, is_in_step: bool) -> None:
        """Recording ends; a step that is cut off by that is none."""
        if is_in_step:
            self._present = None
        self._finish(time.time_ns())

    def write(self, folder: Path) -> None:
        """The table; raises OSError."""
        if not self._steps:
            return
        with (folder / STEP_TABLE).open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(STEP_TABLE_COLUMNS)
            rows.writerows(self._steps)

    def _finish(self, now: int) -> None:
        if self._present is not None:
            step, began = self._present
            self._steps.append((step, began, max(now, began)))  # the clock may have been set back
            self._present = None
