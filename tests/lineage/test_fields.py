"""Canonical fields: rules, sources, what people change of them, and what else uses them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import mindinsight_like as mi
from mindinsight_like.app.application import create_app
from mindinsight_like.lineage.fields.editing import rules_of_file
from mindinsight_like.lineage.fields.metrics import direction_of, split_rank
from mindinsight_like.lineage.fields.rules import BUILT_IN
from mindinsight_like.lineage.fields.sources import find_sources
from tests.boards.conftest import Board, board

__all__ = ["board"]  # fixture of the boards' tests


def log(board: Board, run: str, **parts: Any) -> None:
    mi.log_lineage(board.settings.summary_base_dir / run, **{"code": False, "environment": False, **parts})


def sources(*names: str) -> dict[str, tuple[str, ...]]:
    return {field.name: field.all for field in find_sources(BUILT_IN, names)}


@pytest.mark.parametrize(
    ("column", "field"),
    [
        ("hparam/lr", "learning_rate"),
        ("hparam/learningRate", "learning_rate"),
        ("hparam/hparams/opt", "optimizer"),
        ("user_defined/Optimiser", "optimizer"),
        ("hparam/BATCH-SIZE", "batch_size"),
        ("hparam/bs", "batch_size"),
        ("epoch", "epoch"),
        ("hparam/num_train_epochs", "epoch"),
        ("hparam/max_steps", "steps"),
        ("hparam/random_seed", "seed"),
        ("device_num", "device_num"),
        ("hparam/world_size", "device_num"),
        ("data/name", "dataset"),
        ("network", "model"),
        ("hparam/arch", "model"),
        ("environment/host", "host"),
        ("metric/Accuracy", "accuracy"),
        ("scalar/val/acc/last", "accuracy"),
        ("scalar/validation_accuracy/last", "accuracy"),
        ("scalar/loss/train/last", "loss"),
        ("scalar/eval_loss/last", "val_loss"),
        ("scalar/train_acc/last", "train_accuracy"),
    ],
)
def test_well_known_names_belong_to_a_field(column: str, field: str) -> None:
    assert sources(column) == {field: (column,)}


@pytest.mark.parametrize("column", ["scalar/lr/last", "hparam/lr_decay", "scalar/loss_scale/last", "code/commit"])
def test_other_names_belong_to_none(column: str) -> None:
    assert sources(column) == {}


def test_recorded_results_are_trusted_before_curves_and_held_out_data_before_unnamed() -> None:
    columns = ["scalar/accuracy/last", "scalar/val/accuracy/last", "metric/accuracy"]
    assert sources(*columns)["accuracy"] == ("metric/accuracy", "scalar/val/accuracy/last", "scalar/accuracy/last")


@pytest.mark.parametrize(
    ("name", "direction"),
    [
        ("val/acc", "max"),
        ("eval_loss", "min"),
        ("scalar/train/perplexity/last", "min"),
        ("metric/F1", "max"),
        ("AUC", "max"),
        ("episode_reward_mean", "max"),
        ("word_error", "min"),
        ("cross_entropy", "min"),
        ("grad/norm", ""),
    ],
)
def test_the_name_tells_which_end_of_a_metric_is_better(name: str, direction: str) -> None:
    assert direction_of(name) == direction


def test_held_out_data_ranks_before_unnamed_and_training_data() -> None:
    assert [split_rank(name) for name in ("val/loss", "loss", "train/loss")] == [2, 1, 0]


def test_a_file_adds_names_and_fields_and_removes_fields(tmp_path: Path) -> None:
    file = tmp_path / "fields.json"
    file.write_text('{"learning_rate": {"aliases": ["step width"]}, "team": {"group": "environment"}, "seed": null}')

    rules = {rule.name: rule for rule in rules_of_file(file)}

    assert rules["learning_rate"].aliases[:2] == ("step width", "learning rate")
    assert rules["team"].group == "environment" and "seed" not in rules


def test_a_file_that_cannot_be_read_is_reported_and_the_built_in_rules_hold(board: Board, tmp_path: Path) -> None:
    file = tmp_path / "fields.json"
    file.write_text('{"lr": {"alias": []}}')
    log(board, "a", params={"lr": 1})
    board.load()
    client = create_app(dataclasses.replace(board.settings, field_rules=str(file))).test_client()

    answer = client.get("/v1/fields").get_json()

    assert "unknown key 'alias'" in answer["problem"]
    assert "learning_rate" in {field["name"] for field in answer["fields"]}


def field_of(answer: Any, name: str) -> Any:
    return next(field for field in answer["fields"] if field["name"] == name)


def test_people_change_a_field_for_everyone_and_take_it_back(board: Board) -> None:
    log(board, "a", params={"momentum": 0.9, "zeta": 0.1})
    board.load()
    columns = {"columns": ["learning_rate"]}
    assert board.client.post("/v1/runs/table", json=columns).get_json()["shown"] == []

    changed = board.client.put("/v1/fields/learning_rate", json={"aliases": ["zeta"]}).get_json()
    table = board.client.post("/v1/runs/table", json=columns).get_json()

    field = field_of(changed, "learning_rate")
    assert (field["origin"], field["sources"]) == ("user", [{"name": "hparam/zeta", "count": 1}])
    assert table["rows"][0]["values"] == {"learning_rate": 0.1}
    stale = board.client.put("/v1/fields/learning_rate", json={"aliases": ["x"], "version": 1})
    assert stale.status_code == 409
    restored = board.client.delete("/v1/fields/learning_rate?restore=yes").get_json()
    assert field_of(restored, "learning_rate")["origin"] == "built_in"


def test_a_field_is_removed_and_its_columns_stay(board: Board) -> None:
    log(board, "a", params={"lr": 0.1})
    board.load()

    answer = board.client.delete("/v1/fields/learning_rate").get_json()

    assert answer["removed"] == ["learning_rate"]
    (row,) = board.client.post("/v1/runs/table", json={"columns": ["hparam/lr"]}).get_json()["rows"]
    assert row["values"] == {"hparam/lr": 0.1}


def test_comparisons_group_runs_of_all_dialects_by_one_field(board: Board) -> None:
    for run, params in (("a", {"optimiser": "adam"}), ("b", {"opt": "Adam"}), ("c", {"optimizer": "adam"})):
        log(board, run, params=params)
        board.log(run, "loss", [1.0, 0.5])
    board.load()

    answer = board.client.post("/v1/compare/scalars", json={"tags": ["loss"], "group_by": "optimizer"}).get_json()

    assert [(each["group"], len(each["runs"])) for each in answer["series"]] == [("adam", 3)]
