"""Application factory: routes, error handlers and middleware."""

from __future__ import annotations

import errno
import logging
import os
import time
from importlib.metadata import version
from typing import TYPE_CHECKING

from flask import Flask
from flask.wrappers import Response
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge
from werkzeug.routing import BaseConverter

from mindinsight_like.app.access_checks import AccessGate, PeerUid, refuse_changes, socket_peers
from mindinsight_like.app.headers import SecurityHeaders
from mindinsight_like.app.mount import Mount
from mindinsight_like.app.openapi import routes as openapi
from mindinsight_like.app.page import PagePath, page
from mindinsight_like.app.probes import Probes
from mindinsight_like.app.worker.request_framing import LARGEST_BODY
from mindinsight_like.boards import (
    board,
    changes,
    chart_layouts,
    console,
    graphs,
    histograms,
    hparams,
    logged_tables,
    pr_curves,
    run_annotations,
    runs,
    saved_views,
    scalars,
    service,
    steps,
)
from mindinsight_like.boards.media import (
    audio,
    blobs,
    embeddings,
    images,
    landscapes,
    meshes,
    projections,
    tensor_parts,
    tensors,
    texts,
)
from mindinsight_like.compare.routes import curves as compare_routes
from mindinsight_like.compare.routes import tables as compare_table_routes
from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import RunNotFound, ServiceError, StillLoading, StorageFull, TooLarge
from mindinsight_like.http.app_state import AppState, set_state
from mindinsight_like.http.compression import compress
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.reader_source import ReaderSource
from mindinsight_like.http.responses import error_answer
from mindinsight_like.lineage.routes import folding, forest, insights, pipelines, runs_table, table_settings, tables
from mindinsight_like.profiler import routes as profiler_routes
from mindinsight_like.store.reader import IndexReader

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
    pr_curves,
    embeddings,
    projections,
    meshes,
    landscapes,
    logged_tables,
    chart_layouts,
    graphs,
    steps,
    console,
    blobs,
)


def create() -> Flask:
    """The application of a service whose settings are in the environment, as gunicorn calls it."""
    return create_app(Settings.from_environment(os.environ), peer_uid=socket_peers())


def create_app(
    settings: Settings,
    reader: IndexReader | None = None,
    *,
    dist: Traversable | None = None,
    peer_uid: PeerUid | None = None,
) -> Flask:
    """The application over `reader`; without one, each process opens its own at its first request.

    `peer_uid` tells who asks over the network; without it, requests count as those of the service's own user.
    """
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    app.url_map.merge_slashes = False
    app.url_map.converters["page_path"] = PagePath
    app.url_map.converters["profile_id"] = ProfileId
    app.url_map.converters["run_id"] = RunIdPart

    source = ReaderSource(settings, reader)
    set_state(app, AppState(settings, source, version("mindinsight-like"), time.time()))

    for module in (
        service,
        changes,
        run_annotations,
        runs,
        board,
        saved_views,
        tables,
        runs_table,
        table_settings,
        folding,
        forest,
        insights,
        pipelines,
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
    app.before_request(refuse_changes)
    app.after_request(compress)

    inner = Mount(app.wsgi_app, settings.url_path_prefix) if settings.url_path_prefix else app.wsgi_app
    gate = AccessGate(inner, settings, peer_uid=peer_uid)
    probes = Probes(gate, settings.url_path_prefix, lambda: source.get().check())
    app.wsgi_app = SecurityHeaders(probes)  # type: ignore[method-assign]
    return app


class RunIdPart(BaseConverter):
    """Not the words that stand in the same place of other addresses."""

    regex = r"(?!(?:table|undo)$)[^/]+"


class ProfileId(BaseConverter):
    """Not the words that stand in the same place of other addresses, which would seem to take GET."""

    regex = r"(?!(?:analyse|compare)$)[^/]+"


def _known_error(error: ServiceError) -> Response:
    try:
        if isinstance(error, RunNotFound) and current_reader().service().loading.state == "loading":
            return error_answer(StillLoading("This run is not loaded yet; loading is in progress.", **error.details))
    except ServiceError as another:
        return error_answer(another)
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
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return error_answer(StorageFull("Cannot save: the disk of the workspace is full."))
    log.error("unexpected error while handling a request", exc_info=error)
    return error_answer(ServiceError("Something went wrong in the service; its log has the details."))
