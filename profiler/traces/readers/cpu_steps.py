"""Steps of a MindSpore CPU recording without step marks, inferred from the repetition of operators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from mindinsight_like.profiler.traces.files import Files, base_name
from mindinsight_like.profiler.traces.trace import Activity, Slices, Steps, Trace

from .assembly import report_damage, steps_of
from .tables import read_table

_BEGINNING: Final = "cpu_op_type_info_"


def fill(trace: Trace, files: Files, names: Sequence[str]) -> None:
    """Adds the steps; `execution_frequency(per-step)` tells how many there are, executions of operators where."""
    for name in names:
        if base_name(name).startswith(_BEGINNING) and trace.slices is not None:
            with report_damage(trace, name):
                count = _count(files, name)
                if count > 1 and (steps := _steps(trace.slices, count)) is not None:
                    trace.steps = replace(steps, is_of_host=True)


def _count(files: Files, name: str) -> int:
    """How many steps all types of operators agree on; 0 where they do not.

    Where operators have no names of their own, MindSpore takes several of one type in a step for one.
    """
    table = read_table(files, name)
    occurrences = table.numbers("type_occurrences", missing=0.0)
    per_step = table.numbers("execution_frequency(per-step)", missing=0.0)
    is_known = np.isfinite(occurrences) & np.isfinite(per_step) & (per_step > 0) & (occurrences > 0)
    steps = occurrences[is_known] / per_step[is_known]
    if not len(steps) or np.any(steps != np.rint(steps)) or steps.max() >= 2**31:
        return 0
    common = int(np.gcd.reduce(steps.astype(np.int64)))
    return common if common == steps.min() else 0


def _steps(slices: Slices, count: int) -> Steps | None:
    """A step begins with the first of its operators and lasts until the next begins; None where they are mixed up."""
    rows = np.flatnonzero((slices.activity == Activity.OPERATOR) | (slices.activity == Activity.COMMUNICATION))
    rows = rows[np.lexsort((slices.start[rows], slices.name[rows]))]
    _, first, executions = np.unique(slices.name[rows], return_index=True, return_counts=True)
    is_regular = executions % count == 0
    first, per_step = first[is_regular, None], executions[is_regular, None] // count
    if not len(first):
        return None
    start, step = slices.start[rows], np.arange(count)
    begin = start[first + per_step * step].min(axis=0)
    last = start[first + per_step * (step + 1) - 1].max(axis=0)  # that an operator of the step begins
    if np.any(last[:-1] >= begin[1:]):
        return None
    end = np.append(begin[1:], int((slices.start[rows] + slices.duration[rows]).max()))
    return steps_of(np.arange(1, count + 1), begin, end)
