"""What a service stands on: the logs it may read, the workspace it may write, the database if there is one."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from mindinsight_like.conf.settings import Settings
from mindinsight_like.service.errors import OperationError

_STORE_SECONDS = 5


def check_base_dir(folder: Path) -> None:
    """Raise unless the folder of logs can be read."""
    try:
        with os.scandir(folder):
            pass
    except FileNotFoundError as error:
        raise OperationError(f"summary base dir {folder} does not exist") from error
    except NotADirectoryError as error:
        raise OperationError(f"summary base dir {folder} is not a folder") from error
    except OSError as error:
        raise OperationError(f"cannot read summary base dir {folder}: {error.strerror}") from error
    if not os.access(folder, os.R_OK | os.X_OK):  # listed, but nothing in it could be opened
        raise OperationError(f"cannot read summary base dir {folder}: {os.strerror(errno.EACCES)}")


def check_collector(settings: Settings) -> None:
    """Raise unless what collectors send can be taken, where that is asked for."""
    if settings.collector_port == 0:
        return
    if settings.collector_port == settings.port:
        raise OperationError(f"port {settings.port} cannot serve pages and collectors at once; take another for one")
    if not os.access(settings.summary_base_dir, os.W_OK):
        raise OperationError(f"collectors need a summary base dir to write to: {os.strerror(errno.EACCES)}")
    files = (settings.collector_certificate, settings.collector_key)
    if any(files) and not all(files):
        raise OperationError("encrypted collectors need both --collector-certificate and --collector-key")
    for file in filter(None, files):
        try:
            Path(file).read_bytes()
        except OSError as error:
            raise OperationError(f"cannot read {file}: {error.strerror}") from error


def prepare_workspace(workspace: Path) -> None:
    """Make the workspace and its folders, for this user only; raise when nothing can be written there."""
    try:
        for folder in (workspace, workspace / "run", workspace / "log" / "gunicorn"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        trial = workspace / "run" / f".writable-{os.getpid()}"
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise OperationError(f"cannot write to workspace {workspace}: {error.strerror}") from error


def check_store(url: str) -> None:
    """Raise unless the database answers; an empty address means SQLite, which needs only the workspace."""
    if not url:
        return
    try:
        import psycopg
    except ImportError as error:
        raise OperationError("PostgreSQL needs psycopg: pip install 'mindinsight-like[postgresql]'") from error
    try:
        psycopg.connect(url, connect_timeout=_STORE_SECONDS).close()
    except psycopg.Error as error:
        raise OperationError(f"cannot use the database of --store-url: {' '.join(str(error).split())}") from error
