"""Routes of connected trainings: list them, request a recording."""

from __future__ import annotations

from typing import Annotated, Literal

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.errors import Busy, NotFound
from mindinsight_like.http.app_state import current_state
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, whole
from mindinsight_like.http.response_types import Count, Timestamp, response_type
from mindinsight_like.http.responses import json_response
from mindinsight_like.profiler.collector.trainings import SENT, WAITING, Command, CommandState, Training, Trainings
from mindinsight_like.store.database.location import run_id

bp = Blueprint("collectors", __name__)

TrainingState = Literal["training", "requested", "recording"]
_STEPS = whole("steps", "How many of the next steps to record.", default=5, lowest=1, highest=10_000)


@response_type
class ProfileCommand:
    """A request to profile steps, and its progress."""

    id: str
    steps: Count
    state: CommandState
    message: str
    requested_at: Timestamp


@response_type
class ConnectedTraining:
    """A training with a collector that is connected at present."""

    id: str
    run: Annotated[str, Meta(description="ID of the run; it is in the index once something has been loaded.")]
    run_name: str
    host: str
    pid: int
    rank: int
    ranks: int
    framework: str
    step: Annotated[int, Meta(description="How many steps have ended.")]
    state: Annotated[TrainingState, Meta(description="`requested`: it records from its next step on.")]
    dropped: Annotated[int, Meta(ge=0, description="Entries that were dropped since the spool was full.")]
    last_seen: Timestamp
    can_profile: bool
    profile: Annotated[ProfileCommand | None, Meta(description="The last request for a recording.")]


@response_type
class CollectorList:
    is_open: Annotated[bool, Meta(description="Whether trainings can connect at all.")]
    collectors: list[ConnectedTraining]


@bp.get("/collectors")
@Operation(answer=CollectorList)
def collectors(params: Params) -> Response:
    """Connected trainings; empty unless the service `is_open` for them."""
    trainings = _current()
    settings = current_state().settings
    entries = [_about(each, trainings.latest(each.id)) for each in trainings.connected()]
    answer = json_response(CollectorList(is_open=settings.collector_port != 0, collectors=entries))
    answer.headers["Cache-Control"] = "no-store"
    return answer


@bp.post("/collectors/<id>/profile")
@Operation(answer=ProfileCommand, parameters=(_STEPS,), errors=(NotFound, Busy))
def profile_now(params: Params, id: str) -> Response:
    """Profile the next steps of a training; `GET /collectors` shows the progress."""
    trainings = _current()
    matching = [each for each in trainings.connected() if each.id == id and each.can_profile]
    if not matching:
        raise NotFound("No such training is connected, or it cannot be profiled.")
    latest = trainings.latest(id)
    if _state(matching[0]) != "training" or (latest is not None and latest.state in (WAITING, SENT)):
        raise Busy("A profile is already being recorded.")
    return json_response(_command_entry(trainings.ask(id, int(params[_STEPS]))))


def _current() -> Trainings:
    settings = current_state().settings
    return Trainings(settings.workspace, settings.port)


def _about(training: Training, command: Command | None) -> ConnectedTraining:
    return ConnectedTraining(
        id=training.id,
        run=run_id(training.run),
        run_name=training.run,
        host=training.host,
        pid=training.process,
        rank=training.rank,
        ranks=training.ranks,
        framework=training.framework,
        step=training.step,
        state=_state(training),
        dropped=training.dropped,
        last_seen=training.last_seen,
        can_profile=training.can_profile,
        profile=None if command is None else _command_entry(command),
    )


def _state(training: Training) -> TrainingState:
    if training.is_recording:
        return "recording"
    return "requested" if training.is_asked else "training"


def _command_entry(command: Command) -> ProfileCommand:
    return ProfileCommand(
        id=command.id,
        steps=command.steps,
        state=command.state,
        message=command.message,
        requested_at=command.asked_at,
    )
