"""Gunicorn configuration: `gunicorn -c python:mindinsight_like.app.gunicorn`."""

from __future__ import annotations

import logging
import os
import re
from datetime import timedelta
from typing import Any

import gunicorn.http.wsgi
from gunicorn.glogging import Logger

from mindinsight_like.app.memory import tune_for_answering
from mindinsight_like.compare.routes import warmup as comparison
from mindinsight_like.conf.settings import Settings
from mindinsight_like.lineage.routes import warmup as lineage
from mindinsight_like.profiler.routes.advance import start_advance_analyses

_settings = Settings.from_environment(os.environ)
_logs = _settings.workspace / "log" / "gunicorn"
_logs.mkdir(parents=True, exist_ok=True)


def _in_any_encoding(text: str) -> str:
    """A pattern of the text with any of its characters percent-encoded, once or more often."""
    return "".join(rf"(?:{character}|%(?:25)*(?:{ord(character):x}|{ord(character.upper()):x}))" for character in text)


# Wherever it stands: after `;`, inside the address of a redirect, in a line that is no request.
_TOKEN = re.compile(rf"({_in_any_encoding('token=')})[^&;\s'\"]+", re.IGNORECASE)


def _hide_tokens(text: str) -> str:
    """The text with what follows `token=` in it replaced, however that is encoded."""
    return _TOKEN.sub(r"\1...", text)


class RequestLog(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's logger, which keeps the token of a first visit out of the access log."""

    def atoms(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> dict[str, Any]:
        atoms: dict[str, Any] = super().atoms(resp, req, environ, request_time)
        atoms["r"] = _hide_tokens(atoms["r"])
        return atoms


class TokenlessFormatter(logging.Formatter):
    """Keeps tokens out of messages, such as gunicorn's about requests that it does not understand."""

    def format(self, record: logging.LogRecord) -> str:
        return _hide_tokens(super().format(record))


def _file_handler(name: str) -> dict[str, str]:
    # Watched, so that every process goes on in the new file after the log was rotated.
    return {
        "class": "logging.handlers.WatchedFileHandler",
        "filename": str(_logs / f"{name}.log"),
        "formatter": name,
        "encoding": "utf-8",
    }


# Which program and version answers is nobody's business; gunicorn has no setting for it.
gunicorn.http.wsgi.SERVER = "mindinsight-like"

wsgi_app = "mindinsight_like.app.application:create()"
bind = _settings.bind
proc_name = f"mindinsight-like --port {_settings.port} --summary-base-dir {_settings.served}"

workers = _settings.workers
worker_class = "mindinsight_like.app.worker.event_loop.EventLoopWorker"
threads = 8
worker_connections = 2000  # in each process; further ones take the place of those that wait longest
preload_app = True  # modules are imported once and shared; each worker opens the index itself
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # heartbeats must not wait for a disk

timeout = 60
graceful_timeout = 2  # the supervisor waits a little longer
keepalive = 30  # longer than the pages' pause between two questions
limit_request_line = 8190  # the longest gunicorn has a bound for; longer requests are POSTed
control_socket_disable = True


def when_ready(server: Any) -> None:
    """Called by gunicorn once it has the application, before it starts the processes that answer."""
    tune_for_answering()


def post_worker_init(worker: Any) -> None:
    """Called by gunicorn in each process that answers, once it has the application."""
    warm_up = comparison.start_warmup(worker.wsgi, after=lineage.start_warmup(worker.wsgi))
    start_advance_analyses(worker.wsgi, after=warm_up)


logger_class = RequestLog
access_log_format = '%(t)s %(h)s "%(r)s" %(s)s %(b)s bytes in %(D)s us'
logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "access": {"format": "%(message)s"},
        "error": {
            "()": TokenlessFormatter,
            "format": "%(asctime)s [%(process)d] %(levelname)s %(name)s: %(message)s",
        },
    },
    "handlers": {"access": _file_handler("access"), "error": _file_handler("error")},
    "loggers": {
        "gunicorn.access": {"level": "INFO", "handlers": ["access"], "propagate": False},
        "gunicorn.error": {"level": "INFO", "handlers": ["error"], "propagate": False},
    },
    "root": {"level": "INFO", "handlers": ["error"]},
}
