"""What a service stands on: the logs it may read, the workspace it may write, the database if there is one."""

from __future__ import annotations

import errno
import os
from pathlib import Path

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
