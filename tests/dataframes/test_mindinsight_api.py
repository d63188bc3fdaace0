"""Lineage under MindInsight's names. What is expected here was compared with MindInsight 2.3.1 on the same logs.

One thing differs on purpose: names of columns in a pipeline come without the quotes that MindSpore 2.x adds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mindinsight_like as mi
from mindinsight_like.dataframes.mindinsight_api import (
    LineageParamTypeError,
    LineageParamValueError,
    LineageSearchConditionParamError,
)


@pytest.fixture
def sweep(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MINDINSIGHT_WORKSPACE", str(tmp_path / "workspace"))
    return (corpus / "mindspore-2.10" / "sweep").resolve()


def names(found: dict[str, Any]) -> list[str]:
    return [each["summary_dir"] for each in found["object"]]


def test_one_run_has_the_parts_of_its_lineage(sweep: Path) -> None:
    found = mi.get_summary_lineage(sweep / "run_a")
    assert found["summary_dir"] == str(sweep / "run_a")
    assert found["hyper_parameters"] == {
        "optimizer": "Momentum",
        "learning_rate": 0.05,
        "loss_function": "SoftmaxCrossEntropyWithLogits",
        "epoch": 2,
        "parallel_mode": "stand_alone",
        "device_num": 1,
        "batch_size": 32,
    }
    assert found["algorithm"]["network"] == "SmallCnn"
    assert found["metric"]["Accuracy"] == 0.684375
    assert found["user_defined"] == {"author": "ana", "version": 3, "ratio": 0.5}
    assert found["model"]["size"] == 5805
    assert found["valid_dataset"] == {"valid_dataset_size": 320}
    assert found["dataset_graph"]["op_type"] == "Batch"
    some = mi.get_summary_lineage(str(sweep / "run_a"), keys=["metric"])
    assert some == {"summary_dir": str(sweep / "run_a"), "metric": found["metric"]}


def test_a_folder_without_lineage_has_none(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDINSIGHT_WORKSPACE", str(tmp_path / "workspace"))
    assert mi.get_summary_lineage(corpus / "tensorboardx" / "everything") == {}


def test_all_runs_have_the_fields_of_mindinsight(sweep: Path) -> None:
    found = mi.filter_summary_lineage(sweep)
    assert found["count"] == 6
    run = next(each for each in found["object"] if each["summary_dir"] == "./run_a")
    assert set(run) == {"summary_dir", "model_lineage", "dataset_graph", "added_info"}
    assert set(run["model_lineage"]) == {
        "loss_function", "train_dataset_path", "train_dataset_count", "test_dataset_path", "test_dataset_count",
        "network", "optimizer", "learning_rate", "epoch", "batch_size", "device_num", "loss", "model_size",
        "dataset_mark", "metric", "user_defined",
    }  # fmt: skip
    assert run["model_lineage"]["train_dataset_count"] == 640
    assert found["customized"]["metric/Accuracy"] == {"label": "metric/Accuracy", "required": True, "type": "float"}
    assert found["customized"]["user_defined/version"] == {
        "label": "user_defined/version",
        "required": False,
        "type": "int",
    }


@pytest.mark.parametrize(
    ("condition", "runs"),
    [
        ({"optimizer": {"eq": "Adam"}}, ["./run_c", "./run_d"]),
        ({"metric/Accuracy": {"gt": 0.5}}, ["./run_a", "./run_c", "./run_d"]),
        ({"network": {"in": ["SmallCnn"]}, "batch_size": {"le": 32}}, ["./run_a", "./run_e"]),
        ({"optimizer": {"not_in": ["Adam", "SGD"]}}, ["./run_a", "./run_e"]),
        ({"user_defined/author": {"eq": "ana"}}, ["./run_a"]),
        ({"learning_rate": {"lt": 1}}, ["./run_a", "./run_b", "./run_c", "./run_d", "./run_f"]),
    ],
)
def test_conditions_keep_the_runs_they_describe(sweep: Path, condition: dict[str, Any], runs: list[str]) -> None:
    assert sorted(names(mi.filter_summary_lineage(sweep, condition))) == runs


def test_answers_are_sorted_and_come_page_by_page(sweep: Path) -> None:
    best = {"sorted_name": "metric/Accuracy", "sorted_type": "descending"}
    found = names(mi.filter_summary_lineage(sweep, best))
    assert found == ["./run_c", "./run_a", "./run_d", "./run_b", "./run_e", "./run_f"]
    page = {"limit": 2, "offset": 1, "sorted_name": "learning_rate", "sorted_type": "ascending"}
    second = mi.filter_summary_lineage(sweep, page)
    assert names(second) == ["./run_c", "./run_a"] and second["count"] == 6
    models = mi.filter_summary_lineage(sweep, {"lineage_type": {"eq": "model"}})["object"]
    assert all("dataset_graph" not in each for each in models)


@pytest.mark.parametrize(
    "condition",
    [
        {"nothing": {"eq": 1}},
        {"optimizer": {"lt": "A"}},
        {"optimizer": {"eq": 3}},
        {"epoch": {"eq": -1}},
        {"epoch": {"eq": True}},
        {"epoch": {"like": 3}},
        {"epoch": 3},
        {"metric/Accuracy": {"gt": "high"}},
        {"network": {"in": "LeNet"}},
        {"limit": 0},
        {"limit": 101},
        {"offset": -1},
        {"sorted_type": "ascending"},
        {"sorted_name": "nothing"},
        {"lineage_type": {"eq": "everything"}},
    ],
)
def test_wrong_conditions_are_refused(sweep: Path, condition: dict[str, Any]) -> None:
    with pytest.raises(LineageSearchConditionParamError):
        mi.filter_summary_lineage(sweep, condition)


def test_wrong_parameters_are_refused(sweep: Path) -> None:
    with pytest.raises(LineageParamTypeError):
        mi.filter_summary_lineage(3)  # type: ignore[arg-type]
    with pytest.raises(LineageParamTypeError):
        mi.filter_summary_lineage(sweep, [])  # type: ignore[arg-type]
    with pytest.raises(LineageParamValueError):
        mi.get_summary_lineage(sweep / "nowhere")
    with pytest.raises(LineageParamValueError):
        mi.get_summary_lineage(sweep / "run_a", keys=["nothing"])


def test_tables_of_runs_have_lineage(sweep: Path) -> None:
    runs = mi.open(sweep)
    table = runs.table().set_index("run")
    assert table.loc["run_c", "optimizer"] == "Adam" and table.loc["run_c", "metric/Accuracy"] == 0.8875
    best = runs.lineage(
        "metric/Accuracy > 0.5", columns=["optimizer", "scalar/loss/auto/last"], sort="-metric/Accuracy"
    )
    assert best["run"].tolist() == ["run_c", "run_a", "run_d"]
    assert best["scalar/loss/auto/last"].notna().all()
