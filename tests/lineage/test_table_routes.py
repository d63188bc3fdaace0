"""The lineage tables through the API: corpus values, queries, windows and what changes while somebody looks."""

from __future__ import annotations

from typing import Any

import pytest

import mindinsight_like as mi
from mindinsight_like.lineage.routes.warmup import start_warmup
from mindinsight_like.lineage.table.domains import domains
from mindinsight_like.lineage.table.run_table import RunTables
from tests.boards.conftest import Board, board, corpus_board
from tests.corpus import needs_mindinsight_data

__all__ = ["board", "corpus_board"]  # fixtures of the boards' tests


def rows(board: Board, **asked: Any) -> dict[str, dict[str, Any]]:
    answer = board.client.post("/v1/lineage/models", json={"limit": 1000, **asked})
    assert answer.status_code == 200, answer.text
    return {row["name"]: row["values"] for row in answer.get_json()["rows"]}


def test_runs_of_all_frameworks_stand_in_one_table(corpus_board: Board) -> None:
    found = rows(corpus_board)
    assert found["mindspore-2.10/sweep/run_c"]["optimizer"] == "Adam"
    assert found["mindspore-2.10/sweep/run_c"]["metric/Accuracy"] == 0.8875
    assert found["tensorboard-torch/sweep/trial_3/hp"]["hparam/lr"] == 0.003
    assert "metric/final/accuracy" in found["tensorboard-torch/sweep/trial_3/hp"]
    assert found["visualdl-2.5/sweep/exp_1"]["hparam/batch_size"] == 64
    assert "metric/acc" in found["visualdl-2.5/sweep/exp_1"]
    assert found["tensorboard-plain/hparams_v2/session_1"]["hparam/act"] == "relu"
    assert "metric/accuracy" in found["tensorboard-plain/hparams_v2/session_1"]
    best = rows(corpus_board, query='optimizer = "Adam" and learning_rate < 0.02')
    assert sorted(best) == ["mindspore-2.10/sweep/run_c", "mindspore-2.10/sweep/run_d"]


def test_columns_say_their_group_and_type(corpus_board: Board) -> None:
    columns = {each["name"]: each for each in corpus_board.get("lineage/models")["columns"]}
    assert (columns["learning_rate"]["group"], columns["learning_rate"]["type"]) == ("model", "float")
    assert (columns["metric/Accuracy"]["group"], columns["metric/Accuracy"]["label"]) == ("metric", "Accuracy")
    assert columns["hparam/optimizer"]["type"] == "text"
    assert columns["epoch"]["type"] == "int"
    assert columns["train_dataset_count"]["group"] == "data"


def test_columns_of_trials_say_what_experiments_allow(corpus_board: Board) -> None:
    columns = {each["name"]: each for each in corpus_board.get("lineage/models")["columns"]}
    assert columns["hparam/units"]["domain"] == [8, 16] and columns["hparam/units"]["type"] == "int"
    assert columns["hparam/act"]["domain"] == ["relu", "tanh"]
    assert columns["hparam/lr"]["domain"] == {"min": 0.0001, "max": 0.5} and columns["hparam/lr"]["type"] == "float"
    assert columns["optimizer"]["domain"] is None


def test_experiments_together_allow_what_any_of_them_does() -> None:
    one = {"domains": {"a": [1, 2], "b": {"min": 0, "max": 1}, "c": [1]}}
    other = {"domains": {"a": [2, 3], "b": {"min": -1, "max": 0.5}, "c": {"min": 0, "max": 1}}}
    assert domains([one, other, {}]) == {"hparam/a": [1, 2, 3], "hparam/b": {"min": -1, "max": 1}}


