"""What people set for the runs table: the main metric and column sets, shared by everyone."""

from __future__ import annotations

from typing import Any

import mindinsight_like as mi
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
    assert sets["models"][:4] == ["accuracy", "val_loss", "labels", "note"]


def log_pipeline(board: Board, run: str, size: int, accuracy: float) -> None:
    with mi.SummaryRecord(str(board.settings.summary_base_dir / run)) as record:
        source = {"op_type": "MnistDataset", "children": [], "num_parallel_workers": 4}
        record.add_value(
            "dataset_graph", "train_dataset", {"op_type": "Batch", "batch_size": size, "children": [source]}
        )
        record.record(1)
    board.log(run, "val/acc", [accuracy])


def test_the_set_of_data_has_pipelines_as_rows_with_what_differs_first(board: Board) -> None:
    for run, size, accuracy in (("a", 32, 0.5), ("b", 32, 0.7), ("c", 64, 0.9)):
        log_pipeline(board, run, size, accuracy)
    board.log("plain", "val/acc", [1.0])
    board.load()

    data = {each["name"]: each for each in board.get("runs/table/column-sets")["sets"]}["data"]

    assert data["group_by"] == ["dataset_mark"]
    columns = data["columns"]
    assert columns[:3] == ["dataset_mark", "accuracy", "Batch.batch_size"]
    assert "MnistDataset.num_parallel_workers" not in columns
    answer = table(board, columns=columns, group_by=data["group_by"])
    assert [(each["values"], each["n"]) for each in answer["groups"]] == [(["2"], 1), (["1"], 2), ([None], 1)]
    assert answer["groups"][1]["numbers"]["Batch.batch_size"]["mean"] == 32
    first = table(board, group_by=data["group_by"], within=["1"])["rows"][0]["run"]
    assert answer["groups"][1]["run"] == first


def test_operators_can_be_shown_and_are_described(board: Board) -> None:
    log_pipeline(board, "a", 32, 0.5)
    log_pipeline(board, "b", 64, 0.6)
    board.load()

    columns = {each["name"]: each for each in table(board)["columns"]}

    assert columns["Batch.batch_size"]["group"] == "pipeline"
    assert (columns["Batch.batch_size"]["distinct"], columns["MnistDataset"]["is_constant"]) == (2, True)


def test_labels_and_notes_are_columns_before_anybody_wrote_one(board: Board) -> None:
    loaded(board)

    answer = table(board, query="labels is missing", columns=["labels", "note"])

    assert (answer["shown"], answer["matching"]) == (["labels", "note"], 2)


def test_a_group_has_the_texts_that_all_of_its_runs_share(board: Board) -> None:
    base = board.settings.summary_base_dir
    for run, optimizer, net in (("a", "adam", "mlp"), ("b", "adam", "cnn"), ("c", "sgd", "mlp")):
        mi.log_lineage(base / run, params={"optimizer": optimizer, "net": net}, code=False, environment=False)
    mi.log_lineage(base / "d", params={"optimizer": "sgd"}, code=False, environment=False)
    board.load()

    groups = table(board, columns=["hparam/net", "framework"], group_by=["optimizer"], sort="optimizer")["groups"]
    by_net = table(board, columns=["optimizer"], group_by=["hparam/net"], sort="hparam/net")["groups"]

    assert [each["shared"] for each in groups] == [{}, {}]
    assert [each["shared"] for each in by_net] == [{"optimizer": "adam"}, {}, {"optimizer": "sgd"}]
