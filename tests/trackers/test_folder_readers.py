"""The recorded folders and archives of DVCLive, Sacred, ClearML and Comet against what is known of them."""

from __future__ import annotations

import math
import random
import shutil
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.trackers.reader import Limits, LogUnreadable
from tests.trackers.cases import CASES
from tests.trackers.reading import Follower, ReadRun, compare_scalars, expected_runs, read_all, unix_seconds

_CASES = ("dvclive/epochs", "dvclive/resumed", "sacred/digits", "clearml/offline", "comet/offline")


def _found(runs: dict[str, ReadRun], expected: dict[str, Any]) -> ReadRun:
    return runs[f"case/{expected['path'].removesuffix('.zip')}"]


@pytest.mark.parametrize("limits", [Limits(), Limits(points=7, bytes=300)], ids=["whole", "slices"])
@pytest.mark.parametrize("case", _CASES)
def test_reader_gives_what_was_logged(case: str, limits: Limits, tmp_path: Path) -> None:
    shutil.copytree(CASES / case, tmp_path / "case")
    runs = read_all(tmp_path, limits).runs
    expected_of_case = expected_runs(CASES / case)["runs"]
    assert len(runs) == len(expected_of_case)
    for expected in expected_of_case:
        run = _found(runs, expected)
        compare_scalars(run, expected)
        assert not run.damage
        if expected["state"] == "unknown":
            assert run.state is None
        else:
            assert run.state is not None and run.state.state == expected["state"]
            assert run.state.word == expected["tracker_state"]
            if "started" in expected:
                assert run.state.started_at == pytest.approx(unix_seconds(expected["started"]), abs=1e-3)
        params = run.lineage["params"]
        wanted = expected["params"]
        assert {name: str(value) for name, value in params.items()} == {name: str(v) for name, v in wanted.items()}
        if expected.get("tags"):
            assert run.lineage["tracker"]["tags"] == expected["tags"]
        if expected.get("notes"):
            assert run.lineage["tracker"]["notes"] == expected["notes"]


def _read_one(base: Path) -> ReadRun:
    (run,) = read_all(base).runs.values()
    return run


def test_hashes_of_dvc_are_lineage(tmp_path: Path) -> None:
    shutil.copytree(CASES / "dvclive/epochs", tmp_path / "case")
    case = tmp_path / "case"
    (case / "dvc.lock").write_text(
        "schema: '2.0'\nstages:\n  train:\n    cmd: python train.py\n    deps:\n    - path: data/train.csv\n"
        "      hash: md5\n      md5: 0cc175b9c0f1b6a831c399e269772661\n      size: 3\n"
        "    outs:\n    - path: dvclive\n      md5: aa\n    - path: model.pt\n      md5: bb\n"
        "  other:\n    deps:\n    - path: x\n      md5: cc\n"
    )
    (case / "dvc.yaml").write_text("artifacts:\n  best:\n    path: best.pt\n    type: model\n")
    (case / "data.dvc").write_text("outs:\n- md5: d41d8cd98f00b204e9800998ecf8427e.dir\n  path: data\n")
    (case / "best.pt.dvc").write_text("outs:\n- md5: 92eb5ffee6ae2fec3ad71c777531578f\n  path: best.pt\n")
    (case / "hostile.dvc").write_text("outs: !!python/object/apply:os.system ['touch /tmp/x']\n")
    run = _read_one(tmp_path)
    assert {each["path"]: each["hash"] for each in run.lineage["inputs"]} == {
        "data/train.csv": "0cc175b9c0f1b6a831c399e269772661",
        "data": "d41d8cd98f00b204e9800998ecf8427e.dir",
    }
    assert {each["path"]: each["hash"] for each in run.lineage["outputs"]} == {
        "model.pt": "bb",
        "best.pt": "92eb5ffee6ae2fec3ad71c777531578f",
    }
    assert run.lineage["metrics"]["val/acc"] == pytest.approx(0.927, abs=1e-3)
    assert run.lineage["metrics"]["final"] == 0.5
    assert [each["files"] for each in run.documents()] == [["plots/images/tile.png"]]


