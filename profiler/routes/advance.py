"""Analyse profiles in the background of the web processes, in one of them at a time."""

from __future__ import annotations

import fcntl
import logging
import os
import threading
import time
from typing import Final

from flask import Flask

from mindinsight_like.errors import ServiceError
from mindinsight_like.http.app_state import state_of
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.profiler.jobs.advance import AdvanceAnalyses
from mindinsight_like.profiler.jobs.analysis_jobs import Analyses
from mindinsight_like.profiler.routes.answering import current_analyses

_BUSY_SECONDS: Final = 0.5
_IDLE_SECONDS: Final = 5.0  # between two looks for new profiles; asking an index that has not changed costs nothing
_LOCK: Final = "advance"

_log = logging.getLogger(__name__)


def start_advance_analyses(app: Flask, *, after: threading.Thread) -> threading.Thread | None:
    """Begin with it when another thread is done; None if the settings forbid it."""
    if state_of(app).settings.profile_advance_mb == 0:
        return None

    def follow() -> None:
        after.join()
        with app.app_context():
            while True:
                try:
                    _follow()
                except ServiceError as error:  # the index is away or being rebuilt
                    _log.info("not analysing profiles in the background: %s", error)
                except Exception:  # profiles are analysed when they are opened, then
                    _log.warning("cannot analyse profiles in the background", exc_info=True)
                    return
                time.sleep(_IDLE_SECONDS)

    thread = threading.Thread(target=follow, name="advance-analyses", daemon=True)
    thread.start()
    return thread


def _follow() -> None:
    """Work as long as this process has the lock and the same index."""
    analyses = current_analyses()
    handle = _claimed(analyses)
    if handle is None:
        return
    try:
        advance = AdvanceAnalyses(analyses)
        while current_analyses() is analyses:
            is_busy = current_reader().service().loading.state == "idle" and advance.step()
            time.sleep(_BUSY_SECONDS if is_busy else _IDLE_SECONDS)
    finally:
        os.close(handle)


def _claimed(analyses: Analyses) -> int | None:
    analyses.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(analyses.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle
