"""Offline runs of W&B are read as W&B itself reads them, and more of damaged ones."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.logs.protobuf.schemas import wandb
from mindinsight_like.trackers.reader import Limits
from mindinsight_like.trackers.source import LocalSource
from mindinsight_like.writers.encoding import wire

from .cases import CASES
from .reading import Follower, ReadRun, compare_scalars, expected_runs, number, read_all, unix_seconds
from .wandb_log import (
    exit_record,
    history_record,
    item,
    preempting_record,
    run_record,
    stats_record,
    write_log,
)

WANDB = CASES / "wandb"
STATES = {"finished": "finished", "failed": "failed", "unfinished": "running"}


def runs_of(case: Path) -> list[tuple[ReadRun, dict[str, Any]]]:
    """The runs of a case, each as it was read and as it is expected."""
    read = read_all(case).runs
    expected = expected_runs(case)["runs"]
    assert len(read) == len(expected)
    return [(read[each["path"].rpartition("/")[0]], each) for each in expected]


@pytest.mark.parametrize("case", sorted(path.name for path in WANDB.iterdir()))
def test_cases_equal_what_is_expected(case: str) -> None:
    for run, expected in runs_of(WANDB / case):
        compare_scalars(run, expected, may_have_more=case == "damaged")
        is_named = bool(expected["name"])
        assert run.display_name == (expected["name"] or "")
        assert run.lineage.get("params", {}) == expected["params"]
        assert (run.state is None) == (not is_named)
        if run.state is not None:
            assert run.state.state == STATES[expected["state"]]
            assert run.state.word == ("running" if expected["state"] == "unfinished" else expected["tracker_state"])
            assert run.state.started_at == pytest.approx(unix_seconds(expected["started"]), abs=1e-3)
            about = run.lineage["tracker"]
            for name in ("id", "group", "job_type", "notes", "tags", "project"):
                assert about.get(name) == (expected[name] or None), name
            assert run.lineage["environment"]["host"] == expected["host"]
        damage = expected.get("damage", {"growing": True})
        assert bool(run.damage) == (not damage["growing"])


@pytest.mark.parametrize(
    "case", sorted(path.name for path in WANDB.iterdir() if path.name not in ("damaged", "growing"))
)
def test_host_metrics_are_scalars_below_system(case: str) -> None:
    for run, expected in runs_of(WANDB / case):
        for key, rows in expected["system"].items():
            assert [(wall, value) for _, value, wall in run.scalars[f"system/{key}"]] == [
                (pytest.approx(unix_seconds(time), abs=1e-6), number(value)) for time, value in rows
            ]


def test_steps_of_host_metrics_are_seconds_since_the_start(tmp_path: Path) -> None:
    samples = [(1010, 1.0), (1010, 2.0), (1025, 3.0), (1024, 4.0), (1100, 5.0)]
    records = [stats_record(seconds, {"cpu": value}) for seconds, value in samples]
    log = tmp_path / "run-a.wandb"
    write_log(log, [run_record("a", "n", 1000), *records])
    content = log.read_bytes()
    whole = read_all(tmp_path).runs["."].scalars["system/cpu"]
    log.write_bytes(b"")
    follower = Follower(tmp_path)
    for end in range(0, len(content) + 1, 5):
        log.write_bytes(content[:end])
        follower.round()
    log.write_bytes(content)

    assert [step for step, _, _ in whole] == [10, 11, 25, 26, 100]
    assert follower.round().runs["."].scalars["system/cpu"] == whole


@pytest.mark.parametrize("case", ["everything", "old_0_13", "sweep_group", "forked", "resumed", "big_records"])
def test_the_summary_is_the_result(case: str) -> None:
    for run, expected in runs_of(WANDB / case):
        metrics = run.lineage["metrics"]
        for name, value in expected["summary"].items():
            if name.startswith("_") or (isinstance(value, dict) and "_type" in value):
                assert not [each for each in metrics if each == name or each.startswith(f"{name}.")]
            elif isinstance(value, int | float):
                assert metrics[name] == value
        if case == "everything":
            assert metrics["loss.min"] == expected["summary"]["loss"]["min"]


@pytest.mark.parametrize("case", ["everything", "old_0_13", "killed", "exit_in_the_middle"])
def test_pieces_of_output_become_lines(case: str) -> None:
    for run, expected in runs_of(WANDB / case):
        text = "".join(piece["line"] for piece in expected["console"])
        wanted = text.split("\n")
        consoles = [json.loads(item.document) for item in run.items if item.kind == Kind.CONSOLE]
        lines = [line for console in consoles for line in console["lines"]]

        assert lines == wanted[: len(lines)]
        assert len(lines) == len(wanted) - 1  # the rest of a line waits, or there is none
        assert all(len(console["times"]) == len(console["lines"]) for console in consoles)
        assert [item.step for item in run.items if item.kind == Kind.CONSOLE] == [0] * len(consoles)


@pytest.mark.parametrize("case", ["everything", "old_0_13"])
def test_media_are_items_with_files_beside_the_log(case: str) -> None:
    ((run, _),) = runs_of(WANDB / case)
    folder = WANDB / case / run.name
    documents = {(item.kind, item.tag, item.step): json.loads(item.document) for item in run.items}
    files = {key: document for key, document in documents.items() if "files" in document}

    assert all((folder / path).is_file() for document in files.values() for path in document["files"])
    assert documents[Kind.IMAGE, "pic", 5000]["captions"] == ["tile 0"]
    assert len(documents[Kind.IMAGE, "pics", 5001]["files"]) == 3
    assert documents[Kind.IMAGE, "pics", 5001]["captions"] == ["0", "1", "2"]
    assert documents[Kind.HISTOGRAM, "hist2", 5001]["counts"] == [1, 5, 2]
    assert len(documents[Kind.HISTOGRAM, "hist", 5001]["edges"]) == 65
    assert (folder / documents[Kind.TABLE, "table", 5002]["file"]).is_file()
    assert documents[Kind.TEXT, "page", 5002]["text"].startswith("```html\n")
    if case == "everything":
        assert (Kind.AUDIO, "sound", 5003) in files


def test_artifacts_code_and_axes_are_told() -> None:
    ((run, _),) = runs_of(WANDB / "everything")

    assert {each["name"] for each in run.lineage["outputs"]} == {"weights", "run-48l1oxfk-table"}
    assert run.lineage["code"]["command"] == "/srv/tools/gen_wandb.py s/wandb/everything everything seed=1"
    assert run.lineage["tracker"]["step_metrics"] == {"eval/*": "epoch"}


def test_environments_of_old_versions_stand_beside_the_log() -> None:
    ((run, _),) = runs_of(WANDB / "old_0_13")

    assert run.lineage["environment"]["python"] == "3.9.18"
    assert run.lineage["code"]["script"] == "/srv/tools/gen_wandb.py"


def test_a_fork_and_a_resumed_run_name_where_they_go_on() -> None:
    (trunk, _), (branch, _) = runs_of(WANDB / "forked")
    (first, _), (second, _) = runs_of(WANDB / "resumed")

    assert branch.lineage["parents"] == [
        {"relation": "forked from", "run": f"../{trunk.name.rpartition('/')[2]}", "step": "12"}
    ]
    assert second.lineage["parents"] == [{"relation": "resumed from", "run": f"../{first.name.rpartition('/')[2]}"}]
    assert "parents" not in trunk.lineage
    assert "parents" not in first.lineage


def test_latest_run_is_counted_once(tmp_path: Path) -> None:
    run = tmp_path / "wandb" / "offline-run-20260101_000000-abc"
    run.mkdir(parents=True)
    (run / "run-abc.wandb").write_bytes((WANDB / "damaged/junk_after/run-284lkymz.wandb").read_bytes())
    (tmp_path / "wandb" / "latest-run").symlink_to(run.name)

    assert list(read_all(tmp_path).runs) == ["wandb/offline-run-20260101_000000-abc"]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "case", ["everything", "old_0_13", "killed", "big_records", "damaged/flipped", "damaged/zeros"]
)
def test_a_growing_log_gives_what_a_whole_one_does(case: str, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    log = next((WANDB / case).rglob("run-*.wandb"))
    content = log.read_bytes()
    whole = read_all(log.parent).runs["."]
    (tmp_path / "files").symlink_to(log.parent / "files")
    limits = Limits(
        points=chance.choice([1, 100, 10**6]), bytes=chance.choice([1, 5000, 10**6]), seconds=chance.choice([0, 1])
    )
    follower = Follower(tmp_path, limits)

    end = 0
    while end < len(content):
        end = min(len(content), end + chance.choice([1, 3, 40, 5000, 100_000, 10**6]) * chance.randint(1, 3))
        with (tmp_path / log.name).open("ab") as out:
            out.write(content[out.tell() : end])
        follower.round()
    grown = follower.runs["."]

    assert repr(sorted(grown.scalars.items())) == repr(sorted(whole.scalars.items()))  # NaN is not itself
    assert lines_of(grown) == lines_of(whole)
    assert media_of(grown) == media_of(whole)
    assert grown.state == whole.state
    assert grown.lineage["params"] == whole.lineage["params"]
    assert sorted(map(repr, grown.lineage["metrics"].items())) == sorted(map(repr, whole.lineage["metrics"].items()))
    assert [each.offset for each in grown.damage] == [each.offset for each in whole.damage]


def lines_of(run: ReadRun) -> list[str]:
    return [line for item in run.items if item.kind == Kind.CONSOLE for line in json.loads(item.document)["lines"]]


def media_of(run: ReadRun) -> list[Any]:
    return [item for item in run.items if item.kind not in (Kind.CONSOLE, Kind.TEXT)]


def test_only_what_is_new_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = (WANDB / "damaged/junk_after/run-284lkymz.wandb").read_bytes()[:150_000]
    log = tmp_path / "run-284lkymz.wandb"
    follower = Follower(tmp_path)
    read: list[int] = []
    original = LocalSource.read

    def counted(self: LocalSource, name: str, offset: int, count: int) -> bytes:
        read.append(count)
        return original(self, name, offset, count)

    monkeypatch.setattr(LocalSource, "read", counted)

    for end in range(100_000, 150_000, 1000):
        log.write_bytes(content[:100_000]) if not log.exists() else None
        with log.open("ab") as out:
            out.write(content[out.tell() : end])
        read.clear()
        follower.round()
        assert end == 100_000 or sum(read) < 12_000


def test_a_replaced_log_starts_over(tmp_path: Path) -> None:
    log = tmp_path / "run-x.wandb"
    log.write_bytes((WANDB / "growing/c/run-284lkymz.wandb").read_bytes())
    follower = Follower(tmp_path).round()
    other = next((WANDB / "killed").rglob("*.wandb"))

    (tmp_path / "new").write_bytes(other.read_bytes())
    (tmp_path / "new").replace(log)
    follower.round()
    alone = read_all(other.parent).runs["."]

    assert follower.runs["."].scalars == alone.scalars
    assert follower.runs["."].state == alone.state


def test_preempted_runs_say_so(tmp_path: Path) -> None:
    write_log(tmp_path / "run-a.wandb", [run_record("a", "preempted one", 1000), preempting_record()])
    follower = Follower(tmp_path).round()
    state = follower.runs["."].state
    assert state and (state.state, state.word) == ("running", "preempting")

    write_log(tmp_path / "run-a.wandb", [run_record("a", "x", 1000), preempting_record(), exit_record(1, runtime=7)])
    state = follower.round().runs["."].state
    assert state and (state.state, state.word, state.ended_at) == ("failed", "preempted", 1007)


def test_what_a_run_used_and_where_it_came_from(tmp_path: Path) -> None:
    git = wire.text(wandb.GitRepoRecord.remote_url, "git@host:nets.git") + wire.text(
        wandb.GitRepoRecord.commit, "c0ffee"
    )
    environment = wire.text(wandb.EnvironmentRecord.program, "train.py") + wire.text(
        wandb.EnvironmentRecord.args, "--fast"
    )
    environment += wire.blob(wandb.EnvironmentRecord.git, git) + wire.text(wandb.EnvironmentRecord.gpu_type, "H100")
    used = wire.text(wandb.UseArtifactRecord.id, "QXJ0") + wire.text(wandb.UseArtifactRecord.name, "digits:v3")
    warned = wire.text(wandb.AlertRecord.title, "Stuck") + wire.text(wandb.AlertRecord.text, "loss is NaN")
    records = [
        run_record("a", "n", 1000),
        wire.blob(wandb.Record.environment, environment),
        wire.blob(wandb.Record.use_artifact, used + wire.text(wandb.UseArtifactRecord.type, "dataset")),
        history_record(7, 1005.0, {"loss": 0.5}),
        wire.blob(wandb.Record.alert, warned),
    ]
    write_log(tmp_path / "run-a.wandb", records)

    run = read_all(tmp_path).runs["."]

    assert run.lineage["code"] == {
        "script": "train.py",
        "command": "train.py --fast",
        "commit": "c0ffee",
        "repository": "git@host:nets.git",
    }
    assert run.lineage["environment"] == {"gpu": "H100"}
    assert run.lineage["inputs"] == [{"name": "digits:v3", "type": "dataset", "path": "QXJ0"}]
    (alert,) = run.items
    assert (alert.tag, alert.step) == ("alerts", 7)
    assert json.loads(alert.document) == {"text": "**Stuck**\n\nloss is NaN"}


def test_settings_are_changed_by_key(tmp_path: Path) -> None:
    def config(number: int, key: str | tuple[str, ...], value: object) -> bytes:
        return wire.blob(wandb.Record.config, wire.blob(number, item(key, value)))

    update, remove = wandb.ConfigRecord.update, wandb.ConfigRecord.remove
    first = [config(update, "net", {"depth": 3, "width": 8}), config(update, "lr", 0.1), config(update, "gone", 1)]
    later = [config(update, ("net", "depth"), 5), config(update, ("lr", "start"), 0.2), config(remove, "gone", None)]
    write_log(tmp_path / "run-a.wandb", [run_record("a", "n", 1000), *first])
    follower = Follower(tmp_path).round()
    write_log(tmp_path / "run-a.wandb", [run_record("a", "n", 1000), *first, *later])

    params = follower.round().runs["."].lineage["params"]

    assert params["net"] == {"depth": 5, "width": 8}
    assert params["lr"] == {"start": 0.2}
    assert read_all(tmp_path).runs["."].lineage["params"].keys() == {"net", "lr"}


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run-a.wandb").write_bytes(b"something else")
    (tmp_path / "other.wandb").write_bytes(b":W&B\xe1\xbe\x00")

    assert read_all(tmp_path).dialects == {}


def test_media_outside_of_the_run_are_not_named(tmp_path: Path) -> None:
    rows = [
        history_record(step, 1000.0 + step, {"pic": {"_type": "image-file", "path": path}})
        for step, path in enumerate(("../../etc/passwd", "/etc/passwd", "a\0b", "media/../../x", "media/fine.png"))
    ]
    write_log(tmp_path / "run-a.wandb", [run_record("a", "n", 1000), *rows])
    follower = read_all(tmp_path)

    assert follower.dialects == {"run-a.wandb": Dialect.WANDB}
    assert [json.loads(item.document)["files"] for item in follower.runs["."].items] == [["files/media/fine.png"]]
