"""Operator tables: sums, shares, device time; against slow sums and torch's own table."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.traces.trace import NOT_GIVEN, Activity, OperatorSums, Trace, TypeSums
from tests.corpus import CORPUS
from tests.profiler.recordings import trace_in

from .made import DEVICE, HOST, LAYER, Made, slices, trace_of


@settings(max_examples=80)
@given(made=slices(tracks=3, activities=list(Activity)))
def test_every_table_holds_every_slice_once(made: list[Made]) -> None:
    analysed = analyse(trace_of(made, (HOST, DEVICE, LAYER)))
    counted = [one for one in made if one.track != 2]

    instances = analysed.operators("instance", sort="start", limit=None)
    assert sorted((row["name"], round(row["start"] * 1e6), round(row["total"] * 1e6)) for row in instances.rows) == (
        sorted((one.name, one.start, one.duration) for one in counted)
    )
    for by, keys in (("type", ("type",)), ("name", ("name",)), ("shape", ("name", "shape"))):
        table = analysed.operators(by, limit=None)
        expected: dict[tuple[str, ...], list[tuple[float, float]]] = defaultdict(list)
        row: Any
        for row in instances.rows:
            expected[(row["side"], *(row[key] for key in keys))].append((row["total"], row["self"]))
        assert table.total == len(table.rows) == len(expected)
        for row in table.rows:
            totals, selves = zip(*expected[(row["side"], *(row[key] for key in keys))], strict=True)
            found = [row[column] for column in ("count", "total", "self", "mean", "min", "max")]
            assert found == pytest.approx(
                [len(totals), sum(totals), sum(selves), sum(totals) / len(totals), min(totals), max(totals)]
            )
        for side in table.sides:
            here = [row for row in table.rows if row["side"] == side["side"]]
            assert sum(row["count"] for row in here) == side["count"]
            assert sum(row["self"] for row in here) == pytest.approx(side["self"])
            assert sum(row["share"] for row in here) == pytest.approx(1 if side["self"] else 0)


def test_device_time_belongs_to_the_innermost_operator_around_the_launch() -> None:
    made = [
        Made(0, 100, "linear"),
        Made(10, 50, "addmm"),
        Made(20, 10, "cudaLaunchKernel", activity=Activity.LAUNCH, correlation=1),
        Made(70, 10, "cudaLaunchKernel", activity=Activity.LAUNCH, correlation=2),
        Made(120, 10, "cudaGraphLaunch", activity=Activity.LAUNCH, correlation=10**15),
        Made(50, 500, "gemm", track=1, activity=Activity.KERNEL, correlation=1),
        Made(600, 40, "copy", track=1, activity=Activity.COPY, correlation=2),
        Made(700, 5, "graph_kernel", track=1, activity=Activity.KERNEL, correlation=10**15),
        Made(710, 5, "graph_kernel", track=1, activity=Activity.KERNEL, correlation=10**15),
        Made(800, 1, "unlaunched", track=1, activity=Activity.KERNEL, correlation=99),
    ]

    table = analyse(trace_of(made, (HOST, DEVICE))).operators("name")

    rows: list[Any] = table.rows
    times = {row["name"]: [round(row[f"device_{key}"] * 1e6) for key in ("total", "self")] for row in rows}
    kernels = {row["name"]: row["kernels"] for row in table.rows}
    assert times["linear"] == [540, 40]
    assert times["addmm"] == [500, 500]
    assert times["cudaGraphLaunch"] == [10, 0]
    assert kernels["linear"] == kernels["cudaLaunchKernel"] == kernels["cudaGraphLaunch"] == 2
    assert (kernels["addmm"], kernels["unlaunched"]) == (1, 0)
    assert {side["side"]: round(side["total"] * 1e6) for side in table.sides} == {
        "host": 150, "device": 551, "launch": 30
    }  # fmt: skip


def test_rows_are_filtered_searched_sorted_and_paged() -> None:
    made = [Made(at * 10, at, f"Default/conv{at % 4}", type=f"Conv{at % 2}D", shape=f"[{at}]") for at in range(1, 9)]
    analysed = analyse(trace_of(made))

    def names(**asked: object) -> list[str]:
        return [row["name"] for row in analysed.operators("name", **asked).rows]  # type: ignore[arg-type]

    assert names(sort="-total") == ["Default/conv0", "Default/conv3", "Default/conv2", "Default/conv1"]
    assert names(sort="name", offset=1, limit=2) == ["Default/conv1", "Default/conv2"]
    assert names(type="Conv1D", sort="name") == ["Default/conv1", "Default/conv3"]
    assert names(search="CONV1d 3") == ["Default/conv3"]
    assert names(side="device") == names(type="Conv") == []
    slowest = analysed.operators("instance", sort="-total", offset=1, limit=2)
    assert [row["total"] * 1e6 for row in slowest.rows] == pytest.approx([7, 6])
    assert slowest.total == 8
    assert analysed.operators("instance", search="conv2", sort="start").rows[0]["shape"] == "[2]"
    for wrong in ({"by": "colour"}, {"by": "name", "sort": "colour"}, {"by": "instance", "sort": "colour"}):
        with pytest.raises(ValueError, match="colour"):
            analysed.operators(**wrong)  # type: ignore[arg-type]


def torch_counts(made: list[Made], parents: dict[int, int]) -> dict[str, tuple[int, int]]:
    """Count and total by name after torch/autograd/profiler_util.py: an only child of its parent's name is given up."""
    alive, parents = set(range(len(made))), dict(parents)
    while True:
        children = defaultdict(list)
        for child in sorted(alive):
            if child in parents:
                children[parents[child]].append(child)
        given_up = next(
            (only for above, (only, *more) in children.items() if not more and made[only].name == made[above].name),
            None,
        )
        if given_up is None:
            break
        alive.remove(given_up)
        parents |= dict.fromkeys(children[given_up], parents[given_up])
    found: dict[str, tuple[int, int]] = {}
    for at in alive:
        count, total = found.get(made[at].name, (0, 0))
        found[made[at].name] = (count + 1, total + made[at].duration)
    return found


@given(data=st.data())
def test_calls_that_only_call_themselves_again_count_once_as_in_torch(data: st.DataObject) -> None:
    activities = [Activity.OPERATOR, Activity.ANNOTATION, Activity.PHASE, Activity.DATA, Activity.PYTHON]
    made, parents, spans = [Made(0, 2**20, "root")], {}, [(1, 2**20 - 1)]
    for _ in range(data.draw(st.integers(0, 25))):
        parent = data.draw(st.integers(0, len(made) - 1))
        begin, end = spans[parent]  # what is free at the end of the parent
        if end - begin < 8:
            continue
        length = (end - begin) // 2
        name, activity = data.draw(st.sampled_from("ab")), data.draw(st.sampled_from(activities))
        parents[len(made)] = parent
        made.append(Made(begin, length, name, activity=activity))
        spans.append((begin + 1, begin + length - 1))
        spans[parent] = (begin + length + 1, end)
    trace = trace_of(made)
    trace.tool = "torch"

    rows = analyse(trace).operators("name", limit=None).rows

    found: dict[str, tuple[int, int]] = {}
    for row in rows:
        count, total = found.get(row["name"], (0, 0))
        found[row["name"]] = (count + row["count"], total + round(row["total"] * 1e6))
    assert found == torch_counts(made, parents)
    assert sum(round(row["self"] * 1e6) for row in rows) == 2**20


def test_sums_of_a_tool_fill_the_sides_that_have_no_slices() -> None:
    sums = OperatorSums(
        ["Add-op1", "Add-op2", "Mul-op3", "Shape-op4"],
        ["Default/Add-op1", "Default/Add-op2", "", "Default/Shape-op4"],
        ["Add", "Add", "Mul", "Shape"],
        ["AI Core", "AI Core", "AI Core", "Host CPU"],
        np.array([2, 1, 4, 9]),
        np.array([2e6, 1e6, 1e6, 5e6]),
        np.array([NOT_GIVEN, 1e6, NOT_GIVEN, NOT_GIVEN]),
        np.array([NOT_GIVEN, 1e6, NOT_GIVEN, NOT_GIVEN]),
        [{}] * 4,
    )
    types = TypeSums(["Add", "Mul"], ["AI Core"] * 2, np.array([3, 4]), np.array([3e6, 1e6]), np.array([0.75, 0.25]))
    trace = trace_of([Made(0, 10, "Default/Shape-op4", type="Shape")])
    trace.operator_sums, trace.type_sums = sums, types
    without_types = Trace("mindspore", operator_sums=sums)

    names = analyse(trace).operators("name", sort="name").rows
    by_type, printed = (analyse(one).operators("type", side="AI Core") for one in (without_types, trace))

    assert [(row["name"], row["side"], row["count"], row["min"]) for row in names] == [
        ("Default/Add-op1", "AI Core", 2, None),
        ("Default/Add-op2", "AI Core", 1, 1.0),
        ("Default/Shape-op4", "host", 1, 1e-5),
        ("Mul-op3", "AI Core", 4, None),
    ]
    for table in (by_type, printed):
        assert [[row[key] for key in ("type", "count", "total", "share")] for row in table.rows] == [
            ["Add", 3, 3.0, 0.75], ["Mul", 4, 1.0, 0.25]
        ]  # fmt: skip
    assert analyse(without_types).summary().totals.executions == 16


def test_times_are_those_that_torch_itself_printed(tmp_path: Path) -> None:
    folder = CORPUS / "torch-profiler" / "tables"
    (tmp_path / "worker.pt.trace.json").write_bytes((folder / "trace.json").read_bytes())
    printed = json.loads((folder / "key_averages.json").read_text())

    rows = {row["name"]: row for row in analyse(trace_in(tmp_path)).operators("name", limit=None).rows}

    timed = [row for row in printed if row["count"]]
    assert len(timed) > 60
    for row in timed:
        if row["name"] == "[memory]":
            continue
        found = rows[row["name"]]
        assert found["count"] == row["count"]
        assert found["self"] * 1e3 == pytest.approx(row["self_cpu_us"], abs=1e-3 * row["count"]), row["name"]
        assert found["total"] * 1e3 == pytest.approx(row["cpu_us"], abs=1e-3 * row["count"]), row["name"]
