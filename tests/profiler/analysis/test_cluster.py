"""Ranks beside each other: what is known of a real cluster, and stragglers against made recordings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis import cluster, stragglers
from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.analysis.columns import Columns
from mindinsight_like.profiler.traces.trace import Activity, Links

from ..recordings import trace_in, traces_in
from .made import DEVICE, HOST, Made, trace_of

STEP_NS = 1_000_000


def rank_of(number: int, delays: list[int], *, clock: int = 0) -> Columns:
    """A rank whose all-reduce of each step begins after its delay; it ends for all ranks at once."""
    last = 900_000
    made = []
    for step, delay in enumerate(delays):
        begin = clock + step * STEP_NS
        made += [
            Made(begin, STEP_NS, f"ProfilerStep#{step}", 0, Activity.STEP),
            Made(begin, 100_000 + delay, "forward", 1, Activity.KERNEL),
            Made(begin + 100_000 + delay, last - 100_000 - delay, "ncclKernel_AllReduce", 1, Activity.COMMUNICATION),
        ]
    trace = trace_of(made, [HOST, DEVICE])
    trace.rank = number
    return analyse(trace).columns


def test_the_real_cluster_is_as_mindinsight_shows_it(corpus: Path) -> None:
    traces = traces_in(corpus, "mindinsight-profiles/clu")
    found = cluster.answer([analyse(traces[rank]).columns for rank in sorted(traces)], "compute")
    interval = found["interval"]
    assert (interval["at"], interval["is_long"]) == (2, True)
    assert interval["interval"] == pytest.approx(2.4318)
    assert interval["above"] == pytest.approx(0.2223, abs=5e-5)
    assert [each["ranks"] for each in found["stages"]] == [[0, 1], [2, 3]]
    assert found["steps"]["numbers"] == [2, 3, 4, 5]
    assert found["steps"]["times"][0][0] == pytest.approx(14.5806)
    assert [each["forward_backward"] for each in found["ranks"]] == pytest.approx(
        [177.785, 177.803, 170.089, 170.112], abs=1e-3
    )
    slow = [(each["rank"], each["source"], each["target"]) for each in found["links"]["links"] if each["is_slow"]]
    assert slow == [(1, 0, 1)]
    # Both ranks of a stage come to its all-reduces within a fiftieth of a percent of a step.
    assert found["collectives"] == 1720
    assert found["stragglers"] == []


def test_a_straggler_is_found_whatever_its_clock_says() -> None:
    steps = 10
    clocks = [0, 5_000_000_000, -3_000_000, 77]
    ranks = [rank_of(at, [200_000 if at == 2 else at * 100 for _ in range(steps)], clock=clocks[at]) for at in range(4)]
    found = cluster.answer(ranks, "communication")
    (straggler,) = found["stragglers"]
    assert (straggler["at"], straggler["votes"], straggler["vote_share"]) == (2, steps, 1.0)
    assert straggler["late"] == pytest.approx(0.2)
    assert found["ranks"][0]["lateness"]["wait"] == pytest.approx(0.2)
    assert {(each["kind"], each["name"]) for each in straggler["causes"]} == {
        ("part", "compute"),
        ("operator", "forward"),
    }
    (operator,) = (each for each in straggler["causes"] if each["kind"] == "operator")
    assert (operator["here"], operator["usual"]) == (pytest.approx(0.3), pytest.approx(0.1, abs=0.001))
    assert found["steps"]["times"][2] == pytest.approx([0.6] * steps)

    usual = cluster.answer([ranks[0], ranks[1], ranks[3]], "duration")
    assert usual["stragglers"] == []


def test_of_two_ranks_that_are_late_in_turns_none_holds_the_other_up() -> None:
    steps = 10
    turns = [[200_000 * (step % 2 == at) for step in range(steps)] for at in range(2)]
    found = cluster.answer([rank_of(at, turns[at]) for at in range(2)], "duration")
    assert [each["lateness"]["votes"] for each in found["ranks"]] == [steps / 2, steps / 2]
    assert found["stragglers"] == []


def test_ranks_of_mindspore_on_cpus_meet_in_their_all_reduces(corpus: Path) -> None:
    ranks = [analyse(trace_in(corpus, f"mindspore-2.10/two_ranks/rank_{rank}")).columns for rank in range(2)]
    found = cluster.answer(ranks, "duration")
    assert (found["method"], found["collectives"]) == ("collectives", 20)  # four parameters in five steps
    assert found["advice"] == []  # there are no steps that lateness could be a part of


@given(st.lists(st.lists(st.one_of(st.none(), st.integers(0, 1000)), min_size=4, max_size=4), min_size=1, max_size=8))
def test_votes_are_those_of_the_plain_rule(table: list[list[int | None]]) -> None:
    table = [row for row in table if any(value is not None for value in row)]
    late = np.array([[np.nan if value is None else value for value in row] for row in table], float).reshape(-1, 4)
    votes = stragglers.voted(late, 10.0)
    for row, found in zip(table, votes.tolist(), strict=True):
        known = sorted(value for value in row if value is not None)
        middle = float(np.median(known))
        deviation = 1.4826 * float(np.median([abs(value - middle) for value in known]))
        expected = [
            value is not None and value > 10 and (len(known) < 3 or value - middle > 3.5 * deviation) for value in row
        ]
        assert found == expected


def test_ranks_without_collectives_are_compared_by_their_steps() -> None:
    def plain(number: int, duration: int) -> Columns:
        made = [Made(at * 1_000_000, duration, f"step {at}", 0, Activity.STEP) for at in range(6)]
        made += [Made(at * 1_000_000, duration - 10, "matmul", 0) for at in range(6)]
        trace = trace_of(made, [HOST])
        trace.rank = number
        trace.links = Links(
            np.array([1, 2, 1, 2]), np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]), ["PCIE"] * 4,
            np.array([1.0, 3.0, 1.0, 1.0]), np.array([2.0, 2.0, 20.0, 20.0]), np.array([2.0, 0.7, 20.0, 20.0]),
        )  # fmt: skip
        return analyse(trace).columns

    found = cluster.answer([plain(0, 500_000), plain(1, 500_100), plain(2, 700_000)], "duration")
    assert found["method"] == "steps"
    assert [each["at"] for each in found["stragglers"]] == [2]
    assert found["steps"]["slowest"] == [2] * 6
    assert [each["slowest_steps"] for each in found["ranks"]] == [0, 0, 6]
    first = found["links"]["links"][0]
    assert (first["milliseconds"], first["megabytes"], first["gigabytes_per_second"]) == (2.0, 2.0, 1.0)
    assert first["is_slow"]


def test_averages_of_another_training_are_not_taken_for_those_of_these_steps() -> None:
    ranks = [rank_of(number, [0] * 4) for number in range(2)]
    ranks[0].trace.facts["average_step"] = {"iteration_interval": 0.1, "fp_and_bp": 0.7, "tail": 0.2}
    ranks[1].trace.facts["average_step"] = {"iteration_interval": 90.0, "fp_and_bp": 17.0, "tail": 23.0}

    found = cluster.answer(ranks, "duration")

    assert [(each["duration"], each["is_told"], each.get("interval")) for each in found["ranks"]] == [
        (1.0, True, 0.1),
        (1.0, False, None),
    ]
