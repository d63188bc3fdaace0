"""Notes, labels and saved views through the API."""

from __future__ import annotations

from tests.boards.conftest import Board


def test_notes_and_labels_are_set_apart_and_shown_with_the_run(board: Board) -> None:
    board.log("a", "loss", [1.0, 2.0])
    board.load()
    run = board.id_of("a")
    before = board.get("changes")
    etag = board.client.get("/v1/runs").headers["ETag"]
    answer = board.client.patch(f"/v1/runs/{run}", json={"note": "keep", "labels": ["best", "paper"]})
    assert answer.get_json() == {"note": "keep", "labels": ["best", "paper"]}
    board.client.patch(f"/v1/runs/{run}", json={"note": ""})
    shown = board.get(f"runs/{run}")
    assert (shown["note"], shown["labels"]) == ("", ["best", "paper"])
    assert board.get("runs")["runs"][0]["labels"] == ["best", "paper"]
    assert board.get("changes")["annotations"] == before["annotations"] + 2
    assert board.client.get("/v1/runs", headers={"If-None-Match": etag}).status_code == 200


def test_a_run_that_is_not_there_has_no_notes(board: Board) -> None:
    board.log("a", "loss", [1.0])
    board.load()
    assert board.client.patch("/v1/runs/unknown", json={"note": "x"}).status_code == 404


def test_views_are_shared(board: Board) -> None:
    saved = board.client.post("/v1/views", json={"name": "losses", "address": "/scalars?q=loss"}).get_json()
    assert [view["name"] for view in board.get("views")["views"]] == ["losses"]
    board.client.put(f"/v1/views/{saved['id']}", json={"name": "mine", "address": "/scalars"})
    assert [view["name"] for view in board.get("views")["views"]] == ["mine"]
    assert board.client.delete(f"/v1/views/{saved['id']}").status_code == 200
    assert board.client.delete(f"/v1/views/{saved['id']}").status_code == 404
    assert board.client.post("/v1/views", json={"name": "x", "address": "//evil"}).status_code == 400
