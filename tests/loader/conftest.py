"""A base dir that a loader looks at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .logs import Loading


@pytest.fixture
def base_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


@pytest.fixture
def loading(base_dir: Path, tmp_path: Path) -> Iterator[Loading]:
    made = Loading(base_dir, tmp_path / "workspace")
    yield made
    made.close()
