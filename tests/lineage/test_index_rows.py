"""Lineage records in the index: equal to what was written, kept up to date, and never lost."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mindinsight_like as mi
from mindinsight_like.lineage.records.record import LineageRecord, pipeline_hash
from mindinsight_like.loader.once import load_index
from mindinsight_like.store.database.location import IndexLocation, run_id
from mindinsight_like.store.reader import IndexReader
from tests.boards.conftest import Board, board

__all__ = ["board"]  # a fixture of the boards' tests


@pytest.fixture
def records(tmp_path: Path) -> Callable[[Path], dict[str, LineageRecord]]:
    """Loads a folder once more and gives the records of its runs by name."""

    def load(folder: Path) -> dict[str, LineageRecord]:
        location = IndexLocation.of(folder, tmp_path / "workspace", "")
        load_index(location)
        reader = IndexReader(location)
        names = {run.id: run.name for run in reader.runs.find()[1]}
        return {
            names[run]: LineageRecord.from_json(json.loads(reader.runs.lineage_record(run)))
            for run in reader.runs.lineage_summaries()
        }

    return load


def expected(run: Path) -> Any:
    return json.loads((run / "expected.json").read_text(encoding="utf-8"))


def test_mindspore_runs_have_what_was_trained_and_evaluated(records: Callable[..., Any], corpus: Path) -> None:
    folder = corpus / "mindspore-2.10"
    found = records(folder)
    for name in ("a", "b", "c", "d", "e", "f"):
        truth = expected(folder / "sweep" / f"run_{name}")
        record = found[f"sweep/run_{name}"]
        lineage = truth["lineage"]
        same = (
            "optimizer",
            "loss_function",
            "epoch",
            "batch_size",
            "device_num",
            "parallel_mode",
            "network",
            "model_size",
        )
        assert {key: record.values[key] for key in same if key in lineage} == {
            key: lineage[key] for key in same if key in lineage
        }
        for key in ("learning_rate", "loss"):
            wanted = lineage.get(key)
            assert record.values.get(key) == (None if wanted is None else pytest.approx(wanted, rel=1e-6))
        assert record.values["train_dataset_count"] == lineage["train_dataset_size"]
        if lineage["train_dataset_path_ends"] is not None:
            assert str(record.values["train_dataset_path"]).endswith(lineage["train_dataset_path_ends"])
        metrics = {
            key.removeprefix("metric/"): value for key, value in record.values.items() if key.startswith("metric/")
        }
        assert metrics == pytest.approx(lineage.get("metric") or {})
        added = {key: value for key, value in record.values.items() if key.startswith("user_defined/")}
        assert added == {f"user_defined/{key}": value for key, value in (lineage.get("user_defined") or {}).items()}
        operators = []
        operator = record.pipeline
        while operator:
            operators.append(operator["op_type"].removesuffix("Dataset") or operator["op_type"])
            operator = next(iter(operator["children"]), None)
        assert operators == [each.removesuffix("Dataset") for each in truth["dataset_graph_ops_root_to_leaf"]]
        assert record.problems == []


def test_hyper_parameters_of_tensorboard_and_visualdl_are_lineage(records: Callable[..., Any], corpus: Path) -> None:
    found = records(corpus / "tensorboard-plain")
    with_settings = [name for name, record in found.items() if any(key.startswith("hparam/") for key in record.values)]
    assert len(with_settings) >= 4
    visualdl = records(corpus / "visualdl-2.5")
    assert any(key.startswith("hparam/") for record in visualdl.values() for key in record.values)


def test_own_records_add_to_each_other(records: Callable[..., Any], tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    mi.log_lineage(runs / "a", params={"lr": 0.1, "net": {"depth": 3}}, code=False, environment=False)
    assert records(runs)["a"].values == {"hparam/lr": 0.1, "hparam/net/depth": 3}
    mi.log_lineage(
        runs / "a",
        params={"lr": 0.2},
        metrics={"accuracy": float("nan")},
        parents={"resumed from": runs / "b"},
        code={"commit": "abc", "diff": "long"},
        environment=False,
    )
    record = records(runs)["a"]
    assert record.values["hparam/lr"] == 0.2 and record.values["hparam/net/depth"] == 3
    assert record.values["code/commit"] == "abc" and "code/diff" not in record.values
    assert record.values["metric/accuracy"] != record.values["metric/accuracy"]
    assert record.parents == [{"relation": "resumed from", "run": "../b"}]
    assert record.code["diff"] == "long"


def test_values_that_are_left_out_are_told(records: Callable[..., Any], tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    mi.log_lineage(runs / "a", params={f"p{n}": n for n in range(3_000)}, code=False, environment=False)
    record = records(runs)["a"]
    assert len(record.values) == 2_000
    assert record.problems == ["of params only 2,000 values are kept"]


def test_records_follow_their_files(records: Callable[..., Any], tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    first = mi.log_lineage(runs / "a", params={"lr": 0.1}, code=False, environment=False)
    second = mi.log_lineage(runs / "a", params={"momentum": 0.9}, code=False, environment=False)
    assert records(runs)["a"].values == {"hparam/lr": 0.1, "hparam/momentum": 0.9}
    second.unlink()
    assert records(runs)["a"].values == {"hparam/lr": 0.1}
    text = first.read_text(encoding="utf-8")
    first.write_text(text.replace("0.1", "0.25"), encoding="utf-8")
    os.utime(first, (2_000_000_000, 2_000_000_000))
    assert records(runs)["a"].values == {"hparam/lr": 0.25}
    shutil.rmtree(runs / "a")
    mi.log_lineage(runs / "b", params={"lr": 1}, code=False, environment=False)
    assert set(records(runs)) == {"b"}


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"format": "other"}', '{"format": "mindinsight-like lineage", "params": 3}']
)
def test_damaged_records_hurt_nothing_else(records: Callable[..., Any], tmp_path: Path, content: str) -> None:
    runs = tmp_path / "runs"
    path = mi.log_lineage(runs / "a", params={"lr": 0.1}, code=False, environment=False)
    path.with_name("mindinsight_like.lineage.1.1.json").write_text(content, encoding="utf-8")
    assert records(runs)["a"].values == {"hparam/lr": 0.1}


def test_halves_of_characters_spoil_no_table(board: Board) -> None:
    params = {"file": "bad\udcff.npz", "\ud800name": 1, "whole": "😀"}
    mi.log_lineage(board.settings.summary_base_dir / "a", params=params, code=False, environment=False)
    board.load()
    (row,) = board.get("lineage/models")["rows"]
    found = {name: value for name, value in row["values"].items() if name.startswith("hparam/")}
    assert found == {"hparam/file": "bad\ufffd.npz", "hparam/\ufffdname": 1, "hparam/whole": "😀"}
    for kind in ("csv", "json", "parquet", "openlineage"):
        assert board.client.get("/v1/lineage/export", query_string={"format": kind}).status_code == 200


def test_a_kill_between_reading_and_keeping_is_made_up_for(
    records: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = tmp_path / "runs"
    mi.log_lineage(runs / "a", params={"lr": 0.1}, code=False, environment=False)

    class Killed(BaseException):
        pass

    def killed(*arguments: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("mindinsight_like.lineage.records.index_rows.make_rows", killed)
        with pytest.raises(Killed):
            records(runs)
    assert records(runs)["a"].values == {"hparam/lr": 0.1}


def test_changes_tell_of_new_lineage(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    mi.log_lineage(runs / "a", params={"lr": 0.1}, code=False, environment=False)
    location = IndexLocation.of(runs, tmp_path / "workspace", "")
    load_index(location)
    reader = IndexReader(location)
    before = reader.runs.cursor()
    mi.log_lineage(runs / "a", params={"lr": 0.2}, code=False, environment=False)
    load_index(location)
    assert reader.runs.changes(before).runs == [run_id("a")]
    (summary,) = reader.runs.lineage_summaries(before).values()
    assert json.loads(summary)["values"] == {"hparam/lr": 0.2}


def test_equal_pipelines_and_only_those_share_a_hash() -> None:
    one = {"op_type": "Batch", "batch_size": 32, "children": [{"op_type": "Mnist", "children": []}]}
    same = {"children": [{"children": [], "op_type": "Mnist"}], "batch_size": 32, "op_type": "Batch"}
    assert pipeline_hash(one) == pipeline_hash(same)
    assert pipeline_hash(one) != pipeline_hash(one | {"batch_size": 64})
