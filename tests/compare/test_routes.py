"""Comparison through the API: selection, groups, axes, baseline, cache."""

from __future__ import annotations

import json
import math
import threading
import time
from typing import Any

import numpy as np
import pytest

import mindinsight_like as mi
from mindinsight_like.compare.cache import POINT_BYTES, CurveCache
from mindinsight_like.compare.routes.warmup import start_warmup, warm_up
from mindinsight_like.store.reader import IndexReader
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
        {"search": "SWEEP A2"},
        {"labels": ["worst", "best"]},
        {"runs": [run], "pattern": "^nothing"},
        {"pattern": "a[02]", "without": [six.id_of("sweep/a0")]},
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


def test_groups_name_their_outermost_runs(six: Board) -> None:
    (series,) = compared(six, group_pattern="^", centre="median", band="p10p90", outermost=1)["series"]
    assert series["outermost"] == [six.id_of("sweep/a0"), six.id_of("sweep/b5")]
    (series,) = compared(six, group_pattern="^", outermost=9)["series"]
    assert len(series["outermost"]) == 6


def test_runs_without_data_of_a_kind_are_counted_and_not_found(six: Board) -> None:
    mi.log_lineage(six.settings.summary_base_dir / "plain", params={"net": "a"}, code=False, environment=False)
    six.load()
    answer = six.client.post("/v1/compare/runs", json={"kind": "scalars", "runs": [six.id_of("plain")]}).get_json()
    assert [run["name"] for run in answer["runs"] if not run["is_match"]] == ["plain"]
    assert (len(answer["runs"]), answer["without_data"]) == (7, 1)
    assert six.client.post("/v1/compare/runs", json={}).get_json()["without_data"] == 0
    assert six.client.post("/v1/compare/runs", json={"kind": "curves"}).status_code == 400


def test_superseded_points_are_compared_on_demand(board: Board) -> None:
    board.log("one", "loss", [0.0, 1.0, 2.0])
    board.log("one", "loss", [7.0], first_step=1)
    board.load()

    newest, everything = compared(board), compared(board, resume="all")

    assert [newest["series"][0][name] for name in ("x", "values")] == [[0, 1, 2], [0, 7, 2]]
    assert [everything["series"][0][name] for name in ("x", "values")] == [[0, 1, 2, 1], [0, 1, 2, 7]]
    assert newest["superseded"] == everything["superseded"] == {"loss": 1}
    (group,) = compared(board, resume="all", group_pattern="(one)")["series"]
    assert (group["x"], group["values"]) == ([0, 1, 2], [0, 4, 2])
    assert compared(board)["series"] == newest["series"]  # nothing else is kept in the cache


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

    six.log("odd", "loss", [1.0, 2.0, 3.0, 4.0])
    six.log("odd", "epoch", [math.nan, 1.0, math.inf, 0.5])
    six.load()
    (odd,) = compared(six, search="odd", x="epoch")["series"]
    assert (odd["x"], odd["values"]) == ([1.0, 0.5], [2.0, 4.0])  # a place must be a number


