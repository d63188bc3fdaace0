"""States of runs as the loader keeps them and the service tells them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like import SummaryWriter, log_lineage
from mindinsight_like.app.application import create_app
from mindinsight_like.conf.settings import Settings
from mindinsight_like.loader.rounds import Loader
from mindinsight_like.logs.protobuf.schemas.tensorboard import HParamsPluginData, SessionEndInfo, Status
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.writers.encoding import hyper_parameters, tensorboard, wire
from mindinsight_like.writers.files.run_state import RunStates

from .logs import tensorboard_records as records
from .logs import write


class Clock:
    """The loader's clock, which stands until it is moved."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


class Board:
    def __init__(self, tmp_path: Path, store_url: str = "") -> None:
        self.base = tmp_path / "logs"
        self.base.mkdir()
        self.clock = Clock()
        self.settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=self.base, store_url=store_url)
        self.location = IndexLocation.of(self.base, self.settings.workspace, store_url)
        self.loader = Loader(self.location, clock=self.clock)
        self.client = create_app(self.settings).test_client()

    def get(self, path: str) -> Any:
        answer = self.client.get(f"/v1/{path}")
        assert answer.status_code == 200, answer.text
        return answer.get_json()

    def run(self) -> dict[str, Any]:
        (run,) = self.get("runs")["runs"]
        assert self.get(f"runs/{run['id']}")["state"] == run["state"]
        return dict(run)


@pytest.fixture(params=["sqlite", "postgresql"])
def board(tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    store_url = request.getfixturevalue("postgresql_url") if request.param == "postgresql" else ""
    board = Board(tmp_path, store_url)
    yield board
    board.loader.close()


def test_a_run_lives_and_ends_with_its_writer(board: Board) -> None:
    writer = SummaryWriter(board.base / "a", total_steps=10)
    for step in range(5):
        writer.add_scalar("loss", 1.0, step, walltime=time.time() - 10 + step)
    writer.flush()
    board.loader.round()

    run = board.run()
    assert (run["state"], run["tracker_status"], run["exit_reason"], run["ended_at"]) == ("running", "", "", None)
    assert run["progress"] == {"step": 4, "total_steps": 10, "fraction": 0.4, "eta_seconds": pytest.approx(6, abs=0.01)}
    assert run["dialects"] == ["tensorboard"]

    try:
        with writer:
            raise RuntimeError("out of memory")
    except RuntimeError:
        pass
    board.loader.round()

    run = board.run()
    assert (run["state"], run["exit_reason"]) == ("failed", "RuntimeError: out of memory")
    assert run["duration"] == run["ended_at"] - run["started_at"]
    assert run["progress"]["eta_seconds"] is None


def test_time_alone_makes_a_run_stall_and_pages_hear_of_it_once(board: Board) -> None:
    states = RunStates()
    state = states.open(board.base)  # of a process that goes on living
    write(board.base / "events.out.tfevents.1.host", records("loss", range(100), wall=time.time() - 100))
    board.loader.round()
    assert board.run()["state"] == "running"
    cursor = board.get("changes?since=0")["cursor"]

    board.clock.ahead = 200
    board.loader.look()
    assert board.get(f"changes?since={cursor}") == board.get(f"changes?since={cursor}")
    assert board.get(f"changes?since={cursor}")["cursor"] == cursor

    board.clock.ahead = 301
    board.loader.look()
    changes = board.get(f"changes?since={cursor}")
    assert len(changes["runs"]) == 1
    assert board.run()["state"] == "stalled"

    board.loader.look()
    assert board.get("changes?since=0")["cursor"] == changes["cursor"]
    states.close(state, None)
    board.loader.round()
    assert board.run()["state"] == "finished"


def test_a_heartbeat_alone_is_no_change_for_readers(board: Board) -> None:
    states = RunStates()
    states.open(board.base)
    write(board.base / "events.out.tfevents.1.host", records("loss", [1], wall=time.time()))
    board.loader.round()
    run, cursor = board.run(), board.get("changes?since=0")["cursor"]

    board.clock.ahead = 290  # nothing was logged since, but the process is alive
    (path,) = board.base.glob("mindinsight_like.state.*")
    later = time.time() + 280
    os.utime(path, (later, later))
    board.loader.round()
    board.clock.ahead = 400
    board.loader.round()

    assert board.get("changes?since=0")["cursor"] == cursor
    assert board.run() == run
    board.clock.ahead = 600
    board.loader.round()
    assert board.run()["state"] == "stalled"


def test_old_logs_of_other_writers_are_unknown_and_growing_ones_run(board: Board) -> None:
    old = write(board.base / "old/events.out.tfevents.1.host", records("loss", range(3)), mtime=time.time() - 4000)
    write(board.base / "new/events.out.tfevents.1.host", records("loss", range(3)))
    board.loader.round()

    runs = {run["name"]: run for run in board.get("runs")["runs"]}
    assert {name: run["state"] for name, run in runs.items()} == {"old": "unknown", "new": "running"}
    assert runs["old"]["last_activity"] == pytest.approx(old.stat().st_mtime)
    assert runs["old"]["ended_at"] is None

    board.clock.ahead = 1000
    board.loader.look()
    assert {run["state"] for run in board.get("runs")["runs"]} == {"unknown"}


def test_the_number_of_steps_may_come_from_lineage(board: Board) -> None:
    write(board.base / "a/events.out.tfevents.1.host", records("loss", range(51)))
    log_lineage(board.base / "a", params={"steps": 200, "lr": 0.1}, code=False, environment=False)
    board.loader.round()

    assert board.run()["progress"]["fraction"] == 0.25


@pytest.mark.parametrize(("status", "state"), [("success", "finished"), ("failure", "failed")])
def test_a_session_of_the_hyper_parameter_plugin_tells_its_status(board: Board, status: str, state: str) -> None:
    now = time.time()
    _, start, end = hyper_parameters.session({"lr": 0.1}, [])
    if status == "failure":
        told = wire.blob(HParamsPluginData.session_end_info, wire.integer(SessionEndInfo.status, Status.STATUS_FAILURE))
        end = tensorboard.bare("_hparams_/session_end_info", plugin="hparams", settings=told)
    content = b"".join(tensorboard.frame(tensorboard.event([value], step=0, wall_time=now)) for value in (start, end))
    write(board.base / "a/events.out.tfevents.1.host", records("loss", range(5), wall=now - 10) + content)
    board.loader.round()

    run = board.run()
    assert (run["state"], run["tracker_status"]) == (state, status)
    assert run["ended_at"] == pytest.approx(now)


def test_states_outlast_a_restart_and_a_removed_state_file(board: Board) -> None:
    with SummaryWriter(board.base / "a") as writer:
        writer.add_scalar("loss", 1.0, 1)
    board.loader.round()
    board.loader.close()
    board.loader = Loader(board.location, clock=board.clock)
    board.loader.round()
    assert board.run()["state"] == "finished"

    (path,) = (board.base / "a").glob("mindinsight_like.state.*")
    path.unlink()
    board.clock.ahead = 1000
    board.loader.round()
    assert board.run()["state"] == "unknown"


def test_facts_of_all_runs_have_their_states(board: Board) -> None:
    with SummaryWriter(board.base / "a") as writer:
        writer.add_scalar("loss", 1.0, 1)
    board.loader.round()

    (facts,) = IndexReader(board.location).runs.facts()
    assert facts.status.state == "finished"
    assert facts.status.duration is not None
    assert facts.status.duration < 60
    assert facts.status.active_at == pytest.approx(facts.updated_at)
