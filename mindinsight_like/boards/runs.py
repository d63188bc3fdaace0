"""Runs, their files and their tags."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.errors import RunNotFound, StillLoading
from mindinsight_like.store.annotations import MOST_LABEL, MOST_LABELS, MOST_NOTE, Annotation
from mindinsight_like.store.answers import Run, ScalarTagSummary, TagSummary
from mindinsight_like.store.names import SHOWN_KINDS
from mindinsight_like.store.run_catalogue import RUN_ORDERS
from mindinsight_like.web.answers import json_answer, unless_known
from mindinsight_like.web.numbers import number
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, Repeated, choice, text, whole
from mindinsight_like.web.schemas import BOOLEAN, COUNT, NUMBER, STRING, TIME, WHOLE, Schema, listed, or_null, record
from mindinsight_like.web.source import current_annotations, current_reader

bp = Blueprint("runs", __name__)

_ORDERS = [sign + order for order in RUN_ORDERS for sign in ("", "-")]

_SEARCH = text("search", "Only runs whose name contains every word of this, in upper or lower case.")
_SORT = choice("sort", "The order; backwards with a `-` before it.", _ORDERS, default="name")
_OFFSET = whole("offset", "How many runs to skip.", default=0, lowest=0)
_LIMIT = whole("limit", "How many runs to answer with at most; all by default.", default=None, lowest=0)
_NOTE = text("note", f"What to remember of the run, at most {MOST_NOTE:,} characters; left as it is when not given.")
_LABELS = Repeated(
    "labels", f"The run's labels, at most {MOST_LABELS} of {MOST_LABEL} characters; as they are when not given."
)
_ONLY = Repeated("run", "Only the runs with these ids, unknown ones left out; the other parameters do not apply.")

_WARNING = record(file=STRING, offset=COUNT, kind=STRING, message=STRING) | {
    "description": "A place in a log that could not be read; everything before and after it is served."
}
_RUN_FIELDS: dict[str, Schema] = {
    "id": STRING,
    "name": STRING | {"description": "The path below the base dir, `.` for the base dir itself."},
    "dialects": listed(STRING),
    "created_at": TIME,
    "updated_at": TIME,
    "bytes": COUNT,
    "counts": {"type": "object", "additionalProperties": COUNT},
    "warnings": listed(_WARNING) | {"description": "The first ones; `warning_count` counts them all."},
    "warning_count": COUNT,
    "has_lineage": BOOLEAN,
    "has_profile": BOOLEAN,
    "note": STRING,
    "labels": listed(STRING),
}
_RUN = record(**_RUN_FIELDS)
_FILE = record(name=STRING, bytes=COUNT, offset=COUNT | {"description": "First byte not read yet."}, dialect=STRING)
_TAG_FIELDS: dict[str, Schema] = {"tag": STRING, "count": COUNT, "first_step": WHOLE, "last_step": WHOLE}
_TAG = record(**_TAG_FIELDS)
_SCALAR_TAG = record(
    **_TAG_FIELDS,
    min=or_null(NUMBER) | {"description": "Of the finite values; null when there are none."},
    max=or_null(NUMBER),
    last_value=NUMBER,
    non_finite=COUNT,
    sources=listed(STRING) | {"description": "The names of the tag's curves; usually one, unnamed."},
)
_TAGS = record(**{kind: listed(_SCALAR_TAG if kind == "scalars" else _TAG) for kind in SHOWN_KINDS.values()})


@bp.get("/runs")
@Operation(
    answer=record(total=COUNT | {"description": "How many runs there are before offset and limit."}, runs=listed(_RUN)),
    parameters=(_SEARCH, _SORT, _OFFSET, _LIMIT, _ONLY),
)
def runs(given: Given) -> Response:
    """The runs below the base dir."""
    reader = current_reader()

    def build() -> Response:
        total, found = reader.runs(
            search=given[_SEARCH],
            sort=given[_SORT],
            offset=given[_OFFSET],
            limit=given[_LIMIT],
            ids=given[_ONLY] if given.has(_ONLY) else None,
        )
        added = notes.of_runs([run.id for run in found] if len(found) < total else None)
        return json_answer({"total": total, "runs": [_run(run, added.get(run.id)) for run in found]})

    notes = current_annotations()
    return unless_known((reader.cursor(), notes.version()), build)


@bp.get("/runs/<run_id>")
@Operation(answer=record(**_RUN_FIELDS, files=listed(_FILE)), errors=(RunNotFound, StillLoading))
def run(given: Given, run_id: str) -> Response:
    """One run and the files it was read from."""
    reader = current_reader()

    def build() -> Response:
        files = [
            {"name": file.name, "bytes": file.bytes, "offset": file.offset, "dialect": file.dialect}
            for file in reader.files(run_id)
        ]
        added = notes.of_runs([run_id]).get(run_id)
        return json_answer(_run(reader.run(run_id), added) | {"files": files})

    notes = current_annotations()
    return unless_known((reader.versions([run_id]), notes.version()), build)


@bp.patch("/runs/<run_id>")
@Operation(
    answer=record(note=_RUN_FIELDS["note"], labels=_RUN_FIELDS["labels"]),
    parameters=(_NOTE, _LABELS),
    errors=(RunNotFound, StillLoading),
)
def annotate(given: Given, run_id: str) -> Response:
    """Set the note or the labels of a run; they are kept beside the index, never in the logs."""
    current_reader().run(run_id)
    saved = current_annotations().annotate(
        run_id,
        note=given[_NOTE] if given.has(_NOTE) else None,
        labels=given[_LABELS] if given.has(_LABELS) else None,
    )
    return json_answer({"note": saved.note, "labels": saved.labels})


@bp.get("/runs/<run_id>/tags")
@Operation(answer=_TAGS, errors=(RunNotFound, StillLoading))
def tags(given: Given, run_id: str) -> Response:
    """Everything one run has logged, by kind of data."""
    reader = current_reader()

    def build() -> Response:
        return json_answer({kind: [_tag(tag) for tag in found] for kind, found in reader.tags(run_id).items()})

    return unless_known(reader.versions([run_id]), build)


def _run(run: Run, added: Annotation | None) -> dict[str, object]:
    note, labels = added or Annotation()
    return {
        "id": run.id,
        "name": run.name,
        "dialects": run.dialects,
        "created_at": number(run.created_at),
        "updated_at": number(run.updated_at),
        "bytes": run.bytes,
        "counts": run.counts,
        "warnings": [{"file": w.file, "offset": w.offset, "kind": w.kind, "message": w.message} for w in run.warnings],
        "warning_count": run.warning_count,
        "has_lineage": run.has_lineage,
        "has_profile": run.has_profile,
        "note": note,
        "labels": labels,
    }


def _tag(tag: TagSummary) -> dict[str, object]:
    common: dict[str, object] = {
        "tag": tag.tag,
        "count": tag.count,
        "first_step": tag.first_step,
        "last_step": tag.last_step,
    }
    if not isinstance(tag, ScalarTagSummary):
        return common
    return common | {
        "min": number(tag.min),
        "max": number(tag.max),
        "last_value": number(tag.last_value),
        "non_finite": tag.non_finite,
        "sources": tag.sources,
    }
