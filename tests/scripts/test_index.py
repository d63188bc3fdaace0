"""`app index` brings the index up to date once."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

App = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from mindinsight_like.scripts.cli import main

    folder = tmp_path_factory.mktemp("demo") / "runs"
    assert main(["demo", str(folder), "--runs", "3"]) == 0
    return folder


def files(folder: Path) -> dict[str, float]:
    return {str(path): path.stat().st_mtime for path in folder.rglob("*")}


def test_a_folder_is_loaded_and_not_touched(app: App, runs: Path, tmp_path: Path) -> None:
    before = files(runs)

    done = app("index", "--summary-base-dir", runs, "--workspace", tmp_path / "w")
    again = app("index", "--summary-base-dir", runs, "--workspace", tmp_path / "w")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Loaded 5 folders, ")  # three runs, one of them with two curves beside it
    assert again.returncode == 0, again.stderr
    assert files(runs) == before


def test_a_service_finds_everything_read(app: App, runs: Path, tmp_path: Path, service: Callable[..., Any]) -> None:
    app("index", "--summary-base-dir", runs, "--workspace", tmp_path / "w")

    started = service(runs, "--reload-interval", 0, workspace=tmp_path / "w")

    assert started.json("/v1/runs")["total"] == 3


def test_while_a_service_loads_the_folder_index_gives_way(app: App, runs: Path, service: Callable[..., Any]) -> None:
    started = service(runs)

    refused = app("index", "--summary-base-dir", runs, "--workspace", started.workspace)

    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert str(runs) in refused.stderr


def test_the_index_may_be_in_postgresql(
    app: App, runs: Path, tmp_path: Path, postgresql_url: str, service: Callable[..., Any]
) -> None:
    words = ["--summary-base-dir", runs, "--workspace", tmp_path / "w", "--store-url", postgresql_url]

    done = app("index", *words)
    started = service(runs, "--store-url", postgresql_url, workspace=tmp_path / "w")

    assert done.returncode == 0, done.stderr
    assert json.dumps(started.json("/v1/service")["store"]) == '"postgresql"'
    assert started.json("/v1/runs")["total"] == 3
    assert started.status()["store"] == "postgresql"
