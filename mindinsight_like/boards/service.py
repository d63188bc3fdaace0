"""What is running here, and how far loading has come."""

from __future__ import annotations

import os
from dataclasses import asdict

from flask import Blueprint, current_app
from flask.wrappers import Response

from mindinsight_like.conf.settings import Settings
from mindinsight_like.logs.scanner import NATIVE
from mindinsight_like.web.answers import unless_same
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.schemas import BOOLEAN, COUNT, STRING, TIME, choice, listed, record
from mindinsight_like.web.source import current_reader

bp = Blueprint("service", __name__)

_SERVICE = record(
    name=STRING,
    version=STRING,
    summary_base_dir=STRING,
    started_at=TIME,
    store=choice("sqlite", "postgresql"),
    native=BOOLEAN | {"description": "Whether logs are read by the compiled scanner."},
    reload_interval={"type": "number", "description": "Seconds between two looks for new data; 0: loaded once."},
    loading=record(
        state=choice("loading", "idle"), runs_done=COUNT, runs_total=COUNT, bytes_done=COUNT, bytes_total=COUNT
    ),
    kinds=listed(STRING) | {"description": "The kinds of data that at least one run has."},
)


@bp.get("/service")
@Operation(answer=_SERVICE)
def service(given: Given) -> Response:
    """What is running here, and how far loading has come."""
    settings: Settings = current_app.extensions["settings"]
    state = current_reader().service()
    return unless_same(
        {
            "name": "mindinsight-like",
            "version": current_app.extensions["version"],
            # A name that is not UTF-8 is shown as well as JSON can.
            "summary_base_dir": os.fsencode(settings.summary_base_dir).decode(errors="replace"),
            "started_at": current_app.extensions["started_at"],
            "store": state.store,
            "native": NATIVE,
            "reload_interval": settings.reload_interval,
            "loading": asdict(state.loading),
            "kinds": state.kinds,
        }
    )
