"""What the frameworks' own writers wrote is found, value by value."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.logs.batch import Batch
from mindinsight_like.logs.kinds import Dialect, Kind, parse_key
from mindinsight_like.logs.names import classify, legacy_tag
from mindinsight_like.logs.reference.scan import Scanner
from mindinsight_like.logs.whole_files import WHOLE_FILES

from .reading import assert_same, blobs_of, points_of, same_number, scan

STEPS_BY_FIELD = {
    "images": (Kind.IMAGE,),
    "images_size_only": (Kind.IMAGE, Kind.VIDEO),
    "images_several_per_step": (Kind.IMAGE,),
    "histograms": (Kind.HISTOGRAM,),
    "histogram_tags_only": (Kind.HISTOGRAM,),
    "audio": (Kind.AUDIO,),
    "tensors": (Kind.TENSOR,),
    "pr_curves": (Kind.PR_CURVE,),
    "roc_curves": (Kind.ROC_CURVE,),
}


def _logs(folder: Path) -> Iterator[tuple[Path, Dialect, str]]:
    for path in sorted(folder.iterdir()):
        name = classify(path.name)
        if name is not None and name.dialect not in WHOLE_FILES:
            yield path, name.dialect, ""
        elif (folder / "storage.meta").exists() and "%" in path.name:
            yield path, Dialect.VISUALDL_LEGACY, legacy_tag(path.name)


_read: dict[tuple[str, Path], list[Batch]] = {}  # by scanner and folder: the twin takes its time


def _batches(scanner_type: type[Scanner], folder: Path) -> list[Batch]:
    key = scanner_type.__module__, folder
    if key not in _read:
        _read[key] = [scan(scanner_type, dialect, path.read_bytes(), tag=tag) for path, dialect, tag in _logs(folder)]
    return _read[key]


def _scalars(scanner_type: type[Scanner], folder: Path) -> dict[str, list[tuple[int, float, float]]]:
    """Points of the files right in the folder by tag, with `/sub` for a member of a group."""
    found: dict[str, list[tuple[int, float, float]]] = {}
    for batch in _batches(scanner_type, folder):
        for key, points in points_of(batch).items():
            _, tag, sub = parse_key(key)
            found.setdefault(f"{tag}/{sub}" if sub else tag, []).extend(points)
    return found


def _steps(scanner_type: type[Scanner], folder: Path) -> dict[tuple[Kind, str], list[int]]:
    """Steps of all blobs right in the folder by kind and tag."""
    found: dict[tuple[Kind, str], list[int]] = {}
    for batch in _batches(scanner_type, folder):
        for key, rows in blobs_of(batch).items():
            kind, tag, _ = parse_key(key)
            found.setdefault((kind, tag), []).extend(step for step, *_ in rows)
    return found


def _assert_curve(points: list[tuple[int, float, float]], expected: list[list[Any]], *, tolerance: float = 0.0) -> None:
    # MindSpore's collector writes the last step of an epoch twice; what is expected names it once.
    found = [point for point, after in zip_longest(points, points[1:]) if after is None or after[0] != point[0]]
    assert [step for step, _, _ in found] == [step for step, *_ in expected]
    for (_, wall, value), (_, written, *time) in zip(found, expected, strict=True):
        assert same_number(value, float(written)) or abs(value - float(written)) <= tolerance
        assert not time or math.isclose(wall, time[0], abs_tol=1e-3)


@pytest.fixture(scope="session")
def recordings(corpus: Path) -> dict[Path, dict[str, Any]]:
    """The expectations by the folder of the recording."""
    found = {path.parent: json.loads(path.read_text()) for path in sorted(corpus.rglob("expected.json"))}
    assert len(found) > 30
    return found


def test_no_recording_is_damaged(scanner_type: type[Scanner], corpus: Path) -> None:
    folders = {path.parent for path in corpus.rglob("*") if classify(path.name) or path.name == "storage.meta"}

    assert len(folders) > 40
    for folder in folders:
        for (path, dialect, tag), batch in zip(_logs(folder), _batches(scanner_type, folder), strict=True):
            assert batch.damage == [], path
            scanner = scanner_type(dialect, tag=tag)
            assert scanner.feed(path.read_bytes(), at_end=True) == path.stat().st_size, path


def test_both_scanners_read_the_recordings_alike(
    both_scanners: tuple[type[Scanner], type[Scanner]], corpus: Path
) -> None:
    folders = {path.parent for path in corpus.rglob("*") if classify(path.name) or path.name == "storage.meta"}

    for folder in folders:
        for twin, native in zip(*(_batches(one, folder) for one in both_scanners), strict=True):
            assert_same(twin, native)


def test_every_scalar_is_the_one_written(scanner_type: type[Scanner], recordings: dict[Path, dict[str, Any]]) -> None:
    compared = 0
    for folder, expected in recordings.items():
        found = _scalars(scanner_type, folder)
        curves = expected.get("scalars", {}) | expected.get("tensor_scalars", {}) | expected.get("subtag_scalars", {})
        assert set(found) == set(curves), folder
        for tag, curve in curves.items():
            # This mean is computed twice, in MindSpore's graph and by numpy: their last bits differ.
            _assert_curve(found[tag], curve, tolerance=1e-7 if tag == "batch/brightness" else 0.0)
            compared += len(curve)

    assert compared > 400


def test_every_scalar_of_sub_folders_is_the_one_written(
    scanner_type: type[Scanner], recordings: dict[Path, dict[str, Any]]
) -> None:
    compared = 0
    for folder, expected in recordings.items():
        runs = dict(expected.get("runs", {}))
        runs |= {name: trial["scalars"] for name, trial in expected.get("trials", {}).items()}
        for name, curves in runs.items():
            found = _scalars(scanner_type, folder / name)
            for tag, curve in curves.items():
                _assert_curve(found[tag], curve)
                compared += len(curve)
        for name, rows in expected.get("subrun_scalars", {}).items():
            found = _scalars(scanner_type, folder / name)
            assert list(found) == [rows[0][0]]
            _assert_curve(found[rows[0][0]], [row[1:] for row in rows])
            compared += len(rows)

    assert compared > 150


def test_metrics_of_trials_are_scalars_beside_their_parameters(
    scanner_type: type[Scanner], recordings: dict[Path, dict[str, Any]]
) -> None:
    compared = 0
    for folder, expected in recordings.items():
        for name, trial in (expected.get("trials", {}) | expected.get("hparams", {})).items():
            if not isinstance(trial, dict) or "metrics" not in trial:
                continue
            below = [folder / name, folder / name / "hp"]
            found = {
                tag: points for each in below if each.is_dir() for tag, points in _scalars(scanner_type, each).items()
            }
            for tag, value in trial["metrics"].items():
                assert found[tag][-1][2] == pytest.approx(value, rel=1e-6)
                compared += 1
            kinds = {kind for each in below if each.is_dir() for kind, _ in _steps(scanner_type, each)}
            assert Kind.HPARAMS in kinds

    assert compared > 10


@pytest.mark.parametrize("field", STEPS_BY_FIELD)
def test_every_value_of_other_kinds_is_found(
    scanner_type: type[Scanner], recordings: dict[Path, dict[str, Any]], field: str
) -> None:
    compared = 0
    for folder, expected in recordings.items():
        found = _steps(scanner_type, folder)
        for tag, rows in expected.get(field, {}).items():
            (steps,) = (found[kind, tag] for kind in STEPS_BY_FIELD[field] if (kind, tag) in found)
            # MindSpore writes a step again at the end of an epoch, one tensor may hold several pictures.
            assert sorted(set(steps)) == sorted({row["step"] for row in rows}), (folder, tag)
            compared += 1

    assert compared


def test_texts_are_found(scanner_type: type[Scanner], recordings: dict[Path, dict[str, Any]]) -> None:
    for folder, expected in recordings.items():
        for tag, rows in expected.get("texts", {}).items():
            assert _steps(scanner_type, folder)[Kind.TEXT, tag] == [step for step, _ in rows]


def test_a_gif_is_a_video(scanner_type: type[Scanner], corpus: Path) -> None:
    for writer in ("tensorboard-torch", "tensorboardx"):
        assert _steps(scanner_type, corpus / writer / "everything")[Kind.VIDEO, "all/video"] == [0]


def test_single_things_are_found(scanner_type: type[Scanner], recordings: dict[Path, dict[str, Any]]) -> None:
    for folder, expected in recordings.items():
        found = _steps(scanner_type, folder)
        kinds = {kind for kind, _ in found}
        tags = {tag for _, tag in found}
        assert not expected.get("graph") or (Kind.GRAPH, "graph") in found
        assert not expected.get("custom_scalars") or (Kind.CUSTOM_SCALARS, "custom_scalars__config__") in found
        assert not expected.get("meshes") or sum(kind == Kind.MESH for kind, _ in found) == 3
        assert not expected.get("lineage") or (Kind.LINEAGE, "train") in found
        assert not expected.get("dataset_graph_ops_root_to_leaf") or (Kind.LINEAGE, "dataset_graph") in found
        assert set(expected.get("landscape", {}).get("tags", [])) <= tags
        assert not expected.get("display_name") or Kind.META in kinds
        for tag, embedding in expected.get("vdl_embeddings", {}).items():
            is_legacy = (folder / "storage.meta").exists()
            assert len(found[Kind.EMBEDDING, tag]) == (embedding["points"] if is_legacy else 1)
        if isinstance(expected.get("lineage"), dict) and expected["lineage"].get("metric"):
            assert (Kind.LINEAGE, "evaluation") in found
        if isinstance(expected.get("lineage"), dict) and expected["lineage"].get("user_defined"):
            assert (Kind.LINEAGE, "user_defined") in found


def test_old_visualdl_times_are_seconds(scanner_type: type[Scanner], recordings: dict[Path, dict[str, Any]]) -> None:
    for folder, expected in recordings.items():
        if "timestamp_unit" in expected:
            low, high = expected["timestamp_unit"]["between"]
            (curve,) = _scalars(scanner_type, folder).values()
            assert all(low <= wall <= high for _, wall, _ in curve)
