"""Folders made by add_scalars are shown in the run that made them, on both databases."""

from __future__ import annotations

import pytest

from mindinsight_like.errors import RunNotFound
from mindinsight_like.store.database.location import run_id
from mindinsight_like.store.files import TrackedFile, Trouble
from mindinsight_like.store.result_types import ScalarTagSummary

from .conftest import Index
from .making import GrowingLog

_RUN, _SIN, _COS = run_id("run"), run_id("run/all_pair_sin"), run_id("run/all/pair/cos")


def _log(run: str) -> GrowingLog:
    return GrowingLog(f"{run}/events.out.tfevents.1.host")


@pytest.fixture
def folders(index: Index) -> dict[str, GrowingLog]:
    """A run with two folders of add_scalars, as torch and tensorboardX make them, and a run of its own below it."""
    logs = {name: _log(name) for name in ("run", "run/all_pair_sin", "run/all/pair/cos", "run/eval")}
    index.grow(logs["run"], [("loss", 0, 1.0)])
    index.grow(logs["run/all_pair_sin"], [("all/pair", 0, 0.0)])
    index.grow(logs["run/all/pair/cos"], [("all/pair", 0, 1.0)])
    index.grow(logs["run/eval"], [("accuracy", 0, 1.0)])
    return logs


def _curves(index: Index) -> dict[str, list[float]]:
    return {curve.source: curve.values.tolist() for curve in index.reader.scalars([_RUN], ["all/pair"])}


def test_their_curves_belong_to_one_chart_of_the_run(index: Index, folders: dict[str, GrowingLog]) -> None:
    total, runs = index.reader.runs.find()
    scalars = {tag.tag: tag for tag in index.reader.series.tags(_RUN)["scalars"]}

    assert total == 2
    assert [run.name for run in runs] == ["run", "run/eval"]
    assert _curves(index) == {"cos": [1.0], "sin": [0.0]}
    assert runs[0].counts == {"scalars": 2}
    pair = scalars["all/pair"]
    assert isinstance(pair, ScalarTagSummary)
    assert (pair.count, pair.sources) == (2, ["cos", "sin"])
    assert [tag.runs for tag in index.reader.series.scalar_tags([_RUN])] == [[_RUN], [_RUN]]
    assert len(index.reader.runs.files(_RUN)) == 3
    for folded in (_SIN, _COS):
        with pytest.raises(RunNotFound):
            index.reader.runs.get(folded)
        with pytest.raises(RunNotFound):
            index.reader.scalars([folded], ["all/pair"])


def test_they_are_folded_whichever_is_read_first(index: Index) -> None:
    index.grow(_log("run/all_pair_sin"), [("all/pair", 0, 0.0)])
    assert [run.name for run in index.reader.runs.find()[1]] == ["run/all_pair_sin"]
    before = index.reader.runs.cursor()

    index.grow(_log("run"), [("loss", 0, 1.0)])

    assert [run.name for run in index.reader.runs.find()[1]] == ["run"]
    assert _curves(index) == {"sin": [0.0]}
    changes = index.reader.runs.changes(before)
    assert (changes.runs, changes.removed) == ([_RUN], [_SIN])


def test_growth_in_a_folder_is_a_change_of_the_run(index: Index, folders: dict[str, GrowingLog]) -> None:
    before, (version,) = index.reader.runs.cursor(), index.reader.runs.versions([_RUN])

    index.grow(folders["run/all_pair_sin"], [("all/pair", 1, 0.5)])

    assert _RUN in index.reader.runs.changes(before).runs
    assert index.reader.runs.versions([_RUN])[0] > version
    assert _curves(index)["sin"] == [0.0, 0.5]


def test_a_deleted_folder_is_a_change_of_the_run(index: Index, folders: dict[str, GrowingLog]) -> None:
    before, (version,) = index.reader.runs.cursor(), index.reader.runs.versions([_RUN])

    index.writer.commit([], [folders["run/all_pair_sin"].file])

    assert _curves(index) == {"cos": [1.0]}
    assert _RUN in index.reader.runs.changes(before).runs
    assert index.reader.runs.versions([_RUN])[0] > version


def test_a_folder_with_a_second_tag_becomes_a_run_of_its_own(index: Index, folders: dict[str, GrowingLog]) -> None:
    before, (version,) = index.reader.runs.cursor(), index.reader.runs.versions([_RUN])

    index.grow(folders["run/all_pair_sin"], [("another", 0, 0.5)])

    assert [run.name for run in index.reader.runs.find()[1]] == ["run", "run/all_pair_sin", "run/eval"]
    assert _curves(index) == {"cos": [1.0]}
    assert set(index.reader.runs.changes(before).runs) == {_RUN, _SIN}
    assert index.reader.runs.versions([_RUN])[0] > version


def test_folders_outlive_the_run_that_made_them(index: Index, folders: dict[str, GrowingLog]) -> None:
    before = index.reader.runs.cursor()

    index.writer.commit([], [folders["run"].file])

    assert [run.name for run in index.reader.runs.find()[1]] == ["run/all/pair/cos", "run/all_pair_sin", "run/eval"]
    changes = index.reader.runs.changes(before)
    assert set(changes.runs) == {_SIN, _COS}
    assert changes.removed == [_RUN]


def test_a_nearer_run_takes_the_folder_over(index: Index) -> None:
    index.grow(_log("run"), [("loss", 0, 1.0)])
    index.grow(_log("run/a/b_x"), [("b", 0, 1.0)])
    names = {run.name for run in index.reader.runs.find()[1]}
    assert names == {"run", "run/a/b_x"}
    index.grow(_log("run/a"), [("loss", 0, 1.0), ("b", 0, 2.0)])

    curves = index.reader.scalars([run_id("run/a")], ["b"])

    assert [(curve.source, curve.values.tolist()) for curve in curves] == [("", [2.0]), ("x", [1.0])]


def test_warnings_of_a_folder_are_the_runs(index: Index, folders: dict[str, GrowingLog]) -> None:
    log = folders["run/all_pair_sin"]
    update = log.update()._replace(troubles=(Trouble(5, "kind", "message"),))
    stored: list[TrackedFile] = index.writer.commit([update])

    run = index.reader.runs.get(_RUN)

    assert stored[0].damages == 1
    assert run.warning_count == 1
    assert [warning.file for warning in run.warnings] == [log.file.name]


def test_bytes_and_time_of_a_folder_count_for_the_run(index: Index, folders: dict[str, GrowingLog]) -> None:
    before = index.reader.runs.get(_RUN)
    log = folders["run/all_pair_sin"]
    grown = log.file._replace(size=log.file.size + 100, mtime_ns=int((before.updated_at + 60) * 1e9))
    index.writer.commit([log.update()._replace(file=grown)])

    run = index.reader.runs.get(_RUN)

    assert run.bytes == before.bytes + 100
    assert run.updated_at == pytest.approx(before.updated_at + 60)
