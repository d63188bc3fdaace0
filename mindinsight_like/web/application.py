"""The web application: routes, error answers and the layers around them, put together."""

from __future__ import annotations

import logging
import os
import time
from importlib.metadata import version
from typing import TYPE_CHECKING

from flask import Flask
from flask.wrappers import Response
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from mindinsight_like.boards import (
    answer_curves,
    audio,
    blobs,
    changes,
    chart_layouts,
    embeddings,
    graphs,
    histograms,
    hparams,
    images,
    landscapes,
    meshes,
    projections,
    runs,
    scalars,
    service,
    steps,
    tensor_parts,
    tensors,
    texts,
    views,
)
from mindinsight_like.compare import routes as compare_routes
from mindinsight_like.compare import table_routes as compare_table_routes
from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import RunNotFound, ServiceError, StillLoading, TooLarge
from mindinsight_like.lineage import analysis_routes, pipeline_routes, table_routes
from mindinsight_like.profiler import routes as profiler_routes
from mindinsight_like.store.reading import IndexReader
from mindinsight_like.web import openapi
from mindinsight_like.web.access import AccessGate
from mindinsight_like.web.answers import error_answer
from mindinsight_like.web.compression import compress
from mindinsight_like.web.headers import SecurityHeaders
from mindinsight_like.web.mount import Mount
from mindinsight_like.web.page import PagePath, page
from mindinsight_like.web.source import ReaderSource, current_reader

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable  # elsewhere in Python 3.10

log = logging.getLogger(__name__)

_ITEM_BOARDS = (
    images,
    histograms,
    texts,
    audio,
    tensors,
    tensor_parts,
    hparams,
    answer_curves,
    embeddings,
    projections,
    meshes,
    landscapes,
    chart_layouts,
    graphs,
    steps,
    blobs,
)
_LARGEST_BODY = 16 * 2**20  # bytes; a hundred thousand run ids fit


def create() -> Flask:
    """The application of a service whose settings are in the environment, as gunicorn calls it."""
    return create_app(Settings.from_environment(os.environ))


def create_app(settings: Settings, reader: IndexReader | None = None, *, dist: Traversable | None = None) -> Flask:
    """The application over `reader`; without one, each process opens its own at its first request."""
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = _LARGEST_BODY
    app.url_map.merge_slashes = False
    app.url_map.converters["page_path"] = PagePath

    program = version("mindinsight-like")
    app.extensions["settings"] = settings
    app.extensions["reader"] = ReaderSource(settings, reader)
    app.extensions["version"] = program
    app.extensions["prefix"] = settings.url_path_prefix
    app.extensions["started_at"] = time.time()
    # What the same address may answer differently for, besides the data itself.
    app.extensions["edition"] = (program, str(settings.summary_base_dir), settings.store_url)

    for module in (
        service,
        changes,
        runs,
        views,
        table_routes,
        analysis_routes,
        pipeline_routes,
        compare_routes,
        compare_table_routes,
        *profiler_routes.MODULES,
        scalars,
        *_ITEM_BOARDS,
        openapi,
    ):
        app.register_blueprint(module.bp, url_prefix="/v1")
    app.register_blueprint(page(settings.url_path_prefix, dist))

    app.register_error_handler(ServiceError, _known_error)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)
    app.after_request(compress)

    inner = Mount(app.wsgi_app, settings.url_path_prefix) if settings.url_path_prefix else app.wsgi_app
    app.wsgi_app = SecurityHeaders(AccessGate(inner, settings))  # type: ignore[method-assign]
    return app


def _known_error(error: ServiceError) -> Response:
    if isinstance(error, RunNotFound) and current_reader().service().loading.state == "loading":
        return error_answer(StillLoading("This run is not known yet, and loading goes on.", **error.details))
    return error_answer(error)


def _http_error(error: HTTPException) -> Response:
    """Flask's own refusals in our shape, their headers (such as Allow) kept."""
    ours = ServiceError(error.description or error.name)
    ours.status = error.code or 500
    ours.code = TooLarge.code if isinstance(error, RequestEntityTooLarge) else error.name.lower().replace(" ", "_")
    answer = error_answer(ours)
    answer.headers.extend((name, value) for name, value in error.get_headers() if name != "Content-Type")
    return answer


def _unexpected(error: Exception) -> Response:
    log.error("unexpected error while answering", exc_info=error)
    return error_answer(ServiceError("Something went wrong in the service; its log has the details."))
