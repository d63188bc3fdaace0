"""Make the demo runs: train, and log as if it had happened over the last hours, or as it happens."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from mindinsight_like.demo.dating import set_back_trace
from mindinsight_like.demo.folder import DemoFolder, Recipe
from mindinsight_like.demo.logs import open_log
from mindinsight_like.demo.profiled_training import profile_training
from mindinsight_like.demo.training.plans import DIALECTS, Plan, plans
from mindinsight_like.demo.training.provenance import checkpoint_of, log_descent
from mindinsight_like.demo.training.training import Training
from mindinsight_like.demo.two_ranks import write_two_ranks

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
        _record_run(folder.path, plan, seed=recipe.seed, started=started)
        if place < len(_PROFILES):
            _PROFILES[place](written[-1] / "profiler", plan, recipe.seed, started)
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
    logs = [open_log(path, plan, started=started) for path, plan in zip(written, chosen, strict=True)]
    trainings = [Training(plan) for plan in chosen]
    try:
        for moments in zip(*(training.moments() for training in trainings), strict=True):
            for log, moment in zip(logs, moments, strict=True):
                log.write(moment, wall_time=clock())
                log.flush()
            sleep(max(0.0, started + moments[0].step / _LIVE_STEPS_PER_SECOND - clock()))
        for log, path, training in zip(logs, written, trainings, strict=True):
            outcome = training.outcome()
            log.conclude(outcome, wall_time=clock())
            log_descent(path, folder.path, training.plan, outcome, ended=clock())
    finally:
        for log in logs:
            log.close()
    return written


def _record_run(base: Path, plan: Plan, *, seed: int, started: float) -> None:
    folder = base / plan.name
    training = Training(plan, seed=seed, weights=checkpoint_of(base / plan.origin.run) if plan.origin else None)
    pace = _pace(plan, np.random.default_rng([seed, 3, plan.seed, plan.hidden]))
    if plan.crash_step:
        crashed = _log(folder, plan, training, pace, started, until=plan.crash_step)
        training.back_to_checkpoint()
        started = crashed + _REPAIR_SECONDS
    ended = _log(folder, plan, training, pace, started, until=plan.steps)
    log_descent(folder, base, plan, training.outcome(), ended=ended)


def _profile_one(folder: Path, plan: Plan, seed: int, started: float) -> None:
    profile_training(folder, plan, seed=seed)
    for path in folder.iterdir():
        set_back_trace(path, started=started)


def _profile_two(folder: Path, plan: Plan, seed: int, started: float) -> None:
    for path in write_two_ranks(folder, seed=seed, started=started):
        os.utime(path, (started, started))


# Of the first runs: one is really profiled, one has ranks.
_PROFILES = (_profile_one, _profile_two)


def _log(folder: Path, plan: Plan, training: Training, pace: Iterator[float], started: float, *, until: int) -> float:
    """Write the log of one attempt; returns the time of its last record."""
    log = open_log(folder, plan, started=started)
    wall_time = started
    for moment, took in zip(training.moments(until), pace, strict=False):
        wall_time += took
        log.write(moment, wall_time=wall_time)
    if until == plan.steps:
        log.conclude(training.outcome(), wall_time=wall_time)
    log.close()
    log.set_back()
    return wall_time


def _pace(plan: Plan, rng: np.random.Generator) -> Iterator[float]:
    """Seconds from one step to the next, on a machine that others use too."""
    usual = 0.15 + plan.hidden / 400
    while True:
        for busy in rng.lognormal(0.0, 0.15, 1000):
            yield usual * float(busy)
