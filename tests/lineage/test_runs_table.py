"""The runs table through the API: every run is a row, fields unite dialects, scalars are columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mindinsight_like as mi
from tests.boards.conftest import Board, board

__all__ = ["board"]  # fixture of the boards' tests


@pytest.fixture
def log(board: Board) -> Callable[..., Path]:
    """Writes a lineage record of a run."""

    def write(run: str, **parts: Any) -> Path:
        parts = {"code": False, "environment": False, **parts}
        return mi.log_lineage(board.settings.summary_base_dir / run, **parts)

    return write


def ask(board: Board, **params: Any) -> Any:
    answer = board.client.post("/v1/runs/table", json=params)
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def names(answer: Any) -> list[str]:
    return [row["name"] for row in answer["rows"]]


def test_every_run_is_a_row_lineage_or_not(board: Board, log: Callable[..., Path]) -> None:
    log("a", params={"lr": 0.1})
    board.log("b", "train/loss", [1.0, 0.5])
    board.load()

    answer = ask(board)

    assert answer["total"] == answer["matching"] == 2
    assert {row["name"]: row["has_lineage"] for row in answer["rows"]} == {"a": True, "b": False}


def test_the_best_run_is_first_by_the_guessed_metric(board: Board) -> None:
    for run, accuracy in (("a", 0.5), ("b", 0.9), ("c", 0.7)):
        board.log(run, "val/acc", [0.1, accuracy])
        board.log(run, "train/loss", [1.0, 0.5])
    board.load()

    answer = ask(board, sparkline="auto")

    metric = {"column": "accuracy", "tag": "val/acc", "direction": "max", "is_guess": True}
    assert answer["main_metric"] == metric
    assert (names(answer), answer["suggested"][:2]) == (["b", "c", "a"], ["state", "accuracy"])
    assert answer["rows"][0]["sparkline"] == {"steps": [0, 1], "values": [0.1, 0.9]}


def test_runs_without_a_finite_value_come_last_in_every_order(board: Board) -> None:
    for run, value in (("a", 0.5), ("b", float("nan")), ("c", 0.7)):
        board.log(run, "x", [value])
    board.log("d", "y", [1.0])
    board.load()

    assert names(ask(board, sort="scalar/x/last,run")) == ["a", "c", "b", "d"]
    assert names(ask(board, sort="-scalar/x/last,run")) == ["c", "a", "b", "d"]


def test_names_of_different_dialects_are_one_field(board: Board, log: Callable[..., Path]) -> None:
    log("a", params={"optimiser": "adam", "lr": 0.1})
    log("b", params={"opt": "Adam", "learning-rate": "0.1"})
    log("c", params={"Optimizer": "sgd", "learningRate": 0.2})
    board.load()

    answer = ask(board, columns=["optimizer", "learning_rate"], sort="run")

    values = [(row["values"]["optimizer"], row["values"]["learning_rate"]) for row in answer["rows"]]
    assert values == [("adam", 0.1), ("adam", 0.1), ("sgd", 0.2)]
    sources = {each["name"]: each["sources"] for each in answer["columns"]}
    assert {each["name"] for each in sources["optimizer"]} == {"hparam/optimiser", "hparam/opt", "hparam/Optimizer"}
    assert names(ask(board, query="lr < 0.15 and opt = adam", sort="run")) == ["a", "b"]
    assert names(ask(board, query="hparam/opt = Adam")) == ["b"]


def test_both_values_are_shown_where_sources_of_a_run_disagree(board: Board, log: Callable[..., Path]) -> None:
    log("a", params={"lr": 0.1, "learning_rate": 0.2, "batch_size": 32, "bs": 32})
    board.load()

    (row,) = ask(board, columns=["learning_rate", "batch_size"])["rows"]

    different = [{"column": "hparam/learning_rate", "value": 0.2}, {"column": "hparam/lr", "value": 0.1}]
    assert row["values"] == {"learning_rate": 0.2, "batch_size": 32}
    assert row["conflicts"] == {"learning_rate": different}


def test_runs_are_grouped_level_by_level(board: Board, log: Callable[..., Path]) -> None:
    for number, (optimizer, lr) in enumerate([("adam", 0.1), ("adam", 0.2), ("adam", 0.2), ("sgd", 0.1)]):
        log(f"r{number}", params={"optimizer": optimizer, "lr": lr}, metrics={"accuracy": 0.1 * number})
    board.log("plain", "x", [1.0])
    board.load()
    by = ["optimizer", "learning_rate"]

    outer = ask(board, group_by=by, columns=["accuracy"], sort="-optimizer")
    inner = ask(board, group_by=by, columns=["accuracy"], within=["adam"], sort="accuracy")
    rows = ask(board, group_by=by, columns=["accuracy"], within=["adam", 0.2], sort="run")

    assert [(each["values"], each["n"]) for each in outer["groups"]] == [(["sgd"], 1), (["adam"], 3), ([None], 1)]
    adam = outer["groups"][1]["numbers"]["accuracy"]
    assert (adam["n"], adam["mean"], adam["sd"]) == (3, pytest.approx(0.1), pytest.approx(0.1))
    assert [each["values"] for each in inner["groups"]] == [["adam", 0.1], ["adam", 0.2]]
    assert (rows["groups"], names(rows)) == ([], ["r1", "r2"])
    assert names(ask(board, group_by=["optimizer"], within=[None])) == ["plain"]


def test_any_scalar_is_a_column(board: Board) -> None:
    board.log("a", "train/loss", [4.0, 1.0, 2.0])
    board.load()
    forms = ["last", "min", "max", "best", "mean", "mean:2", "at:1"]

    answer = ask(board, columns=[f"scalar/train/loss/{form}" for form in forms])

    assert list(answer["rows"][0]["values"].values()) == [2.0, 1.0, 4.0, 1.0, pytest.approx(7 / 3), 1.5, 1.0]


def test_the_inventory_of_columns_is_searched_and_bounded(board: Board) -> None:
    for number in range(20):
        board.log("a", f"layer{number}/norm", [1.0])
    board.log("b", "layer3/norm", [1.0])
    board.load()

    answer = ask(board, column_search="norm layer", column_limit=2, columns=["run"])

    assert [each["name"] for each in answer["columns"]] == ["run", "scalar/layer3/norm/last", "scalar/layer0/norm/last"]
    assert (answer["column_total"], answer["columns"][1]["count"]) == (20, 2)


def test_new_values_and_runs_appear_in_columns_that_were_read_before(board: Board) -> None:
    board.log("a", "x", [1.0])
    board.load()
    assert ask(board, columns=["scalar/x/last"])["rows"][0]["values"] == {"scalar/x/last": 1.0}

    board.log("a", "x", [5.0], first_step=1)
    board.log("b", "x", [3.0])
    board.log("b", "z", [4.0])
    board.load()

    answer = ask(board, columns=["scalar/x/last", "scalar/z/last"], sort="run")
    assert [row["values"] for row in answer["rows"]] == [
        {"scalar/x/last": 5.0},
        {"scalar/x/last": 3.0, "scalar/z/last": 4.0},
    ]


def test_states_and_what_people_set_come_with_the_rows(board: Board) -> None:
    board.log("a", "x", [1.0])
    board.load()
    settings = {"custom_name": "best", "colour": "#1f77b4", "owner": "ann", "add_labels": ["good"]}
    assert board.client.patch(f"/v1/runs/{board.id_of('a')}", json=settings).status_code == 200

    answer = ask(board, columns=["state", "owner", "labels", "display_name", "user"])

    (row,) = answer["rows"]
    assert (row["display_name"], row["colour"], row["owner"], row["labels"]) == ("best", "#1f77b4", "ann", ["good"])
    state = board.get("runs")["runs"][0]["state"]
    values = {"state": state, "owner": "ann", "labels": "good", "display_name": "best", "user": "ann"}
    assert (row["values"], row["state"]) == (values, state)


def test_archived_and_hidden_runs_are_left_out_counted_and_shown_on_demand(board: Board) -> None:
    for run in "abcd":
        board.log(run, "x", [1.0])
    board.load()
    for run, settings in (("a", {"archived": True}), ("b", {"hidden": True})):
        assert board.client.patch(f"/v1/runs/{board.id_of(run)}", json=settings).status_code == 200

    answer = ask(board, sort="run")

    assert (answer["total"], answer["archived"], answer["hidden"], names(answer)) == (2, 1, 1, ["c", "d"])
    shown = {show: names(ask(board, sort="run", show=show)) for show in ("archived", "hidden", "all")}
    assert shown == {"archived": ["a"], "hidden": ["b"], "all": ["a", "b", "c", "d"]}
