"""`app backup`: all notes, labels and saved views in one file."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from mindinsight_like.errors import OperationError
from mindinsight_like.scripts.options import add_settings, load_settings, local_path
from mindinsight_like.service.preflight import check_store


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=local_path, metavar="FILE", help="output file, such as userdata.jsonl.gz")
    parser.add_argument("--force", action="store_true", help="overwrite FILE if it exists")
    add_settings(parser, "config", "workspace", "store_url")


def run(arguments: Namespace) -> int:
    settings = load_settings(arguments)
    check_store(settings.store_url)
    path: Path = arguments.file
    if path.exists() and not arguments.force:
        raise OperationError(f"{path} already exists; use --force to overwrite it")

    from mindinsight_like.errors import ServiceError
    from mindinsight_like.store.annotations.access import UserDatabase
    from mindinsight_like.store.annotations.backups import read_all, write_file
    from mindinsight_like.store.database.database import DamagedDatabase
    from mindinsight_like.store.database.location import IndexLocation

    location = IndexLocation.of_settings(settings)
    database = UserDatabase(location)
    try:
        connection = database.reading()
        if connection is None:
            place = "the database of --store-url" if settings.store_url else f"workspace {settings.workspace}"
            raise OperationError(database.problem() or f"no notes, labels or views in {place} yet")
        backup = read_all(connection)
        write_file(backup, path)
    except (ServiceError, DamagedDatabase) as error:
        raise OperationError(f"cannot read notes, labels and views: {error}") from error
    except OSError as error:
        raise OperationError(f"cannot write {path}: {error.strerror or error}") from error
    print(f"Wrote {backup.summary} to {path}")
    return 0
