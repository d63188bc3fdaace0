"""Runs, their files and their tags."""

from __future__ import annotations

from typing import Annotated, cast

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta
from typing_extensions import TypedDict

from mindinsight_like.boards.run_annotations import RunAnnotation, annotation_fields
from mindinsight_like.boards.tag_pages import AFTER, LIMIT, SEARCH, MoreTags, more_tags
from mindinsight_like.errors import BadParameter, RunNotFound, StillLoading
from mindinsight_like.http.app_state import current_state
from mindinsight_like.http.index_access import current_annotations, current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, Repeated, choice, whole, words
from mindinsight_like.http.response_types import Count, RunId, Superseded, Timestamp, response_type
from mindinsight_like.http.responses import conditional_response, json_response
from mindinsight_like.logs.base_dirs import project_of
from mindinsight_like.store import result_types
from mindinsight_like.store.annotations import Annotation
from mindinsight_like.store.names import COUNTED_KINDS, SHOWN_KINDS
from mindinsight_like.store.result_types import ScalarTagSummary, TagSummary
from mindinsight_like.store.run_catalogue import RUN_ORDERS
from mindinsight_like.store.run_status import RunStatus, State
from mindinsight_like.tables.json_numbers import JsonNumber, number

bp = Blueprint("runs", __name__)

_NOTHING_ADDED = annotation_fields(Annotation())

_ORDERS = [sign + order for order in RUN_ORDERS for sign in ("", "-")]

_SEARCH = words("search", "Only runs whose name or display name contains every one of these words, ignoring case.")
_SORT = choice("sort", "Sort order; descending with a `-` in front.", _ORDERS, default="name")
_OFFSET = whole("offset", "Number of runs to skip.", default=0, lowest=0)
_LIMIT = whole("limit", "Maximum number of runs; all by default.", default=None, lowest=0)
_DATA = Repeated("kind", f"Only runs with data of one of these kinds: {', '.join(COUNTED_KINDS.values())}.")
_ONLY = Repeated("run", "Only the runs with these IDs, without unknown ones; the other parameters do not apply.")

_INCLUDE = Repeated("include", "Runs that are left out otherwise: `archived`, `hidden`.")

_KIND = Repeated("kind", f"Only these kinds of data: {', '.join(SHOWN_KINDS.values())}.")


@response_type
class LogWarning:
    """A place in a log that could not be read; everything before and after it is served."""

    file: str
    offset: Count
    kind: str
    message: str


@response_type
class RunProgress:
    """Progress of a run whose number of steps is known."""

    step: Annotated[int, Meta(description="Largest step logged.")]
    total_steps: Count
    fraction: Annotated[float, Meta(ge=0, le=1)]
    eta_seconds: Annotated[
        float | None,
        Meta(description="From `last_activity` to the end, by the average pace; null if it does not run."),
    ]


class RunState(TypedDict):
    """Whether a run goes on, and how it ended."""

    state: Annotated[
        State,
        Meta(
            description="`stalled`: no end is recorded and nothing is logged any more; `unknown`: the same where the"
            " log format has no end."
        ),
    ]
    tracker_status: Annotated[str, Meta(description="Status as the training's logger wrote it; empty if none.")]
    exit_reason: Annotated[str, Meta(description="Exception or exit code of a run that failed, if known.")]
    started_at: Timestamp | None
    ended_at: Timestamp | None
    duration: Annotated[
        float | None, Meta(description="Seconds from the start to the end, or to `last_activity` if it has not ended.")
    ]
    last_activity: Annotated[Timestamp | None, Meta(description="When its logs were last written to.")]
    progress: RunProgress | None


class Run(RunAnnotation, RunState):
    """A training: a directory with logs."""

    id: RunId
    name: Annotated[
        str,
        Meta(
            description="Path below the base directory, `.` for the base directory itself; of further base directories"
            " `/name/path`."
        ),
    ]
    project: Annotated[
        str, Meta(description="Name of its base directory; empty if there is one base directory without a name.")
    ]
    display_name: Annotated[
        str, Meta(description="`custom_name`, or the display name from VisualDL's LogWriter; usually empty.")
    ]
    dialects: Annotated[list[str], Meta(description="Log formats of its files.")]
    created_at: Timestamp
    updated_at: Timestamp
    bytes: Annotated[int, Meta(ge=0, description="Size of its files.")]
    counts: Annotated[dict[str, Count], Meta(description="Number of tags of each kind of data.")]
    warnings: Annotated[list[LogWarning], Meta(description="The first ones; `warning_count` counts all.")]
    warning_count: Count
    has_lineage: bool
    has_profile: bool


