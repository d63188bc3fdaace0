"""Trainings that are connected through their collectors, and asking them for a recording."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, current_app
from flask.wrappers import Response

from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import Busy, NotFound
from mindinsight_like.profiler.collector.trainings import SENT, STATES, WAITING, Command, Training, Trainings
from mindinsight_like.store.location import run_id
from mindinsight_like.web.answers import json_answer
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, whole
from mindinsight_like.web.schemas import BOOLEAN, COUNT, NUMBER, STRING, WHOLE, choice, listed, or_null, record

bp = Blueprint("collectors", __name__)

_STEPS = whole("steps", "How many of the next steps to record.", default=5, lowest=1, highest=10_000)
_COMMAND = record(id=STRING, steps=COUNT, state=choice(*STATES), message=STRING, asked_at=NUMBER)
_TRAINING = record(
    id=STRING,
    run=STRING | {"description": "Id of the run; it is known to the index once something has been loaded."},
    run_name=STRING,
    host=STRING,
    pid=WHOLE,
    rank=WHOLE,
    ranks=WHOLE,
    framework=STRING,
    step=WHOLE | {"description": "How many steps have ended."},
    state=choice("training", "asked", "recording") | {"description": "asked: it records from its next step on."},
    dropped=COUNT | {"description": "Entries given up, since the spool of the training was full."},
    last_seen=NUMBER | {"description": "Seconds since 1970."},
    can_profile=BOOLEAN,
    profile=or_null(_COMMAND) | {"description": "What became of the last wish for a recording."},
)


@bp.get("/collectors")
@Operation(answer=record(is_open=BOOLEAN, collectors=listed(_TRAINING)))
def collectors(given: Given) -> Response:
    """The trainings that are connected at present; none can be unless the service `is_open` for them."""
    trainings = _current()
    settings: Settings = current_app.extensions["settings"]
    told = [_about(each, trainings.latest(each.id)) for each in trainings.connected()]
    answer = json_answer({"is_open": settings.collector_port != 0, "collectors": told})
    answer.headers["Cache-Control"] = "no-store"
    return answer


@bp.post("/collectors/<id>/profile")
@Operation(answer=_COMMAND, parameters=(_STEPS,), errors=(NotFound, Busy))
def profile_now(given: Given, id: str) -> Response:
    """Have a training record its next steps; `GET /collectors` tells what became of it."""
    trainings = _current()
    found = [each for each in trainings.connected() if each.id == id and each.can_profile]
    if not found:
        raise NotFound("No such training is connected, or it cannot be profiled.")
    latest = trainings.latest(id)
    if _state(found[0]) != "training" or (latest is not None and latest.state in (WAITING, SENT)):
        raise Busy("A recording is being made already.")
    return json_answer(_told(trainings.ask(id, int(given[_STEPS]))))


def _current() -> Trainings:
    settings: Settings = current_app.extensions["settings"]
    return Trainings(settings.workspace, settings.port)


def _about(training: Training, command: Command | None) -> dict[str, Any]:
    return {
        "id": training.id,
        "run": run_id(training.run),
        "run_name": training.run,
        "host": training.host,
        "pid": training.process,
        "rank": training.rank,
        "ranks": training.ranks,
        "framework": training.framework,
        "step": training.step,
        "state": _state(training),
        "dropped": training.dropped,
        "last_seen": training.last_seen,
        "can_profile": training.can_profile,
        "profile": None if command is None else _told(command),
    }


def _state(training: Training) -> str:
    if training.is_recording:
        return "recording"
    return "asked" if training.is_asked else "training"


def _told(command: Command) -> dict[str, Any]:
    return {
        "id": command.id,
        "steps": command.steps,
        "state": command.state,
        "message": command.message,
        "asked_at": command.asked_at,
    }
