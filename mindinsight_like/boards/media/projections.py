"""Projections of embeddings: start, status, points, cancel; and the nearest neighbours of a point."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.errors import BadParameter, Busy, NotFound, RunNotFound, StillLoading
from mindinsight_like.http.app_state import Shared
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, choice, real, text, whole
from mindinsight_like.http.response_types import Counts, Numbers, response_type
from mindinsight_like.http.responses import conditional_response, json_response, unless_same
from mindinsight_like.jobs.folder import READY
from mindinsight_like.projections.embedding import Place, find_embedding
from mindinsight_like.projections.job_folder import Status
from mindinsight_like.projections.jobs import Projections
from mindinsight_like.projections.neighbours import nearest
from mindinsight_like.projections.request import METHODS, METRICS, ProjectionRequest, how_to_install, missing_package
from mindinsight_like.values.records import BadValue

bp = Blueprint("projections", __name__)

# One for all threads, so that they read the same vectors only once.
_PROJECTIONS = Shared(lambda state, reader: Projections(state.settings, current_reader))

_RUN = text("run", "ID of the run.")
_TAG = text("tag", "Name of the tag.")
_STEP = whole("step", "Step of the embedding; the last one by default.", default=None)
_SOURCE = text("source", "`source` of the series, if the run and tag have several; usually empty.")
_METHOD = choice("method", "Projection method.", METHODS, default="pca")
_DIMENSIONS = whole(
    "dimensions", "Dimensions of t-SNE and UMAP; PCA returns its first ten components.", default=3, lowest=2, highest=3
)
_METRIC = choice("metric", "Distance metric.", METRICS, default="euclidean")
_PERPLEXITY = real(
    "perplexity", "t-SNE: approximate number of neighbours of a point.", default=30.0, lowest=1, highest=1000
)
_ITERATIONS = whole("iterations", "t-SNE: number of iterations.", default=750, lowest=10, highest=10_000)
_NEIGHBOURS = whole("neighbours", "UMAP: number of neighbours.", default=15, lowest=2, highest=1000)
_MIN_DISTANCE = real("min_distance", "UMAP: minimum distance between points.", default=0.1, lowest=0, highest=1)
_POINT = whole("point", "Number of the point, starting at 0.", default=0, lowest=0)
_COUNT = whole("count", "Number of neighbours.", default=20, lowest=1, highest=1000)


JobState = Literal["queued", "running", "ready", "failed"]


@response_type
class ProjectionMethod:
    method: str
    is_available: bool
    message: Annotated[str, Meta(description="What to install; empty if it is available.")]


@response_type
class ProjectionMethodList:
    methods: list[ProjectionMethod]


@response_type
class ProjectionStatus:
    """Status of a projection."""

    id: str
    state: JobState
    progress: Annotated[float, Meta(description="From 0 to 1.")]
    stage: Annotated[str, Meta(description="What is being done: reading, components, neighbours or layout.")]
    message: Annotated[str, Meta(description="Why it failed.")]
    snapshot: Annotated[int, Meta(ge=0, description="Grows when there are new points to show before the end.")]
    explained_variance: Annotated[
        list[float] | None, Meta(description="PCA: the share of the variance of each component.")
    ]
    seconds: Annotated[float | None, Meta(description="How long it took.")]


@response_type
class CancelledProjection:
    id: str


@response_type
class NearestPoints:
    """The points nearest to a point, the nearest first."""

    points: Annotated[Counts, Meta(description="Numbers of the points.")]
    distances: Numbers


@bp.get("/projections")
@Operation(answer=ProjectionMethodList)
def methods(params: Params) -> Response:
    """Projection methods, and what to install for those that are not available."""
    entries = [
        ProjectionMethod(
            method=method,
            is_available=(is_available := missing_package(method) is None),
            message="" if is_available else how_to_install(method),
        )
        for method in METHODS
    ]
    return unless_same(ProjectionMethodList(methods=entries))


@bp.post("/projections")
@Operation(
    only_reads=True,
    answer=ProjectionStatus,
    parameters=(
        _RUN, _TAG, _STEP, _SOURCE, _METHOD, _DIMENSIONS, _METRIC, _PERPLEXITY, _ITERATIONS, _NEIGHBOURS, _MIN_DISTANCE
    ),
    errors=(RunNotFound, NotFound, Busy, StillLoading),
)  # fmt: skip
def start(params: Params) -> Response:
    """Start a projection of an embedding, unless it exists.

    The same request for the same vectors has the same ID. A computation that failed or was cancelled starts again.
    """
    query = ProjectionRequest(
        method=params[_METHOD],
        dimensions=params[_DIMENSIONS],
        metric=params[_METRIC],
        perplexity=params[_PERPLEXITY],
        iterations=params[_ITERATIONS],
        neighbours=params[_NEIGHBOURS],
        min_distance=params[_MIN_DISTANCE],
    )
    id, status = _PROJECTIONS.current().ask(_place(params), query)
    return json_response(_status(id, status))


@bp.get("/projections/<id>")
@Operation(answer=ProjectionStatus, errors=(NotFound, Busy))
def status(params: Params, id: str) -> Response:
    """Status of a projection."""
    return unless_same(_status(id, _existing_status(id)))


@bp.get("/projections/<id>/points")
@Operation(answer=None, errors=(NotFound, Busy), other_formats={"application/octet-stream": "The file."})
def points(params: Params, id: str) -> Response:
    """Points of a projection as a .npy file of float32, one row each; of t-SNE also before it is done.

    Points whose vectors have numbers that are not finite are NaN.
    """
    status = _existing_status(id)

    def build() -> Response:
        data = _PROJECTIONS.current().points(id)
        if data is None:
            raise NotFound("no points yet")
        answer = Response(data, content_type="application/octet-stream")
        answer.headers["Content-Disposition"] = f'attachment; filename="projection_{id[:8]}.npy"'
        return answer

    return conditional_response((status.state == READY, status.snapshot, status.seconds), build)


@bp.delete("/projections/<id>")
@Operation(answer=CancelledProjection, errors=(NotFound, Busy))
def cancel(params: Params, id: str) -> Response:
    """Cancel a computation; a finished projection stays."""
    _existing_status(id)
    _PROJECTIONS.current().cancel(id)
    return json_response(CancelledProjection(id=id))


@bp.get("/embeddings/neighbours")
@Operation(
    answer=NearestPoints,
    parameters=(_RUN, _TAG, _STEP, _SOURCE, _POINT, _COUNT, _METRIC),
    errors=(RunNotFound, NotFound, StillLoading),
)
def neighbours(params: Params) -> Response:
    """The nearest neighbours of a point in the original space."""
    embedding = find_embedding(current_reader(), _place(params))
    if params[_POINT] >= embedding.points:
        raise BadParameter(f"point must be from 0 to {embedding.points - 1}", parameter="point")

    def build() -> Response:
        try:
            vectors = _PROJECTIONS.current().matrices.vectors(embedding)
        except BadValue as error:
            raise NotFound(f"cannot read the vectors: {error}") from error
        nearest_points = nearest(vectors, params[_POINT], params[_COUNT], params[_METRIC])
        return json_response(NearestPoints(points=nearest_points.points, distances=nearest_points.distances))

    return conditional_response(embedding.content, build)


def _place(params: Params) -> Place:
    return Place(params[_RUN], params[_TAG], params[_STEP], params[_SOURCE])


def _existing_status(id: str) -> Status:
    status = _PROJECTIONS.current().status(id)
    if status is None:
        raise NotFound("projection not found")
    return status


def _status(id: str, status: Status) -> ProjectionStatus:
    return ProjectionStatus(
        id=id,
        state=cast(JobState, status.state),
        progress=status.progress,
        stage=status.stage,
        message=status.message,
        snapshot=status.snapshot,
        explained_variance=status.explained,
        seconds=status.seconds,
    )