@response_type
class RunFile:
    """A log file."""

    name: str
    bytes: Count
    offset: Annotated[int, Meta(ge=0, description="First byte that has not been read yet.")]
    dialect: Annotated[str, Meta(description="Log format.")]


class RunDetails(Run):
    """A run and the files it was read from."""

    files: list[RunFile]


@response_type
class RunsLeftOut:
    """Number of runs that match but are not in the list."""

    archived: Count
    hidden: Annotated[int, Meta(ge=0, description="Without archived ones.")]


@response_type
class RunPage:
    total: Annotated[int, Meta(ge=0, description="Number of runs before `offset` and `limit`.")]
    left_out: RunsLeftOut
    runs: list[Run]


@response_type
class Tag:
    """A tag of one run; all numbers but `superseded` are about the points that are shown by default."""

    tag: str
    count: Annotated[int, Meta(ge=0, description="Number of points.")]
    first_step: int
    last_step: int
    superseded: Superseded


@response_type
class ScalarTag(Tag):
    """A scalar tag of one run; all numbers but `superseded` are about the points that are shown by default."""

    min: Annotated[JsonNumber | None, Meta(description="Smallest finite value; null if there is none.")]
    max: Annotated[JsonNumber | None, Meta(description="Largest finite value; null if there is none.")]
    last_value: Annotated[JsonNumber, Meta(description="Value at the largest step.")]
    non_finite: Annotated[int, Meta(ge=0, description="Number of values that are NaN or infinite.")]
    sources: Annotated[list[str], Meta(description="Names of the tag's curves; usually one, the empty name.")]


class RunTags(TypedDict, total=False):
    """Tags of one run by kind of data; only requested kinds are present."""

    scalars: list[ScalarTag]
    images: list[Tag]
    histograms: list[Tag]
    text: list[Tag]
    audio: list[Tag]
    video: list[Tag]
    tensors: list[Tag]
    graphs: list[Tag]
    embeddings: list[Tag]
    pr_curves: list[Tag]
    roc_curves: list[Tag]
    meshes: list[Tag]
    landscapes: list[Tag]
    tables: list[Tag]
    more: Annotated[dict[str, MoreTags], Meta(description="For each kind whose list is cut. Absent if none is.")]


@bp.get("/runs")
@Operation(
    answer=RunPage,
    parameters=(_SEARCH, _DATA, _SORT, _OFFSET, _LIMIT, _ONLY, _INCLUDE),
    errors=(BadParameter,),
)
def runs(params: Params) -> Response:
    """Runs below the base directory, without those that were archived or hidden."""
    reader, notes = current_reader(), current_annotations()
    kinds: list[str] = params[_DATA]
    for unknown in (name for name in kinds if name not in COUNTED_KINDS.values()):
        raise BadParameter(f"unknown kind {unknown!r}.", parameter="kind")
    for unknown in (name for name in params[_INCLUDE] if name not in ("archived", "hidden")):
        raise BadParameter(f"unknown value {unknown!r}; expected archived or hidden.", parameter="include")

    def build() -> Response:
        if params.has(_ONLY):
            total, matches = reader.runs.find(ids=params[_ONLY])
            archived = hidden = 0
        else:
            left_out = notes.left_out()
            excluded: frozenset[str] = frozenset()
            excluded |= frozenset() if "archived" in params[_INCLUDE] else left_out.archived
            excluded |= frozenset() if "hidden" in params[_INCLUDE] else left_out.hidden
            named = notes.named(params[_SEARCH].split())
            total, matches = reader.runs.find(
                search=params[_SEARCH],
                sort=params[_SORT],
                offset=params[_OFFSET],
                limit=params[_LIMIT],
                named=named,
                excluded=excluded,
                kinds=kinds,
            )
            missing = reader.runs.matching(params[_SEARCH], among=excluded, named=named, kinds=kinds)
            archived = len(missing & left_out.archived)
            hidden = len(missing) - archived
        added = notes.of_runs([run.id for run in matches] if len(matches) < total else None)
        first_project = current_state().settings.first_project
        return json_response(
            RunPage(
                total=total,
                left_out=RunsLeftOut(archived=archived, hidden=hidden),
                runs=[_run(run, added.get(run.id), first_project) for run in matches],
            )
        )

    return conditional_response((reader.runs.cursor(), notes.version()), build)


