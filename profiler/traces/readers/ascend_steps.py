"""Steps and links between ranks from MindSpore's step trace tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.files import Files, base_name
from mindinsight_like.profiler.traces.trace import NOTHING, Collectives, Longs, Loss, Trace

from .assembly import report_damage, steps_of
from .links import LinkRow, links_of
from .operator_sums import add_operator_sums
from .raw_records import TICK_NANOSECONDS
from .tables import Table, decimals, read_table

# `stream_520_parallel_0` in early releases, `stream_11_0_Receive-op2068` in later ones.
_COLLECTIVE = re.compile(r"^stream_(\d+)_(?:parallel_)?(\d+)(?:_(.+))?$")
_MILLISECOND: Final = 1e6
_MOST_NANOSECONDS: Final = 2**62
_MOST_MILLISECONDS: Final = 1e12
_MOST_COLLECTIVES: Final = 10_000_000


def fill(trace: Trace, files: Files, names: Sequence[str]) -> None:
    """Adds steps, collectives and links."""
    bases = {name: base_name(name) for name in names}
    for name, base in bases.items():
        with report_damage(trace, name):
            if base.startswith("step_trace_raw_"):
                _add_steps(trace, read_table(files, name))
            elif base.startswith("hccl_raw_"):
                _add_links(trace, read_table(files, name))
    for name, base in bases.items():
        with report_damage(trace, name):
            if base.startswith("step_trace_profiling_") and trace.steps is None:
                _add_gpu_steps(trace, name, files.text(name).read().splitlines())
            if "cluster_analyse" in base:
                _add_parts(trace, read_table(files, name))


def _add_steps(trace: Trace, table: Table) -> None:
    """Rows of steps in ticks of the device; the last row, `-` or 0, is the average of all but the first."""
    numbers, is_number = decimals(table.needed("step_num"), 0)
    is_step = is_number & (numbers > 0)
    columns = {}
    for column in ("start_point", "end_point", "fp_point"):
        ticks, has_ticks = decimals(table.needed(column), 0)
        is_step &= has_ticks
        columns[column] = ticks * TICK_NANOSECONDS
    # Without a backward pass, as in inference, there is no mark of its end.
    backward, has_backward = decimals(table.texts("bp_point"), 0)
    columns["bp_point"] = np.where(has_backward, backward * TICK_NANOSECONDS, NOTHING)
    is_step &= columns["end_point"] >= columns["start_point"]
    average = [row for row, cell in enumerate(table.needed("step_num")) if cell.strip() in ("-", "0")]
    if average:
        milliseconds = TICK_NANOSECONDS / _MILLISECOND
        trace.facts["average_step"] = {
            column: float(table.numbers(column, missing=0.0)[average[-1]]) * milliseconds
            for column in ("total", "iteration_interval", "fp_and_bp", "fp", "tail")
            if table.find(column) is not None
        }
    lost = table.rows - len(average) - int(is_step.sum())
    if lost or table.is_cut:
        trace.losses.append(Loss("incomplete rows of steps", lost + int(table.is_cut), table.name))
    if is_step.any() and trace.steps is None:  # timelines of msprof have the same steps
        times = [columns[column][is_step] for column in ("start_point", "end_point", "fp_point", "bp_point")]
        trace.steps = steps_of(numbers[is_step], *times)
        _add_collectives(trace, table, numbers, is_step)


def _add_gpu_steps(trace: Trace, name: str, lines: Sequence[str]) -> None:
    """The marks of a GPU: a line for each step, or, of older releases, a line for each mark.

    `start_op,ns fp_op,ns bp_op,ns end_op,ns ...` the one; the other `op ticks,ticks ticks,ticks ...`, first the
    operator that begins the forward pass, then the one that ends the backward pass, then the last of the step.
    """
    cells = [line.split() for line in lines if line.strip()]
    if cells and "," in cells[0][0]:
        whole = [row for row in cells if len(row) >= 4]
        times = np.array([[int(cell.split(",")[1]) for cell in row[:4]] for row in whole], np.int64).reshape(-1, 4)
        begin, forward, backward, end = times.T
        lost = len(cells) - len(whole)
    else:
        lost = 0
        whole = cells[:3]
        count = min((len(row) - 1 for row in whole), default=0) if len(whole) == 3 else 0
        ticks = np.array([[cell.split(",")[:2] for cell in row[1 : count + 1]] for row in whole], np.int64)
        marks = ticks.reshape(-1, count, 2) * TICK_NANOSECONDS if count else np.empty((3, 0, 2), np.int64)
        forward, backward, end = marks[0, :, 0], marks[1, :, 1], marks[2, :, 1]
        begin = np.concatenate([forward[:1], end[:-1]])
    usable = (end >= begin) & (begin >= 0) & (end < _MOST_NANOSECONDS)
    lost += int((~usable).sum())
    if usable.any():
        usable_times = [column[usable] for column in (begin, end, forward, backward)]
        trace.steps = steps_of(np.arange(1, len(usable_times[0]) + 1), *usable_times)
    if lost or not len(usable):
        trace.losses.append(Loss("steps with incomplete marks", max(1, lost), name))


def _add_collectives(trace: Trace, table: Table, numbers: Longs, is_step: NDArray[np.bool_]) -> None:
    matches = [(header, match) for header in table.columns if (match := _COLLECTIVE.match(header)) is not None]
    named = [
        (header, match)
        for header, match in matches
        if f"{header}_start_point" in table.columns and f"{header}_end_point" in table.columns
    ]
    if not named or len(named) * int(is_step.sum()) > _MOST_COLLECTIVES:
        return
    begin, has_begin = decimals([cell for header, _ in named for cell in table.columns[f"{header}_start_point"]], 0)
    end, has_end = decimals([cell for header, _ in named for cell in table.columns[f"{header}_end_point"]], 0)
    usable = np.tile(is_step, len(named)) & has_begin & has_end & (end >= begin) & (begin > 0)
    which = np.repeat(np.arange(len(named)), table.rows)[usable].tolist()
    trace.collectives = Collectives(
        np.tile(numbers, len(named))[usable],
        [named[number][1][3] or f"collective {named[number][1][2]}" for number in which],
        begin[usable] * TICK_NANOSECONDS,
        end[usable] * TICK_NANOSECONDS,
        [named[number][1][1] for number in which],
    )


def _add_parts(trace: Trace, table: Table) -> None:
    """Computing and communication of each step, milliseconds; the last row is their average."""
    computing = table.numbers("computation_time", "computation")
    alone = table.numbers("communication_alone_time")
    if not table.rows or not np.isfinite(computing).any():
        return
    trace.facts["cluster_average"] = {
        header: float(value) for header in table.columns if np.isfinite(value := table.numbers(header)[-1])
    }
    steps = trace.steps
    usable = (np.abs(computing) < _MOST_MILLISECONDS) & (np.abs(alone) < _MOST_MILLISECONDS)
    if steps is not None and len(steps.begin) == table.rows - 1 and usable.all():
        trace.steps = replace(
            steps,
            computing=np.rint(computing[:-1] * _MILLISECOND).astype(np.int64),
            exposed_communication=np.rint(alone[:-1] * _MILLISECOND).astype(np.int64),
        )


def _add_links(trace: Trace, table: Table) -> None:
    """Traffic of each step and, in the row `-`, on average: milliseconds, kilobytes."""
    links: list[LinkRow] = []
    costs = []
    operators: dict[str, list[float]] = {}
    cost, wait = table.numbers("communication_cost"), table.numbers("wait_cost")
    lost = 0
    for row, (number, link, single) in enumerate(
        zip(
            table.needed("step_num"),
            table.needed("link_info"),
            table.texts("communication_operator_cost", missing="{}"),
            strict=True,
        )
    ):
        step = int(number) if number.isdecimal() else NOTHING
        try:
            links += _links(orjson.loads(link), step)
            of_operators = orjson.loads(single)
            if step != NOTHING:
                for name, (_, busy, waited, *_rest) in of_operators.items():
                    sums = operators.setdefault(name, [0, 0.0, 0.0])
                    sums[0] += 1
                    sums[1] += float(busy)
                    sums[2] += float(waited)
        except (ValueError, TypeError, AttributeError):
            lost += 1
            continue
        costs.append({"step": step, "communication": float(cost[row]), "wait": float(wait[row])})
    if lost or table.is_cut:
        trace.losses.append(Loss("incomplete communication steps", lost + int(table.is_cut), table.name))
    trace.facts["communication"] = costs
    if links:
        trace.links = links_of(links)
    if operators:
        _add_communication_operators(trace, table.name, operators)


def _links(content: dict[str, dict[str, list[float]]], step: int) -> list[LinkRow]:
    links = []
    for pair, kinds in content.items():
        source, _, target = pair.partition("-")
        for kind, (milliseconds, kilobytes, *_) in kinds.items():
            megabytes = float(kilobytes) / 1000
            links.append(LinkRow(step, int(source), int(target), kind, float(milliseconds), megabytes))
    return links


def _add_communication_operators(trace: Trace, file: str, operators: dict[str, list[float]]) -> None:
    short = {name: (match[3] or name) if (match := _COLLECTIVE.match(name)) else name for name in operators}
    table = Table(
        file,
        len(operators),
        {
            "full_op_name": [short[name] for name in operators],
            "op_occurrences": [str(int(sums[0])) for sums in operators.values()],
            "op_total_time(ms)": [repr(sums[1]) for sums in operators.values()],
            "wait_time(ms)": [repr(sums[2]) for sums in operators.values()],
            "stream": [name.split("_")[1] if name.startswith("stream_") else "" for name in operators],
        },
    )
    add_operator_sums(trace, table, "communication", "ms")
