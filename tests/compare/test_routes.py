"""Comparison through the API: selection, groups, axes, baseline, cache."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import mindinsight_like as mi
from mindinsight_like.compare.cache import CurveCache
from mindinsight_like.store.reading import IndexReader
from tests.boards.conftest import Board, board, corpus_board

__all__ = ["board", "corpus_board"]  # fixtures of the boards' tests


@pytest.fixture
def six(board: Board) -> Board:
    """Six runs of two nets; the runs of one net log every second step."""
    for number in range(6):
        net = "ab"[number % 2]
        mi.log_lineage(
            board.settings.summary_base_dir / f"sweep/{net}{number}",
            params={"net": net, "lr": number},
            code=False,
            environment=False,
        )
        board.log(f"sweep/{net}{number}", "loss", [float(number + step) for step in range(10)])
        board.log(f"sweep/{net}{number}", "epoch", [float(step // 2) for step in range(10)])
    board.load()
    return board


def compared(board: Board, **asked: Any) -> Any:
    answer = board.client.post("/v1/compare/scalars", json={"tags": ["loss"], **asked})
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def test_runs_are_chosen_by_id_query_conditions_pattern_or_label(six: Board) -> None:
    run = six.id_of("sweep/a2")
    six.client.patch(f"/v1/runs/{run}", json={"labels": ["best"]})
    for asked in (
        {"runs": [run]},
        {"query": "labels contains best"},
        {"where": {"hparam/lr": {"eq": 2}}},
        {"pattern": "a2$"},
    ):
        (series,) = compared(six, **asked)["series"]
        assert (series["run"], series["values"]) == (run, [float(2 + step) for step in range(10)])
    assert len(compared(six)["series"]) == 6
    assert compared(six, query="net = a", tags=["loss", "nothing"])["without"] == {"loss": 0, "nothing": 3}


def test_groups_have_a_middle_a_band_and_a_count(six: Board) -> None:
    answer = compared(six, group_by="hparam/net", band="minmax")
    groups = {series["group"]: series for series in answer["series"]}
    assert groups["a"]["values"] == [2.0 + step for step in range(10)]
    assert groups["a"]["low"] == [0.0 + step for step in range(10)]
    assert groups["b"]["high"] == [5.0 + step for step in range(10)]
    assert groups["a"]["n"] == [3] * 10
    assert sorted(groups["a"]["runs"]) == sorted(six.id_of(f"sweep/a{number}") for number in (0, 2, 4))
    by_name = compared(six, group_pattern="sweep/([ab])", centre="median", band="sd")
    assert {series["group"] for series in by_name["series"]} == {"a", "b"}


def test_groups_of_one_have_no_deviation(six: Board) -> None:
    (series,) = compared(six, pattern="a2", group_by="hparam/net", band="ci95")["series"]
    assert series["low"] == [None] * 10 and series["n"] == [1] * 10


def test_axes_are_steps_times_or_other_scalars(six: Board) -> None:
    run = six.id_of("sweep/a0")
    axes = {
        axis: compared(six, runs=[run], x=axis)["series"][0]["x"] for axis in ("step", "relative", "absolute", "epoch")
    }
    assert axes["step"] == [float(step) for step in range(10)]
    assert axes["relative"] == [float(step) for step in range(10)]
    assert np.diff(axes["absolute"]).tolist() == [1.0] * 9
    assert axes["epoch"] == [float(step // 2) for step in range(10)]
    assert compared(six, runs=[run], x="no such tag")["series"][0]["x"] == []


def test_colours_dashes_and_charts_follow_columns(six: Board) -> None:
    answer = compared(six, colour_by="hparam/net", dash_by="hparam/lr", facet_by="hparam/net")
    found = {each["name"]: (each["colour"], each["dash"], each["facet"]) for each in answer["runs"]}
    assert found["sweep/b3"] == ("b", "3", "b")
    grouped = compared(six, group_by="hparam/net", dash_by="hparam/lr")["series"]
    assert len(grouped) == 6  # what looks different is drawn apart


def test_long_curves_keep_their_extremes(board: Board) -> None:
    values = [0.0] * 5000
    values[1234] = 99.0
    board.log("a", "loss", values)
    board.load()
    (series,) = compared(board, max_points=50)["series"]
    assert len(series["x"]) < 100 and series["total_points"] == 5000
    assert series["x"][series["values"].index(99.0)] == 1234


def test_a_baseline_gives_differences_in_percent(six: Board) -> None:
    asked = {"tags": ["loss"], "of": "max", "baseline": six.id_of("sweep/a0"), "query": "net = b"}
    rows = six.client.post("/v1/compare/table", json=asked).get_json()["rows"]
    assert {row["name"]: (row["values"]["loss"], row["differences"]["loss"]) for row in rows} == {
        "sweep/b1": (10.0, pytest.approx(100 / 9)),
        "sweep/b3": (12.0, pytest.approx(300 / 9)),
        "sweep/b5": (14.0, pytest.approx(500 / 9)),
    }
    asked |= {"of": "min"}  # the baseline's smallest is zero
    rows = six.client.post("/v1/compare/table", json=asked).get_json()["rows"]
    assert [row["differences"]["loss"] for row in rows] == [None] * 3


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"pattern": "("}, 400),
        ({"group_pattern": "("}, 400),
        ({"group_by": "no column"}, 400),
        ({"query": "lr >"}, 400),
        ({"band": "wide"}, 400),
        ({"runs": ["unknown"]}, 404),
    ],
)
def test_what_makes_no_sense_is_refused(six: Board, asked: dict[str, Any], status: int) -> None:
    assert six.client.post("/v1/compare/scalars", json={"tags": ["loss"], **asked}).status_code == status


# --- the cache ---


def test_the_second_time_comes_from_the_cache(six: Board) -> None:
    compared(six)
    before = six.get("compare/cache")
    compared(six)
    after = six.get("compare/cache")
    assert after["misses"] == before["misses"] and after["hits"] >= before["hits"] + 6
    assert len(after["runs"]) == 6 and after["bytes"] == sum(run["bytes"] for run in after["runs"]) > 0


def test_live_updates_reach_the_cache(six: Board) -> None:
    run = six.id_of("sweep/a0")
    assert len(compared(six, runs=[run])["series"][0]["x"]) == 10
    six.log("sweep/a0", "loss", [7.0], first_step=10)
    six.load()
    assert compared(six, runs=[run])["series"][0]["values"][-1] == 7.0


def test_the_cache_is_bounded_and_keeps_the_newest_runs(board: Board) -> None:
    for number in range(40):
        board.log(f"r{number:02}", "loss", [float(step) for step in range(100)])
    board.load()
    settings = board.settings
    reader = IndexReader.open(settings.summary_base_dir, settings.workspace)
    newest = set(reader.newest_runs(15))
    limit = 20 * 100 * 24
    cache = CurveCache(reader, limit)
    runs = [run.id for run in reader.runs()[1]]
    for _ in range(2):
        assert len(cache.curves(runs, ["loss"])) == 40  # more than fits, and all are answered
        state = cache.state()
        assert 0 < state.bytes <= limit
        assert newest <= {run for run, _, _ in state.runs}


def test_the_newest_runs_are_warmed_up(six: Board) -> None:
    compared(six, runs=[six.id_of("sweep/a0")])
    until = time.monotonic() + 10
    while len(six.get("compare/cache")["runs"]) < 6:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_real_runs_compare(corpus_board: Board) -> None:
    answer = compared(corpus_board, tags=["loss/auto"], query="learning_rate > 0", group_by="optimizer")
    assert {series["group"] for series in answer["series"]} >= {"Adam", "Momentum"}
