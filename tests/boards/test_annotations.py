"""Notes, labels, saved views and boards through the API."""

from __future__ import annotations

import sqlite3
import time

from mindinsight_like.loader.user_data import UserDataKeeper
from tests.boards.conftest import Board, board_over


def test_notes_and_labels_are_set_apart_and_shown_with_the_run(board: Board) -> None:
    board.log("a", "loss", [1.0, 2.0])
    board.load()
    run = board.id_of("a")
    before = board.get("changes")["annotations"]
    etag = board.client.get("/v1/runs").headers["ETag"]
    answer = board.client.patch(f"/v1/runs/{run}", json={"note": "keep", "labels": ["best", "paper"]}).get_json()
    assert (answer["note"], answer["labels"]) == ("keep", ["best", "paper"])
    between = board.get("changes")["annotations"]
    board.client.patch(f"/v1/runs/{run}", json={"note": "", "note_version": answer["note_version"]})
    shown = board.get(f"runs/{run}")
    assert (shown["note"], shown["labels"]) == ("", ["best", "paper"])
    assert (shown["note_version"], shown["labels_version"]) == (0, answer["labels_version"])
    assert board.get("runs")["runs"][0]["labels"] == ["best", "paper"]
    assert board.get("changes")["annotations"] > between > before
    assert board.client.get("/v1/runs", headers={"If-None-Match": etag}).status_code == 200


def test_a_run_that_is_not_there_has_no_notes(board: Board) -> None:
    board.log("a", "loss", [1.0])
    board.load()
    assert board.client.patch("/v1/runs/unknown", json={"note": "x"}).status_code == 404


def test_the_second_of_two_edits_is_a_409_with_both_versions(board: Board) -> None:
    board.log("a", "loss", [1.0])
    board.load()
    path = f"/v1/runs/{board.id_of('a')}"
    seen = board.client.patch(path, json={"note": "first"}).get_json()["note_version"]
    theirs = board.client.patch(path, json={"note": "theirs", "note_version": seen}).get_json()

    refused = board.client.patch(path, json={"note": "mine", "note_version": seen})

    assert refused.status_code == 409
    error = refused.get_json()["error"]
    assert error["code"] == "conflict"
    assert error["details"]["conflicts"] == [
        {"field": "note", "yours": "mine", "current": "theirs", "version": theirs["note_version"]}
    ]
    assert board.client.patch(path, json={"note": "mine"}).status_code == 409
    assert board.get("lineage/models", columns="note")["rows"][0]["note_version"] == theirs["note_version"]
    merged = {"note": "theirs and mine", "note_version": theirs["note_version"]}
    assert board.client.patch(path, json=merged).status_code == 200
    assert board.client.patch(path, json={"note": "forced", "note_version": "any"}).status_code == 200
    assert board.client.patch(path, json={"note": "x", "note_version": -1}).status_code == 400


def test_labels_are_added_and_removed_without_a_conflict(board: Board) -> None:
    board.log("a", "loss", [1.0])
    board.load()
    path = f"/v1/runs/{board.id_of('a')}"
    board.client.patch(path, json={"add_labels": ["x", "y"]})
    answer = board.client.patch(path, json={"add_labels": ["z"], "remove_labels": ["x"]})
    assert answer.get_json()["labels"] == ["y", "z"]
    assert board.client.patch(path, json={"labels": ["mine"]}).status_code == 409


def test_views_are_shared(board: Board) -> None:
    saved = board.client.post("/v1/views", json={"name": "losses", "address": "/scalars?q=loss"}).get_json()
    assert [view["name"] for view in board.get("views")["views"]] == ["losses"]
    address = f"/v1/views/{saved['id']}"
    board.client.put(address, json={"name": "mine", "address": "/scalars", "version": saved["version"]})
    assert [view["name"] for view in board.get("views")["views"]] == ["mine"]
    refused = board.client.put(address, json={"name": "yours", "version": saved["version"]})
    assert refused.status_code == 409
    (conflict,) = refused.get_json()["error"]["details"]["conflicts"]
    assert (conflict["current"]["name"], conflict["yours"]["name"]) == ("mine", "yours")
    assert board.client.delete(f"{address}?version={saved['version']}").status_code == 409
    assert board.client.delete(address).status_code == 200
    assert board.client.delete(address).status_code == 404
    assert board.client.post("/v1/views", json={"name": "x", "address": "//evil"}).status_code == 400


