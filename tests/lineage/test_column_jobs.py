"""Columns from curves of many runs are computed as jobs, shared by all processes, and kept."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import numpy as np
import pytest

from mindinsight_like.app.application import create_app
from mindinsight_like.lineage.table.scalars.column_jobs import ColumnJobs, StoredValues
from mindinsight_like.lineage.table.scalars.column_process import compute
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.reader import IndexReader
from tests.boards.conftest import Board, board

__all__ = ["board"]  # fixture of the boards' tests

COLUMN = "scalar/x/mean:2"
RUNS = 401  # one more than a request computes itself


@pytest.fixture
def many_runs(board: Board) -> Board:
    for number in range(RUNS):
        board.log(f"r{number:03}", "x", [1.0, 3.0])
    board.load()
    return board


def ask(board: Board, **params: Any) -> Any:
    params = {"columns": [COLUMN], "sort": "run", "limit": 2, **params}
    answer = board.client.post("/v1/runs/table", json=params)
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def ask_until_ready(board: Board) -> Any:
    deadline = time.monotonic() + 60
    while (answer := ask(board))["columns"][0]["status"] == "pending" and time.monotonic() < deadline:
        time.sleep(0.05)
    return answer


def restarted(board: Board) -> Board:
    """The same index behind another web process."""
    return dataclasses.replace(board, client=create_app(board.settings).test_client())


def test_means_of_many_runs_are_pending_until_they_are_ready(many_runs: Board) -> None:
    first = ask(many_runs)["columns"][0]
    answer = ask_until_ready(many_runs)

    assert first["status"] == "pending"
    assert (answer["columns"][0]["status"], answer["columns"][0]["count"]) == ("ready", RUNS)
    assert answer["rows"][0]["values"] == {COLUMN: 2.0}


def test_values_are_there_after_a_restart_and_follow_runs_that_change(many_runs: Board) -> None:
    ask_until_ready(many_runs)

    answer = ask(restarted(many_runs))

    assert (answer["columns"][0]["status"], answer["columns"][0]["count"]) == ("ready", RUNS)
    many_runs.log("r000", "x", [9.0], first_step=2)
    many_runs.load()
    for each in (many_runs, restarted(many_runs)):
        answer = ask(each)
        assert answer["columns"][0]["status"] == "ready"
        assert [row["values"][COLUMN] for row in answer["rows"]] == [6.0, 2.0]


def test_a_response_is_another_one_when_pending_values_are_ready(many_runs: Board) -> None:
    query = {"columns": COLUMN, "limit": "0"}
    tag = many_runs.client.get("/v1/runs/table", query_string=query).headers["ETag"]
    ask_until_ready(restarted(many_runs))

    again = many_runs.client.get("/v1/runs/table", query_string=query, headers={"If-None-Match": tag})

    assert again.status_code == 200
    assert again.get_json()["columns"][0]["status"] == "ready"


def test_only_runs_that_have_changed_are_computed_again(board: Board) -> None:
    board.log("a", "x", [1.0, 3.0])
    board.log("b", "x", [1.0, 3.0])
    board.log("c", "y", [1.0])
    board.load()
    reader = IndexReader(IndexLocation.of_settings(board.settings))
    job = ColumnJobs(reader.folder, {}).folder(COLUMN)
    job.path.mkdir(parents=True)
    compute(job, reader, COLUMN)
    stored = job.values()
    assert stored is not None
    assert stored.values[stored.present].tolist() == [2.0, 2.0]
    job.write_values(dataclasses.replace(stored, values=np.where(stored.present, 7.0, np.nan)))
    board.log("b", "x", [5.0], first_step=2)
    board.load()

    compute(job, reader, COLUMN)

    ids = {each.name: each.id for each in reader.runs.facts()}
    again = job.values()
    assert again is not None
    assert {name: again.values[again.places[ids[name]]] for name in "ab"} == {"a": 7.0, "b": 4.0}
    assert not again.present[again.places[ids["c"]]]


def test_a_damaged_file_counts_as_none(board: Board) -> None:
    job = ColumnJobs(board.settings.workspace, {}).folder(COLUMN)
    job.path.mkdir(parents=True)
    nothing = np.zeros(0)
    job.write_values(StoredValues(np.zeros(0, "S4"), nothing.astype(np.int64), nothing, nothing.astype(bool)))
    assert job.values() is not None

    file = job.path / "values"
    content = bytearray(file.read_bytes())
    content[10] ^= 1
    file.write_bytes(content)

    assert job.values() is None
