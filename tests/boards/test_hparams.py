"""Hyper-parameters over REST and in Python: each session with its settings, and the metrics it reached."""

from __future__ import annotations

import json

import pytest

import mindinsight_like as mi
from mindinsight_like.writers.encoding import hyper_parameters, tensorboard, wire


def plugin(name, content):
    return tensorboard.bare(f"_hparams_/{name}", plugin="hparams", settings=content)


def number(value):
    return wire.double(2, value)


def settings(**values):
    return b"".join(wire.blob(1, wire.text(1, name) + wire.blob(2, value)) for name, value in values.items())


def start(**values):
    return plugin("session_start_info", wire.blob(3, settings(**values)))


def metric(tag, group=""):
    return wire.blob(5, wire.blob(1, wire.text(1, group) + wire.text(2, tag)))


def by_session(answer):
    return {row["session"]: row for row in answer["rows"]}


@pytest.mark.parametrize("sweep", ["tensorboard-torch/sweep", "tensorboardx/sweep"])
def test_trials_of_add_hparams_are_as_they_were_written(corpus, corpus_board, sweep):
    rows = by_session(corpus_board.get("hparams"))
    trials = json.loads((corpus / sweep / "expected.json").read_text("utf-8"))["trials"]

    for trial, written in trials.items():
        row = rows[f"{sweep}/{trial}/hp"]
        expected = {f"hparam.{name}": value for name, value in written["hparams"].items()}
        expected |= {f"metric.{name}": value for name, value in written["metrics"].items()}
        assert row["values"] == expected  # torch writes True as 1
        assert row["status"] == "success"
        # The curves of the trial are in the folder above, and belong to it.
        assert row["runs"] == [row["run"], corpus_board.id_of(f"{sweep}/{trial}")]
    assert len(trials) == 4


def test_sessions_find_their_experiment_in_the_folder_above(corpus, corpus_board):
    answer = corpus_board.get("hparams")
    rows = by_session(answer)
    trials = json.loads((corpus / "tensorboard-plain/hparams_v2/expected.json").read_text("utf-8"))["trials"]

    for trial, written in trials.items():
        values = rows[f"tensorboard-plain/hparams_v2/{trial}"]["values"]
        last = written["scalars"]["accuracy"][-1][1]
        expected = {f"hparam.{name}": value for name, value in written["hparams_in_same_run"].items()}
        assert values == {**expected, "metric.accuracy": last}
    columns = {column["name"]: column for column in answer["columns"]}
    assert columns["hparam.units"]["type"] == "int"
    assert columns["hparam.units"]["domain"] == [8, 16]
    assert columns["hparam.lr"]["domain"] == {"min": 0.0001, "max": 0.5}
    assert (columns["metric.accuracy"]["label"], columns["metric.accuracy"]["group"]) == ("Accuracy", "metric")


def test_hyper_parameters_of_visualdl(corpus, corpus_board):
    rows = by_session(corpus_board.get("hparams"))
    trials = json.loads((corpus / "visualdl-2.5/sweep/expected.json").read_text("utf-8"))["trials"]

    for trial, written in trials.items():
        expected = {f"hparam.{name}": value for name, value in written["hparams"].items()}
        expected |= {f"metric.{name}": written["scalars"][name][-1][1] for name in written["metrics_list"]}
        assert rows[f"visualdl-2.5/sweep/{trial}"]["values"] == expected
    assert len(trials) == 4


def test_only_the_sessions_of_the_asked_runs(corpus_board):
    run = corpus_board.id_of("visualdl-2.5/sweep/exp_1")

    answer = corpus_board.get("hparams", run=run)

    assert [row["run"] for row in answer["rows"]] == [run]
    assert [column["label"] for column in answer["columns"]] == ["lr", "optimizer", "batch_size", "loss", "acc"]
    assert corpus_board.client.get("/v1/hparams?run=unknown").status_code == 404


def test_metrics_by_their_smallest_and_largest_value(corpus_board):
    run = corpus_board.id_of("tensorboard-plain/hparams_v2/session_0")

    (lowest,) = corpus_board.get("hparams", run=run, metric="min")["rows"]
    (highest,) = corpus_board.get("hparams", run=run, metric="max")["rows"]

    assert lowest["values"]["metric.accuracy"] == pytest.approx(0.1554088145494461)
    assert highest["values"]["metric.accuracy"] == pytest.approx(0.5833988785743713)