def test_a_held_lock_is_a_timely_503_for_saves_and_nothing_for_reads(board: Board) -> None:
    board.log("a", "loss", [1.0])
    board.load()
    run = board.id_of("a")
    board.client.patch(f"/v1/runs/{run}", json={"note": "there"})
    shell = sqlite3.connect(
        board.settings.workspace / "userdata" / "userdata.sqlite", isolation_level=None, check_same_thread=False
    )
    shell.execute("BEGIN EXCLUSIVE")
    started = time.monotonic()
    other = board_over(board.settings.summary_base_dir, board.settings.workspace.parent)  # with connections of its own
    for each in (board, other):
        assert each.get(f"runs/{run}")["note"] == "there"
        assert each.get("changes")["annotations"] > 0
    assert time.monotonic() - started < 2

    answer = board.client.patch(f"/v1/runs/{run}", json={"add_labels": ["x"]})

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (503, "busy")
    assert answer.headers["Retry-After"] == "2"
    assert time.monotonic() - started < 10
    shell.execute("ROLLBACK")
    shell.close()
    assert board.client.patch(f"/v1/runs/{run}", json={"add_labels": ["x"]}).status_code == 200


def test_a_moved_folder_is_offered_its_board(board: Board) -> None:
    assert board.get("board")["offer"] is None
    board.log("a", "loss", [1.0])
    board.load()
    board.client.patch(f"/v1/runs/{board.id_of('a')}", json={"note": "keep"})
    _look(board)
    base = board.settings.summary_base_dir
    moved = board_over(base.rename(base.parent / "moved"), base.parent)
    moved.load()
    _look(moved)

    shown = moved.get("board")
    offer = shown["offer"]
    assert (offer["base_dirs"], offer["notes"], offer["same_runs"], offer["runs"]) == ([str(base)], 1, 1, 1)
    assert (shown["notes"], shown["problem"]) == (0, "")
    assert moved.get("runs")["runs"][0]["note"] == ""
    assert moved.client.put("/v1/board", json={"id": "another"}).status_code == 404
    before = moved.get("changes")["annotations"]

    assert moved.client.put("/v1/board", json={"id": offer["id"]}).get_json()["notes"] == 1
    assert moved.get("runs")["runs"][0]["note"] == "keep"
    assert moved.get("changes")["annotations"] > before
    assert moved.get("board")["offer"] is None
    assert moved.client.post("/v1/board/decline", json={"id": offer["id"]}).status_code == 404


def test_a_declined_board_is_not_offered_again(board: Board) -> None:
    board.log("a", "loss", [1.0])
    board.load()
    board.client.patch(f"/v1/runs/{board.id_of('a')}", json={"note": "keep"})
    _look(board)
    base = board.settings.summary_base_dir
    moved = board_over(base.rename(base.parent / "moved"), base.parent)
    moved.load()
    _look(moved)
    offered = moved.get("board")["offer"]["id"]
    assert moved.client.post("/v1/board/decline", json={"id": offered}).get_json()["offer"] is None
    _look(moved)
    assert moved.get("board")["offer"] is None


def test_damaged_user_data_is_told_and_runs_are_shown(board: Board) -> None:
    board.log("a", "loss", [1.0])
    board.load()
    folder = board.settings.workspace / "userdata"
    folder.mkdir(parents=True)
    (folder / "userdata.sqlite").write_bytes(b"no database at all" * 1000)
    assert [run["note"] for run in board.get("runs")["runs"]] == [""]
    assert "app restore" in board.get("board")["problem"]
    answer = board.client.post("/v1/views", json={"name": "x", "address": "/scalars"})
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (503, "user_data_unusable")