def test_curves_without_steps_meet_another_scalar_by_time(board: Board) -> None:
    with mi.SummaryWriter(board.settings.summary_base_dir / "run") as writer:
        for time in range(4):
            writer.add_scalar("epoch", time // 2, 0, walltime=1.75e9 + time)
            writer.add_scalar("loss", 4.0 - time, 0, walltime=1.75e9 + time + 0.1)
    board.load()

    (series,) = compared(board, search="run", x="epoch")["series"]

    assert (series["x"], series["values"]) == ([0.0, 0.0, 1.0, 1.0], [4.0, 3.0, 2.0, 1.0])


def test_colours_dashes_and_charts_follow_columns(six: Board) -> None:
    answer = compared(six, colour_by="hparam/net", dash_by="hparam/lr", facet_by="hparam/net")
    found = {each["name"]: (each["colour"], each["dash"], each["facet"]) for each in answer["runs"]}
    assert found["sweep/b3"] == ("b", "3", "b")
    grouped = compared(six, group_by="hparam/net", dash_by="hparam/lr")["series"]
    assert len(grouped) == 6  # what looks different is drawn apart


def test_columns_of_scalars_on_demand_choose_and_colour(six: Board) -> None:
    found = compared(six, query="`scalar/loss/last` >= 12 and net = b", colour_by="scalar/loss/max")
    assert {each["name"]: each["colour"] for each in found["runs"]} == {"sweep/b3": "12.0", "sweep/b5": "14.0"}
    where = {"scalar/loss/min": {"lt": 2}}
    assert len(compared(six, where=where)["runs"]) == 2
    assert len(six.client.post("/v1/compare/runs", json={"where": where}).get_json()["runs"]) == 2
    assert len(six.client.post("/v1/compare/table", json={"where": where, "tags": ["loss"]}).get_json()["rows"]) == 2
    assert {each["facet"] for each in compared(six, facet_by="scalar/nothing/last")["runs"]} == {""}


def test_columns_of_data_processing_choose_and_group(corpus_board: Board) -> None:
    asked = {"columns": ["run", "Batch.batch_size"], "where": {"Batch.batch_size": {"gt": 0}}}
    rows = corpus_board.client.post("/v1/lineage/datasets", json=asked).get_json()["rows"]
    sizes = {each["run"]: str(each["values"]["Batch.batch_size"]) for each in rows}
    assert len(sizes) > 5
    for query in ("Batch.batch_size > 0", "batch.batch_size > 0"):
        asked = {"query": query, "group_by": "Batch.batch_size"}
        found = corpus_board.client.post("/v1/compare/runs", json=asked).get_json()["runs"]
        assert {each["run"]: each["group"] for each in found} == sizes


def test_long_curves_keep_their_extremes(board: Board) -> None:
    values = [0.0] * 5000
    values[1234] = 99.0
    board.log("a", "loss", values)
    board.load()
    (series,) = compared(board, max_points=50)["series"]
    assert len(series["x"]) < 100 and series["total_points"] == 5000
    assert series["x"][series["values"].index(99.0)] == 1234


def test_bands_and_smoothed_curves_keep_their_extremes_too(board: Board) -> None:
    apart, rising = np.zeros(5000), np.arange(5000) / 5000
    apart[1234] = 99.0  # a place where the mean is as everywhere
    board.log("x-up", "loss", (rising + apart).tolist())
    board.log("x-down", "loss", (rising - apart).tolist())
    board.load()
    for band in ("minmax", "sd"):
        asked = {"group_pattern": "x", "band": band, "max_points": 50}
        ((thin,), (whole,)) = (compared(board, **asked | more)["series"] for more in ({}, {"max_points": 5000}))
        assert len(thin["x"]) < 100 < len(whole["x"])
        assert (min(thin["low"]), max(thin["high"])) == (min(whole["low"]), max(whole["high"]))
        assert max(thin["high"]) > 99.0

    board.log("waves", "loss", [1000.0 * (-1) ** step + (step == 3000) * 500 for step in range(5000)])
    board.load()
    smooth: dict[str, Any] = {"search": "waves", "smoothing": 0.99}
    ((thin,), (whole,)) = (compared(board, **smooth, max_points=most)["series"] for most in (50, 5000))
    assert len(thin["x"]) < 100 < len(whole["x"])
    assert (min(thin["smoothed"]), max(thin["smoothed"])) == (min(whole["smoothed"]), max(whole["smoothed"]))


def test_among_many_curves_each_has_fewer_points_but_its_extremes(board: Board) -> None:
    values = [0.0] * 5000
    values[1234] = 99.0
    for name in "abcd":
        board.log(name, "loss", values)
    board.load()
    all_points, fair, fewest = (
        compared(board, max_points=5000, **asked)["series"] for asked in ({}, {"most_points": 2000}, {"most_points": 4})
    )
    assert [len(each["x"]) for each in all_points] == [5000] * 4
    for found, most in ((fair, 500), (fewest, 200)):
        assert all(most / 4 < len(each["x"]) <= most and 99.0 in each["values"] for each in found)


def unpacked(content: bytes) -> Any:
    """A binary answer as the one in JSON would be."""
    assert content[:4] == b"MICC"
    at = 8 + int.from_bytes(content[4:8], "little")
    answer = json.loads(content[8:at])
    columns = {}
    for each in answer.pop("columns"):
        assert at % 8 == 0
        columns[each["name"]] = np.frombuffer(content, f"<{each['type']}", each["count"], at)
        at += -(-columns[each["name"]].nbytes // 8) * 8
    assert at == len(content)
    first = 0
    for series in answer["series"]:
        last = first + series.pop("points")
        series |= {name: column[first:last].tolist() for name, column in columns.items()}
        first = last
    return answer


def test_binary_columns_hold_what_json_does(six: Board) -> None:
    six.log("sweep/a0", "odd", [0.1, float("nan"), float("inf"), 1e300])  # float32 would not do
    six.load()
    for asked in (
        {},
        {"smoothing": 0.5, "runs": [six.id_of("sweep/a0"), six.id_of("sweep/b1")]},
        {"group_by": "hparam/net", "band": "sd"},
        {"x": "absolute"},
        {"tags": ["odd"]},
        {"tags": ["nothing"]},
    ):
        given = {"tags": ["loss"], **asked}
        plain = six.client.post("/v1/compare/scalars", json=given).get_json()
        found = unpacked(six.client.post("/v1/compare/scalars", json=given | {"format": "binary"}).data)
        assert found.pop("cache").keys() == plain.pop("cache").keys()
        for series in plain["series"]:
            numbers = {
                name: [float("nan") if each is None else float(each) for each in column]
                for name, column in series.items()
                if isinstance(column, list) and name != "runs"
            }
            series |= numbers
        np.testing.assert_equal(found, plain)


def table(board: Board, **asked: Any) -> Any:
    answer = board.client.post("/v1/compare/table", json={"tags": ["loss"], **asked})
    assert answer.status_code == 200, answer.text
    return {row["name"]: row for row in answer.get_json()["rows"]}


def test_a_baseline_gives_differences_in_percent(six: Board) -> None:
    rows = table(six, baseline=six.id_of("sweep/a0"), query="net = b")
    assert {name: (row["values"]["loss"]["max"], row["differences"]["loss"]["max"]) for name, row in rows.items()} == {
        "sweep/b1": (10.0, pytest.approx(100 / 9)),
        "sweep/b3": (12.0, pytest.approx(300 / 9)),
        "sweep/b5": (14.0, pytest.approx(500 / 9)),
    }
    # The baseline's smallest is zero.
    assert [row["differences"]["loss"]["min"] for row in rows.values()] == [None] * 3
    assert rows["sweep/b1"]["values"]["loss"] == {"last": 10.0, "min": 1.0, "max": 10.0}
    assert table(six)["sweep/a2"]["differences"] == {}


def test_a_group_may_be_the_baseline(six: Board) -> None:
    six.log("sweep/a0", "loss", [float("nan")], first_step=10)
    six.load()
    rows = table(six, group_pattern="sweep/([ab])", centre="median", baseline="a")
    assert rows["a"]["values"]["loss"]["max"] == 11.0 and rows["b"]["values"]["loss"]["max"] == 12.0
    assert rows["b"]["differences"]["loss"]["max"] == pytest.approx(100 / 11)
    assert rows["a"]["values"]["loss"]["last"] == 12.0  # of the two whose last value is a number
    assert len(rows["a"]["runs"]) == 3 and rows["a"]["n"] == {"loss": 3}


def test_smoothing_comes_before_downsampling_and_grouping(six: Board) -> None:
    run = six.id_of("sweep/a2")
    (series,) = compared(six, runs=[run], smoothing=0.5)["series"]
    assert series["values"][:2] == [2.0, 3.0]
    assert series["smoothed"][:2] == [2.0, pytest.approx((2 * 0.25 + 3 * 0.5) / 0.75)]
    grouped = compared(six, runs=[run], smoothing=0.5, group_by="hparam/net")["series"][0]
    assert grouped["values"] == pytest.approx(series["smoothed"])


def test_a_part_has_more_of_its_points(board: Board) -> None:
    board.log("a", "loss", [float(step % 7) for step in range(5000)])
    board.load()
    for asked in ({}, {"group_pattern": "a"}):
        (series,) = compared(board, max_points=40, from_x=1000.5, to_x=1010, **asked)["series"]
        assert series["x"] == list(range(1000, 1012))  # one more on either side, to draw lines to
        assert series["values"] == [step % 7 for step in range(1000, 1012)]
    # Places that go to and fro are cut from the first to the last that is in view.
    (series,) = compared(board, max_points=8000, x="loss", to_x=3, from_x=3)["series"]
    assert (series["x"][:3], len(series["x"])) == ([2.0, 3.0, 4.0], 4994)


def test_runs_to_choose_from_are_found_by_a_rule(six: Board) -> None:
    other, run = six.id_of("sweep/b1"), six.id_of("sweep/a2")
    six.client.patch(f"/v1/runs/{run}", json={"labels": ["best", "a, b"]})
    asked = {"search": "a2", "runs": [other, "no such run"], "group_pattern": "[ab]", "colour_by": "hparam/lr"}
    answer = six.client.post("/v1/compare/runs", json=asked).get_json()
    plain = {"dash": "", "facet": "", "custom_name": "", "own_colour": ""}
    assert answer == {
        "runs": [
            {"run": run, "name": "sweep/a2", "group": "a", "colour": "2", "is_match": True} | plain,
            {"run": other, "name": "sweep/b1", "group": "b", "colour": "1", "is_match": False} | plain,
        ],
        "missing": ["no such run"],
        "labels": [{"label": "a, b", "runs": 1}, {"label": "best", "runs": 1}],
        "without_data": 0,
        "type_mismatches": [],
    }


def test_runs_to_choose_from_have_what_people_set(six: Board) -> None:
    six.client.patch(f"/v1/runs/{six.id_of('sweep/a0')}", json={"custom_name": "best", "colour": "#FF8800"})
    six.client.patch(f"/v1/runs/{six.id_of('sweep/b1')}", json={"archived": True})
    runs = {run["name"]: run for run in six.client.post("/v1/compare/runs", json={}).get_json()["runs"]}
    assert (runs["sweep/a0"]["custom_name"], runs["sweep/a0"]["own_colour"]) == ("best", "#ff8800")
    assert "sweep/b1" not in runs


def test_rules_that_compare_in_vain_say_so(six: Board) -> None:
    answer = six.client.post("/v1/compare/runs", json={"query": "net > 3"}).get_json()

    assert (answer["runs"], [each["column"] for each in answer["type_mismatches"]]) == ([], ["model"])


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"pattern": "("}, 400),
        ({"group_pattern": "("}, 400),
        ({"group_by": "no column"}, 400),
        ({"query": "lr >"}, 400),
        ({"band": "wide"}, 400),
        ({"from_x": "nan"}, 400),
        ({"smoothing": 1}, 400),
        ({"runs": ["unknown"]}, 404),
    ],
)
def test_what_makes_no_sense_is_refused(six: Board, asked: dict[str, Any], status: int) -> None:
    assert six.client.post("/v1/compare/scalars", json={"tags": ["loss"], **asked}).status_code == status


