"""A service on a full disk: it does not start, and one that runs goes on reading."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import OperationError
from mindinsight_like.service.launch import launch
from mindinsight_like.service.preflight import prepare_workspace
from mindinsight_like.writers.encoding import tensorboard
from tests.conftest import App, RunningService, SmallDisk


def _log(folder: Path, first: int, last: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / tensorboard.file_name(1.75e9, host="host")).open("ab") as file:
        for step in range(first, last):
            event = tensorboard.event([tensorboard.scalar("loss", 1.0)], step=step, wall_time=1.75e9 + step)
            file.write(tensorboard.frame(event))


def _processes_of(workspace: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("MINDINSIGHT_WORKSPACE") == str(workspace):
                found.append(process)
        except psutil.Error:
            continue
    return found


def test_a_start_without_room_says_so_and_leaves_nothing_behind(
    app: App, small_disk: SmallDisk, tmp_path: Path, free_port: int
) -> None:
    base, workspace = tmp_path / "logs", small_disk.folder / "workspace"
    base.mkdir()
    small_disk.fill()

    done = app("start", "--summary-base-dir", base, "--workspace", workspace, "--port", free_port)

    assert done.returncode != 0
    assert "disk full" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert _processes_of(workspace) == []


def test_a_disk_that_fills_up_during_the_start_leaves_no_process_behind(
    small_disk: SmallDisk, tmp_path: Path, free_port: int
) -> None:
    base, workspace = tmp_path / "logs", small_disk.folder / "workspace"
    base.mkdir()
    prepare_workspace(workspace)
    small_disk.fill()

    with pytest.raises(OperationError, match="No space left"):
        launch(Settings(workspace=workspace, summary_base_dir=base, port=free_port))

    assert _processes_of(workspace) == []
    assert [path.name for path in (workspace / "run").iterdir() if path.suffix != ".lock"] == []


def test_a_running_service_goes_on_reading_and_catches_up_when_there_is_room(
    service: Callable[..., RunningService], small_disk: SmallDisk, tmp_path: Path
) -> None:
    base = tmp_path / "logs"
    _log(base / "a", 0, 10)
    running = service(base, "--reload-interval", 1, workspace=small_disk.folder / "workspace")
    _until(lambda: _points(running) == 10)
    small_disk.fill()
    _log(base / "a", 10, 40_000)  # more than what SQLite has set aside

    for _ in range(20):
        assert running.get("/v1/runs")[0] == 200
        assert running.get("/")[0] == 200
        assert running.get("/readyz")[0] == 200
        time.sleep(0.1)
    assert _points(running) >= 10

    small_disk.free()
    _until(lambda: _points(running) == 40_000)
    assert "Traceback" not in (running.workspace / "log" / "loader.log").read_text()


def test_logs_are_read_from_a_full_disk(
    service: Callable[..., RunningService], small_disk: SmallDisk, tmp_path: Path
) -> None:
    base = small_disk.folder / "logs"
    _log(base / "a", 0, 10)
    small_disk.fill()

    running = service(base, "--reload-interval", 1)

    _until(lambda: _points(running) == 10)


def _points(running: RunningService) -> int:
    runs = running.json("/v1/runs")["runs"]
    if not runs:
        return 0
    series = running.json(f"/v1/scalars?run={runs[0]['id']}&tag=loss&max_points=all")["series"]
    return sum(len(each["values"]) for each in series)


def _until(condition: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)
