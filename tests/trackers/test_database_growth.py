"""Databases of trackers that are written to, changed, damaged or made to do harm."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.trackers.reader import Limits, LogUnreadable
from tests.trackers.cases import CASES
from tests.trackers.reading import Follower, read_all

Write = Callable[[sqlite3.Connection, random.Random], None]


def _mlflow(connection: sqlite3.Connection, chance: random.Random) -> None:
    runs = [run for (run,) in connection.execute("SELECT run_uuid FROM runs")]
    run = chance.choice(runs)
    what = chance.randrange(9)
    if what == 0:
        new = f"{chance.getrandbits(128):032x}"
        connection.execute(
            "INSERT INTO runs (run_uuid, name, status, start_time, lifecycle_stage, experiment_id)"
            " VALUES (?, 'new', 'RUNNING', 1700000000000, 'active', 1)",
            (new,),
        )
        runs = [new]
    elif what == 1:
        connection.execute("UPDATE runs SET status = 'FINISHED', end_time = 1800000000000 WHERE run_uuid = ?", (run,))
    elif what == 2:
        stage = chance.choice(["active", "deleted"])
        connection.execute("UPDATE runs SET lifecycle_stage = ? WHERE run_uuid = ?", (stage, run))
    elif what == 3 and len(runs) > 3:  # mlflow gc
        for table in ("metrics", "latest_metrics", "params", "tags", "runs"):
            connection.execute(f"DELETE FROM {table} WHERE run_uuid = ?", (run,))
        runs.remove(run)
    elif what == 4:
        connection.execute("INSERT OR REPLACE INTO tags VALUES ('state', ?, ?)", (str(chance.random()), run))
    for _ in range(chance.randrange(40)):
        row = (chance.choice(["loss", "acc"]), chance.random(), 1700000000000, chance.choice(runs))
        connection.execute("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, 0)", (*row, chance.randrange(1 << 40)))


def _trackio(connection: sqlite3.Connection, chance: random.Random) -> None:
    runs = [*connection.execute("SELECT run_id, run_name FROM configs")]
    run, name = chance.choice(runs)
    what = chance.randrange(6)
    if what == 0:
        run, name = f"{chance.getrandbits(128):032x}", "new"
        config = json.dumps({"lr": chance.random()}).encode()
        connection.execute(
            "INSERT INTO configs (run_id, run_name, config, created_at) VALUES (?, ?, ?, '')", (run, name, config)
        )
    elif what == 1 and len(runs) > 2:
        for table in ("metrics", "configs", "alerts"):
            connection.execute(f"DELETE FROM {table} WHERE run_id = ?", (run,))
        return
    elif what == 2:
        for table in ("metrics", "configs", "alerts"):
            connection.execute(f"UPDATE {table} SET run_name = 'renamed' WHERE run_id = ?", (run,))
        return
    for step in range(chance.randrange(40)):
        values = json.dumps({"loss": chance.random(), "deep": {"x": chance.choice(["NaN", 1])}}).encode()
        connection.execute(
            "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics)"
            " VALUES (?, '2026-11-17T10:24:22+00:00', ?, ?, ?)",
            (run, name, step, values),
        )


def _optuna(connection: sqlite3.Connection, chance: random.Random) -> None:
    what = chance.randrange(5)
    trials = [trial for (trial,) in connection.execute("SELECT trial_id FROM trials")]
    if what == 0 or len(trials) < 3:
        study = chance.choice([study for (study,) in connection.execute("SELECT study_id FROM studies")])
        ((number,),) = connection.execute("SELECT count(*) FROM trials WHERE study_id = ?", (study,))
        connection.execute(
            "INSERT INTO trials (number, study_id, state, datetime_start) VALUES (?, ?, 'RUNNING', '2026-11-17 10:00')",
            (number, study),
        )
    elif what == 1:
        connection.execute("UPDATE trials SET state = 'COMPLETE' WHERE trial_id = ?", (chance.choice(trials),))
    elif what == 2 and chance.random() < 0.3:
        connection.execute(
            "DELETE FROM trial_intermediate_values WHERE trial_id IN (SELECT trial_id FROM trials WHERE study_id = 2)"
        )
        connection.execute("DELETE FROM trials WHERE study_id = 2")
    for trial in trials:
        ((step,),) = connection.execute(
            "SELECT coalesce(max(step), -1) + 1 FROM trial_intermediate_values WHERE trial_id = ?", (trial,)
        )
        if chance.random() < 0.3:
            connection.execute(
                "INSERT INTO trial_intermediate_values (trial_id, step, intermediate_value, intermediate_value_type)"
                " VALUES (?, ?, ?, 'FINITE')",
                (trial, step, chance.random()),
            )


_KINDS = {
    "mlflow": ("mlflow/sqlite_3/mlflow.db", _mlflow),
    "trackio": ("trackio/project/digits.db", _trackio),
    "optuna": ("optuna/sqlite_5/optuna.db", _optuna),
}


@pytest.mark.parametrize("journal_mode", ["delete", "wal"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", _KINDS)
def test_a_database_that_is_followed_comes_to_what_one_look_gives(
    tmp_path: Path, kind: str, seed: int, journal_mode: str
) -> None:
    chance = random.Random(seed)
    case, write = _KINDS[kind]
    shutil.copy(CASES / case, tmp_path)
    path = tmp_path / Path(case).name
    follower = Follower(tmp_path, Limits(points=chance.choice([5, 100, 1_000_000])))
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal_mode}")
        connection.execute("PRAGMA synchronous = OFF")
        for _ in range(12):
            connection.execute("BEGIN")
            write(connection, chance)
            connection.execute("COMMIT")
            if chance.random() < 0.1:
                connection.execute("VACUUM")
            if chance.random() < 0.7:
                follower.round()
        follower.round()
        assert _all_of(follower) == _all_of(read_all(tmp_path))
    assert not follower.damage


def _all_of(follower: Follower) -> dict[str, Any]:
    return {
        name: repr((run.display_name, sorted(run.scalars.items()), run.lineage, run.state, sorted(run.items)))
        for name, run in follower.runs.items()
    }


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("seed", range(24))
def test_mutated_bytes_cost_no_neighbour(tmp_path: Path, kind: str, seed: int) -> None:
    chance = random.Random(seed)
    case, _ = _KINDS[kind]
    (tmp_path / "sound").mkdir()
    (tmp_path / "damaged").mkdir()
    shutil.copy(CASES / case, tmp_path / "sound")
    content = bytearray((CASES / case).read_bytes())
    for _ in range(chance.choice([1, 10, 100])):
        content[chance.randrange(16 if seed % 3 else 100, len(content))] = chance.randrange(256)
    if seed % 4 == 3:
        del content[chance.randrange(len(content)) :]
    (tmp_path / "damaged" / Path(case).name).write_bytes(content)
    begun = time.monotonic()
    follower = Follower(tmp_path / "damaged")
    with contextlib.suppress(LogUnreadable, OSError):
        follower.round()
    assert time.monotonic() - begun < 25
    assert read_all(tmp_path / "sound").runs


def test_damaged_pages_cost_only_their_rows(tmp_path: Path) -> None:
    path = tmp_path / "optuna.db"
    shutil.copy(CASES / "optuna/sqlite_5/optuna.db", path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO trial_intermediate_values (trial_id, step, intermediate_value, intermediate_value_type)"
            " VALUES (1, ?, 0.5, 'FINITE')",
            [(step,) for step in range(1000, 21_000)],
        )
    whole = read_all(tmp_path).runs
    content = bytearray(path.read_bytes())
    middle = len(content) // 8192 * 4096
    content[middle : middle + 4096] = bytes(4096)
    path.write_bytes(content)
    follower = read_all(tmp_path)
    key = "digits-search/0"
    (name,) = (name for name in follower.runs if name.endswith(key))
    rows, all_rows = follower.runs[name].scalars["intermediate"], whole[name].scalars["intermediate"]
    assert 0.95 * len(all_rows) < len(rows) <= len(all_rows)
    assert set(map(repr, rows)) <= set(map(repr, all_rows))
    assert len(follower.runs) == len(whole)
    if len(rows) < len(all_rows):
        assert [each for each in follower.damage if "trial_intermediate_values" in each.message]


def test_queries_without_end_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindinsight_like.trackers.files.database_rows._MOST_SECONDS", 0.5)
    path = tmp_path / "mlflow.db"
    endless = "(WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n)"
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        for table in ("runs", "params", "tags", "experiments", "metrics"):
            connection.execute(f"CREATE VIEW {table} AS SELECT {endless} AS run_uuid")
    begun = time.monotonic()
    with contextlib.suppress(LogUnreadable):
        read_all(tmp_path)
    assert time.monotonic() - begun < 10


def test_a_database_that_stays_locked_is_named_and_read_when_it_is_not(tmp_path: Path) -> None:
    shutil.copy(CASES / "optuna/sqlite_5/optuna.db", tmp_path)
    shutil.copy(CASES / "optuna/sqlite_5/optuna.db", tmp_path / "elses.db")
    follower = Follower(tmp_path)
    script = (
        "import sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('BEGIN EXCLUSIVE')\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "optuna.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "locked\n"
        with pytest.raises(LogUnreadable, match="locked"):
            follower.round()
        writer.communicate("")
    assert len(follower.round().runs) == 40


def test_damage_of_databases_that_may_be_anybodys_is_not_named(tmp_path: Path) -> None:
    content = (CASES / "optuna/sqlite_5/optuna.db").read_bytes()
    damaged = content[:100] + bytes(len(content) - 100)
    (tmp_path / "places.db").write_bytes(damaged)
    assert not read_all(tmp_path).runs
    (tmp_path / "optuna.db").write_bytes(damaged)
    with pytest.raises(LogUnreadable):
        read_all(tmp_path)
