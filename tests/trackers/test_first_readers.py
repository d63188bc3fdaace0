"""The recorded logs of JSON lines, MLflow's file store and Optuna's journal against what is known of them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.trackers.reader import Limits
from tests.trackers.cases import CASES
from tests.trackers.reading import ReadRun, compare_scalars, expected_runs, read_all

_CASES = (
    "jsonl/detr",
    "jsonl/half_line",
    "jsonl/nested",
    "jsonl/step",
    "jsonl/wandb_history",
    "mlflow/file_store_2_9",
    "mlflow/file_store_3",
    "mlflow/file_damaged",
    "mlflow/sklearn_autolog_file",
    "optuna/journal_5",
    "optuna/journal_cut",
)
_STATES = {"finished": "finished", "failed": "failed", "unfinished": "running"}


def _read(case: str, tmp_path: Path, limits: Limits) -> dict[str, ReadRun]:
    shutil.copytree(CASES / case, tmp_path / "case")
    return read_all(tmp_path, limits).runs


def _found(runs: dict[str, ReadRun], expected: dict[str, Any]) -> ReadRun:
    """A run by its place, or in a store by its name or id."""
    place = f"case/{expected['path']}"
    candidates = [place, place.rpartition("/")[0], f"case/{expected['name']}", f"case/{expected.get('id')}"]
    return next(runs[name] for name in candidates if name in runs)


@pytest.mark.parametrize("limits", [Limits(), Limits(points=7, bytes=300)], ids=["whole", "slices"])
@pytest.mark.parametrize("case", _CASES)
def test_reader_gives_what_was_logged(case: str, limits: Limits, tmp_path: Path) -> None:
    runs = _read(case, tmp_path, limits)
    for expected in expected_runs(CASES / case)["runs"]:
        if expected.get("deleted"):
            assert not any(name.endswith(expected["id"]) for name in runs)
            continue
        run = _found(runs, expected)
        compare_scalars(run, expected, may_have_more=bool(expected.get("damage")))
        if expected["state"] == "unknown":
            assert run.state is None
        elif expected["state"] == "unfinished":
            assert run.state is None or run.state.state == "running"
        else:
            assert run.state is not None and run.state.state == expected["state"]
            assert run.state.word == expected["tracker_state"]
            assert run.state.ended_at == pytest.approx(expected["ended"], abs=1e-3)
            assert run.state.started_at == pytest.approx(expected["started"], abs=1e-3)
        if not expected.get("damage"):
            params = {name: _as_written(value) for name, value in run.lineage.get("params", {}).items()}
            assert params == {name: _as_written(value) for name, value in expected["params"].items()}
            assert not run.damage


def _as_written(value: Any) -> Any:
    """MLflow has texts only, which are numbers here where they look like some."""
    if isinstance(value, bool):
        return value
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        return value if value not in ("True", "False") else value == "True"


def test_damage_is_named(tmp_path: Path) -> None:
    runs = _read("mlflow/file_damaged", tmp_path, Limits())
    said = [each.message for run in runs.values() for each in run.damage]
    assert any("metrics/loss" in each for each in said)
    assert sum("meta.yaml" in each for each in said) == 2
    assert any("params/binary is not UTF-8" in each for each in said)
    assert len(said) == 4


def test_parents_inputs_and_notes_of_mlflow(tmp_path: Path) -> None:
    runs = _read("mlflow/file_store_3", tmp_path, Limits())
    by_name = {run.display_name: run for run in runs.values()}
    parent = by_name["parent"]
    assert parent.lineage["tracker"]["tags"]["team"] == "vision"
    assert parent.lineage["tracker"]["notes"] == "the *parent* run\n第二行"
    assert parent.lineage["tracker"]["experiment"] == "digits"
    assert parent.lineage["inputs"] == [{"name": "toy", "type": "dataset", "hash": "548fb748"}]
    assert [each["path"] for each in parent.lineage["outputs"]] == [
        "artifacts/dict.json",
        "artifacts/notes/read me.txt",
        "artifacts/pictures/pic.png",
    ]
    assert [each["files"] for each in parent.documents()] == [["artifacts/pictures/pic.png"]]
    (child,) = (run for run in runs.values() if run.display_name == "grandchild")
    assert child.lineage["parents"] == [
        {"relation": "parent", "run": f"../{by_name['child-2'].name.rpartition('/')[2]}"}
    ]


def test_trials_of_optuna(tmp_path: Path) -> None:
    runs = _read("optuna/journal_5", tmp_path, Limits())
    for expected in expected_runs(CASES / "optuna/journal_5")["runs"]:
        run = _found(runs, expected)
        assert run.lineage["tracker"]["group"] == expected["study"]
        assert run.lineage["tracker"].get("tags", {}) == expected["tags"]
        assert list(run.lineage.get("metrics", {}).values()) == (expected["values"] or [])
        if expected["state"] == "unfinished":
            assert run.state is not None and run.state.word == expected["tracker_state"]


@pytest.mark.parametrize(
    "content",
    [
        '{"id": 1, "text": "a sample", "label": 3}\n',
        '{"step": 1, "prompt": "%s", "reward": 0.5}\n' % ("word " * 100),
        '{"epoch": 0.5, "loss": 1.0}\n',
        '{"step": 3}\n{"step": 4}\n',
        "[1, 2, 3]\n",
        '{"step": true, "loss": 0.5}\n',
        "",
    ],
)
def test_other_json_lines_are_no_run(content: str, tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text(content)
    assert not read_all(tmp_path).runs
