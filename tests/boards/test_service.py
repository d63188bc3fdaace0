"""What is running, and what has changed."""

from __future__ import annotations

import time

import numpy as np

from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.encoding.images import png

PICTURE = png(np.zeros((1, 1, 3), np.uint8))


def test_the_service_answers_before_there_is_an_index(board):
    service = board.get("service")

    assert service["name"] == "mindinsight-like"
    assert service["summary_base_dir"] == str(board.settings.summary_base_dir)
    assert service["store"] == "sqlite"
    assert service["reload_interval"] == 3
    assert isinstance(service["native"], bool)
    assert abs(service["started_at"] - time.time()) < 60
    assert service["loading"] == {
        "state": "loading", "runs_done": 0, "runs_total": 0, "bytes_done": 0, "bytes_total": 0,
    }  # fmt: skip
    assert service["kinds"] == []


def test_before_there_is_an_index_there_are_no_runs_and_nobody_knows_about_one(board):
    unknown = board.client.get("/v1/runs/abc")

    assert board.get("runs") == {"total": 0, "left_out": {"archived": 0, "hidden": 0}, "runs": []}
    assert board.get("changes") == {"cursor": 0, "runs": [], "removed": [], "annotations": 0}
    assert unknown.status_code == 503
    assert unknown.get_json()["error"]["code"] == "still_loading"
    assert unknown.headers["Retry-After"] == "1"


def test_a_loaded_folder_is_idle(board):
    board.log("a", "loss", [1.0, 0.5])
    board.load()

    loading = board.get("service")["loading"]

    assert loading["state"] == "idle"
    assert loading["runs_done"] == loading["runs_total"] == 1
    assert loading["bytes_done"] == loading["bytes_total"] > 0


def test_the_kinds_are_those_that_any_run_has(board):
    board.log("a", "loss", [1.0])
    board.load()
    at_first = board.get("service")["kinds"]
    board.log_values("b", tensorboard.image("samples", PICTURE, width=1, height=1))
    board.load()

    assert at_first == ["scalars"]
    assert board.get("service")["kinds"] == ["scalars", "images"]


def test_changes_name_exactly_the_runs_that_changed_since_the_cursor(board):
    board.log("a", "loss", [1.0])
    board.log("b", "loss", [1.0])
    board.load()
    start = board.get("changes", since=0)
    a, b = board.id_of("a"), board.id_of("b")

    quiet = board.get("changes", since=start["cursor"])
    board.log("a", "loss", [0.5], first_step=1)
    board.load()
    changed = board.get("changes", since=start["cursor"])

    assert set(start["runs"]) == {a, b}
    assert quiet == {"cursor": start["cursor"], "runs": [], "removed": [], "annotations": 0}
    assert changed["runs"] == [a]
    assert changed["cursor"] > start["cursor"]


def test_a_deleted_run_is_reported_as_removed(board):
    board.log("a", "loss", [1.0])
    board.load()
    cursor, a = board.get("changes")["cursor"], board.id_of("a")

    for file in (board.settings.summary_base_dir / "a").iterdir():
        file.unlink()
    board.load()

    assert board.get("changes", since=cursor)["removed"] == [a]
    assert board.client.get(f"/v1/runs/{a}").status_code == 404
