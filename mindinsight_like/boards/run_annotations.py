"""What people add to runs: notes, labels, names, colours, owners; archiving and hiding, one run or many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta
from typing_extensions import TypedDict

from mindinsight_like.errors import BadParameter, Busy, Conflict, NotFound, RunNotFound, StillLoading, StorageFull
from mindinsight_like.http.index_access import current_annotations, current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Parameter, Params, Repeated, flag, text, version
from mindinsight_like.http.response_types import Count, RunId, Version, response_type
from mindinsight_like.http.responses import json_response
from mindinsight_like.store.annotations import (
    MOST_LABEL,
    MOST_LABELS,
    MOST_NOTE,
    MOST_OWNER,
    MOST_RUN_NAME,
    Annotation,
    Changed,
)
from mindinsight_like.store.annotations.tables import UserDataUnusable

bp = Blueprint("run_annotations", __name__)

_NOTE = text("note", f"Note of the run, at most {MOST_NOTE:,} characters; unchanged if omitted.")
_LABELS = Repeated(
    "labels", f"Labels of the run, at most {MOST_LABELS} of {MOST_LABEL} characters; unchanged if omitted."
)
_NOTE_VERSION = version("note_version", "Version of the note that this one is based on.")
_LABELS_VERSION = version("labels_version", "Version of the labels that these are based on.")
_ADD_LABELS = Repeated("add_labels", "Labels to add; needs no version.")
_REMOVE_LABELS = Repeated("remove_labels", "Labels to remove; needs no version.")
_CUSTOM_NAME = text(
    "custom_name", f"Name to show, at most {MOST_RUN_NAME} characters; empty: its own. Unchanged if omitted."
)
_COLOUR = text("colour", "Colour of its curves, such as `#1f77b4`; empty: chosen by the page. Unchanged if omitted.")
_OWNER = text("owner", f"Who it belongs to, at most {MOST_OWNER} characters; unchanged if omitted.")
_ARCHIVED = flag("archived", "Whether lists leave it out as done with; needs no version.")
_HIDDEN = flag("hidden", "Whether lists leave it out as uninteresting; needs no version.")
_SETTINGS_VERSION = version("settings_version", "Version of name, colour and owner that these are based on.")
_RUNS = Repeated("run", "IDs of the runs to change.", required=True)
_TOKEN = text("token", "`undo` of the response to the change.")

_SETTINGS: dict[str, Parameter[Any]] = {
    "name": _CUSTOM_NAME,
    "colour": _COLOUR,
    "owner": _OWNER,
    "is_archived": _ARCHIVED,
    "is_hidden": _HIDDEN,
}
_MOST_RUNS = 100_000
_ERRORS = (Busy, UserDataUnusable, StorageFull)


class RunAnnotation(TypedDict):
    """What people have added to a run."""

    note: str
    labels: Sequence[str]
    custom_name: Annotated[str, Meta(description="Custom name; empty if none.")]
    colour: Annotated[str, Meta(description="Custom colour, such as `#1f77b4`; empty if none.")]
    owner: str
    archived: bool
    hidden: bool
    note_version: Version
    labels_version: Version
    settings_version: Annotated[Version, Meta(description="Version of name, colour and owner.")]


class AnnotatedRun(RunAnnotation):
    """A run with its note, labels and settings."""

    run: RunId


@response_type
class RunsChange:
    """What a change of many runs has done."""

    changed: Annotated[Count, Meta(description="Number of runs that are different now.")]
    runs: Annotated[list[AnnotatedRun], Meta(description="All runs of the request, as they are now.")]
    undo: Annotated[str, Meta(description="Token to undo the change with; empty if nothing has changed.")]


@bp.patch("/runs/<run_id:run_id>")
@Operation(
    answer=RunAnnotation,
    parameters=(
        _NOTE,
        _NOTE_VERSION,
        _LABELS,
        _LABELS_VERSION,
        _ADD_LABELS,
        _REMOVE_LABELS,
        *_SETTINGS.values(),
        _SETTINGS_VERSION,
    ),
    errors=(RunNotFound, StillLoading, Conflict, *_ERRORS),
)
def annotate(params: Params, run_id: str) -> Response:
    """Set the note, labels, name, colour or owner of a run, archive or hide it. Nothing is written into the logs.

    If someone else has changed it since, the response is 409 with both versions, and nothing is saved.
    """
    current_reader().runs.get(run_id)
    added: list[str] = params[_ADD_LABELS]
    removed: list[str] = params[_REMOVE_LABELS]
    saved = current_annotations().annotate(
        run_id,
        note=params[_NOTE] if params.has(_NOTE) else None,
        note_version=params[_NOTE_VERSION],
        labels=params[_LABELS] if params.has(_LABELS) else None,
        labels_version=params[_LABELS_VERSION],
        add_labels=added,
        remove_labels=removed,
        settings=_settings(params),
        settings_version=params[_SETTINGS_VERSION],
    )
    return json_response(annotation_fields(saved))


@bp.patch("/runs")
@Operation(
    answer=RunsChange,
    parameters=(_RUNS, _NOTE, _LABELS, _ADD_LABELS, _REMOVE_LABELS, *_SETTINGS.values()),
    errors=(RunNotFound, StillLoading, *_ERRORS),
)
def annotate_all(params: Params) -> Response:
    """Make one change of many runs, whatever they have now. The response has a token to undo it with."""
    runs: list[str] = params[_RUNS]
    if len(runs) > _MOST_RUNS:
        raise BadParameter(f"run: at most {_MOST_RUNS:,} runs are changed at once", parameter="run")
    current_reader().runs.known_families(runs)
    added: list[str] = params[_ADD_LABELS]
    removed: list[str] = params[_REMOVE_LABELS]
    changed = current_annotations().annotate_all(
        runs,
        note=params[_NOTE] if params.has(_NOTE) else None,
        labels=params[_LABELS] if params.has(_LABELS) else None,
        add_labels=added,
        remove_labels=removed,
        settings=_settings(params),
    )
    return json_response(_change(changed))


@bp.post("/runs/undo")
@Operation(answer=RunsChange, parameters=(_TOKEN,), errors=(NotFound, *_ERRORS))
def undo(params: Params) -> Response:
    """Undo a change of many runs, once. Values that were changed again since stay.

    `undo` of the response is the token to redo it with.
    """
    return json_response(_change(current_annotations().undo(params[_TOKEN])))


def annotation_fields(annotation: Annotation) -> RunAnnotation:
    """An annotation as responses have it."""
    settings = annotation.settings
    return {
        "note": annotation.note,
        "labels": annotation.labels,
        "custom_name": settings.name,
        "colour": settings.colour,
        "owner": settings.owner,
        "archived": settings.is_archived,
        "hidden": settings.is_hidden,
        "note_version": annotation.note_version,
        "labels_version": annotation.labels_version,
        "settings_version": settings.version,
    }


def _settings(params: Params) -> dict[str, Any]:
    return {field: params[parameter] for field, parameter in _SETTINGS.items() if params.has(parameter)}


def _change(changed: Changed) -> RunsChange:
    runs: list[AnnotatedRun] = [
        {"run": run, **annotation_fields(annotation)} for run, annotation in changed.annotations.items()
    ]
    return RunsChange(changed=changed.changed, runs=runs, undo=changed.undo)
