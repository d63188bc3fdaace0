"""Make the demo runs: train, and log as if it had happened over the last hours, or as it happens."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from mindinsight_like.demo.folder import DemoFolder, Recipe
from mindinsight_like.demo.logs import TrainingLog
from mindinsight_like.demo.plans import DIALECTS, Plan, plans
from mindinsight_like.demo.training import Moment, Training

_BETWEEN_STARTS_SECONDS = 1500.0
_REPAIR_SECONDS = 400.0
_LIVE_STEPS_PER_SECOND = 8


def record(folder: DemoFolder, recipe: Recipe, *, now: float) -> list[Path]:
    """Replace the folder's runs by those of the recipe, the last of which ends shortly before `now`."""
    folder.clear()
    chosen = plans(recipe.runs)
    written = []
    for place, plan in enumerate(chosen):
        written.append(folder.add(plan.name))
        started = now - (len(chosen) - place) * _BETWEEN_STARTS_SECONDS
        _record_run(written[-1], plan, seed=recipe.seed, started=started)
    folder.finish(recipe)
    return written


def record_live(
    folder: DemoFolder,
    *,
    seconds: float,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> list[Path]:
    """Train one run per dialect in step with the clock, flushing every step, until `seconds` have passed."""
    started = clock()
    steps = max(1, int(seconds * _LIVE_STEPS_PER_SECOND))
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(started))
    chosen = [replace(plan, steps=steps, crash_step=0) for plan in plans(len(DIALECTS))]
    written = [folder.add(f"live/{plan.dialect}-{stamp}") for plan in chosen]
    logs = [TrainingLog(path, plan, started=started) for path, plan in zip(written, chosen, strict=True)]
    trainings = [Training(plan).moments() for plan in chosen]
    try:
        for moments in zip(*trainings, strict=True):
            for log, moment in zip(logs, moments, strict=True):
                log.write(moment, wall_time=clock())
                log.flush()
            sleep(max(0.0, started + moments[0].step / _LIVE_STEPS_PER_SECOND - clock()))
    finally:
        for log in logs:
            log.close()
    return written


def _record_run(folder: Path, plan: Plan, *, seed: int, started: float) -> None:
    training = Training(plan, seed=seed)
    pace = _pace(plan, np.random.default_rng([seed, 3, plan.seed, plan.hidden]))
    if plan.crash_step:
        crashed = _log(folder, plan, training.moments(plan.crash_step), pace, started)
        training.back_to_checkpoint()
        started = crashed + _REPAIR_SECONDS
    _log(folder, plan, training.moments(), pace, started)


def _log(folder: Path, plan: Plan, moments: Iterable[Moment], pace: Iterator[float], started: float) -> float:
    """Write one log file; returns the time of its last record, which the file also gets as its own."""
    log = TrainingLog(folder, plan, started=started)
    wall_time = started
    for moment, took in zip(moments, pace, strict=False):
        wall_time += took
        log.write(moment, wall_time=wall_time)
    os.utime(log.close(), (wall_time, wall_time))
    return wall_time


def _pace(plan: Plan, rng: np.random.Generator) -> Iterator[float]:
    """Seconds from one step to the next, on a machine that others use too."""
    usual = 0.15 + plan.hidden / 400
    while True:
        for busy in rng.lognormal(0.0, 0.15, 1000):
            yield usual * float(busy)
