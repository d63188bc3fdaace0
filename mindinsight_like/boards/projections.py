"""Projections of embeddings: started, watched, fetched, cancelled; and the nearest neighbours of a point."""

from __future__ import annotations

from flask import Blueprint, current_app
from flask.wrappers import Response

from mindinsight_like.errors import BadParameter, Busy, NotFound, RunNotFound, StillLoading
from mindinsight_like.jobs.folder import READY, STATES
from mindinsight_like.projections.asked import METHODS, METRICS, Asked, how_to_install, missing_package
from mindinsight_like.projections.choosing import Place, find_embedding
from mindinsight_like.projections.job_folder import Status
from mindinsight_like.projections.jobs import Projections
from mindinsight_like.projections.neighbours import nearest
from mindinsight_like.values.records import BadValue
from mindinsight_like.web import schemas
from mindinsight_like.web.answers import json_answer, unless_known, unless_same
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, choice, real, text, whole
from mindinsight_like.web.schemas import BOOLEAN, COUNT, NUMBER, STRING, listed, or_null, record
from mindinsight_like.web.source import current_reader

bp = Blueprint("projections", __name__)

_RUN = text("run", "Id of the run.")
_TAG = text("tag", "Name of the tag.")
_STEP = whole("step", "Step of the embedding; the last one by default.", default=None)
_SOURCE = text("source", "Which of several series of the run and tag; as `/embeddings` names it, usually empty.")
_METHOD = choice("method", "How to project.", METHODS, default="pca")
_DIMENSIONS = whole(
    "dimensions", "Of t-SNE and UMAP; PCA gives its first ten components.", default=3, lowest=2, highest=3
)
_METRIC = choice("metric", "Distance that the method looks at.", METRICS, default="euclidean")
_PERPLEXITY = real("perplexity", "t-SNE: about how many neighbours a point has.", default=30.0, lowest=1, highest=1000)
_ITERATIONS = whole("iterations", "t-SNE: how long to go on.", default=750, lowest=10, highest=10_000)
_NEIGHBOURS = whole("neighbours", "UMAP: how many neighbours count.", default=15, lowest=2, highest=1000)
_MIN_DISTANCE = real("min_distance", "UMAP: how near points may come.", default=0.1, lowest=0, highest=1)
_POINT = whole("point", "Number of the point, from 0 on.", default=0, lowest=0)
_COUNT = whole("count", "How many neighbours.", default=20, lowest=1, highest=1000)

_STATUS = record(
    id=STRING,
    state=schemas.choice(*STATES),
    progress=NUMBER | {"description": "0 to 1."},
    stage=STRING | {"description": "What is done now: reading, components, neighbours or layout."},
    message=STRING | {"description": "Why it failed."},
    snapshot=COUNT | {"description": "Grows when there are new points to look at before the end."},
    explained=or_null(listed(NUMBER)) | {"description": "PCA: the share of the variance that each component has."},
    seconds=or_null(NUMBER) | {"description": "How long it took."},
)


@bp.get("/projections")
@Operation(answer=record(methods=listed(record(method=STRING, is_available=BOOLEAN, message=STRING))))
def methods(given: Given) -> Response:
    """The methods that there are, and what to install for those that cannot be used yet."""
    found = [
        {
            "method": method,
            "is_available": (is_available := missing_package(method) is None),
            "message": "" if is_available else how_to_install(method),
        }
        for method in METHODS
    ]
    return unless_same({"methods": found})


@bp.post("/projections")
@Operation(
    answer=_STATUS,
    parameters=(
        _RUN, _TAG, _STEP, _SOURCE, _METHOD, _DIMENSIONS, _METRIC, _PERPLEXITY, _ITERATIONS, _NEIGHBOURS, _MIN_DISTANCE
    ),
    errors=(RunNotFound, NotFound, Busy, StillLoading),
)  # fmt: skip
def start(given: Given) -> Response:
    """A projection of an embedding; it is computed unless it is there already.

    The same question about the same vectors has the same id. A computation that failed or was ended is begun anew.
    """
    asked = Asked(
        method=given[_METHOD],
        dimensions=given[_DIMENSIONS],
        metric=given[_METRIC],
        perplexity=given[_PERPLEXITY],
        iterations=given[_ITERATIONS],
        neighbours=given[_NEIGHBOURS],
        min_distance=given[_MIN_DISTANCE],
    )
    id, status = _projections().ask(_place(given), asked)
    return json_answer(_status(id, status))


@bp.get("/projections/<id>")
@Operation(answer=_STATUS, errors=(NotFound,))
def status(given: Given, id: str) -> Response:
    """How a projection stands."""
    return unless_same(_status(id, _known(id)))


@bp.get("/projections/<id>/points")
@Operation(answer=None, errors=(NotFound,), other_formats={"application/octet-stream": "The file."})
def points(given: Given, id: str) -> Response:
    """The points as a .npy file of float32, a row each; of t-SNE also before it is done.

    Points whose vectors have numbers that are not finite are NaN.
    """
    known = _known(id)

    def build() -> Response:
        found = _projections().points(id)
        if found is None:
            raise NotFound("there are no points yet")
        answer = Response(found, content_type="application/octet-stream")
        answer.headers["Content-Disposition"] = f'attachment; filename="projection_{id[:8]}.npy"'
        return answer

    return unless_known((known.state == READY, known.snapshot, known.seconds), build)


@bp.delete("/projections/<id>")
@Operation(answer=record(id=STRING), errors=(NotFound,))
def cancel(given: Given, id: str) -> Response:
    """End a computation; a projection that is ready stays."""
    _known(id)
    _projections().cancel(id)
    return json_answer({"id": id})


@bp.get("/embeddings/neighbours")
@Operation(
    answer=record(points=listed(COUNT), distances=listed(NUMBER)),
    parameters=(_RUN, _TAG, _STEP, _SOURCE, _POINT, _COUNT, _METRIC),
    errors=(RunNotFound, NotFound, StillLoading),
)
def neighbours(given: Given) -> Response:
    """The points whose vectors are nearest to that of a point, by their numbers, the nearest first."""
    embedding = find_embedding(current_reader(), _place(given))
    if given[_POINT] >= embedding.points:
        raise BadParameter(f"there are {embedding.points} points, from 0 on", parameter="point")

    def build() -> Response:
        try:
            vectors = _projections().matrices.vectors(embedding)
        except BadValue as error:
            raise NotFound(f"the vectors cannot be read: {error}") from error
        found = nearest(vectors, given[_POINT], given[_COUNT], given[_METRIC])
        return json_answer({"points": found.points, "distances": found.distances})

    return unless_known(embedding.content, build)


def _place(given: Given) -> Place:
    return Place(given[_RUN], given[_TAG], given[_STEP], given[_SOURCE])


def _projections() -> Projections:
    # One for all threads, so that they read the same vectors only once.
    extensions = current_app.extensions
    if "projections" not in extensions:
        extensions.setdefault("projections", Projections(extensions["settings"], current_reader))
    found: Projections = extensions["projections"]
    return found


def _known(id: str) -> Status:
    found = _projections().status(id)
    if found is None:
        raise NotFound("there is no such projection, or no longer")
    return found


def _status(id: str, status: Status) -> dict[str, object]:
    return {"id": id, **vars(status)}