def test_an_expression_that_never_ends_is_given_up(board: Board) -> None:
    board.log("a" * 60 + "!", "loss", [1.0])
    board.load()
    for name in ("pattern", "group_pattern"):
        began = time.monotonic()
        answer = board.client.post("/v1/compare/scalars", json={"tags": ["loss"], name: "(a|aa)+c"})
        assert answer.status_code == 400 and "takes too long" in answer.get_json()["error"]["message"]
        assert time.monotonic() - began < 10


# --- the cache ---


def test_the_second_time_comes_from_the_cache(six: Board) -> None:
    compared(six)
    before = six.get("compare/cache")
    compared(six)
    after = six.get("compare/cache")
    assert after["misses"] == before["misses"] and after["hits"] == before["hits"] + 6
    assert after["runs"] == 6 and after["bytes"] == sum(run["bytes"] for run in after["cached_runs"]) > 0
    assert sorted(run["name"] for run in after["cached_runs"])[0] == "sweep/a0"
    assert compared(six)["cache"] == {name: after[name] for name in after if name != "cached_runs"} | {
        "hits": after["hits"] + 6
    }


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
    newest = set(reader.runs.newest(15))
    limit = 20 * 100 * 24
    cache = CurveCache(reader, limit, warm_runs=15)
    runs = [run.id for run in reader.runs.find()[1]]
    for _ in range(2):
        assert len(cache.curves(runs, ["loss"])) == 40  # more than fits, and all are answered
        state = cache.state()
        assert 0 < state.bytes <= limit
        assert newest <= {run for run, _, _ in state.runs}


