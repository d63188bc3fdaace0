"""Preflight checks of a service: base dir, workspace and, if configured, collector and database."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import OperationError

_STORE_SECONDS = 5
_LEAST_ROOM_BYTES = 2**20  # for a small index, notes and the beginning of the logs


def check_base_dirs(settings: Settings) -> None:
    """Raise unless the folders of logs can be read."""
    for folder in (settings.summary_base_dir, *(each.path for each in settings.projects)):
        _check_base_dir(folder)


def _check_base_dir(folder: Path) -> None:
    try:
        with os.scandir(folder):
            pass
    except FileNotFoundError as error:
        raise OperationError(f"summary base dir {folder} does not exist") from error
    except NotADirectoryError as error:
        raise OperationError(f"summary base dir {folder} is not a directory") from error
    except OSError as error:
        raise OperationError(f"cannot read summary base dir {folder}: {error.strerror}") from error
    if not os.access(folder, os.R_OK | os.X_OK):  # listed, but nothing in it could be opened
        raise OperationError(f"cannot read summary base dir {folder}: {os.strerror(errno.EACCES)}")


def check_collector(settings: Settings) -> None:
    """Raise unless what collectors send can be taken, where that is asked for."""
    if settings.collector_port == 0:
        return
    if settings.collector_port == settings.port:
        raise OperationError(f"port {settings.port} cannot serve both the page and collectors; use different ports")
    if not os.access(settings.summary_base_dir, os.W_OK):
        raise OperationError(f"collectors need write access to the summary base dir: {os.strerror(errno.EACCES)}")
    files = (settings.collector_certificate, settings.collector_key)
    if any(files) and not all(files):
        raise OperationError("encrypted collectors need both --collector-certificate and --collector-key")
    for file in filter(None, files):
        try:
            Path(file).read_bytes()
        except OSError as error:
            raise OperationError(f"cannot read {file}: {error.strerror}") from error


def prepare_workspace(workspace: Path) -> None:
    """Make the workspace and its folders, for this user only; raise when nothing can be written there.

    Beginning on a full disk would only leave half of everything behind.
    """
    trial = workspace / "run" / f".writable-{os.getpid()}"
    try:
        for folder in (workspace, workspace / "run", workspace / "log" / "gunicorn"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        trial.write_bytes(bytes(_LEAST_ROOM_BYTES))
        trial.unlink()
    except OSError as error:
        with contextlib.suppress(OSError):
            trial.unlink(missing_ok=True)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            needed = f"{_LEAST_ROOM_BYTES // 2**20} MB"
            raise OperationError(
                f"cannot write to workspace {workspace}: disk full (needs at least {needed}); free some space or use "
                "another --workspace"
            ) from error
        raise OperationError(f"cannot write to workspace {workspace}: {error.strerror}") from error


def check_index_store(settings: Settings) -> None:
    """Raise unless the database answers and verifies what it reads from its disk, or need not."""
    check_store(settings.store_url, needs_checksums=settings.store_checksums == "required")


def check_store(url: str, *, needs_checksums: bool = False) -> None:
    """Raise unless the database answers; an empty address means SQLite, which needs only the workspace."""
    if not url:
        return
    try:
        import psycopg
    except ImportError as error:
        raise OperationError("PostgreSQL needs psycopg: pip install 'mindinsight-like[postgresql]'") from error
    try:
        with psycopg.connect(url, connect_timeout=_STORE_SECONDS) as connection:
            has_checksums = connection.execute("SHOW data_checksums").fetchone() == ("on",)
    except psycopg.Error as error:
        raise OperationError(f"cannot use the database of --store-url: {' '.join(str(error).split())}") from error
    if needs_checksums and not has_checksums:
        raise OperationError(
            "the server of --store-url has data_checksums off, so damage to rows of the index could go unnoticed; stop"
            " it and run 'pg_checksums --enable -D DATA_DIRECTORY', or accept that with --store-checksums optional"
        )
