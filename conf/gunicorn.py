"""How gunicorn serves the application: `gunicorn -c python:mindinsight_like.conf.gunicorn`."""

from __future__ import annotations

import os
import re
from datetime import timedelta
from typing import Any

import gunicorn.http.wsgi
from gunicorn.glogging import Logger

from mindinsight_like.compare import readiness as comparison
from mindinsight_like.conf.settings import Settings
from mindinsight_like.lineage import readiness as lineage

_settings = Settings.from_environment(os.environ)
_logs = _settings.workspace / "log" / "gunicorn"
_logs.mkdir(parents=True, exist_ok=True)

_TOKEN = re.compile(r"(?<=[?&]token=)[^&\s]*")


class RequestLog(Logger):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's logger, which keeps the token of a first visit out of the access log."""

    def atoms(self, resp: Any, req: Any, environ: dict[str, Any], request_time: timedelta) -> dict[str, Any]:
        found: dict[str, Any] = super().atoms(resp, req, environ, request_time)
        found["r"] = _TOKEN.sub("...", found["r"])
        return found


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

wsgi_app = "mindinsight_like.web.application:create()"
bind = _settings.bind
proc_name = f"mindinsight-like:{_settings.port}"

workers = _settings.workers
worker_class = "gthread"
threads = 8
preload_app = True  # modules are imported once and shared; each worker opens the index itself
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # heartbeats must not wait for a disk

timeout = 60
graceful_timeout = 2  # the supervisor waits a little longer
keepalive = 30  # longer than the pages' pause between two questions
limit_request_line = 8190  # the longest gunicorn has a bound for; longer requests are POSTed
control_socket_disable = True


def post_worker_init(worker: Any) -> None:
    """Called by gunicorn in each process that answers, once it has the application."""
    comparison.make_ready(worker.wsgi, after=lineage.make_ready(worker.wsgi))


logger_class = RequestLog
access_log_format = '%(t)s %(h)s "%(r)s" %(s)s %(b)s bytes in %(D)s us'
logconfig_dict = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "access": {"format": "%(message)s"},
        "error": {"format": "%(asctime)s [%(process)d] %(levelname)s %(name)s: %(message)s"},
    },
    "handlers": {"access": _file_handler("access"), "error": _file_handler("error")},
    "loggers": {
        "gunicorn.access": {"level": "INFO", "handlers": ["access"], "propagate": False},
        "gunicorn.error": {"level": "INFO", "handlers": ["error"], "propagate": False},
    },
    "root": {"level": "INFO", "handlers": ["error"]},
}