def test_a_folder_of_plots_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "paper/plots/metrics").mkdir(parents=True)
    (tmp_path / "paper/plots/metrics/a.tsv").write_text("step\ta\n1\t2\n")
    (tmp_path / "paper/metrics.json").write_text('{"a": 1}')
    assert not read_all(tmp_path).runs


@pytest.mark.parametrize("case", _CASES)
@pytest.mark.parametrize("seed", range(6))
def test_a_folder_that_grows_comes_to_what_one_look_gives(case: str, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    files = [path for path in sorted((CASES / case).rglob("*")) if path.is_file() and path.name != "expected.json"]
    ends = {path: chance.randrange(path.stat().st_size + 1) if path.stat().st_size else 0 for path in files}
    follower = Follower(tmp_path, Limits(bytes=chance.choice([300, 1 << 20])))
    for share in (0.3, 0.6, 1.0):
        for path in files:
            target = tmp_path / "case" / path.relative_to(CASES / case)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".zip" and share < 1:
                continue
            end = path.stat().st_size if share == 1 else int(ends[path] * share)
            with target.open("r+b" if target.exists() else "wb") as out:
                out.write(path.read_bytes()[:end])
        follower.round()
    follower.round()
    whole = read_all(tmp_path).runs
    for name, run in whole.items():
        grown = follower.runs[name]
        assert repr(sorted(grown.scalars.items())) == repr(sorted(run.scalars.items()))
        assert grown.lineage == run.lineage
        assert grown.state == run.state


@pytest.mark.parametrize("case", _CASES)
@pytest.mark.parametrize("seed", range(12))
def test_mutated_bytes_cost_no_neighbour(case: str, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    shutil.copytree(CASES / case, tmp_path / "damaged")
    shutil.copytree(CASES / case, tmp_path / "sound")
    for path in sorted((tmp_path / "damaged").rglob("*")):
        if path.is_file() and path.stat().st_size and chance.random() < 0.6:
            content = bytearray(path.read_bytes())
            for _ in range(chance.choice([1, 5, 50])):
                content[chance.randrange(len(content))] = chance.randrange(256)
            if chance.random() < 0.2:
                del content[chance.randrange(len(content)) :]
            path.write_bytes(content)
    begun = time.monotonic()
    try:
        read_all(tmp_path / "damaged")
    except (LogUnreadable, OSError) as error:
        assert str(error)
    assert time.monotonic() - begun < 10
    assert len(read_all(tmp_path / "sound").runs) == len(expected_runs(CASES / case)["runs"])


def test_console_results_and_reasons_of_sacred(tmp_path: Path) -> None:
    shutil.copytree(CASES / "sacred/digits", tmp_path / "case")
    runs = read_all(tmp_path).runs
    first, failed = runs["case/sacred/1"], runs["case/sacred/3"]
    assert first.documents() == [{"lines": ["a line of output"], "times": []}]
    assert first.display_name == "digits"
    assert first.lineage["metrics"] == {"result": 0.5}
    assert first.lineage["environment"]["python"] == "3.11.7"
    assert failed.state is not None and failed.state.reason == "RuntimeError: boom"


def test_a_heartbeat_that_is_being_written_loses_nothing(tmp_path: Path) -> None:
    shutil.copytree(CASES / "sacred/digits/sacred/1", tmp_path / "1")
    metrics, run = (tmp_path / "1" / name for name in ("metrics.json", "run.json"))
    run.write_text(run.read_text().replace("COMPLETED", "RUNNING"))
    whole = metrics.read_bytes()
    follower = Follower(tmp_path).round()
    points = repr(follower.runs["1"].scalars)
    for content in (b"", whole[:700], whole):
        metrics.write_bytes(content)
        follower.round()
        assert repr(follower.runs["1"].scalars) == points
    assert not follower.runs["1"].damage
    metrics.write_bytes(whole[:700])
    run.write_text(run.read_text().replace("RUNNING", "COMPLETED"))
    assert ["metrics.json" in each.message for each in follower.round().runs["1"].damage] == [True]


def test_a_metric_of_sacred_that_changes_is_read_anew(tmp_path: Path) -> None:
    shutil.copytree(CASES / "sacred/digits/sacred/1", tmp_path / "1")
    follower = Follower(tmp_path).round()
    (tmp_path / "1/metrics.json").write_text(
        '{"loss": {"steps": [0, null, 5], "values": [NaN, {"py/object": "numpy.float64", "value": 2.5}, Infinity],'
        ' "timestamps": ["2026-11-17T10:33:31", "2026-11-17T10:33:32.5", "2026-11-17T10:33:33"]}}'
    )
    rows = follower.round().runs["1"].scalars
    assert repr(rows) == repr(
        {"loss": [(0, float("nan"), 1794911611.0), (1, 2.5, 1794911612.5), (5, float("inf"), 1794911613.0)]}
    )


def test_folder_and_archive_of_clearml_are_one_run(tmp_path: Path) -> None:
    shutil.copytree(CASES / "clearml/offline", tmp_path / "both")
    (archive,) = (tmp_path / "both").glob("*.zip")
    (tmp_path / "alone").mkdir()
    shutil.copy(archive, tmp_path / "alone")
    runs = read_all(tmp_path).runs
    stem = archive.name.removesuffix(".zip")
    assert set(runs) == {f"both/{stem}", f"alone/{stem}"}
    folder, alone = runs[f"both/{stem}"], runs[f"alone/{stem}"]
    assert folder.scalars == alone.scalars
    assert folder.lineage == alone.lineage
    assert folder.documents() == alone.documents()
    assert folder.lineage["params"] == {"General/lr": 0.1, "General/net/depth": 3}
    (console,) = folder.documents()
    assert console["lines"][-2:] == ["a line of output", "reported text"]


def _zip(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_archives_that_are_made_to_do_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindinsight_like.trackers.files.archives._MOST_BYTES", 10 << 20)
    base = tmp_path / "base"
    base.mkdir()
    _zip(base / "bomb.zip", {"experiment.json": b"{}", "messages.json": bytes(100 << 20)})
    with pytest.raises(LogUnreadable, match="more than"):
        read_all(base)
    (base / "bomb.zip").unlink()
    line = b'{"type": "metric_msg", "payload": {"metric": {"metricName": "a", "metricValue": "-Infinity"}}}\n'
    _zip(base / "a.zip", {"experiment.json": b"{}", "../../outside": b"x", "/etc/outside": b"x", "messages.json": line})
    assert _read_one(base).scalars["a"][0][:2] == (0, -math.inf)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.zip", "base"]


def test_other_archives_are_no_runs(tmp_path: Path) -> None:
    _zip(tmp_path / "data.zip", {"images/1.png": b"x", "experiment.json": b"{}", "messages.json": b""})
    _zip(tmp_path / f"offline-{'0' * 32}.zip", {"readme": b"x"})
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04")
    assert not read_all(tmp_path).runs


def test_an_archive_that_is_not_complete_is_read_when_it_is(tmp_path: Path) -> None:
    (archive,) = (CASES / "comet/offline").glob("*.zip")
    content = archive.read_bytes()
    (tmp_path / archive.name).write_bytes(content[:5000])
    follower = Follower(tmp_path)
    with pytest.raises(LogUnreadable):
        follower.round()
    (tmp_path / archive.name).write_bytes(content)
    (run,) = follower.round().runs.values()
    assert len(run.scalars["loss"]) == 25


@pytest.mark.parametrize("name", ["task.json", "metrics.jsonl"])
def test_a_line_of_clearml_that_is_damaged_is_named(tmp_path: Path, name: str) -> None:
    shutil.copytree(CASES / "clearml/offline", tmp_path / "case")
    (path,) = (tmp_path / "case").glob(f"*/{name}")
    path.write_bytes(b"{[" + path.read_bytes())
    run = _read_one(tmp_path)
    assert [name in each.message for each in run.damage] == [True]