def _look(board: Board) -> None:
    """What the loader of the service does beside loading."""
    import threading

    UserDataKeeper(board.settings, threading.Event()).look()


def test_a_run_is_renamed_coloured_owned_and_found_by_its_new_name(board: Board) -> None:
    board.log("a", "loss", [1.0])
    board.log("b", "loss", [1.0])
    board.load()
    path = f"/v1/runs/{board.id_of('a')}"

    saved = board.client.patch(path, json={"custom_name": "First try", "colour": "#1F77B4", "owner": "Ada"}).get_json()

    assert (saved["custom_name"], saved["colour"], saved["owner"]) == ("First try", "#1f77b4", "Ada")
    (run,) = board.get("runs", search="TRY first")["runs"]
    assert (run["name"], run["display_name"], run["custom_name"]) == ("a", "First try", "First try")
    assert board.client.patch(path, json={"custom_name": "other"}).status_code == 409
    assert board.client.patch(path, json={"colour": "red", "settings_version": "any"}).status_code == 400
    renamed = {"custom_name": "other", "settings_version": saved["settings_version"]}
    assert board.client.patch(path, json=renamed).get_json()["custom_name"] == "other"
    assert board.get("runs", search="b")["total"] == 1


def test_archived_and_hidden_runs_are_left_out_and_counted(board: Board) -> None:
    for name in "abcd":
        board.log(f"run {name}", "loss", [1.0])
    board.load()
    ids = {name: board.id_of(f"run {name}") for name in "abcd"}

    changed = board.client.patch("/v1/runs", json={"run": [ids["a"], ids["b"]], "archived": True}).get_json()
    board.client.patch("/v1/runs", json={"run": [ids["b"], ids["c"]], "hidden": True})

    def names(**query: object) -> list[str]:
        return [run["name"] for run in board.get("runs", **query)["runs"]]

    assert changed["changed"] == 2
    assert {run["run"]: run["archived"] for run in changed["runs"]} == {ids["a"]: True, ids["b"]: True}
    page = board.get("runs")
    assert ([run["name"] for run in page["runs"]], page["total"]) == (["run d"], 1)
    assert page["left_out"] == {"archived": 2, "hidden": 1}
    assert names(include="archived") == ["run a", "run d"]
    assert names(include=["archived", "hidden"]) == [f"run {name}" for name in "abcd"]
    assert board.get("runs", include=["archived", "hidden"])["left_out"] == {"archived": 0, "hidden": 0}
    assert board.get("runs", search="run a")["left_out"] == {"archived": 1, "hidden": 0}
    assert names(run=ids["a"]) == ["run a"]
    assert board.client.get("/v1/runs?include=everything").status_code == 400

    undone = board.client.post("/v1/runs/undo", json={"token": changed["undo"]}).get_json()

    assert undone["changed"] == 2
    assert names() == ["run a", "run d"]
    assert board.client.post("/v1/runs/undo", json={"token": changed["undo"]}).status_code == 404
    assert board.client.post("/v1/runs/undo", json={"token": undone["undo"]}).get_json()["changed"] == 2
    assert names() == ["run d"]


def test_a_change_of_many_runs_names_runs_that_are_there(board: Board) -> None:
    board.log("a", "loss", [1.0])
    board.load()

    assert board.client.patch("/v1/runs", json={"run": ["unknown"], "archived": True}).status_code == 404
    assert board.client.patch("/v1/runs", json={"archived": True}).status_code == 400
    assert board.client.patch("/v1/runs", json={"run": [], "archived": True}).get_json()["changed"] == 0
    wrong = board.client.patch("/v1/runs", json={"run": [board.id_of("a")], "archived": "perhaps"})
    assert wrong.status_code == 400
