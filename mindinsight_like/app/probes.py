"""Health probes: `/healthz` and `/readyz`, for monitors that have neither a token nor the right Host header."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from mindinsight_like.errors import ServiceError
from mindinsight_like.http.responses import error_answer, json_response

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment
    from flask.wrappers import Response

log = logging.getLogger(__name__)


class NotReady(ServiceError):
    """The service runs, but the index cannot be read at the moment."""

    status = 503
    code = "not_ready"
    retry_after_seconds = 1


class Probes:
    """Answers probes, with and without the URL prefix, before anything else sees the request."""

    def __init__(self, app: WSGIApplication, prefix: str, check_index: Callable[[], None]) -> None:
        self._app = app
        self._check_index = check_index
        probes = {"/healthz": self._health, "/readyz": self._readiness}
        self._probes = probes | {prefix + path: probe for path, probe in probes.items()}

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        probe = self._probes.get(environ.get("PATH_INFO", ""))
        if probe is None or environ.get("REQUEST_METHOD") not in ("GET", "HEAD"):
            return self._app(environ, start_response)
        return probe()(environ, start_response)

    def _health(self) -> Response:
        """The process answers; it needs nothing else for that."""
        answer = json_response({"status": "ok"})
        answer.headers["Cache-Control"] = "no-store"
        return answer

    def _readiness(self) -> Response:
        try:
            self._check_index()
        except ServiceError as error:
            return error_answer(NotReady("The index cannot be read at the moment.", reason=error.code))
        except Exception:
            log.exception("the index cannot be read")
            return error_answer(NotReady("The index cannot be read at the moment.", reason="internal"))
        return self._health()
