"""Object stores are not supported yet: a URL is refused at every door, and never becomes a folder named `s3:`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mindinsight_like as mi
from mindinsight_like.conf.locations import NotLocal, check_local, is_url
from mindinsight_like.dataframes.mindinsight_api import LineageParamValueError

App = Callable[..., "subprocess.CompletedProcess[str]"]
URL = "s3://bucket/runs"
SENTENCE = "is a URL; only local paths are supported, such as a mounted bucket"


@pytest.mark.parametrize(
    "path",
    ["s3://b/x", "S3://b", "gs://b/x", "hdfs://host:9000/x", "file:///x", "az+x://a", "obs://b", Path("s3://b/x")],
)
def test_urls_are_told_from_folders(path: str | Path) -> None:
    assert is_url(path)
    with pytest.raises(NotLocal, match="is a URL"):
        check_local(path)


@pytest.mark.parametrize(
    "path", ["", "runs", "/runs/a:b", "./s3:/x", "a/s3://x", "C:/runs", "loss: 1/a", "2:1/x", Path("/a/s3:/b"), b"runs"]
)
def test_folders_are_not_taken_for_urls(path: Any) -> None:
    assert not is_url(path)


def callback_of(name: str) -> Callable[[Any], Any]:
    """The class without the framework's, which need not be installed to look at a path."""
    return lambda url: getattr(mi, name)(url)


DOORS: dict[str, Callable[[Any], Any]] = {
    "SummaryWriter": mi.SummaryWriter,
    "SummaryWriter(log_dir=)": lambda url: mi.SummaryWriter(log_dir=url),
    "LogWriter": mi.LogWriter,
    "LogWriter(dir=)": lambda url: mi.LogWriter(dir=url),
    "LogReader": mi.LogReader,
    "LogReader(file_path=)": lambda url: mi.LogReader(file_path=url),
    "SummaryRecord": mi.SummaryRecord,
    "Profiler": mi.Profiler,
    "Profiler(spool=)": lambda url: mi.Profiler("out", collector="h:1", spool=url),
    "open": mi.open,
    "open(workspace=)": lambda url: mi.open(".", workspace=url),
    "log_lineage": mi.log_lineage,
    "log_lineage(parents=)": lambda url: mi.log_lineage("run", parents={"resumed from": url}),
    "log_lineage(inputs=)": lambda url: mi.log_lineage("run", inputs=[url]),
    "get_summary_lineage": mi.get_summary_lineage,
    "filter_summary_lineage": mi.filter_summary_lineage,
}


@pytest.mark.parametrize("url", [URL, Path(URL)], ids=["text", "path"])
@pytest.mark.parametrize("door", DOORS)
def test_the_calls_of_trainings_and_scripts_refuse_urls(
    door: str, url: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises((NotLocal, LineageParamValueError)) as refused:
        DOORS[door](url)

    assert SENTENCE in str(refused.value)
    assert os.fspath(url) in str(refused.value)
    assert list(tmp_path.iterdir()) == []


CALLBACKS = {
    "callbacks.keras.KerasCallback": "keras",
    "callbacks.lightning.LightningLogger": "lightning.pytorch",
    "callbacks.huggingface.HuggingFaceCallback": "transformers",
    "callbacks.paddle_callback.VisualDLCallback": "paddle",
    "mindspore.summary_collector.SummaryCollector": "mindspore",
    "mindspore.mindspore_callbacks.TrainLineage": "mindspore",
    "mindspore.mindspore_callbacks.EvalLineage": "mindspore",
}
TRY_CALLBACK = """
import sys, types
from importlib import import_module
from mindinsight_like.writers.callbacks.framework_class import FrameworkClass
FrameworkClass.framework_class = classmethod(lambda cls: object)
module, name = sys.argv[1].rsplit(".", 1)
made = getattr(import_module(f"mindinsight_like.writers.{module}"), name)
made.framework_class = classmethod(lambda cls: object)
try:
    made(sys.argv[2])
except ValueError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("name", CALLBACKS)
def test_callbacks_refuse_urls_when_they_are_made(name: str, tmp_path: Path) -> None:
    """The frameworks' own base classes have no part in this and are not installed here."""
    import sys

    shown = subprocess.run(
        [sys.executable, "-c", TRY_CALLBACK, name, URL], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )

    assert shown.stdout == f"NotLocal {URL} {SENTENCE}\n", shown.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["start", "--summary-base-dir", URL],
        ["start", "--workspace", URL],
        ["start", "--config", URL],
        ["start", "--token-file", URL],
        ["status", "--workspace", URL],
        ["stop", "--workspace", URL],
        ["index", "--summary-base-dir", URL],
        ["export", "--summary-base-dir", URL, "--output", "out"],
        ["export", "--output", URL],
        ["parse_summary", "--summary-dir", URL],
        ["parse_summary", "--output", URL],
        ["demo", URL],
        ["backup", URL],
        ["restore", URL],
        ["collect", "--server", "h:1", "--run", "a", "--spool", URL],
        ["collect", "--server", "h:1", "--run", "a", "--ca", URL],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_commands_refuse_urls_in_one_line(app: App, tmp_path: Path, words: list[str]) -> None:
    folder = tmp_path / "here"
    folder.mkdir()

    refused = app(*words, cwd=folder)

    assert refused.returncode == 1
    assert "is a URL; only local paths" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert list(folder.iterdir()) == []


def test_variables_and_configs_refuse_urls(app: App, tmp_path: Path) -> None:
    (tmp_path / "board.py").write_text(f"SUMMARY_BASE_DIR = {URL!r}\n")

    by_variable = app("start", env={"MINDINSIGHT_SUMMARY_BASE_DIR": URL})
    by_config = app("start", "--config", "file:board.py")

    assert by_variable.stderr == f"app start: MINDINSIGHT_SUMMARY_BASE_DIR: '{URL}' {SENTENCE}\n"
    assert f"SUMMARY_BASE_DIR in file:{tmp_path / 'board.py'}: '{URL}' {SENTENCE}\n" in by_config.stderr
