"""Intact runs are answered for beside a damaged one, which the answer names, and nobody keeps that answer.

There is no loader but the one that a test calls, so that damage lasts for as long as it is looked at.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from mindinsight_like.app.application import create_app
from mindinsight_like.conf.settings import Settings
from mindinsight_like.loader.once import load_once
from mindinsight_like.store.database.database import open_database
from mindinsight_like.store.database.location import IndexLocation, run_id
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.encoding.audio import wav
from mindinsight_like.writers.encoding.chart_layout import chart_layout
from mindinsight_like.writers.encoding.hyper_parameters import session
from mindinsight_like.writers.encoding.images import png
from mindinsight_like.writers.encoding.meshes import mesh, mesh_parts

_WALL = 1_700_000_000.0
_PAGE_BYTES = 32768
_HOST = {"Host": "127.0.0.1"}
_INTACT, _DAMAGED = run_id("intact"), run_id("damaged")
_SMALL = [f"small{number}" for number in range(40)]

# Of the kinds of which TensorBoard's logs hold something.
_PATHS = (
    "scalars?tag=loss&tag=accuracy&max_points=50",
    "scalars/tags?",
    "histograms?tag=histograms",
    "images?tag=images",
    "texts?tag=texts",
    "audio?tag=audio",
    "tensors?tag=tensors",
    "pr-curves?tag=pr-curves",
    "meshes?tag=mesh_VERTEX",
    "steps?kind=images&tag=images",
    "custom-scalars?",
    "hparams?",
)


def _write(folder: Path, seed: int, *, steps: int, values: tuple[bytes, ...] = ()) -> None:
    points = np.random.default_rng(seed).random((steps, 2)).tolist()
    records = [
        tensorboard.event(
            [
                tensorboard.double_scalar("loss", loss),
                tensorboard.double_scalar("accuracy", accuracy),
                tensorboard.double_scalar("trend", seed * step),
            ],
            step=step,
            wall_time=_WALL + step,
        )
        for step, (loss, accuracy) in enumerate(points)
    ]
    folder.mkdir(parents=True)
    log = [tensorboard.event(values, step=0, wall_time=_WALL), *records] if values else records
    (folder / "events.out.tfevents.1.host").write_bytes(b"".join(map(tensorboard.frame, log)))


def _every_kind(seed: int) -> tuple[bytes, ...]:
    return (
        tensorboard.image("images", png(np.full((3, 4, 3), seed, np.uint8)), width=4, height=3),
        tensorboard.histogram("histograms", [0.0, 1.0], [3 + seed], total=1.0, sum_squares=1.0),
        tensorboard.strings("texts", [f"run {seed}".encode()], shape=(), plugin="text"),
        tensorboard.audio("audio", wav(np.full((5, 1), seed, np.int16), sample_rate=8000)),
        tensorboard.tensor("tensors", np.array([1.0, float(seed)]), plugin="other"),
        tensorboard.tensor("pr-curves", np.full((6, 3), float(seed)), plugin="pr_curves"),
        *mesh("mesh", mesh_parts(np.full((1, 4, 3), float(seed)), None, None), None),
        chart_layout({"all": {"one": ["Multiline", [f"tag{seed}"]]}}),
        *session({"lr": 0.1 * seed}, ["loss"]),
    )


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Two runs with segments in files of their own, and many small ones whose segments are rows of the database."""
    folder = tmp_path_factory.mktemp("logs")
    for seed, name in enumerate(("intact", "damaged"), 1):
        _write(folder / name, seed, steps=5000, values=_every_kind(seed))
    for seed, name in enumerate(_SMALL, 10):
        _write(folder / name, seed, steps=60)
    settings = Settings(summary_base_dir=folder, workspace=tmp_path_factory.mktemp("loaded"))
    load_once(settings)
    return settings


@dataclass(frozen=True)
class _Board:
    settings: Settings
    client: FlaskClient

    @property
    def location(self) -> IndexLocation:
        return IndexLocation.of(self.settings.summary_base_dir, self.settings.workspace, self.settings.store_url)

    def ask(self, path: str, *runs: str, etag: str = "") -> TestResponse:
        query = "".join(f"&run={run}" for run in runs)
        headers = _HOST | ({"If-None-Match": etag} if etag else {})
        return self.client.get(f"/v1/{path}{query}", headers=headers)

    def post(self, path: str, **body: Any) -> TestResponse:
        return self.client.post(f"/v1/{path}", json=body, headers=_HOST)

    def damage_segment(self, run: str) -> None:
        connection = open_database(self.location.database).connect()
        rows = connection.execute(
            "SELECT segments.id FROM segments JOIN files ON file = files.id WHERE run = ? AND data IS NULL", (run,)
        )
        connection.close()
        ((segment,),) = rows
        path = self.location.segments / str(segment)
        content = bytearray(path.read_bytes())
        content[::1000] = bytes(len(content[::1000]))
        path.write_bytes(content)

    def restarted(self) -> _Board:
        return _Board(self.settings, create_app(self.settings).test_client())

    def rebuild(self) -> None:
        load_once(self.settings)


