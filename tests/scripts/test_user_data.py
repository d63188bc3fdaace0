"""`app backup`, `app restore` and `app board`, and what `app start` says about boards."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.annotations.backups import daily, read_file
from mindinsight_like.store.database.database import open_database
from mindinsight_like.store.database.location import IndexLocation, run_id
from mindinsight_like.writers.encoding import tensorboard
from tests.conftest import App, RunningService

Start = Callable[..., RunningService]


def write_runs(base_dir: Path, *names: str) -> None:
    for number, name in enumerate(names):
        folder = base_dir / name
        folder.mkdir(parents=True)
        with (folder / tensorboard.file_name(1_760_000_000.0 + number, host="host")).open("wb") as log:
            log.write(tensorboard.frame(tensorboard.opening(1_760_000_000.0 + number)))
            scalar = tensorboard.scalar("loss", float(number))
            log.write(tensorboard.frame(tensorboard.event([scalar], step=1, wall_time=1_760_000_000.0)))


def send(service: RunningService, method: str, path: str, body: object) -> Any:
    request = urllib.request.Request(
        f"{service.address}/v1/{path}",
        method=method,
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())


def until(found: Callable[[], Any], seconds: float = 30.0) -> Any:
    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)
    return value


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture(name="annotations")
def _annotations(tmp_path: Path, workspace: Path) -> Annotations:
    (tmp_path / "runs").mkdir()
    return Annotations(IndexLocation.of(tmp_path / "runs", workspace))


def test_what_was_backed_up_is_restored(app: App, tmp_path: Path, workspace: Path, annotations: Annotations) -> None:
    annotations.annotate("a", note="keep", labels=["x"])
    annotations.save_view("losses", "/scalars")
    done = app("backup", tmp_path / "notes.gz", "--workspace", workspace)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Wrote 1 notes, 1 labelled runs, 1 views of 1 boards to {tmp_path / 'notes.gz'}\n"
    again = app("backup", tmp_path / "notes.gz", "--workspace", workspace)
    assert (again.returncode, again.stderr) == (
        1,
        f"app backup: {tmp_path / 'notes.gz'} already exists; use --force to overwrite it\n",
    )
    annotations.annotate("a", note="changed", note_version=None)

    refused = app("restore", tmp_path / "notes.gz", "--workspace", workspace)
    assert refused.returncode == 1
    assert "use --force to overwrite them (a copy is kept)" in refused.stderr
    assert annotations.of_runs()["a"].note == "changed"

    done = app("restore", tmp_path / "notes.gz", "--workspace", workspace, "--force")
    assert done.returncode == 0, done.stderr
    assert annotations.of_runs()["a"].note == "keep"
    kept = Path(done.stdout.splitlines()[-1].removeprefix("Copy of the previous data: "))
    assert read_file(kept).tables["runs"][0][2] == "changed"

    # Another machine.
    done = app("restore", tmp_path / "notes.gz", "--workspace", tmp_path / "other")
    assert done.returncode == 0, done.stderr
    moved = Annotations(IndexLocation.of(tmp_path / "runs", tmp_path / "other"))
    assert (moved.of_runs(), moved.views()) == (annotations.of_runs(), annotations.views())


def test_bad_files_are_refused_in_a_sentence(
    app: App, tmp_path: Path, workspace: Path, annotations: Annotations
) -> None:
    nothing = app("backup", tmp_path / "none.gz", "--workspace", tmp_path / "empty")
    assert (nothing.returncode, nothing.stderr.count("\n")) == (1, 1)
    assert "no notes, labels or views" in nothing.stderr
    assert not (tmp_path / "none.gz").exists()
    annotations.annotate("a", note="keep")
    app("backup", tmp_path / "notes.gz", "--workspace", workspace)
    (tmp_path / "cut.gz").write_bytes((tmp_path / "notes.gz").read_bytes()[:-20])
    for file, reason in (("cut.gz", "damaged"), ("missing.gz", "No such file"), (".", "Is a directory")):
        done = app("restore", tmp_path / file, "--workspace", workspace, "--force")
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert reason in done.stderr
    done = app("backup", "/proc/x.gz", "--workspace", workspace)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert annotations.of_runs()["a"].note == "keep"


def test_damaged_user_data_is_replaced_and_set_aside(
    app: App, tmp_path: Path, workspace: Path, annotations: Annotations
) -> None:
    annotations.annotate("a", note="keep")
    app("backup", tmp_path / "notes.gz", "--workspace", workspace)
    file = workspace / "userdata" / "userdata.sqlite"
    for part in file.parent.iterdir():
        part.unlink()
    file.write_bytes(b"no database at all" * 1000)
    assert "app restore" in app("backup", tmp_path / "more.gz", "--workspace", workspace).stderr
    assert app("restore", tmp_path / "notes.gz", "--workspace", workspace).returncode == 1
    done = app("restore", tmp_path / "notes.gz", "--workspace", workspace, "--force")
    assert done.returncode == 0, done.stderr
    assert Annotations(IndexLocation.of(tmp_path / "runs", workspace)).of_runs()["a"].note == "keep"
    aside = Path(done.stdout.splitlines()[-1].removeprefix("Copy of the previous data: "))
    assert aside.read_bytes().startswith(b"no database")


def test_sqlite_is_restored_to_postgresql(
    app: App, tmp_path: Path, workspace: Path, annotations: Annotations, postgresql_url: str
) -> None:
    location = IndexLocation.of(tmp_path / "runs", workspace, postgresql_url)
    open_database(location.user_data).erase()
    team = Annotations(IndexLocation.of(tmp_path / "runs", workspace), "team")
    team.annotate("a", note="keep")
    app("backup", tmp_path / "notes.gz", "--workspace", workspace)
    options = ("--workspace", workspace, "--store-url", postgresql_url)
    assert app("restore", tmp_path / "notes.gz", *options).returncode == 0
    assert Annotations(location, "team").of_runs() == team.of_runs()
    assert "--force" in app("restore", tmp_path / "notes.gz", *options).stderr
    assert app("backup", tmp_path / "back.gz", *options).returncode == 0
    assert read_file(tmp_path / "back.gz").tables["runs"] == read_file(tmp_path / "notes.gz").tables["runs"]
    open_database(location.user_data).erase()


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_a_service_backs_up_and_a_moved_folder_gets_its_notes(
    app: App, service: Start, tmp_path: Path, workspace: Path, store: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("postgresql_url") if store == "postgresql" else ""
    location = IndexLocation.of(tmp_path / "old", workspace, url)
    open_database(location.user_data).erase()
    options = ("--store-url", url) if url else ()
    write_runs(tmp_path / "old", "a", "b")
    first = service(tmp_path / "old", *options)
    until(lambda: first.json("/v1/runs")["total"] == 2)
    send(first, "PATCH", f"runs/{run_id('a')}", {"note": "keep"})
    backup = until(lambda: daily(location))[0]
    assert until(lambda: read_file(backup)).tables["runs"][0][2] == "keep"
    until(lambda: _heads(location))
    first.stop()
    (tmp_path / "old").rename(tmp_path / "new")

    second = service(tmp_path / "new", *options)
    offer = until(lambda: second.json("/v1/board")["offer"])
    shown = app("board", "--summary-base-dir", tmp_path / "new", "--workspace", workspace, *options)
    assert f"looks like board {offer['id']} at {tmp_path / 'old'}: 2 of 2 runs are the same" in shown.stdout
    done = app(
        "board", "--use", offer["id"], "--summary-base-dir", tmp_path / "new", "--workspace", workspace, *options
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert second.json("/v1/runs?run=" + run_id("a"))["runs"][0]["note"] == "keep"  # at once, without a restart
    unknown = app("board", "--use", "x", "--summary-base-dir", tmp_path / "new", "--workspace", workspace, *options)
    assert (unknown.returncode, unknown.stderr) == (1, "app board: board not found\n")
    second.stop()
    open_database(location.user_data).erase()
    open_database(location.database).erase()
    open_database(IndexLocation.of(tmp_path / "new", workspace, url).database).erase()


def test_start_tells_of_a_board_and_a_named_one_needs_no_telling(
    service: Start, tmp_path: Path, workspace: Path
) -> None:
    write_runs(tmp_path / "old", "a", "b")
    location = IndexLocation.of(tmp_path / "old", workspace)
    first = service(tmp_path / "old")
    send(first, "POST", "views", {"name": "losses", "address": "/scalars"})
    until(lambda: _heads(location))
    first.stop()
    (tmp_path / "old").rename(tmp_path / "new")
    told = service(tmp_path / "new").output
    assert f"looks like board {location.origin} at {tmp_path / 'old'}" in told
    assert f"--use {location.origin}" in told

    named = service(tmp_path / "new", "--board-id", location.origin, workspace=workspace)
    assert "looks like" not in named.output
    assert [view["name"] for view in named.json("/v1/views")["views"]] == ["losses"]


def _heads(location: IndexLocation) -> object:
    connection = Annotations(location).database.reading()
    return connection is not None and connection.execute("SELECT run FROM board_runs")
