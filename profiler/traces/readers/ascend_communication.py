"""Collectives and links between ranks from the JSON summaries of Ascend's newer tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mindinsight_like.profiler.traces.files import Files, base_name
from mindinsight_like.profiler.traces.trace import NOTHING, Collectives, Trace

from .assembly import report_damage
from .links import LinkRow, links_of
from .operator_sums import add_operator_sums
from .tables import Table, decimals

_STEP = re.compile(r"(\d+)$")
_PAIR = re.compile(r"^(\d+)-(\d+)$")


def fill(trace: Trace, files: Files, names: Sequence[str]) -> None:
    """Adds collectives of `communication.json` and links of `communication_matrix.json`."""
    for name in names:
        base = base_name(name)
        with report_damage(trace, name):
            if base == "communication.json":
                _add_collectives(trace, name, files.json(name))
            elif base == "communication_matrix.json":
                trace.facts.pop("communication_matrix", None)
                _add_links(trace, files.json(name))


def _entries(content: dict[str, Any]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Step, operator and what is told of it."""
    for step, kinds in content.items():
        number = _STEP.search(step)
        for operators in kinds.values():
            for name, details in operators.items():
                if name != "Total Op Info" and isinstance(details, dict):
                    yield int(number[1]) if number and len(number[1]) < 18 else NOTHING, name, details


def _add_collectives(trace: Trace, file: str, content: dict[str, Any]) -> None:
    steps, names, starts, lengths, waits = [], [], [], [], []
    for step, name, details in _entries(content):
        times = details.get("Communication Time Info")
        if not isinstance(times, dict):
            continue
        steps.append(step)
        names.append(name.partition("@")[0])
        starts.append(str(times.get("Start Timestamp(us)", "")))
        lengths.append(str(times.get("Elapse Time(ms)", "")))
        waits.append(str(times.get("Wait Time(ms)", "")))
    if not names:
        return
    begin, has_begin = decimals(starts, 3)
    length, has_length = decimals(lengths, 6)
    usable = has_begin & has_length & (length >= 0)
    usable_rows = np.flatnonzero(usable).tolist()
    trace.collectives = Collectives(
        np.array(steps, np.int64)[usable],
        [names[row] for row in usable_rows],
        begin[usable],
        (begin + length)[usable],
        [""] * len(usable_rows),
    )
    kinds = [name.strip("_").split("__")[0].rstrip("_0123456789") for name in names]
    columns = {
        "full_op_name": [names[row] for row in usable_rows],
        "op_type": [kinds[row] for row in usable_rows],
        "op_occurrences": ["1"] * len(usable_rows),
        "op_total_time(ms)": [lengths[row] for row in usable_rows],
        "wait_time(ms)": [waits[row] for row in usable_rows],
        "step": [str(steps[row]) for row in usable_rows],
    }
    add_operator_sums(trace, Table(file, len(usable_rows), columns), "communication", "ms")


def _add_links(trace: Trace, content: dict[str, Any]) -> None:
    rows: list[LinkRow] = []
    for step, _, details in _entries(content):
        for pair, link in details.items():
            match = _PAIR.match(pair)
            if match is None or not isinstance(link, dict):
                continue
            rows.append(
                LinkRow(
                    step,
                    int(match[1]),
                    int(match[2]),
                    str(link.get("Transport Type", "")),
                    float(link.get("Transit Time(ms)", 0)),
                    float(link.get("Transit Size(MB)", 0)),
                )
            )
    if rows:
        trace.links = links_of(rows)