@pytest.fixture
def board(loaded: Settings, tmp_path: Path) -> Iterator[_Board]:
    yield _copy(loaded, tmp_path / "workspace")


def _copy(loaded: Settings, workspace: Path) -> _Board:
    shutil.copytree(loaded.workspace, workspace)
    settings = Settings(summary_base_dir=loaded.summary_base_dir, workspace=workspace)
    return _Board(settings, create_app(settings).test_client())


def _is_partial(answer: TestResponse, *rebuilding: str) -> bool:
    """Whether an answer names these runs, and is neither kept nor revalidated by anybody."""
    assert answer.status_code == 200, answer.get_data()
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.headers["Cache-Control"] == "no-store"
    assert "ETag" not in answer.headers
    return bool(answer.get_json()["rebuilding"] == list(rebuilding))


def _without_addresses(body: Any) -> Any:
    """An answer without what names a log file of the index: it has another number when it was read again."""
    if isinstance(body, dict):
        return {name: _without_addresses(each) for name, each in body.items() if name != "url"}
    return [_without_addresses(each) for each in body] if isinstance(body, list) else body


@pytest.mark.parametrize("path", _PATHS)
def test_intact_run_is_served_beside_a_damaged_one(board: _Board, path: str) -> None:
    alone = board.ask(path, _INTACT).get_json()
    both = board.ask(path, _INTACT, _DAMAGED)
    assert "rebuilding" not in both.get_json()
    assert len(str(both.get_json())) > len(str(alone))
    board.damage_segment(_DAMAGED)
    board = board.restarted()  # of hyper-parameters, what was read before is still known
    board.ask("scalars?tag=loss", _DAMAGED)  # what a tag list is made of need not be damaged itself

    partial = board.ask(path, _INTACT, _DAMAGED)
    refused = board.ask(path, _DAMAGED)

    assert _is_partial(partial, _DAMAGED)
    assert {name: each for name, each in partial.get_json().items() if name != "rebuilding"} == alone
    assert (refused.status_code, refused.get_json()["error"]["code"]) == (503, "rebuilding")
    board.rebuild()
    again = board.ask(path, _INTACT, _DAMAGED)
    assert _without_addresses(again.get_json()) == _without_addresses(both.get_json())
    assert again.headers["ETag"]
    assert "Retry-After" not in again.headers


def test_damage_is_met_by_the_very_request_for_both(board: _Board) -> None:
    board.damage_segment(_DAMAGED)

    answer = board.ask("scalars?tag=loss", _DAMAGED, _INTACT)

    assert _is_partial(answer, _DAMAGED)
    assert [series["run"] for series in answer.get_json()["series"]] == [_INTACT]


def test_client_keeps_a_whole_answer_and_never_a_partial_one(board: _Board) -> None:
    path = "scalars?tag=loss"
    whole = board.ask(path, _INTACT, _DAMAGED)
    board.damage_segment(_DAMAGED)
    assert _is_partial(board.ask(path, _DAMAGED, _INTACT), _DAMAGED)

    known = board.ask(path, _INTACT, _DAMAGED, etag=whole.headers["ETag"])
    board.rebuild()

    assert known.status_code == 304  # what it stands for was the truth, and still is
    assert len(board.ask(path, _DAMAGED, _INTACT).get_json()["series"]) == 2


@pytest.mark.parametrize("format", ["csv", "arrow"])
def test_tables_are_complete_or_refused(board: _Board, format: str) -> None:
    board.damage_segment(_DAMAGED)
    board.ask("scalars?tag=loss", _DAMAGED)

    answer = board.ask(f"scalars?tag=loss&format={format}", _INTACT, _DAMAGED)

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (503, "rebuilding")


