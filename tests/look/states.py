"""Base directories in the states that pages are looked at in: empty, broken, one point, demo, thousands of runs."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mindinsight_like import SummaryWriter
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.files.record_file import RecordFile

_BEGIN = 1_760_000_000.0
_MANY = 2000
_TAGS = ("train/loss", "eval/loss", "eval/accuracy")
_STEPS = 20


def _events(folder: Path) -> RecordFile:
    folder.mkdir(parents=True, exist_ok=True)
    return RecordFile(folder / f"events.out.tfevents.{int(_BEGIN):010d}.look.1.0", frame=tensorboard.frame)


def _write_run(folder: Path, number: int, steps: int) -> None:
    with _events(folder) as log:
        log.write(tensorboard.opening(_BEGIN + number))
        for step in range(steps):
            falling = (1 + number % 7) * math.exp(-step * (1 + number % 5) / 10)
            values = [tensorboard.scalar(tag, 1 - falling if "acc" in tag else falling) for tag in _TAGS]
            log.write(tensorboard.event(values, step=step, wall_time=_BEGIN + number + step))


def empty(folder: Path) -> None:
    folder.mkdir(parents=True)


def broken(folder: Path) -> None:
    """A log that is no log, one of zero bytes, one with a damaged record, a trace that ends in its middle."""
    for name, content in (("noise", bytes(range(256)) * 8), ("nothing", b"")):
        (folder / name).mkdir(parents=True)
        (folder / name / "events.out.tfevents.1760000000.look").write_bytes(content)
    _write_run(folder / "damaged", 1, 50)
    log = next((folder / "damaged").iterdir())
    damaged = bytearray(log.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    log.write_bytes(damaged)
    trace = folder / "cut" / "node.rank0.1760000000000000000.pt.trace.json"
    trace.parent.mkdir()
    trace.write_text('{"traceEvents": [{"ph": "X", "name": "step", "ts": 1, "dur": 5, "pid": 1, "tid": 1}, {"ph": "X",')


def one_point(folder: Path) -> None:
    with SummaryWriter(str(folder / "only")) as writer:
        writer.add_scalar("loss", 0.5, 0)
        writer.add_image("image", np.zeros((3, 8, 8), np.uint8), 0)
        writer.add_histogram("weight", np.arange(10.0), 0)
        writer.add_text("note", "One text.", 0)


def demo(folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "mindinsight_like", "demo", str(folder)], check=True, capture_output=True)


def many(folder: Path) -> None:
    for number in range(_MANY):
        _write_run(folder / f"sweep-{number // 100:02d}" / f"lr{number % 9}-seed{number:04d}", number, _STEPS)


STATES: dict[str, Callable[[Path], None]] = {
    "empty": empty,
    "broken": broken,
    "one": one_point,
    "demo": demo,
    "many": many,
}


def make(state: str, folder: Path) -> Path:
    """The base directory of a state below `folder`, made anew."""
    base_dir = folder / state / "runs"
    shutil.rmtree(base_dir.parent, ignore_errors=True)
    base_dir.parent.mkdir(parents=True)
    STATES[state](base_dir)
    return base_dir
