"""Ranks beside each other: what is known of a real cluster, and stragglers against made recordings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.advice_words import sentence
from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.analysis.operators.flops_summary import FlopsSummary
from mindinsight_like.profiler.analysis.ranks import stragglers
from mindinsight_like.profiler.analysis.ranks.cluster import ClusterView
from mindinsight_like.profiler.analysis.ranks.rank_digest import RankCollectives, RankDigest, RankFacts, digest
from mindinsight_like.profiler.traces.trace import Activity, Links
from tests.corpus import needs_mindinsight_data
from tests.profiler.recordings import trace_in, traces_in

from .made import DEVICE, HOST, Made, trace_of

STEP_NS = 1_000_000


def rank_of(number: int, delays: list[int], *, clock: int = 0) -> RankDigest:
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
    return digest(analyse(trace).columns)


@needs_mindinsight_data
def test_the_real_cluster_is_as_mindinsight_shows_it(corpus: Path) -> None:
    traces = traces_in(corpus, "mindinsight-profiles/clu")
    view = ClusterView([digest(analyse(traces[rank]).columns) for rank in sorted(traces)])
    found, interval = view.comparison, view.comparison.interval
    assert interval is not None
    assert (interval.at, interval.is_long) == (2, True)
    assert interval.interval == pytest.approx(2.4318)
    assert interval.above == pytest.approx(0.2223, abs=5e-5)
    assert [each["ranks"] for each in found.stages] == [[0, 1], [2, 3]]
    assert view.steps["numbers"] == [2, 3, 4, 5]
    assert view.times("compute")[0, 0] == pytest.approx(14.5806)
    assert [each["forward_backward"] for each in found.ranks] == pytest.approx(
        [177.785, 177.803, 170.089, 170.112], abs=1e-3
    )
    slow = [(each["rank"], each["source"], each["target"]) for each in found.links.links if each["is_slow"]]
    assert slow == [(1, 0, 1)]
    # Both ranks of a stage come to its all-reduces within a fiftieth of a percent of a step.
    assert found.collectives == 1720
    assert found.stragglers == []


@needs_mindinsight_data
def test_advice_of_the_real_cluster_is_that_of_mindinsight(corpus: Path) -> None:
    traces = traces_in(corpus, "mindinsight-profiles/clu")
    found = ClusterView([digest(analyse(traces[rank]).columns) for rank in sorted(traces)]).comparison

    numbers = {each["rule"]: each["numbers"] for each in found.advice}
    assert set(numbers) == {"slow_link", "rank_interval", "stage_receive", "stage_flops", "stage_collectives"}
    assert (numbers["slow_link"]["source"], numbers["slow_link"]["target"]) == (0, 1)
    assert (numbers["rank_interval"]["rank"], numbers["rank_interval"]["above"]) == (2, pytest.approx(0.222, abs=5e-4))
    assert numbers["stage_receive"]["share"] == pytest.approx(0.258, abs=5e-4)
    assert (numbers["stage_flops"]["stage"], numbers["stage_flops"]["above"]) == (2, pytest.approx(0.509, abs=5e-4))
    collectives = numbers["stage_collectives"]
    assert (collectives["stage"], collectives["share"]) == (1, pytest.approx(0.603, abs=5e-4))
    assert all(each["place"] == "cluster" and sentence(each) for each in found.advice)
    assert "25.8 % of the compute and communication time of the 4 ranks" in " ".join(map(sentence, found.advice))


def with_facts(rank: int, **facts: object) -> RankDigest:
    return replace(rank_of(rank, [0] * 4), facts=cast(RankFacts, facts))


@pytest.mark.parametrize(
    ("facts", "rule", "share"),
    [
        # Half of a step is computing, 40 % communication that nothing hides: as slices tell, as MindSpore averages.
        ({}, "ranks_communication", 0.8 / 0.9),
        ({"cluster_average": {"computation_time": 6.0, "communication_alone_time": 4.0}}, "ranks_communication", 0.4),
        (
            {
                "parallel_mode": "data-parallel",
                "average_step": {"iteration_interval": 0.1, "fp_and_bp": 0.7, "tail": 0.2},
            },
            "data_parallel_tail",
            0.2,
        ),
    ],
)
def test_communication_without_stages(facts: dict[str, object], rule: str, share: float) -> None:
    found = ClusterView([with_facts(rank, **facts) for rank in range(3)]).comparison

    (advice,) = found.advice
    assert (advice["rule"], advice["numbers"]["share"]) == (rule, pytest.approx(share))
    assert sentence(advice)


def test_a_rank_that_computes_slowly_and_numbers_that_are_only_a_part() -> None:
    def ranks(coverage: float) -> list[RankDigest]:
        flops = [{"total": 1e9, "rate": rate, "source": "shapes", "coverage": coverage} for rate in (1e12, 1e12, 5e11)]
        return [replace(with_facts(rank), flops=cast(FlopsSummary, each)) for rank, each in enumerate(flops)]

    advice = {each["rule"]: each for each in ClusterView(ranks(0.9)).comparison.advice}
    numbers = advice["rank_flops_rate"]["numbers"]
    assert (numbers["rank"], numbers["below"]) == (2, pytest.approx(0.4))
    assert "rank_flops_rate" not in {each["rule"] for each in ClusterView(ranks(0.3)).comparison.advice}


def test_a_straggler_is_found_whatever_its_clock_says() -> None:
    steps = 10
    clocks = [0, 5_000_000_000, -3_000_000, 77]
    ranks = [rank_of(at, [200_000 if at == 2 else at * 100 for _ in range(steps)], clock=clocks[at]) for at in range(4)]
    view = ClusterView(ranks)
    found = view.comparison
    (straggler,) = found.stragglers
    assert (straggler["at"], straggler["votes"], straggler["vote_share"]) == (2, steps, 1.0)
    assert straggler["late"] == pytest.approx(0.2)
    assert found.ranks[0]["lateness"]["wait"] == pytest.approx(0.2)
    assert {(each["kind"], each["name"]) for each in straggler["causes"]} == {
        ("part", "compute"),
        ("operator", "forward"),
    }
    (operator,) = (each for each in straggler["causes"] if each["kind"] == "operator")
    assert (operator["time"], operator["median"]) == (pytest.approx(0.3), pytest.approx(0.1, abs=0.001))
    assert view.times("communication")[2] == pytest.approx([0.6] * steps)

    usual = ClusterView([ranks[0], ranks[1], ranks[3]]).comparison
    assert usual.stragglers == []


def test_of_two_ranks_that_are_late_in_turns_none_holds_the_other_up() -> None:
    steps = 10
    turns = [[200_000 * (step % 2 == at) for step in range(steps)] for at in range(2)]
    found = ClusterView([rank_of(at, turns[at]) for at in range(2)]).comparison
    assert [each["lateness"]["votes"] for each in found.ranks] == [steps / 2, steps / 2]
    assert found.stragglers == []


def test_ranks_of_mindspore_on_cpus_meet_in_their_all_reduces(corpus: Path) -> None:
    ranks = [digest(analyse(trace_in(corpus, f"mindspore-2.10/two_ranks/rank_{rank}")).columns) for rank in range(2)]
    found = ClusterView(ranks).comparison
    assert (found.method, found.collectives) == ("collectives", 20)  # four parameters in five steps
    (advice,) = found.advice  # by steps that MindSpore did not mark: none of the ranks comes late
    assert (advice["rule"], advice["numbers"]["ranks"]) == ("ranks_communication", 2)


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
    def plain(number: int, duration: int) -> RankDigest:
        made = [Made(at * 1_000_000, duration, f"step {at}", 0, Activity.STEP) for at in range(6)]
        made += [Made(at * 1_000_000, duration - 10, "matmul", 0) for at in range(6)]
        trace = trace_of(made, [HOST])
        trace.rank = number
        trace.links = Links(
            np.array([1, 2, 1, 2]), np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]), ["PCIE"] * 4,
            np.array([1.0, 3.0, 1.0, 1.0]), np.array([2.0, 2.0, 20.0, 20.0]), np.array([2.0, 0.7, 20.0, 20.0]),
        )  # fmt: skip
        return digest(analyse(trace).columns)

    view = ClusterView([plain(0, 500_000), plain(1, 500_100), plain(2, 700_000)])
    found = view.comparison
    assert found.method == "steps"
    assert [each["at"] for each in found.stragglers] == [2]
    assert view.steps["slowest"] == [2] * 6
    assert [each["slowest_steps"] for each in found.ranks] == [0, 0, 6]
    first = found.links.links[0]
    assert (first["milliseconds"], first["megabytes"], first["gigabytes_per_second"]) == (2.0, 2.0, 1.0)
    assert first["is_slow"]


def test_averages_of_another_training_are_not_taken_for_those_of_these_steps() -> None:
    ranks = [rank_of(number, [0] * 4) for number in range(2)]
    ranks[0].facts["average_step"] = {"iteration_interval": 0.1, "fp_and_bp": 0.7, "tail": 0.2}
    ranks[1].facts["average_step"] = {"iteration_interval": 90.0, "fp_and_bp": 17.0, "tail": 23.0}

    found = ClusterView(ranks).comparison

    assert [(each["duration"], each["is_reported"], each.get("interval")) for each in found.ranks] == [
        (1.0, True, 0.1),
        (1.0, False, None),
    ]


@given(st.integers(0, 2**32))
def test_collective_operations_are_those_of_the_plain_rule(seed: int) -> None:
    """Against dictionaries: by step and name, where all that have it have it equally often."""
    chance = np.random.default_rng(seed)
    ranks = [replace(rank_of(at, [0]), collectives=_some_collectives(chance)) for at in range(3)]
    expected: list[tuple[int, list[float]]] = []
    tables = [_by_key(rank) for rank in ranks]
    for key in sorted({key for table in tables for key in table}):
        there = [table.get(key, []) for table in tables]
        lengths = {len(each) for each in there if each}
        if sum(map(bool, there)) > 1 and len(lengths) == 1:
            rows = zip(*(each or [np.nan] * min(lengths) for each in there), strict=True)
            expected += [(key[0], list(row)) for row in rows]

    operations = stragglers.collective_operations(ranks)

    assert len(operations.step) == len(expected)
    found = [(int(step), row) for step, row in zip(operations.step, operations.begin.tolist(), strict=True)]
    assert sorted(map(repr, found)) == sorted(map(repr, expected))


def _some_collectives(chance: np.random.Generator) -> RankCollectives:
    count = 7
    step, name = chance.integers(0, 6, count), chance.integers(0, 3, count)
    order = np.lexsort((np.arange(count), name, step))
    begin = chance.integers(0, 10**9, count).astype(np.int64)
    names = chance.permutation(["a", "b", "c"]).tolist()
    return RankCollectives(names, step[order], name[order].astype(np.int32), begin, begin + 5, count)


def _by_key(rank: RankDigest) -> dict[tuple[int, str], list[float]]:
    found: dict[tuple[int, str], list[float]] = {}
    each = rank.collectives
    for step, name, begin in zip(each.step.tolist(), each.name.tolist(), each.begin.tolist(), strict=True):
        found.setdefault((step, each.names[name]), []).append(float(begin))
    return found
