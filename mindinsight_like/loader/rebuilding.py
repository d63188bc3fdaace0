"""Rebuild an index whose database is damaged; the old one stays readable, as far as it is intact, until then."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from typing import Any

from mindinsight_like.loader.rounds import Loader, Show
from mindinsight_like.store.database import versions
from mindinsight_like.store.database.database import DamagedDatabase, open_database
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.repairs import Repairs

log = logging.getLogger(__name__)


def open_loader(
    location: IndexLocation, show: Show | None = None, *, is_stopped: Callable[[], bool] = bool, **options: Any
) -> Loader:
    """A loader of the index, which is made anew before if it has to be; `options` are those of the loader."""
    repairs, database = Repairs(location.repairs), open_database(location.database)
    if repairs.databases() and database.number() in repairs.databases():
        rebuild(location, "readers have met damage", show, is_stopped=is_stopped, **options)
    else:
        shutil.rmtree(location.rebuilding.folder, ignore_errors=True)  # of a loader that was killed
    try:
        return Loader(location, **options)
    except DamagedDatabase as error:
        rebuild(location, str(error), show, is_stopped=is_stopped, **options)
        return Loader(location, **options)


def rebuild(
    location: IndexLocation,
    reason: str,
    show: Show | None = None,
    *,
    is_stopped: Callable[[], bool] = bool,
    **options: Any,
) -> None:
    """Load everything into a new index, and put it in the place of the damaged one."""
    log.warning("the index of %s is damaged; rebuilding it from the logs: %s", location.base_dir, reason)
    # Should this process end before it is done, the next one knows.
    Repairs(location.repairs).request_database(open_database(location.database).number())
    new = location.rebuilding
    shutil.rmtree(new.folder, ignore_errors=True)
    new.folder.mkdir(parents=True, mode=0o700)
    database = open_database(new.database)
    database.erase()
    loader = Loader(new, **options)
    try:
        loader.look_everywhere()
        while loader.load_slice(show):
            if is_stopped():
                return
    finally:
        loader.close()
    connection = database.connect(write=True)
    try:
        if not connection.settle():
            raise RuntimeError(f"another process is reading {new.folder}")
    finally:
        connection.close()
    _adopt(location, new)
    log.info("the index of %s has been rebuilt", location.base_dir)


def _adopt(location: IndexLocation, new: IndexLocation) -> None:
    location.segments.mkdir(parents=True, exist_ok=True, mode=0o700)
    for path in new.segments.iterdir():  # no number is used twice, not even in another index
        path.rename(location.segments / path.name)
    open_database(location.database).replace_by(open_database(new.database))
    versions.move(new, location)
    Repairs(location.repairs).clear()
    shutil.rmtree(new.folder, ignore_errors=True)
