"""Recordings whose files are gzipped: the same as unpacked ones, and when they are cut, what there is of them."""

from __future__ import annotations

import gzip
import os
import random
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.traces.files import Unreadable
from mindinsight_like.profiler.traces.trace import Trace
from mindinsight_like.profiler.training.profiler import Profiler
from tests.corpus import marked, needs_mindinsight_data

from .recordings import sums_by, trace_in, traces_in

FOLDERS = [
    "ascend/raw/JOB3",
    "ascend/raw/container",
    "jax-profiler/mlp",
    "mindinsight-profiles/clu",
    "mindinsight-profiles/cpu_ms270",
    "mindinsight-profiles/res",
    "mindinsight-profiles/run_1",
    "mindinsight-profiles/run_2",
    "mindspore-2.0/profiler_analyse",
    "mindspore-2.10/profiler_analyse",
    "paddle-profiler/chrome",
    "paddle-profiler/protobuf",
    "torch-profiler/single",
]


def pack(folder: Path, target: Path, *, cut: bool = False) -> None:
    """Copies a folder with all its files packed; cut, the last third of each is missing."""
    for path in folder.rglob("*"):
        if path.is_file() and path.name != "expected.json":
            packed = path.read_bytes()
            if not path.name.endswith(".gz"):
                packed = gzip.compress(packed, 1)
            name = path.relative_to(folder).as_posix().removesuffix(".gz") + ".gz"
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes(packed[: len(packed) * 2 // 3] if cut else packed)


def plain(value: Any) -> Any:
    """Columns as lists, names of files without what packing adds to them."""
    if isinstance(value, dict):
        return {plain(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    return value.removesuffix(".gz") if isinstance(value, str) else value if value == value else "NaN"


def content(trace: Trace) -> Any:
    return {key: value for key, value in plain(asdict(trace)).items() if key != "file"}


@pytest.mark.parametrize("folder", marked(FOLDERS))
def test_every_recording_is_the_same_when_it_is_packed(corpus: Path, tmp_path: Path, folder: str) -> None:
    shutil.copytree(corpus / folder, tmp_path / "plain" / folder)
    pack(corpus / folder, tmp_path / "packed" / folder)

    whole, packed = traces_in(tmp_path / "plain"), traces_in(tmp_path / "packed")

    assert list(packed) == list(whole)
    for rank, trace in whole.items():
        assert content(packed[rank]) == content(trace)


@pytest.mark.parametrize("folder", marked(folder for folder in FOLDERS if folder != "ascend/raw/container"))
def test_packed_files_that_are_cut_are_read_as_far_as_they_go(corpus: Path, tmp_path: Path, folder: str) -> None:
    shutil.copytree(corpus / folder, tmp_path / "whole" / folder)
    pack(corpus / folder, tmp_path / "cut" / folder, cut=True)
    whole = traces_in(tmp_path / "whole")

    for rank, trace in traces_in(tmp_path / "cut").items():
        assert any("pack" in loss.message or "gzip" in loss.message for loss in trace.losses)
        found, complete = (analyse(one).summary().totals for one in (trace, whole[rank]))
        assert bool(found.slices) == bool(complete.slices)
        assert found.executions <= complete.executions


def test_our_own_recordings_may_be_packed_and_cut(tmp_path: Path) -> None:
    profiler = Profiler(os.fspath(tmp_path / "run"), framework="none")
    for number in range(2000):
        with profiler.op(f"op {random.Random(number).random()}"):
            pass
    profiler.stop()
    (file,) = (tmp_path / "run").rglob("*.mi-trace")
    expected = sums_by(trace_in(tmp_path), "name")
    packed = gzip.compress(file.read_bytes())
    file.unlink()

    file.with_name(f"{file.name}.gz").write_bytes(packed)
    assert sums_by(trace_in(tmp_path), "name") == expected

    file.with_name(f"{file.name}.gz").write_bytes(packed[:-1])
    trace = trace_in(tmp_path)
    assert sums_by(trace, "name") == expected
    assert any("gzip" in loss.message for loss in trace.losses)

    file.with_name(f"{file.name}.gz").write_bytes(packed[:12])
    with pytest.raises(Unreadable):
        trace_in(tmp_path)


@needs_mindinsight_data
def test_texts_that_windows_has_touched_are_read(corpus: Path, tmp_path: Path) -> None:
    folder = "mindinsight-profiles/run_2"
    for path in (corpus / folder).rglob("*"):
        if path.is_file():
            target = tmp_path / "touched" / path.relative_to(corpus)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))

    touched, original = trace_in(tmp_path / "touched"), trace_in(corpus, folder)

    assert content(touched) == content(original)
