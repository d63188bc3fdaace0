"""The recorded databases of MLflow, Trackio and Optuna against what is known of them."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.trackers.reader import Limits
from tests.trackers.cases import CASES
from tests.trackers.reading import ReadRun, compare_scalars, expected_runs, number, read_all, unix_seconds

_CASES = (
    "mlflow/sqlite_3",
    "mlflow/sqlite_live_wal",
    "mlflow/sklearn_autolog_sqlite",
    "trackio/project",
    "trackio/resumed",
    "trackio/live_wal",
    "optuna/sqlite_5",
)


def found(runs: dict[str, ReadRun], expected: dict[str, Any]) -> ReadRun:
    """The run that ends in an id or a name."""
    ends = [each for each in (expected["name"], expected.get("id")) if each]
    return next(run for end in ends for name, run in runs.items() if name.endswith(f"/{end}"))


def names_and_bytes(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@pytest.mark.parametrize("limits", [Limits(), Limits(points=7, bytes=300)], ids=["whole", "slices"])
@pytest.mark.parametrize("case", _CASES)
def test_a_database_gives_what_was_logged(case: str, limits: Limits, tmp_path: Path) -> None:
    shutil.copytree(CASES / case, tmp_path / "case")
    before = names_and_bytes(tmp_path)
    follower = read_all(tmp_path, limits)
    for expected in expected_runs(CASES / case)["runs"]:
        if expected.get("deleted"):
            assert not any(name.endswith(expected["id"]) for name in follower.runs)
            continue
        run = found(follower.runs, expected)
        _compare(run, expected)
    assert not follower.damage
    assert names_and_bytes(tmp_path) == before


def _compare(run: ReadRun, expected: dict[str, Any]) -> None:
    # In a database points lie in the order of logging, the trackers' own readers give them by time or step.
    for rows in (*run.scalars.values(), *expected["scalars"].values()):
        rows.sort(key=repr)
    for tag, rows in expected["scalars"].items():
        for row in rows:
            if number(row[1]) == sys.float_info.max:
                row[1] = "Infinity"
            if number(row[1]) == -sys.float_info.max:
                row[1] = "-Infinity"
        rows.sort(key=lambda row: repr((row[0], number(row[1]))))
        run.scalars[tag].sort(key=lambda row: repr(row[:2]))
    compare_scalars(run, expected)
    if expected["state"] == "unknown":
        assert run.state is None
    else:
        assert run.state is not None
        assert run.state.state == expected["state"].replace("unfinished", "running")
        assert run.state.word == expected["tracker_state"]
        assert run.state.started_at == pytest.approx(unix_seconds(expected["started"]) or 0.0, abs=1e-3)
        assert run.state.ended_at == pytest.approx(expected["ended"], abs=1e-3)
    params = {name: as_written(value) for name, value in run.lineage.get("params", {}).items()}
    assert params == {name: as_written(value) for name, value in expected["params"].items()}


def as_written(value: Any) -> Any:
    """MLflow has texts only, which are numbers here where they look like some."""
    if isinstance(value, str):
        if value in ("True", "False"):
            return value == "True"
        try:
            return float(value) if value.lower() != "nan" else value
        except ValueError:
            return value
    return value if isinstance(value, bool) or not isinstance(value, int) else float(value)


def _read(case: str, tmp_path: Path) -> dict[str, ReadRun]:
    shutil.copytree(CASES / case, tmp_path / "case")
    return read_all(tmp_path).runs


def test_lineage_of_mlflow(tmp_path: Path) -> None:
    runs = _read("mlflow/sqlite_3", tmp_path)
    by_name = {run.display_name: run for run in runs.values()}
    parent = by_name["parent"].lineage
    assert parent["inputs"] == [{"name": "toy", "type": "dataset", "hash": "548fb748"}]
    assert [each["path"].rpartition("/artifacts/")[2] for each in parent["outputs"]] == [
        "dict.json",
        "notes/read me.txt",
        "pictures/pic.png",
    ]
    assert parent["tracker"]["experiment"] == "digits"
    assert parent["tracker"]["notes"] == "the *parent* run\n第二行"
    (picture,) = by_name["parent"].documents()
    assert (tmp_path / "case" / picture["files"][0]).is_file()
    with_model = by_name["with model"].lineage
    models = with_model["inputs"] + with_model["outputs"]
    assert [(each["name"], each["type"]) for each in models] == [("net", "model"), ("net", "model")]
    key = by_name["parent"].name.rpartition("/")[2]
    assert by_name["child-0"].lineage["parents"] == [{"relation": "parent", "run": f"../{key}"}]


def test_artifacts_outside_the_folder_are_not_looked_for(tmp_path: Path) -> None:
    shutil.copytree(CASES / "mlflow/sqlite_3", tmp_path / "base/case")
    (tmp_path / "mlartifacts/x/artifacts").mkdir(parents=True)
    (tmp_path / "mlartifacts/x/artifacts/secret.png").write_bytes(b"x")
    for uri in ("/../../mlartifacts/x/artifacts", "file:///a/../../mlartifacts/x/artifacts", "/../artifacts"):
        with contextlib.closing(sqlite3.connect(tmp_path / "base/case/mlflow.db")) as connection, connection:
            connection.execute("UPDATE runs SET artifact_uri = ?", (uri,))
        for run in read_all(tmp_path / "base").runs.values():
            assert not run.items
            assert not [each for each in run.lineage.get("outputs", ()) if each["type"] == "artifact"]


def test_media_alerts_and_groups_of_trackio(tmp_path: Path) -> None:
    runs = _read("trackio/project", tmp_path)
    expected = expected_runs(CASES / "trackio/project")["runs"]
    for each in expected:
        run = found(runs, each)
        assert run.name == f"case/digits/{each['id']}"
        assert run.display_name == each["name"]
        assert run.lineage["tracker"]["group"] == each["group"]
        assert run.lineage["tracker"]["project"] == "digits"
    items = {item.tag: (item, json.loads(item.document)) for run in runs.values() for item in run.items}
    assert items["alerts"][0].step == 112
    assert items["alerts"][1] == {"text": "**warn: loss spike**\n\nlook"}
    assert (tmp_path / "case" / items["pic"][1]["files"][0]).is_file()
    assert items["pic"][1]["captions"] == ["tile"]
    assert items["table"][1] == {"columns": ["id", "text"], "rows": [[1, "a"], [2, "世"]]}
    assert len(items["hist"][1]["edges"]) == len(items["hist"][1]["counts"]) + 1


def test_system_metrics_and_artifacts_of_trackio(tmp_path: Path) -> None:
    shutil.copytree(CASES / "trackio/project", tmp_path / "case")
    run = expected_runs(CASES / "trackio/project")["runs"][0]["id"]
    with contextlib.closing(sqlite3.connect(tmp_path / "case/digits.db")) as connection, connection:
        for row in range(3):
            connection.execute(
                "INSERT INTO system_metrics (run_id, timestamp, run_name, metrics) VALUES (?, ?, 'run-0', ?)",
                (run, f"2026-11-17T10:24:2{row}+00:00", b'{"gpu": {"util": 0.5}}'),
            )
        connection.execute("INSERT INTO artifacts VALUES (1, 'data', 'dataset', NULL, '')")
        connection.execute("INSERT INTO artifact_versions VALUES (1, 1, 0, 'ab12', '{}', NULL, 1, NULL, NULL, '')")
        connection.execute("INSERT INTO run_artifact_links VALUES (1, ?, 'run-0', 'digits', 1, 'input', '')", (run,))
    read = read_all(tmp_path).runs[f"case/digits/{run}"]
    assert [step for step, _, _ in read.scalars["system/gpu.util"]] == [0, 1, 2]
    assert read.lineage["inputs"] == [{"name": "data:v0", "type": "dataset", "hash": "ab12"}]


def test_trials_of_optuna(tmp_path: Path) -> None:
    runs = _read("optuna/sqlite_5", tmp_path)
    for expected in expected_runs(CASES / "optuna/sqlite_5")["runs"]:
        run = runs[f"case/{expected['name']}"]
        assert run.lineage["tracker"]["group"] == expected["study"]
        assert run.lineage["tracker"].get("tags", {}) == expected["tags"]
        assert list(run.lineage.get("metrics", {}).values()) == (expected["values"] or [])


@pytest.mark.parametrize("name", ["mlflow.db", "study.sqlite", "other.db"])
def test_other_databases_are_no_runs(name: str, tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / name)) as connection, connection:
        connection.execute("CREATE TABLE metrics (key, value)")
        connection.execute("CREATE VIEW trials AS SELECT 1 AS trial_id")
    follower = read_all(tmp_path)
    assert not follower.runs
    assert not follower.damage


def test_a_database_under_another_name_is_read_by_its_tables(tmp_path: Path) -> None:
    for name, case, file in (
        ("a", "mlflow/sqlite_3", "mlflow.db"),
        ("b", "optuna/sqlite_5", "optuna.db"),
        ("c", "trackio/project", "digits.db"),
    ):
        (tmp_path / name).mkdir()
        shutil.copy(CASES / case / file, tmp_path / name / "mlflow-x.db")
    runs = read_all(tmp_path).runs
    trackers = {name.partition("/")[0]: run.lineage["tracker"]["name"] for name, run in runs.items()}
    assert trackers == {"a": "mlflow", "b": "optuna", "c": "trackio"}
