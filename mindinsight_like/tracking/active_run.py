"""The run that `init` began, and `log` and `finish` go on with: one in each process."""

from __future__ import annotations

import atexit
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from mindinsight_like.conf.locations import check_local
from mindinsight_like.tracking.folders import make_folder, new_name
from mindinsight_like.tracking.tracked_run import RunFacts, TrackedRun

HOST_METRICS_SECONDS = 15.0

AnyRun = TypeVar("AnyRun", bound=TrackedRun)

_active: TrackedRun | None = None
_process = 0
_is_watching_end = False


def init(
    *,
    project: str | None = None,
    config: Any = None,
    name: str | None = None,
    group: str | None = None,
    tags: Sequence[str] | None = None,
    notes: str | None = None,
    job_type: str | None = None,
    dir: str | os.PathLike[str] = "runs",
    resume: bool = False,
    host_metrics_seconds: float = HOST_METRICS_SECONDS,
    total_steps: int | None = None,
    capture_console: bool = False,
    enabled: bool = True,
) -> TrackedRun:
    """Begin a run in a folder below `dir`, named by project and name; a run that is active in this process ends.

    Recorded without further calls: `config` (a mapping or namespace), the git commit with what differs from it, the
    command line, the versions of imported packages, metrics of the host and its devices every
    `host_metrics_seconds` (0: none), and how the run ends. `capture_console=True` also records what the process
    prints. `resume=True` goes on in the folder of the same name; otherwise a name that exists gets a number. With
    `enabled=False` nothing is written.
    """
    about = RunFacts(name or new_name(), project or "", group or "", job_type or "", tuple(tags or ()), notes or "")
    return begin(
        TrackedRun,
        about,
        dir=dir,
        resume=resume,
        config=config,
        host_metrics_seconds=host_metrics_seconds,
        total_steps=total_steps,
        capture_console=capture_console,
        enabled=enabled,
    )


def begin(
    kind: type[AnyRun],
    facts: RunFacts,
    *,
    dir: str | os.PathLike[str],
    resume: bool,
    enabled: bool = True,
    **options: Any,
) -> AnyRun:
    """Make a run of this class the active one."""
    global _active, _process
    check_local(dir)
    finish()
    folder = Path(dir, facts.name)
    if enabled:
        folder = make_folder(Path(dir), project=facts.project, name=facts.name, resume=resume)
    run = kind(folder, facts, enabled=enabled, **options)
    _active, _process = run, os.getpid()
    _watch_end()
    return run


def log(data: Mapping[str, Any], step: int | None = None, commit: bool | None = None) -> None:
    """Record values of the active run; see `TrackedRun.log`."""
    active("log").log(data, step=step, commit=commit)


def finish(exit_code: int | None = None) -> None:
    """End the active run, if there is one; the end of the process does so, too."""
    global _active
    run, _active = _active, None
    if run is not None and _process == os.getpid():  # a forked process leaves it to its parent
        run.finish(exit_code)


def current() -> TrackedRun | None:
    """The active run."""
    return _active


def active(call: str) -> TrackedRun:
    """The active run; raises RuntimeError without one."""
    if _active is None:
        raise RuntimeError(f"call init() before {call}()")
    return _active


def _watch_end() -> None:
    # Registered after the writer's own end, so that it comes before it.
    global _is_watching_end
    if not _is_watching_end:
        _is_watching_end = True
        atexit.register(_finish_at_exit)


def _finish_at_exit() -> None:
    with suppress(Exception):  # the process ends either way
        finish()
