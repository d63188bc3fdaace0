"""The calls of wandb, recorded into a folder of logs: a script needs only another import.

    from mindinsight_like import wandb  # in place of: import wandb

Runs go to `runs/`, or to `WANDB_DIR`. What needs wandb's server (artifacts, alerts, sweeps, reports) does nothing and
says so once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mindinsight_like.tracking import active_run
from mindinsight_like.tracking.folders import new_name
from mindinsight_like.tracking.media import Audio, Histogram, Html, Image, Video
from mindinsight_like.tracking.tracked_run import RunFacts
from mindinsight_like.tracking.wandb_run import WandbRun as Run

if TYPE_CHECKING:
    from mindinsight_like.tracking.attributes import Config, Summary

    config: Config
    summary: Summary
    run: Run | None

__all__ = [
    "Audio",
    "Histogram",
    "Html",
    "Image",
    "Run",
    "Video",
    "alert",
    "config",
    "define_metric",
    "finish",
    "init",
    "log",
    "log_artifact",
    "login",
    "run",
    "save",
    "summary",
    "unwatch",
    "use_artifact",
    "watch",
]


def init(
    project: str | None = None,
    entity: str | None = None,
    config: Any = None,
    name: str | None = None,
    group: str | None = None,
    tags: Sequence[str] | None = None,
    notes: str | None = None,
    job_type: str | None = None,
    dir: str | os.PathLike[str] | None = None,
    id: str | None = None,
    resume: bool | str | None = None,
    mode: str | None = None,
    **options: Any,
) -> Run:
    """Begin a run; with `id` and `resume` it goes on in the folder of that id."""
    variables = os.environ
    tags = tags or [tag for tag in variables.get("WANDB_TAGS", "").split(",") if tag]
    is_resumed = bool(resume) and resume != "never" and id is not None
    facts = RunFacts(
        (id if is_resumed else None) or name or variables.get("WANDB_NAME") or id or new_name(),
        project or variables.get("WANDB_PROJECT", ""),
        group or variables.get("WANDB_RUN_GROUP", ""),
        job_type or variables.get("WANDB_JOB_TYPE", ""),
        (tags,) if isinstance(tags, str) else tuple(tags),
        notes or variables.get("WANDB_NOTES", ""),
    )
    return active_run.begin(
        Run,
        facts,
        dir=dir or variables.get("WANDB_DIR") or "runs",
        resume=is_resumed,
        enabled=(mode or variables.get("WANDB_MODE")) != "disabled",
        config=config,
        host_metrics_seconds=active_run.HOST_METRICS_SECONDS,
    )


def finish(exit_code: int | None = None, quiet: bool | None = None) -> None:
    """End the run."""
    active_run.finish(exit_code)


def log(data: Mapping[str, Any], step: int | None = None, commit: bool | None = None, sync: bool | None = None) -> None:
    """Record values."""
    _run("log").log(data, step=step, commit=commit)


def login(*arguments: Any, **options: Any) -> bool:
    """There is nothing to log in to."""
    return True


def define_metric(name: str, step_metric: Any = None, **options: Any) -> None:
    """See `Run.define_metric`."""
    _run("define_metric").define_metric(name, step_metric, **options)


def alert(title: str, text: str = "", level: Any = None, wait_duration: Any = None) -> None:
    """See `Run.alert`."""
    _run("alert").alert(title, text)


def watch(*arguments: Any, **options: Any) -> None:
    """See `Run.watch`."""
    _run("watch").watch()


def unwatch(*arguments: Any, **options: Any) -> None:
    """See `Run.watch`."""


def save(glob_str: Any = None, *arguments: Any, **options: Any) -> bool:
    """See `Run.save`."""
    return _run("save").save()


def log_artifact(*arguments: Any, **options: Any) -> None:
    """See `Run.log_artifact`."""
    _run("log_artifact").log_artifact()


def use_artifact(*arguments: Any, **options: Any) -> None:
    """See `Run.use_artifact`."""
    _run("use_artifact").use_artifact()


def _run(call: str) -> Run:
    run = active_run.active(f"wandb.{call}")
    if not isinstance(run, Run):
        raise TypeError(f"wandb.{call}: the active run was begun by mindinsight_like.init; call wandb.init")
    return run


_OF_THE_RUN: Mapping[str, Callable[[], object]] = {
    "config": lambda: _run("config").config,
    "summary": lambda: _run("summary").summary,
    "run": active_run.current,
}


def __getattr__(name: str) -> object:
    if name in _OF_THE_RUN:
        return _OF_THE_RUN[name]()
    raise AttributeError(f"mindinsight_like.wandb has no {name!r}; docs/moving.md lists what it has")
