"""A served folder of logs: files in `tmp_path`, the real store, the Flask test client."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from mindinsight_like.app.application import create_app
from mindinsight_like.conf.settings import Settings
from mindinsight_like.loader.once import load_once
from mindinsight_like.writers.encoding import tensorboard

START = 1_750_000_000.25


@dataclasses.dataclass
class Board:
    """The logs and the service over them."""

    settings: Settings
    client: FlaskClient

    def log(self, run: str, tag: str, values: Sequence[float], *, first_step: int = 0, file: int = 0) -> None:
        """Append values in double precision, one per step and second."""
        folder = self.settings.summary_base_dir / run
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / tensorboard.file_name(START + file, host="host")).open("ab") as log:
            if log.tell() == 0:
                log.write(tensorboard.frame(tensorboard.opening(START)))
            for step, value in enumerate(values, first_step):
                point = tensorboard.double_scalar(tag, value)
                log.write(tensorboard.frame(tensorboard.event([point], step=step, wall_time=START + step)))

    def log_values(self, run: str, *values: bytes, step: int = 0) -> Path:
        """Append encoded values at one step; gives the log file."""
        folder = self.settings.summary_base_dir / run
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / tensorboard.file_name(START, host="host")
        with path.open("ab") as log:
            log.write(tensorboard.frame(tensorboard.event(values, step=step, wall_time=START + step)))
        return path

    def log_records(self, name: str, *records: bytes) -> Path:
        """Append whole records to a log file of any dialect."""
        path = self.settings.summary_base_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as log:
            log.write(b"".join(records))
        return path

    def load(self) -> None:
        load_once(self.settings)

    def get(self, path: str, **query: Any) -> Any:
        """The JSON of an answer that must be a success."""
        answer = self.client.get(f"/v1/{path}", query_string=query)
        assert answer.status_code == 200, answer.text
        return answer.get_json()

    def id_of(self, name: str) -> str:
        (run,) = (run for run in self.get("runs")["runs"] if run["name"] == name)
        return str(run["id"])


@pytest.fixture
def board(tmp_path: Path) -> Board:
    """A service over an empty folder, nothing loaded yet."""
    base = tmp_path / "logs"
    base.mkdir()
    return board_over(base, tmp_path)


def board_over(base: Path, tmp_path: Path) -> Board:
    settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=base)
    return Board(settings, create_app(settings).test_client())


@pytest.fixture
def corpus_board(corpus: Path, tmp_path: Path) -> Board:
    """A service over the logs of the real frameworks, loaded."""
    board = board_over(corpus, tmp_path)
    board.load()
    return board