def test_metrics_in_folders_below_as_keras_logs_them(board):
    board.log_values("sweep", plugin("experiment", wire.blob(2, metric("epoch_loss", "validation"))))
    for trial, lr in enumerate((0.1, 0.01)):
        board.log_values(f"sweep/{trial}", start(lr=number(lr)))
        board.log(f"sweep/{trial}/train", "epoch_loss", [3, 2])
        board.log(f"sweep/{trial}/validation", "epoch_loss", [5, 4 + trial])
    board.load()

    rows = by_session(board.get("hparams"))

    assert rows["sweep/0"]["values"] == {"hparam.lr": 0.1, "metric.validation/epoch_loss": 4}
    assert rows["sweep/1"]["values"] == {"hparam.lr": 0.01, "metric.validation/epoch_loss": 5}
    assert rows["sweep/0"]["runs"] == [board.id_of("sweep/0"), board.id_of("sweep/0/validation")]
    assert "sweep" not in rows


def test_without_an_experiment_all_scalars_are_metrics(board):
    board.log_values("a", start(lr=number(1)))
    board.log("a", "loss", [2, 1])
    board.log("a/eval", "accuracy", [0.5])
    board.load()

    answer = board.get("hparams")

    assert answer["rows"][0]["values"] == {"hparam.lr": 1, "metric.loss": 1, "metric.eval/accuracy": 0.5}
    assert [(column["label"], column["declared"]) for column in answer["columns"]] == [
        ("lr", False), ("loss", False), ("eval/accuracy", False),
    ]  # fmt: skip


def test_kinds_of_values(board):
    board.log_values("a", start(n=number(3), x=number(0.5), t=wire.text(3, "adam"), b=wire.integer(4, 1), m=number(1)))
    board.log_values("b", start(n=number(4), x=number(float("inf")), t=wire.text(3, ""), m=wire.text(3, "one")))
    board.load()

    answer = board.get("hparams")

    assert {column["label"]: column["type"] for column in answer["columns"]} == {
        "n": "int", "x": "float", "t": "text", "b": "bool", "m": "mixed",
    }  # fmt: skip
    first, second = (row["values"] for row in answer["rows"])
    assert first == {"hparam.n": 3, "hparam.x": 0.5, "hparam.t": "adam", "hparam.b": True, "hparam.m": 1}
    assert second == {"hparam.n": 4, "hparam.x": "Infinity", "hparam.t": "", "hparam.m": "one"}


def test_a_session_of_our_own_writer_tells_its_choices(board):
    for value in hyper_parameters.session({"lr": 0.1, "act": "relu"}, ["loss"], {"act": ["relu", "tanh"]}):
        board.log_values("run", value)
    board.log("run", "loss", [4, 3])
    board.load()

    answer = board.get("hparams")

    assert answer["rows"][0]["values"] == {"hparam.lr": 0.1, "hparam.act": "relu", "metric.loss": 3}
    assert answer["rows"][0]["status"] == "success"
    assert answer["columns"][1]["domain"] == ["relu", "tanh"]


def test_a_record_that_cannot_be_read_hurts_no_other(board):
    board.log_values("good", start(lr=number(1)))
    board.log_values("bad", plugin("session_start_info", b"\xff\xff\xff"))
    board.load()

    answer = board.get("hparams")

    assert [row["session"] for row in answer["rows"]] == ["good"]
    ((run, message),) = ((error["run"], error["message"]) for error in answer["errors"])
    assert run == board.id_of("bad")
    assert message


def test_new_points_change_the_metrics(board):
    board.log_values("a", start(lr=number(1)))
    board.log("a", "loss", [2])
    board.load()
    first = board.client.get("/v1/hparams")
    known = {"If-None-Match": first.headers["ETag"]}
    assert board.client.get("/v1/hparams", headers=known).status_code == 304

    board.log("a", "loss", [1], first_step=1)
    board.load()

    again = board.client.get("/v1/hparams", headers=known)
    assert again.get_json()["rows"][0]["values"]["metric.loss"] == 1


def test_sessions_as_a_pandas_table(corpus, tmp_path):
    runs = mi.open(corpus, workspace=tmp_path / "workspace", store_url="")

    table = runs.hparams(run=["visualdl-2.5/sweep/exp_0", "visualdl-2.5/sweep/exp_2"])

    assert list(table.columns) == [
        "run", "status", "started_at", "ended_at", "lr", "optimizer", "batch_size", "loss", "acc",
    ]  # fmt: skip
    assert table["optimizer"].tolist() == ["SGD", "Adam"]
    assert table["batch_size"].tolist() == [32, 32]
    assert table["acc"].tolist() == [0.16015625, 0.234375]


def test_a_metric_called_like_a_hyper_parameter_keeps_its_prefix(board, tmp_path):
    board.log_values("a", start(loss=number(1), run=number(2)))
    board.log("a", "loss", [5])

    table = mi.open(board.settings.summary_base_dir, workspace=tmp_path / "other", store_url="").hparams()

    assert list(table.columns[4:]) == [
        "loss", "hparam.run", "metric.loss",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="last, min, max"):
        mi.open(board.settings.summary_base_dir, workspace=tmp_path / "other", store_url="").hparams(metric="mean")
