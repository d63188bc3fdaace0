"""Terminal output of `Profiler.analyse`: progress bar and summary."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final

from mindinsight_like.profiler.analysis.advice import AdviceItem
from mindinsight_like.profiler.analysis.advice_words import sentence
from mindinsight_like.profiler.analysis.analysed import Analysed
from mindinsight_like.profiler.analysis.steps.step_list import PartTimes
from mindinsight_like.profiler.training.filters import Filters

_WIDTH: Final = 30
_TOP: Final = 5
_UNNAMED: Final = ("annotation", "other")  # sides that name what others take, or say nothing of operators


class ProgressBar:
    """A line that grows; nothing where nobody looks at it."""

    def __init__(self, parts: int) -> None:
        self._parts = parts
        self._is_shown = sys.stderr is not None and sys.stderr.isatty()
        self._drawn = -1

    def part(self, number: int) -> Callable[[float], None]:
        """Takes the share of a part that is done."""
        return lambda share: self._draw((number + min(max(share, 0.0), 1.0)) / self._parts)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn >= 0:
            print(f"\r{' ' * (_WIDTH + 26)}\r", end="", file=sys.stderr, flush=True)

    def _draw(self, share: float) -> None:
        percent = int(100 * share)
        if self._is_shown and percent != self._drawn:
            self._drawn = percent
            full = _WIDTH * percent // 100
            line = f"\ranalysing [{'#' * full}{' ' * (_WIDTH - full)}] {percent:3d} %"
            print(line, end="", file=sys.stderr, flush=True)


def summary(analysed: Analysed, folder: Path, filters: Filters, *, others: int) -> str:
    """A few lines: the operator types that take most time, where the time of a step goes, and what to fix first."""
    figures = analysed.summary()
    totals = figures.totals
    steps = sum(bool(step["parts"]) or not step["is_partial"] for step in analysed.steps()["steps"])
    lines = [
        f"Profile of {totals.wall:,.3f} ms: {totals.executions:,} executions of {totals.operators:,} "
        f"operators, {steps:,} steps"
    ]
    types = filters.select(analysed.operators("type", sort="-self", limit=None).rows)
    types = [row for row in types if row["side"] not in _UNNAMED] or types
    if types:
        lines += ["", "         of its side  self ms     count  operator type"]
        lines += [
            f"{100 * row['share']:6.1f} % {row['side']:<13.13}{row['self']:9.3f}{row['count']:10,}  {row['type']}"
            for row in types[:_TOP]
        ]
    lines += _breakdown(figures.breakdown)
    lines += _advice(figures.advice)
    lines += [f"  {loss['message']} ({loss['count']:,})" for loss in figures.losses]
    lines += ["", f"Tables: {folder}" + (f", and {others} beside it" if others else "")]
    return "\n".join(lines)


def _breakdown(parts: PartTimes) -> list[str]:
    whole = sum(parts.values())
    if not whole:
        return []
    by_time = sorted(((ms, part) for part, ms in parts.items() if ms), reverse=True)
    return ["", f"  A step takes {whole:,.3f} ms:"] + [
        f"{100 * ms / whole:6.1f} %{ms:10.3f}  {part}" for ms, part in by_time
    ]


def _advice(advice: list[AdviceItem]) -> list[str]:
    return ["", "  What to fix first:", *(f"  - {sentence(one)}" for one in advice)] if advice else []
