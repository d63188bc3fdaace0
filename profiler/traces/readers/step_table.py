"""Step table that our `Profiler` writes beside the files of frameworks that do not keep steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mindinsight_like.profiler.traces.files import Files, base_name
from mindinsight_like.profiler.traces.own_format import STEP_TABLE, STEP_TABLE_COLUMNS
from mindinsight_like.profiler.traces.trace import Loss, Trace

from .assembly import MOST_NANOSECONDS, report_damage, steps_of
from .tables import decimals, read_table


def fill(trace: Trace, files: Files, names: Sequence[str]) -> None:
    """Adds the steps; times are unix nanoseconds, as those of executions on a CPU."""
    for name in names:
        if base_name(name) == STEP_TABLE:
            with report_damage(trace, name):
                table = read_table(files, name)
                columns = [decimals(table.needed(column), 0) for column in STEP_TABLE_COLUMNS]
                (number, has_number), (begin, has_begin), (end, has_end) = columns
                usable = has_number & has_begin & has_end & (begin >= 0) & (begin <= end) & (end < MOST_NANOSECONDS)
                lost = int((~usable).sum()) + int(table.is_cut)
                if lost:
                    trace.losses.append(Loss("incomplete steps", lost, name))
                if usable.any():
                    steps = steps_of(number[usable], begin[usable], end[usable])
                    trace.steps = replace(steps, is_of_host=True)