def test_the_newest_runs_are_warmed_up(six: Board) -> None:
    compared(six, runs=[six.id_of("sweep/a0")])
    until = time.monotonic() + 10
    while six.get("compare/cache")["runs"] < 6:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_cache_is_filled_before_anybody_compares(six: Board) -> None:
    for name in ("sweep/a0", "sweep/b1"):
        six.log(name, "rare", [1.0, 2.0])
    six.load()
    app = six.client.application
    first = threading.Event()
    before = threading.Thread(target=first.wait, daemon=True)
    before.start()
    thread = start_warmup(app, after=before)
    thread.join(0.1)
    assert thread.is_alive() and six.get("compare/cache")["runs"] == 0  # others go before

    first.set()
    thread.join(10)
    assert {each["name"]: each["tags"] for each in six.get("compare/cache")["cached_runs"]} == {
        f"sweep/{net}{number}": 3 for number, net in enumerate("ababab")
    }
    assert six.get("compare/cache")["misses"] == 0
    assert compared(six, runs=[six.id_of("sweep/a0")])["cache"]["hits"] == 1


def test_what_nobody_asked_for_fills_a_part_of_the_cache_only(board: Board) -> None:
    for number in range(6):
        board.log(f"r{number}", "long", [float(step) for step in range(1000)])
        board.log(f"r{number}", "short", [float(step) for step in range(100)])
    board.log("r0", "rare", [1.0])
    board.load()
    reader = IndexReader.open(board.settings.summary_base_dir, board.settings.workspace)
    cache = CurveCache(reader, 6 * 1000 * POINT_BYTES, warm_runs=6)

    warm_up(cache, reader)

    assert cache.state().bytes == (6 * 100 + 1) * POINT_BYTES


def test_real_runs_compare(corpus_board: Board) -> None:
    answer = compared(corpus_board, tags=["loss/auto"], query="learning_rate > 0", group_by="optimizer")
    assert {series["group"] for series in answer["series"]} >= {"Adam", "Momentum"}


def test_expressions_are_compared_grouped_and_reduced(board: Board) -> None:
    for number in range(3):
        board.log(f"run{number}", "loss", [1.0 + number, 2.0 + number])
    board.load()
    base = board.id_of("run0")

    lines = compared(board, tags=["=loss * 2"])
    band = compared(board, tags=["=delta(loss)"], baseline_run=base, group_pattern="^", centre="median", band="minmax")
    values = table(board, tags=["=loss * 2", "=delta(loss)"], baseline_run=base)

    assert sorted(each["values"] for each in lines["series"]) == [[2.0, 4.0], [4.0, 6.0], [6.0, 8.0]]
    (group,) = band["series"]
    assert (group["values"], group["low"], group["high"]) == ([1.0, 1.0], [0.0, 0.0], [2.0, 2.0])
    last = {name: row["values"]["=loss * 2"]["last"] for name, row in values.items()}
    assert last == {"run0": 4.0, "run1": 6.0, "run2": 8.0}
