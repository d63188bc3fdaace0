"""Every scalar that the real frameworks wrote comes back: value, step, wall time, run and source."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mindinsight_like.loader.once import load_index
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.reader import IndexReader
from tests.corpus import needs_mindinsight_data


class Expected(NamedTuple):
    run: str
    tag: str
    source: str
    points: list[list[Any]]  # step, value, and the wall time where it is known


def _expected(folder: Path, run: str) -> Iterator[Expected]:
    """What the generator of a recording says it has written."""
    truth = json.loads((folder / "expected.json").read_text("utf-8"))
    for tag, points in truth.get("scalars", {}).items():
        yield Expected(run, tag, "", points)
    for tag, points in truth.get("tensor_scalars", {}).items():
        yield Expected(run, tag, "", points)
    for below, tags in truth.get("runs", {}).items():
        for tag, points in tags.items():
            yield Expected(f"{run}/{below}", tag, "", points)
    for below, trial in truth.get("trials", {}).items():
        for tag, points in trial.get("scalars", {}).items():
            yield Expected(f"{run}/{below}", tag, "", points)
        for tag, value in trial.get("metrics", {}).items():
            yield Expected(f"{run}/{below}/hp", tag, "", [[None, value]])  # add_hparams has a folder of its own
    for below, trial in truth.get("hparams", {}).items():
        for tag, value in trial.get("metrics", {}).items() if isinstance(trial, dict) else ():
            yield Expected(f"{run}/{below}", tag, "", [[None, value]])
    for below, points in truth.get("subrun_scalars", {}).items():
        tag = points[0][0]
        yield Expected(run, tag, below[len(tag) + 1 :], [point[1:] for point in points])
    for name, points in truth.get("subtag_scalars", {}).items():
        tag, _, source = name.rpartition("/")
        yield Expected(run, tag, source, points)


@pytest.fixture(scope="module")
def reader(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> IndexReader:
    location = IndexLocation.of(corpus, tmp_path_factory.mktemp("workspace"))
    load_index(location)
    return IndexReader(location)


def _same(tag: str, value: float, expected: float | str) -> bool:
    if tag == "batch/brightness":  # a mean that the framework took itself, in an order of its own
        return value == pytest.approx(float(expected), rel=2e-7)
    return value == float(expected) or (math.isnan(value) and expected == "NaN")


def test_every_scalar_is_as_written(corpus: Path, reader: IndexReader) -> None:
    ids = {run.name: run.id for run in reader.runs.find()[1]}
    points = 0
    for truth in sorted(corpus.rglob("expected.json")):
        for wanted in _expected(truth.parent, truth.parent.relative_to(corpus).as_posix()):
            curves = {curve.source: curve for curve in reader.scalars([ids[wanted.run]], [wanted.tag], max_points=None)}
            assert wanted.source in curves, wanted
            curve = curves[wanted.source]
            assert len(curve.steps) == len(wanted.points), wanted
            found = zip(curve.steps.tolist(), curve.values.tolist(), curve.wall_times.tolist(), strict=True)
            for (step, value, wall), (at, expected, *known) in zip(found, wanted.points, strict=True):
                assert at is None or step == at, wanted
                assert _same(wanted.tag, value, expected), wanted
                assert not known or wall == pytest.approx(known[0], abs=1e-3), wanted
                assert 1.6e9 < wall < 1.9e9, wanted
                points += 1

    assert points >= 700


def test_no_curve_is_there_that_nobody_wrote(corpus: Path, reader: IndexReader) -> None:
    written: dict[str, set[tuple[str, str]]] = {}
    for truth in corpus.rglob("expected.json"):
        for wanted in _expected(truth.parent, truth.parent.relative_to(corpus).as_posix()):
            written.setdefault(wanted.run, set()).add((wanted.tag, wanted.source))
    for run in reader.runs.find()[1]:
        tags = [tag.tag for tag in reader.series.tags(run.id)["scalars"]]
        found = {(curve.tag, curve.source) for curve in reader.scalars([run.id], tags)}
        extra = {each for each in found - written.get(run.name, set()) if not _is_known_extra(run.name, each[0])}
        assert extra == set(), run.name


def _is_known_extra(run: str, tag: str) -> bool:
    """Scalars that Keras adds to those which its training reports."""
    return run.startswith("tensorflow/keras/") and tag.startswith(("evaluation_", "epoch_learning_rate"))


def test_recordings_are_intact_and_their_dialects_known(corpus: Path, reader: IndexReader) -> None:
    runs = {run.name: run for run in reader.runs.find()[1]}

    assert [run.name for run in runs.values() if run.warnings] == []
    dialects = {
        "mindspore": "mindspore",
        "tensorboard": "tensorboard",
        "tensorflow": "tensorboard",
        "models/onnx": "onnx",
        "models/paddle": "paddle",
    }
    for name, run in runs.items():
        wanted = next((dialect for start, dialect in dialects.items() if name.startswith(start)), "visualdl")
        assert [dialect for dialect in run.dialects if dialect != "profile"] in ([wanted], []), name
        for file in reader.runs.files(run.id):
            assert file.offset == file.bytes == (corpus / file.name).stat().st_size


@needs_mindinsight_data
def test_folders_of_models_are_runs(reader: IndexReader) -> None:
    runs = {run.name: run for run in reader.runs.find()[1]}

    graphs = {name: run.counts["graphs"] for name, run in runs.items() if set(run.counts) == {"graphs"}}
    assert graphs == {
        "mindspore-2.0/graphs": 4,
        "mindspore-2.10/graphs": 4,
        "mindspore-graphs": 7,  # in three summary files and four models, as the page lists them
        "models/onnx": 3,
        "models/paddle_json": 1,
        "models/paddle_pdmodel": 1,
    }
    assert runs["visualdl-2.5/everything"].counts["graphs"] == 1
    assert runs["tensorboardx/everything"].counts["embeddings"] >= 1


def test_add_scalars_folders_are_no_runs(reader: IndexReader) -> None:
    names = {run.name for run in reader.runs.find()[1]}

    for folder in ("tensorboard-torch/everything/all_pair_sin", "tensorboardx/everything/all/pair/sin"):
        assert folder not in names
        assert folder.split("/all")[0] in names


def test_visualdl_2_0_wrote_whole_seconds(corpus: Path, reader: IndexReader) -> None:
    truth = json.loads((corpus / "visualdl-2.0/basics/expected.json").read_text("utf-8"))
    low, high = truth["timestamp_unit"]["between"]
    (run,) = [run.id for run in reader.runs.find()[1] if run.name == "visualdl-2.0/basics"]

    (curve,) = reader.scalars([run], ["old/loss"])

    assert low <= curve.wall_times.min() <= curve.wall_times.max() <= high
