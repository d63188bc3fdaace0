"""A full disk of the workspace: reading goes on, a save that fails says so, and nothing is lost."""

from __future__ import annotations

from tests.boards.conftest import Board, board_over
from tests.conftest import SmallDisk


def _save(board: Board, name: str) -> int:
    answer = board.client.post("/v1/views", json={"name": name, "address": "/scalars"})
    if answer.status_code == 507:
        error = answer.get_json()["error"]
        assert error["code"] == "storage_full"
        assert "full" in error["message"]
    return answer.status_code


def _board(small_disk: SmallDisk) -> Board:
    base = small_disk.folder / "logs"
    base.mkdir()
    board = board_over(base, small_disk.folder)
    board.log("a", "loss", [1.0, 2.0])
    board.load()
    return board


def test_a_first_save_without_room_leaves_the_board_as_it_was(small_disk: SmallDisk) -> None:
    board = _board(small_disk)
    with_connections_open = board.get("runs")
    small_disk.fill()

    statuses = {_save(board, f"view {number}") for number in range(3)}

    assert statuses == {507}
    assert board.get("runs") == with_connections_open
    assert board.get("views")["views"] == []
    assert board.get("changes")["annotations"] == 0
    small_disk.free()
    assert _save(board, "with room") == 200
    assert [view["name"] for view in board.get("views")["views"]] == ["with room"]


def test_what_was_saved_before_is_read_and_kept(small_disk: SmallDisk) -> None:
    board = _board(small_disk)
    assert _save(board, "old") == 200
    small_disk.fill()
    with (small_disk.folder / "filler").open("r+b") as filler:  # room for the log of changes, not for all of them
        filler.truncate((small_disk.folder / "filler").stat().st_size - 200_000)

    statuses = [_save(board, f"view {number}") for number in range(60)]

    assert statuses[-1] == 507
    saved = [f"view {number}" for number, status in enumerate(statuses) if status == 200]
    assert {view["name"] for view in board.get("views")["views"]} == {"old", *saved}
    small_disk.free()
    assert _save(board, "new") == 200
    assert {view["name"] for view in board.get("views")["views"]} == {"old", "new", *saved}


def test_a_process_that_starts_on_a_full_disk_reads_what_is_there(small_disk: SmallDisk) -> None:
    board = _board(small_disk)
    run = board.id_of("a")
    assert board.client.patch(f"/v1/runs/{run}", json={"note": "keep"}).status_code == 200
    del board
    small_disk.fill()

    other = board_over(small_disk.folder / "logs", small_disk.folder)

    assert other.get("runs")["runs"][0]["note"] == "keep"
    assert other.client.patch(f"/v1/runs/{run}", json={"note": "lost?", "note_version": "any"}).status_code == 507
    assert other.get("runs")["runs"][0]["note"] == "keep"
    small_disk.free()
    assert other.client.patch(f"/v1/runs/{run}", json={"note": "new", "note_version": "any"}).status_code == 200
    assert other.get("runs")["runs"][0]["note"] == "new"