@bp.get("/runs/<run_id:run_id>")
@Operation(answer=RunDetails, errors=(RunNotFound, StillLoading))
def run(params: Params, run_id: str) -> Response:
    """A run and the files it was read from."""
    reader, notes = current_reader(), current_annotations()

    def build() -> Response:
        files = [
            RunFile(name=file.name, bytes=file.bytes, offset=file.offset, dialect=file.dialect)
            for file in reader.runs.files(run_id)
        ]
        added = notes.of_runs([run_id]).get(run_id)
        first_project = current_state().settings.first_project
        body: RunDetails = {**_run(reader.runs.get(run_id), added, first_project), "files": files}
        return json_response(body)

    return conditional_response((reader.runs.versions([run_id]), notes.version()), build)


@bp.get("/runs/<run_id:run_id>/tags")
@Operation(answer=RunTags, parameters=(_KIND, SEARCH, AFTER, LIMIT), errors=(RunNotFound, StillLoading, BadParameter))
def tags(params: Params, run_id: str) -> Response:
    """Tags of a run by kind of data, in the order of their names.

    `more` is there when a list is cut, and says of each such kind how many tags there are and how to get the next ones.
    """
    reader = current_reader()
    kinds = {name: kind for kind, name in SHOWN_KINDS.items() if not params.has(_KIND) or name in params[_KIND]}
    for unknown in (name for name in params[_KIND] if name not in kinds):
        raise BadParameter(f"unknown kind {unknown!r}.", parameter="kind")

    def build() -> Response:
        there = reader.series.kinds(run_id, kinds.values())
        pages = {
            name: reader.series.tag_page(run_id, kind, search=params[SEARCH], after=params[AFTER], limit=params[LIMIT])
            for name, kind in kinds.items()
            if kind in there
        }
        listed = {name: [_tag(tag) for tag in pages[name].tags] if name in pages else [] for name in kinds}
        body = cast(RunTags, listed)
        if more := {name: rest for name, page in pages.items() if (rest := more_tags(page)) is not None}:
            body["more"] = more
        return json_response(body)

    return conditional_response(reader.runs.versions([run_id]), build)


def _run(run: result_types.Run, annotation: Annotation | None, first_project: str) -> Run:
    added = _NOTHING_ADDED if annotation is None else annotation_fields(annotation)
    return {
        "id": run.id,
        "name": run.name,
        "project": project_of(run.name) or first_project,
        "display_name": added["custom_name"] or run.display_name,
        "dialects": run.dialects,
        "created_at": run.created_at,
        "updated_at": run.updated_at,
        "bytes": run.bytes,
        "counts": run.counts,
        "warnings": [_warning(each) for each in run.warnings] if run.warnings else [],
        "warning_count": run.warning_count,
        "has_lineage": run.has_lineage,
        "has_profile": run.has_profile,
        **_state(run.status),
        **added,
    }


def _warning(warning: result_types.Warning) -> LogWarning:
    return LogWarning(file=warning.file, offset=warning.offset, kind=warning.kind, message=warning.message)


def _state(status: RunStatus) -> RunState:
    progress = None
    if status.step is not None and status.total_steps is not None and status.fraction is not None:
        progress = RunProgress(
            step=status.step,
            total_steps=status.total_steps,
            fraction=status.fraction,
            eta_seconds=status.eta_seconds,
        )
    return {
        "state": status.state,
        "tracker_status": status.word,
        "exit_reason": status.exit_reason,
        "started_at": status.started_at,
        "ended_at": status.ended_at,
        "duration": status.duration,
        "last_activity": status.active_at,
        "progress": progress,
    }


def _tag(tag: TagSummary) -> Tag:
    if not isinstance(tag, ScalarTagSummary):
        return Tag(
            tag=tag.tag,
            count=tag.count,
            first_step=tag.first_step,
            last_step=tag.last_step,
            superseded=tag.superseded,
        )
    return ScalarTag(
        tag=tag.tag,
        count=tag.count,
        first_step=tag.first_step,
        last_step=tag.last_step,
        superseded=tag.superseded,
        min=number(tag.min),
        max=number(tag.max),
        last_value=number(tag.last_value),
        non_finite=tag.non_finite,
        sources=tag.sources,
    )