def test_unknown_run_is_not_hidden_by_a_damaged_one(board: _Board) -> None:
    board.damage_segment(_DAMAGED)
    board.ask("scalars?tag=loss", _DAMAGED)

    answer = board.ask("scalars?tag=loss", _DAMAGED, "unknown")

    assert (answer.status_code, answer.get_json()["error"]["code"]) == (404, "run_not_found")


@pytest.mark.parametrize("look", [{}, {"group_pattern": "(intact|damaged)"}], ids=["runs", "groups"])
def test_comparison_has_the_intact_curves(board: _Board, look: dict[str, str]) -> None:
    question = {"runs": [_INTACT, _DAMAGED], "tags": ["loss"]} | look
    board.damage_segment(_DAMAGED)

    answer = board.post("compare/scalars", **question)
    packed = board.post("compare/scalars", **question, format="binary")
    refused = board.post("compare/scalars", **question | {"runs": [_DAMAGED]})

    assert _is_partial(answer, _DAMAGED)
    assert len(answer.get_json()["series"]) == 1
    assert f'"rebuilding":["{_DAMAGED}"]'.encode() in packed.get_data()
    assert packed.headers["Retry-After"]
    assert refused.status_code == 503
    board.rebuild()
    again = board.post("compare/scalars", **question).get_json()
    assert len(again["series"]) == 2
    assert "rebuilding" not in again


def test_compared_values_keep_a_row_for_the_damaged_run(board: _Board) -> None:
    question = {"runs": [_INTACT, _DAMAGED], "tags": ["loss"], "baseline": _INTACT}
    whole = board.post("compare/table", **question).get_json()
    board.damage_segment(_DAMAGED)
    board.ask("scalars?tag=loss", _DAMAGED)

    answer = board.post("compare/table", **question)

    assert _is_partial(answer, _DAMAGED)
    intact, damaged = answer.get_json()["rows"]
    assert intact == whole["rows"][0]
    assert damaged["values"] == {}
    board.rebuild()
    assert board.post("compare/table", **question).get_json() == whole


def test_lineage_table_lacks_only_scalars_of_the_damaged_run(board: _Board) -> None:
    column = "scalar/loss/at:max:accuracy"
    path = f"lineage/models?columns={column}&columns=hparam/lr"
    board.damage_segment(_DAMAGED)

    answer = board.ask(path)

    assert _is_partial(answer, _DAMAGED)
    values = {row["run"]: row["values"] for row in answer.get_json()["rows"]}
    assert values[_INTACT].keys() == {column, "hparam/lr"}
    assert values[_DAMAGED].keys() == {"hparam/lr"}
    assert board.ask(f"lineage/export?format=csv&scalars={column}").status_code == 503
    board.rebuild()
    again = board.ask(path)
    assert all(column in row["values"] for row in again.get_json()["rows"])
    assert again.headers["ETag"]
    assert board.ask(f"lineage/export?format=csv&scalars={column}").status_code == 200


def test_differences_of_runs_are_told_without_the_damaged_curve(board: _Board) -> None:
    path = f"lineage/why?a={_INTACT}&b={_DAMAGED}&tag=trend"
    whole = board.ask(path).get_json()
    board.damage_segment(_DAMAGED)

    answer = board.restarted().ask(path)

    assert whole["divergence_step"] is not None
    assert _is_partial(answer, _DAMAGED)
    assert answer.get_json() == whole | {"divergence_step": None, "rebuilding": [_DAMAGED]}
    board.rebuild()
    assert board.ask(path).get_json() == whole


def test_runs_on_good_pages_of_a_damaged_database_are_served(loaded: Settings, tmp_path: Path) -> None:
    ids = [run_id(name) for name in _SMALL]
    question = {"run": ids, "tag": ["loss"], "max_points": "all"}
    board = _copy(loaded, tmp_path / "whole")
    truth = board.post("scalars", **question).get_json()["series"]
    partial = []

    for page in range(board.location.database.sqlite.stat().st_size // _PAGE_BYTES):
        damaged = _copy(loaded, tmp_path / str(page))
        with damaged.location.database.sqlite.open("r+b") as file:
            file.seek(page * _PAGE_BYTES + 100)
            file.write(bytes(1000))
        answer = damaged.post("scalars", **question)
        if answer.status_code == 503:
            continue
        body = answer.get_json()
        missing = body.get("rebuilding", [])
        assert body["series"] == [series for series in truth if series["run"] not in missing]
        if missing:
            assert _is_partial(answer, *missing)
            partial.append(damaged)

    assert partial
    partial[0].rebuild()
    assert partial[0].post("scalars", **question).get_json()["series"] == truth
