"""Kept analyses and comparisons that are damaged on the disk are never answered with, and made again."""

from __future__ import annotations

import itertools
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.dataframes.runs import open_runs

from .served import Served
from .test_jobs import trace
from .test_many_ranks import write_rank

SECONDS = 60.0


def flip(path: Path) -> None:
    """One bit, in place: who has mapped the file sees it."""
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        at = size // 3
        file.seek(at)
        (byte,) = file.read(1)
        file.seek(at)
        file.write(bytes([byte ^ 4]))


def zero(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.write(bytes(min(size, 4096)))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def remove(path: Path) -> None:
    path.unlink()


DAMAGES: tuple[Callable[[Path], None], ...] = (flip, zero, cut, empty, remove)


def forget_earlier_damage(workspace: Path) -> None:
    for path in workspace.rglob("discarded*"):
        os.utime(path, (1, 1))


def settled(served: Served, path: str) -> tuple[Any, bool]:
    """The first answer that is one, and whether it had to be waited for; everything before must say so."""
    end = time.monotonic() + SECONDS
    waited = False
    while time.monotonic() < end:
        answer = served.client.get(f"/v1/{path}")
        if answer.status_code == 200:
            return answer.get_json() if answer.is_json else answer.get_data(), waited
        assert answer.status_code in (202, 503), (path, answer.status_code, answer.text)
        waited = True
        time.sleep(0.05)
    raise AssertionError(f"no answer to {path} after {SECONDS} s")


@pytest.fixture
def served(tmp_path: Path) -> Served:
    folder = tmp_path / "logs" / "exp"
    folder.mkdir(parents=True)
    (folder / "a.pt.trace.json").write_bytes(trace(5000))
    return Served(tmp_path / "logs", tmp_path / "ws")


def test_a_damaged_analysis_is_made_again_and_never_answered_with(served: Served) -> None:
    workspace = served.settings.workspace
    id = served.profiles()[0]["id"]
    questions = [
        f"profiles/{id}/operators?by=name",
        f"profiles/{id}/tracks",
        f"profiles/{id}/timeline?width=300",
        f"profiles/{id}/operators?by=instance&format=csv",
        f"profiles/{id}/flame",
    ]
    truth = {question: settled(served, question)[0] for question in questions}
    listed = served.profiles()

    waits = 0
    for damage, name in itertools.product(DAMAGES, ("columns.bin", "analysed.json", "result.json")):
        if (damage, name) == (remove, "result.json"):
            continue  # as if the process had been killed: people start it again
        for other in (False, True):  # a worker that has the analysis open, and one that has not
            asked = Served(served.settings.summary_base_dir, workspace) if other else served
            forget_earlier_damage(workspace)
            (path,) = workspace.rglob(f"jobs/*/{name}" if name == "result.json" else f"jobs/*/result-*/{name}")
            damage(path)
            for question in questions:
                answer, waited = settled(asked, question)
                if "tracks" in question:  # names the analysis
                    answer, expected = ({**each, "names_etag": ""} for each in (answer, truth[question]))
                else:
                    expected = truth[question]
                assert answer == expected, (damage.__name__, name, question)
                waits += waited
            assert asked.profiles() == listed
    assert waits >= 20


def test_damage_to_a_mapped_analysis_never_shows_between_two_questions(served: Served) -> None:
    """Each byte of the columns in its turn, asked by the worker that has them mapped and verified."""
    id = served.profiles()[0]["id"]
    question = f"profiles/{id}/operators?by=name"
    truth, _ = settled(served, question)
    (path,) = served.settings.workspace.rglob("jobs/*/result-*/columns.bin")
    content = path.read_bytes()
    for at in range(0, len(content), len(content) // 60):
        with path.open("r+b") as file:
            file.seek(at)
            file.write(bytes([content[at] ^ 1]))
        answer = served.client.get(f"/v1/{question}")
        assert answer.status_code in (200, 202)
        if answer.status_code == 200:
            assert answer.get_json() == truth
            path.write_bytes(content)
            continue
        assert settled(served, question)[0] == truth
        forget_earlier_damage(served.settings.workspace)
        (path,) = served.settings.workspace.rglob("jobs/*/result-*/columns.bin")
        content = path.read_bytes()


def test_scripts_get_a_damaged_analysis_made_again(served: Served) -> None:
    runs = open_runs(served.settings.summary_base_dir, workspace=served.settings.workspace)
    id = served.profiles()[0]["id"]
    truth = runs.profile(id).operators("name")
    (path,) = served.settings.workspace.rglob("jobs/*/result-*/columns.bin")
    flip(path)

    assert runs.profile(id).operators("name").equals(truth)


def test_damaged_comparisons_and_digests_are_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "few"
    folder.mkdir(parents=True)
    for rank in range(3):
        write_rank(folder, rank)
    served = Served(tmp_path / "runs", tmp_path / "ws")
    workspace = served.settings.workspace
    run = served.profiles()[0]["run"]
    questions = [f"clusters/{run}", f"clusters/{run}?measure=compute"]
    truth = {question: settled(served, question)[0] for question in questions}

    patterns = ("jobs/cluster*/result-*/*", "jobs/cluster*/result.json", "ranks/*", "jobs/*/result-*/columns.bin")
    for damage, pattern in itertools.product(DAMAGES, patterns):
        forget_earlier_damage(workspace)
        paths = list(workspace.rglob(pattern))
        assert paths
        for path in paths:
            damage(path)
        if damage is remove and pattern.endswith("result.json"):
            shutil.rmtree(path.parent)
        if not pattern.startswith("jobs/cluster"):  # what a comparison is made of: another one is needed to look at it
            for path in workspace.rglob("jobs/cluster*/result.json"):
                path.write_bytes(b"damaged, too")
        if "columns" in pattern:
            for path in workspace.rglob("ranks/*"):
                path.write_bytes(b"damaged, too")
        for question in questions:
            assert settled(served, question)[0] == truth[question], (damage.__name__, pattern, question)
