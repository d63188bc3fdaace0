"""Middleware that serves the application below a path prefix, as behind a reverse proxy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mindinsight_like.errors import NotFound
from mindinsight_like.http.responses import error_answer

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class Mount:
    """Shows the application only what lies below `prefix`, with the prefix moved to SCRIPT_NAME."""

    def __init__(self, app: WSGIApplication, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path != self._prefix and not path.startswith(self._prefix + "/"):
            elsewhere = NotFound(f"Not found; this service is served under {self._prefix}/.")
            return error_answer(elsewhere)(environ, start_response)
        environ["SCRIPT_NAME"] = environ.get("SCRIPT_NAME", "") + self._prefix
        environ["PATH_INFO"] = path[len(self._prefix) :] or "/"
        return self._app(environ, start_response)
