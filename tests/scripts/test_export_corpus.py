"""`app export` of logs that the real frameworks wrote: the files hold what was written."""

from __future__ import annotations

import hashlib
import json
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import PIL.Image
import pytest

from mindinsight_like.scripts.cli import main

WORDS = {"NaN": np.nan, "Infinity": np.inf, "-Infinity": -np.inf}


class Exported:
    """The whole corpus, exported, and what was written into it."""

    def __init__(self, corpus: Path, out: Path) -> None:
        self.corpus = corpus
        self.out = out
        self.entries: list[dict[str, Any]] = json.loads((out / "export.json").read_text("utf-8"))["entries"]

    def written(self, kind: str) -> Iterator[tuple[str, str, Any]]:
        for path in sorted(self.corpus.rglob("expected.json")):
            for tag, items in json.loads(path.read_text("utf-8")).get(kind, {}).items():
                yield path.parent.relative_to(self.corpus).as_posix(), tag, items

    def entries_of(self, kind: str, run: str, tag: str) -> list[dict[str, Any]]:
        wanted = (kind, run, tag)
        return [entry for entry in self.entries if (entry["kind"], entry["run"], entry["tag"]) == wanted]


@pytest.fixture(scope="module")
def folder(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("export")


def exported(corpus: Path, folder: Path, name: str, *words: str) -> Exported:
    place = ["--summary-base-dir", corpus, "--workspace", folder / "w", "--output", folder / name]
    assert main(["export", *map(str, place), *words]) == 0
    return Exported(corpus, folder / name)


@pytest.fixture(scope="module")
def all_kinds(corpus: Path, folder: Path) -> Exported:
    return exported(corpus, folder, "all")


@pytest.mark.parametrize("format", ["csv", "parquet", "npz"])
def test_every_scalar(corpus: Path, folder: Path, format: str) -> None:
    done = exported(corpus, folder, format, "--kind", "scalars", "--format", format)
    tables: dict[str, Any] = {}
    compared = 0
    for run, tag, points in done.written("scalars"):
        entry = next(entry for entry in done.entries_of("scalars", run, tag) if entry["source"] == "")
        path = done.out / entry["file"]
        if format == "npz":
            with np.load(path) as arrays:
                steps, values = arrays["step"], arrays["value"]
        else:
            if entry["file"] not in tables:
                is_csv = format == "csv"
                tables[entry["file"]] = pd.read_csv(path, keep_default_na=False) if is_csv else pd.read_parquet(path)
            table = tables[entry["file"]]
            rows = table[(table["tag"] == tag) & (table["source"] == "")]
            steps, values = rows["step"].to_numpy(), np.array([float(value) for value in rows["value"]])
        assert steps.tolist() == [point[0] for point in points], (run, tag)
        expected = np.array([WORDS.get(point[1], point[1]) for point in points], float)
        # Computed inside MindSpore's graph and, for the expectation, by numpy: the last bit may differ.
        tolerance = 2e-7 if tag == "batch/brightness" else 1e-15 if format == "csv" else 0
        np.testing.assert_allclose(values, expected, rtol=tolerance, atol=0, err_msg=f"{run} {tag}")
        compared += len(points)

    assert compared > 400


def test_every_image(all_kinds: Exported) -> None:
    compared = 0
    for run, tag, written in all_kinds.written("images"):
        if "shape" in written[0]:
            continue  # the old VisualDL: of another size, and known by more than pixels
        entries = all_kinds.entries_of("images", run, tag)
        assert [entry["step"] for entry in entries] == [each["step"] for each in written]
        for entry, each in zip(entries, written, strict=True):
            pixels = np.asarray(PIL.Image.open(all_kinds.out / entry["file"]).convert("RGB"))
            assert hashlib.sha256(pixels.tobytes()).hexdigest() == each["pixel_sha256"], entry
            compared += 1

    assert compared == 133


def test_every_histogram(all_kinds: Exported) -> None:
    compared = 0
    for run, tag, written in all_kinds.written("histograms"):
        (entry,) = all_kinds.entries_of("histograms", run, tag)
        table = pd.read_parquet(all_kinds.out / entry["file"])
        rows = table[table["tag"] == tag]
        assert rows["step"].tolist() == [each["step"] for each in written]
        if "count" in written[0]:
            assert rows["count"].tolist() == [each["count"] for each in written]
            compared += len(written)
        edges, counts = rows["edges"].map(len), rows["counts"].map(len)
        assert ((edges == counts + 1) | (edges == 0)).all()

    assert compared > 100


def test_every_text(all_kinds: Exported) -> None:
    compared = 0
    for run, tag, written in all_kinds.written("texts"):
        found = [entry for entry in all_kinds.entries if (entry["kind"], entry["run"]) == ("texts", run)]
        (entry,) = (entry for entry in found if entry["tag"] in (tag, f"{tag}/text_summary"))
        document = json.loads((all_kinds.out / entry["file"]).read_text("utf-8"))
        (series,) = (series for series in document["series"] if series["tag"] == entry["tag"])
        items = [[item["step"], item["text"]] for item in series["items"]]
        assert items == [each[:2] for each in written], (run, tag)
        compared += len(items)

    assert compared > 5


def test_every_tensor(all_kinds: Exported) -> None:
    compared = 0
    for run, tag, written in all_kinds.written("tensors"):
        entries = all_kinds.entries_of("tensors", run, tag)
        with np.load(all_kinds.out / entries[0]["file"]) as arrays:
            assert arrays["steps"].tolist() == [each["step"] for each in written]
            for entry, each in zip(entries, written, strict=True):
                array = arrays[entry["array"]]
                assert list(array.shape) == each["shape"]
                assert float(array.astype(np.float64).sum()) == pytest.approx(each["sum"], rel=1e-5, abs=1e-5)
                compared += 1

    assert compared == 38


def test_every_sound(all_kinds: Exported) -> None:
    compared = 0
    for run, tag, written in all_kinds.written("audio"):
        for entry, each in zip(all_kinds.entries_of("audio", run, tag), written, strict=True):
            if "error" in entry:
                assert run.startswith("visualdl-1.3")  # its tablet was never brought up to date
                continue
            with wave.open(str(all_kinds.out / entry["file"])) as sound:
                assert sound.getnframes() == each.get("frames", sound.getnframes())
            compared += 1

    assert compared >= 4


@pytest.mark.parametrize("kind", ["pr_curves", "roc_curves"])
def test_every_curve(all_kinds: Exported, kind: str) -> None:
    compared = 0
    for run, tag, written in all_kinds.written(kind):
        (entry,) = all_kinds.entries_of(kind.replace("_", "-"), run, tag)
        table = pd.read_csv(all_kinds.out / entry["file"])
        for each in written:
            rows = table[(table["tag"] == tag) & (table["step"] == each["step"])]
            assert len(rows) == each["num_thresholds"]
            assert (rows["tp"] + rows["fn"] == each["positives"]).all()
            compared += 1

    assert compared >= 4


def test_graphs_have_a_row_per_node(all_kinds: Exported) -> None:
    entries = [entry for entry in all_kinds.entries if entry["kind"] == "graphs"]
    run = "tensorboard-torch/everything"
    (entry,) = (entry for entry in entries if entry["run"] == run)
    table = pd.read_csv(all_kinds.out / entry["file"], keep_default_na=False)

    assert {entry["source"] for entry in entries} >= {"mindspore", "tensorboard", "visualdl", "paddle", "onnx"}
    assert len(table) == entry["count"] > 5
    # Inputs are nodes of the same graph.
    assert {name for names in table["inputs"] for name in names.split(";") if name} <= set(table["name"])
    assert (table["inputs"] != "").any()
    assert {"run", "tag", "source", "name", "type", "kind", "scope", "dtype", "shape"} <= set(table.columns)


def test_hyper_parameters_with_their_metrics(all_kinds: Exported) -> None:
    found = {entry["run"]: entry["file"] for entry in all_kinds.entries if entry["kind"] == "hparams"}

    table = pd.read_csv(all_kinds.out / found["tensorboard-plain/hparams_v2/session_0"])
    trials = json.loads((all_kinds.corpus / "tensorboard-plain/hparams_v2/expected.json").read_text())["trials"]

    assert len(found) > 10
    settings = trials["session_0"]["hparams_in_same_run"]
    assert {name: table[name][0] for name in settings} == settings
    assert table["accuracy"][0] == pytest.approx(trials["session_0"]["scalars"]["accuracy"][-1][1])


def test_every_kind_of_every_framework_is_there(all_kinds: Exported) -> None:
    files = [entry for entry in all_kinds.entries if "file" in entry]
    kinds = {(entry["kind"], entry["run"].split("/")[0].split("-")[0]) for entry in files}

    for kind in ("scalars", "images", "histograms"):
        assert {dialect for each, dialect in kinds if each == kind} >= {"mindspore", "tensorboard", "visualdl"}
    assert {kind for kind, _ in kinds} >= {
        "video", "audio", "texts", "tensors", "pr-curves", "roc-curves", "embeddings", "meshes", "landscapes",
        "custom-scalars", "graphs", "hparams",
    }  # fmt: skip
    assert all((all_kinds.out / entry["file"]).is_file() for entry in files)
