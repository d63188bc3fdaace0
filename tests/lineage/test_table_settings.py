"""What people set for the runs table: the main metric and column sets, shared by everyone."""

from __future__ import annotations

from typing import Any

from tests.boards.conftest import Board, board

__all__ = ["board"]  # fixture of the boards' tests


def table(board: Board, **params: Any) -> Any:
    return board.client.post("/v1/runs/table", json=params).get_json()


def loaded(board: Board) -> Board:
    for run, accuracy, loss in (("a", 0.5, 0.3), ("b", 0.9, 0.4)):
        board.log(run, "val/acc", [accuracy])
        board.log(run, "val/loss", [loss])
    board.load()
    return board


def test_a_chosen_metric_is_kept_and_no_longer_a_guess(board: Board) -> None:
    loaded(board)

    answer = board.client.put("/v1/runs/table/main-metric", json={"column": "val_loss"}).get_json()

    metric = {"column": "val_loss", "tag": "val/loss", "direction": "min", "is_guess": False}
    assert answer["main_metric"] == table(board)["main_metric"] == metric
    assert [row["name"] for row in table(board)["rows"]] == ["a", "b"]
    assert board.client.delete("/v1/runs/table/main-metric").get_json()["main_metric"]["is_guess"]


def test_a_direction_can_be_chosen_against_the_name(board: Board) -> None:
    loaded(board)

    board.client.put("/v1/runs/table/main-metric", json={"column": "val/acc", "direction": "min"})

    assert table(board)["main_metric"]["column"] == "scalar/val/acc/last"
    assert [row["name"] for row in table(board)["rows"]] == ["a", "b"]


def test_only_columns_that_there_are_can_be_chosen(board: Board) -> None:
    loaded(board)
    assert board.client.put("/v1/runs/table/main-metric", json={"column": "nothing"}).status_code == 400


def test_column_sets_are_saved_for_everyone_and_never_overwritten_silently(board: Board) -> None:
    loaded(board)
    saved = board.client.put(
        "/v1/runs/table/column-sets",
        json={"name": "mine", "columns": ["val_loss"], "sort": "val_loss", "group_by": ["optimizer"]},
    ).get_json()

    sets = {each["name"]: each for each in board.get("runs/table/column-sets")["sets"]}
    stale = board.client.put("/v1/runs/table/column-sets", json={"name": "mine", "columns": [], "version": 1})

    assert sets["mine"] == saved and not saved["is_built_in"]
    assert [name for name, each in sets.items() if each["is_built_in"]] == ["models", "data", "hparams", "compare"]
    assert stale.status_code == 409
    assert board.get("views")["views"] == []
    assert board.client.delete("/v1/runs/table/column-sets", query_string={"name": "mine"}).status_code == 200
    assert len(board.get("runs/table/column-sets")["sets"]) == 4


def test_built_in_sets_have_the_columns_of_the_runs_there_are(board: Board) -> None:
    loaded(board)

    sets = {each["name"]: each["columns"] for each in board.get("runs/table/column-sets")["sets"]}

    assert sets["compare"] == ["accuracy", "val_loss", "updated_at"]
    assert sets["models"][:2] == ["accuracy", "val_loss"]
