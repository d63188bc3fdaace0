"""`app restore`: all notes, labels and saved views from a backup."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from mindinsight_like.errors import OperationError
from mindinsight_like.scripts.options import add_settings, load_settings, local_path
from mindinsight_like.service.preflight import check_store, prepare_workspace

if TYPE_CHECKING:
    from mindinsight_like.store.annotations.access import UserDatabase
    from mindinsight_like.store.database.location import IndexLocation


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=local_path, metavar="FILE", help="file written by `app backup`, or a daily backup")
    parser.add_argument("--force", action="store_true", help="overwrite existing data; a copy of it is kept")
    add_settings(parser, "config", "workspace", "store_url")


def run(arguments: Namespace) -> int:
    settings = load_settings(arguments)
    check_store(settings.store_url)

    from mindinsight_like.errors import ServiceError
    from mindinsight_like.store.annotations.access import UserDatabase
    from mindinsight_like.store.annotations.backups import BadBackup, read_file, replace_all
    from mindinsight_like.store.database.location import IndexLocation

    path: Path = arguments.file
    try:
        backup = read_file(path)  # all of it, before anything is touched
    except BadBackup as error:
        raise OperationError(str(error)) from error
    except OSError as error:
        raise OperationError(f"cannot read {path}: {error.strerror or error}") from error
    prepare_workspace(settings.workspace)
    location = IndexLocation.of_settings(settings)
    database = UserDatabase(location)
    try:
        copy = _keep_present(location, database, force=arguments.force)
        with database.writing() as connection:
            replace_all(connection, backup, database.kind)
    except ServiceError as error:
        raise OperationError(f"nothing was restored: {error}") from error
    except OSError as error:
        raise OperationError(f"nothing was restored: {error.strerror or error}") from error
    print(f"Restored {backup.summary} from {datetime.fromtimestamp(backup.created_at):%Y-%m-%d %H:%M:%S}")
    if copy is not None:
        print(f"Copy of the previous data: {copy}")
    return 0


def _keep_present(location: IndexLocation, database: UserDatabase, *, force: bool) -> Path | None:
    """Save what will be replaced; returns where. Raises OperationError unless it may be replaced."""
    from mindinsight_like.store.annotations.backups import before_restore, is_damaged, read_all, set_aside, write_file

    if not location.store_url and is_damaged(database):
        if not force:
            raise OperationError("existing notes, labels and views are damaged; use --force to set them aside")
        return set_aside(location.user_data.sqlite)
    connection = database.reading()
    present = None if connection is None else read_all(connection, is_checked=False)
    if present is None or not (present.tables["runs"] or present.tables["views"]):
        return None
    if not force:
        raise OperationError(f"{present.summary} already exist; use --force to overwrite them (a copy is kept)")
    copy = before_restore(location)
    write_file(present, copy)
    return copy
