"""Offline runs of SwanLab are read as SwanLab itself reads them, and more of damaged ones."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.logs.kinds import Kind
from mindinsight_like.trackers.reader import Limits, LogUnreadable

from .cases import CASES
from .reading import Follower, ReadRun, compare_scalars, expected_runs, read_all

SWANLAB = CASES / "swanlab"
STATES = {"finished": "finished", "failed": "failed", "unfinished": "running"}
WORDS = {"RUN_STATE_FINISHED": "finished", "RUN_STATE_CRASHED": "crashed", "running": "running"}


def runs_of(case: Path) -> list[tuple[ReadRun, dict[str, Any]]]:
    """The runs of a case, each as it was read and as it is expected."""
    read = read_all(case).runs
    expected = expected_runs(case)["runs"]
    assert len(read) == len(expected)
    return [(read[each["path"].rpartition("/")[0]], each) for each in expected]


@pytest.mark.parametrize("case", sorted(path.name for path in SWANLAB.iterdir()))
def test_cases_equal_what_is_expected(case: str) -> None:
    for run, expected in runs_of(SWANLAB / case):
        compare_scalars(run, expected, may_have_more=case == "damaged")
        assert run.display_name == expected["name"]
        assert run.lineage["params"] == expected["params"]
        assert run.state is not None
        assert run.state.state == STATES[expected["state"]]
        assert run.state.word == WORDS[expected["tracker_state"]]
        assert run.state.reason == (expected.get("error") or "")
        assert run.state.started_at == pytest.approx(expected["started"], abs=1e-6)
        for name in ("id", "group", "job_type", "notes", "tags", "project"):
            assert run.lineage["tracker"].get(name) == (expected[name] or None), name
        assert bool(run.damage) == (not expected.get("damage", {"growing": True})["growing"])


@pytest.mark.parametrize("case", ["everything", "exit_in_the_middle", "group"])
def test_the_console_has_all_lines(case: str) -> None:
    for run, expected in runs_of(SWANLAB / case):
        lines = [line for item in run.items if item.kind == Kind.CONSOLE for line in json.loads(item.document)["lines"]]

        assert lines == [line for _, line in expected["console"]]


def test_media_are_items_with_files_beside_the_log() -> None:
    ((run, _),) = runs_of(SWANLAB / "everything")
    documents = {(item.kind, item.tag, item.step): json.loads(item.document) for item in run.items}

    assert documents[Kind.IMAGE, "pic", 1002] == {"files": ["media/image/1002-3101fcaf.png"], "captions": ["tile"]}
    assert documents[Kind.AUDIO, "sound", 1003] == {"files": ["media/audio/1003-0d7f5047.wav"], "captions": []}
    assert (
        documents[Kind.TEXT, "words", 1002]["text"]
        == "**t**\n\n" + (SWANLAB / "everything" / run.name / "media/text/1002-2e2625f7.txt").read_text()
    )
    for each in documents.values():
        assert all((SWANLAB / "everything" / run.name / path).is_file() for path in each.get("files", ()))


def test_where_a_run_was_is_told() -> None:
    ((run, _),) = runs_of(SWANLAB / "everything")

    assert run.lineage["environment"]["host"] == "trainbox"
    assert run.lineage["code"]["command"].startswith("python /srv/tools/gen_swanlab.py")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("case", ["everything", "group", "damaged/flipped", "damaged/length"])
def test_a_growing_log_gives_what_a_whole_one_does(case: str, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    log = next((SWANLAB / case).rglob("run-*.swanlab"))
    whole = read_all(log.parent).runs["."]
    content = log.read_bytes()
    shutil.copytree(log.parent, tmp_path / "run")
    (tmp_path / "run" / log.name).write_bytes(b"")
    points, size = chance.choice([1, 100, 10**6]), chance.choice([1, 5000, 10**6])
    follower = Follower(tmp_path / "run", Limits(points=points, bytes=size, seconds=chance.choice([0, 1])))

    end = 0
    while end < len(content):
        end = min(len(content), end + chance.choice([1, 40, 5000, 100_000]) * chance.randint(1, 3))
        with (tmp_path / "run" / log.name).open("ab") as out:
            out.write(content[out.tell() : end])
        follower.round()
    grown = follower.runs["."]

    assert repr(sorted(grown.scalars.items())) == repr(sorted(whole.scalars.items()))  # NaN is not itself
    assert grown.state == whole.state
    assert grown.lineage == whole.lineage
    assert [each.offset for each in grown.damage] == [each.offset for each in whole.damage]
    assert [item for item in grown.items if item.kind != Kind.CONSOLE] == [
        item for item in whole.items if item.kind != Kind.CONSOLE
    ]


def test_settings_that_arrive_later_are_taken(tmp_path: Path) -> None:
    log = next((SWANLAB / "exit_in_the_middle").rglob("run-*.swanlab"))
    shutil.copytree(log.parent, tmp_path / "run")
    config = tmp_path / "run" / "files" / "config.yaml"
    config.unlink()
    follower = Follower(tmp_path / "run").round()
    assert "params" not in follower.runs["."].lineage

    config.write_text("lr: {desc: '', sort: 0, value: 0.25}\nplain: 7\n")
    follower.round()

    assert follower.runs["."].lineage["params"] == {"lr": 0.25, "plain": 7}


def test_settings_that_cannot_be_read_cost_nothing_else(tmp_path: Path) -> None:
    log = next((SWANLAB / "everything").rglob("run-*.swanlab"))
    shutil.copytree(log.parent, tmp_path / "run")
    (tmp_path / "run" / "files" / "config.yaml").write_bytes(b"a: [1, 2\n\xff: &a *a")

    assert len(read_all(tmp_path / "run").runs["."].scalars["loss"]) == 40


def test_another_version_of_the_format_is_named(tmp_path: Path) -> None:
    log = next((SWANLAB / "everything").rglob("run-*.swanlab"))
    (tmp_path / log.name).write_bytes(b":SWL\xd6\xe1\x03" + log.read_bytes()[7:])

    with pytest.raises(LogUnreadable, match="version 3 of SwanLab's format is not known"):
        read_all(tmp_path)
