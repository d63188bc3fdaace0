"""Scripts as people write them for wandb, with another import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mindinsight_like as mi

_SCRIPT = """
import argparse, random
from mindinsight_like import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.01)
args = parser.parse_args([])

wandb.login()
run = wandb.init(project="demo", entity="team", config=args, tags=["baseline"], settings=None)
wandb.config.update({"epochs": 4}, allow_val_change=True)
wandb.define_metric("epoch")
wandb.define_metric("val/*", step_metric="epoch", summary="best", goal="maximize")
wandb.watch(None, log="all")
for epoch in range(wandb.config.epochs):
    wandb.log({"train": {"loss": 1 / (epoch + 1)}, "epoch": epoch}, commit=False)
    wandb.log({"val/acc": [0.1, 0.9, 0.5, 0.3][epoch], "weights": wandb.Histogram([random.random() for _ in range(9)])})
wandb.alert(title="Done", text="all epochs")
wandb.run.summary["best"] = 0.9
wandb.log_artifact("model.pt")
wandb.finish()
assert wandb.run is None
"""


def run_script(tmp_path: Path, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )


def test_a_script_for_wandb_records_the_same(tmp_path: Path) -> None:
    said = run_script(tmp_path, _SCRIPT).stderr

    runs = mi.open(tmp_path / "runs")
    (name,) = runs.names
    assert list(runs.scalars(tag="train.loss")["value"]) == [1.0, 0.5, pytest.approx(1 / 3), 0.25]
    assert list(runs.scalars(tag="val/acc")["step"]) == [0, 1, 2, 3]
    params: dict[str, object] = {}
    metrics: dict[str, object] = {}
    for path in sorted((tmp_path / "runs" / name).glob("mindinsight_like.lineage.*.json")):
        record = json.loads(path.read_text())
        params |= record.get("params", {})
        metrics |= record.get("metrics", {})
    assert params == {"lr": 0.01, "epochs": 4}
    assert metrics["val/acc"] == pytest.approx(0.9)
    assert metrics["best"] == 0.9
    assert said.count("wandb.watch does nothing here") == said.count("wandb.log_artifact does nothing here") == 1


def test_environment_variables_of_wandb_hold(tmp_path: Path) -> None:
    script = "from mindinsight_like import wandb\nwandb.init()\nwandb.log({'a': 1})\n"
    run_script(tmp_path, script, WANDB_DIR="logs", WANDB_PROJECT="p", WANDB_NAME="n")
    run_script(tmp_path, script, WANDB_DIR="none", WANDB_MODE="disabled")

    assert mi.open(tmp_path / "logs").names == ["p/n"]
    assert not (tmp_path / "none").exists()


def test_a_run_is_resumed_by_its_id(tmp_path: Path) -> None:
    script = "from mindinsight_like import wandb\nwandb.init(id='abc', resume='allow')\nwandb.log({'a': 1}, step=%d)\n"
    run_script(tmp_path, script % 0)
    run_script(tmp_path, script % 1)

    runs = mi.open(tmp_path / "runs")
    assert runs.names == ["abc"]
    assert list(runs.scalars(tag="a")["step"]) == [0, 1]


def test_what_is_missing_says_so() -> None:
    from mindinsight_like import wandb

    with pytest.raises(AttributeError, match=r"docs/moving\.md"):
        wandb.sweep  # noqa: B018
    with pytest.raises(RuntimeError, match="call init"):
        wandb.log({"a": 1})
