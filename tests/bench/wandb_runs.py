"""A long offline run of W&B as its library 0.31 writes it: two records of the summary for each row."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.trackers.wandb_log import (
    exit_record,
    framed,
    history_record,
    output_record,
    run_record,
    summary_record,
)

ROWS = 100_000
TAGS = (*(f"train/layer_{number}/norm" for number in range(6)), "train/loss", "train/acc", "train/lr", "eval/loss")
POINTS = ROWS * len(TAGS)
_STARTED = 1_750_000_000


def make_run(data: Path) -> Path:
    """A `wandb` folder with one run of 1,000,000 points, made at the first call."""
    home = data / "wandb-1m" / "wandb"
    log = home / "offline-run-20260101_000000-bench001" / "run-bench001.wandb"
    if not log.exists():
        (log.parent / "files").mkdir(parents=True, exist_ok=True)
        building = log.with_name("building")
        building.write_bytes(framed(_records()))
        building.rename(log)
    return home


def _records() -> Iterator[bytes]:
    chance = random.Random(1)
    yield run_record("bench001", "bench", _STARTED)
    for step in range(ROWS):
        wall = _STARTED + step * 0.1 + chance.random() / 50
        values: dict[Any, Any] = {
            (tag,): math.exp(-step / 40_000) * (1 + number) + chance.gauss(0, 0.05) for number, tag in enumerate(TAGS)
        }
        runtime = {("_runtime",): wall - _STARTED}
        yield history_record(step, wall, values | runtime)
        if step % 50 == 0:
            yield output_record(f"step {step}: {values[TAGS[6],]:.4f}\n", int(wall))
        yield summary_record(values | runtime | {("_step",): step, ("_timestamp",): wall})
        yield summary_record({("_wandb", "runtime"): step // 10, ("_runtime",): step // 10})
    yield exit_record(0, runtime=ROWS // 10)
