"""Ten thousand small trainings with settings and results, as our logs and as a list for other programs."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.encoding.hyper_parameters import session
from mindinsight_like.writers.lineage.lineage_file import FORMAT, NAME, VERSION

TRIALS = 10_000
STEPS = 10
_STARTED = 1_750_000_000.0


@dataclass(frozen=True)
class Trial:
    """One training: what was chosen, and what came of it at each step."""

    name: str
    params: dict[str, float | int | str]
    accuracy: list[float]
    loss: list[float]

    @property
    def metrics(self) -> dict[str, float]:
        return {"accuracy": self.accuracy[-1], "loss": self.loss[-1]}


def trials() -> Iterator[Trial]:
    """The same ones every time."""
    chance = random.Random(20_000)
    for number in range(TRIALS):
        params: dict[str, float | int | str] = {
            "lr": 10 ** chance.uniform(-4, -1),
            "optimizer": chance.choice(["Adam", "AdamW", "Momentum", "SGD"]),
            "batch_size": chance.choice([16, 32, 64, 128, 256]),
            "hidden": chance.choice([64, 128, 256, 512]),
            "dropout": round(chance.uniform(0, 0.5), 3),
            "network": chance.choice(["lenet", "resnet18", "resnet50", "vit-small"]),
            "seed": number,
        }
        best = chance.uniform(0.5, 1)
        accuracy = [best * (1 - math.exp(-(step + 1) / 3)) for step in range(STEPS)]
        yield Trial(f"sweep_{number // 100:03}/trial_{number:05}", params, accuracy, [1 - each for each in accuracy])


def make_logs(data: Path) -> Path:
    """A folder per trial, with an event file that holds scalars and hyper-parameters and a lineage record."""
    return _made(data / "trials", _write_logs)


def make_list(data: Path) -> Path:
    """The trials as lines of JSON, for programs that cannot import us."""
    return _made(data / "trials.jsonl", _write_list)


def _made(path: Path, write: Callable[[Path], None]) -> Path:
    if not path.exists():
        building = path.with_name(f"{path.name}.building")
        if building.is_dir():
            shutil.rmtree(building)
        write(building)
        building.rename(path)
    return path


def _write_list(path: Path) -> None:
    with path.open("w") as out:
        out.writelines(json.dumps(asdict(trial) | {"metrics": trial.metrics}) + "\n" for trial in trials())


def _write_logs(folder: Path) -> None:
    for number, trial in enumerate(trials()):
        began = _STARTED + number * 11.0
        run = folder / trial.name
        run.mkdir(parents=True)
        record = {"format": FORMAT, "version": VERSION, "time": began, "params": trial.params, "metrics": trial.metrics}
        record["code"] = {"commit": f"{number // 500:040x}", "branch": "main", "command": "train.py --sweep"}
        events = [tensorboard.opening(began)]
        events += [tensorboard.event([each], step=0, wall_time=began) for each in session(trial.params, trial.metrics)]
        for step, (accuracy, loss) in enumerate(zip(trial.accuracy, trial.loss, strict=True)):
            values = [tensorboard.scalar("accuracy", accuracy), tensorboard.scalar("loss", loss)]
            events.append(tensorboard.event(values, step=step, wall_time=began + step))
        files = {
            f"{NAME}{int(began)}000000000.1.json": json.dumps(record, indent=1).encode(),
            tensorboard.file_name(began, host="bench"): b"".join(map(tensorboard.frame, events)),
        }
        for name, content in files.items():
            (run / name).write_bytes(content)
            os.utime(run / name, (began + STEPS, began + STEPS))