def test_pipelines_are_columns_and_equal_ones_share_a_mark(corpus_board: Board) -> None:
    answer = corpus_board.client.post("/v1/lineage/datasets", json={"query": "dataset_mark is not missing"}).get_json()
    found = {row["name"]: row for row in answer["rows"]}
    one, other = found["mindspore-2.10/two_ranks/rank_0"], found["mindspore-2.10/two_ranks/rank_1"]
    marks = {name: row["values"]["dataset_mark"] for name, row in found.items()}
    for row in found.values():
        assert row["shared_by"] == list(marks.values()).count(row["values"]["dataset_mark"])
    assert one["values"]["Batch.batch_size"] == other["values"]["Batch.batch_size"] == 32
    assert found["mindspore-2.10/sweep/run_b"]["values"]["Map#2.operations"].startswith("Rescale(")
    sixteen = rows(corpus_board, where={"dataset_mark": {"eq": marks["mindspore-2.10/sweep/run_d"]}})
    assert "mindspore-2.10/sweep/run_d" in sixteen


def test_runs_without_any_pipeline_share_none(board: Board) -> None:
    board.log("a", "loss", [1.0])
    board.load()

    answer = board.get("lineage/datasets")

    assert [(row["name"], row["shared_by"]) for row in answer["rows"]] == [("a", 0)]


def test_either_table_is_searched_by_what_the_other_tells(corpus_board: Board) -> None:
    found = corpus_board.client.post("/v1/lineage/datasets", json={"query": "metric/Accuracy > 0.6"}).get_json()
    names = {"mindspore-2.0/collect", "mindspore-2.10/sweep/run_a", "mindspore-2.10/sweep/run_c"}
    assert {row["name"] for row in found["rows"]} == names
    assert "metric/Accuracy" not in {column["name"] for column in found["columns"]}
    assert set(rows(corpus_board, query="Batch.batch_size = 16")) == {"mindspore-2.10/sweep/run_d"}
    for table, column in (("datasets", "metric/Accuracy"), ("models", "Batch.batch_size")):
        offered = corpus_board.get("lineage/complete", text=column[:-2], table=table)["suggestions"]
        assert column in {each["text"] for each in offered}


@needs_mindinsight_data
def test_runs_without_lineage_are_told_from_others(corpus_board: Board) -> None:
    known = {row["name"]: row["has_lineage"] for row in corpus_board.get("lineage/models", limit=1000)["rows"]}
    for name in ("mindspore-2.10/sweep/run_a", "tensorboard-torch/sweep/trial_0/hp", "visualdl-2.5/sweep/exp_0"):
        assert known[name]
    assert not known["mindinsight-profiles/run_1"]


def test_labels_and_notes_stand_beside_pipelines_too(corpus_board: Board) -> None:
    run = corpus_board.id_of("mindspore-2.10/sweep/run_a")
    said = {"labels": ["best"], "note": "keep"}
    assert corpus_board.client.patch(f"/v1/runs/{run}", json=said).status_code == 200
    answer = corpus_board.get("lineage/datasets", query="labels contains best")
    assert [(row["name"], row["values"]["note"]) for row in answer["rows"]] == [("mindspore-2.10/sweep/run_a", "keep")]


def test_the_table_is_built_in_advance_once_logs_are_loaded(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    app = board.client.application
    thread = start_warmup(app, look_again_seconds=0.01)
    thread.join(0.1)
    assert thread.is_alive() and "run_tables" not in app.extensions  # nothing is loaded yet

    board.log("a", "loss", [1.0])
    board.load()
    thread.join(10)
    assert not thread.is_alive()
    monkeypatch.setattr(RunTables, "_refresh", None)  # a table that is ready needs nothing
    assert list(rows(board)) == ["a"]


@pytest.fixture
def ten(board: Board) -> Board:
    for number in range(10):
        mi.log_lineage(
            board.settings.summary_base_dir / f"run{number}",
            params={"lr": number / 10, "net": "a" if number % 2 else "b"},
            code=False,
            environment=False,
        )
        board.log(f"run{number}", "loss", [10.0 - number, 1.0 + number, 5.0])
        board.log(f"run{number}", "accuracy", [0.1, 0.9, 0.5])
    board.load()
    return board


def test_rows_come_sorted_and_a_window_at_a_time(ten: Board) -> None:
    asked = {"query": "net = b", "sort": "-hparam/lr", "offset": 1, "limit": 2, "columns": ["hparam/lr"]}
    answer = ten.client.post("/v1/lineage/models", json=asked).get_json()
    assert answer["total"] == 5
    assert [(row["name"], row["values"]) for row in answer["rows"]] == [
        ("run6", {"hparam/lr": 0.6}),
        ("run4", {"hparam/lr": 0.4}),
    ]


def test_scalars_become_columns_on_demand(ten: Board) -> None:
    columns = [f"scalar/loss/{how}" for how in ("last", "min", "max", "mean", "at:max:accuracy", "at:min:accuracy")]
    found = rows(ten, columns=columns, sort="scalar/loss/min", query="scalar/loss/max > 8")
    assert list(found) == ["run0", "run9", "run1", "run8"]  # minima 1, 1, 2, 2
    assert found["run8"] == {
        "scalar/loss/last": 5.0,
        "scalar/loss/min": 2.0,
        "scalar/loss/max": 9.0,
        "scalar/loss/mean": pytest.approx(16 / 3),
        "scalar/loss/at:max:accuracy": 9.0,
        "scalar/loss/at:min:accuracy": 2.0,
    }


def test_labels_and_new_records_show_at_once(ten: Board) -> None:
    run = ten.id_of("run3")
    ten.client.patch(f"/v1/runs/{run}", json={"labels": ["best", "paper"], "note": "keep"})
    assert rows(ten, query="labels contains best")["run3"]["note"] == "keep"
    mi.log_lineage(ten.settings.summary_base_dir / "run3", metrics={"f1": 0.5}, code=False, environment=False)
    ten.load()
    assert list(rows(ten, query="f1 = 0.5")) == ["run3"]


def test_runs_that_are_gone_leave_the_table(ten: Board) -> None:
    assert len(rows(ten)) == 10
    for path in (ten.settings.summary_base_dir / "run3").iterdir():
        path.unlink()
    ten.load()
    assert "run3" not in rows(ten) and len(rows(ten)) == 9


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"query": "lr >"}, "incomplete"),
        ({"where": {"nothing": {"eq": 1}}}, "unknown column 'nothing'"),
        ({"where": {"hparam/lr": {"like": 1}}}, "operator"),
        ({"sort": "nothing"}, "unknown column"),
        ({"columns": ["scalar/loss/median"]}, "scalar columns are"),
    ],
)
def test_what_makes_no_sense_is_refused(ten: Board, asked: dict[str, Any], words: str) -> None:
    answer = ten.client.post("/v1/lineage/models", json=asked)
    assert answer.status_code == 400
    assert words in answer.get_json()["error"]["message"]


def test_a_wrong_query_says_where(ten: Board) -> None:
    error = ten.client.post("/v1/lineage/models", json={"query": "lr = 1 and accurcy > 1"}).get_json()["error"]
    assert error["details"]["position"] == 11 and error["details"]["length"] == 7


def test_comparisons_with_values_of_another_kind_are_named(ten: Board) -> None:
    asked = {"query": "net > 3 or lr < 0.15", "where": {"hparam/net": {"in": ["a", 1]}}}
    answer = ten.client.post("/v1/lineage/models", json=asked).get_json()

    message = "hparam/net contains text, so comparing it with a number (3) never matches"
    assert [row["name"] for row in answer["rows"]] == ["run1"]
    assert answer["type_mismatches"] == [
        {"column": "hparam/net", "value_types": ["text"], "value": "3", "kind": "number", "message": message}
    ]


def test_queries_are_completed(ten: Board) -> None:
    answer = ten.get("lineage/complete", text="hparam/net = ")
    assert [each["label"] for each in answer["suggestions"]] == ["b", "a"]


def test_without_steps_a_scalar_where_another_is_best_is_found_by_time(board: Board) -> None:
    with mi.SummaryWriter(board.settings.summary_base_dir / "run") as writer:
        for time, (accuracy, loss) in enumerate([(0.1, 3.0), (0.9, 2.0), (0.5, 1.0)]):
            writer.add_scalar("loss", loss, 0, walltime=1.75e9 + time)
            writer.add_scalar("accuracy", accuracy, 0, walltime=1.75e9 + time + 0.1)
    board.load()

    found = rows(board, columns=["scalar/loss/at:max:accuracy", "scalar/loss/at:min:accuracy"])

    assert found["run"] == {"scalar/loss/at:max:accuracy": 2.0, "scalar/loss/at:min:accuracy": 3.0}
