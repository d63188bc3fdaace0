"""Up-to-date index of a folder, for commands that read logs; loaded here or by the service that follows it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from mindinsight_like.scripts.progress import ProgressDisplay
from mindinsight_like.service.preflight import check_base_dirs, check_index_store, prepare_workspace

if TYPE_CHECKING:
    from mindinsight_like.conf.settings import Settings
    from mindinsight_like.store.reader import IndexReader


def open_index(settings: Settings) -> IndexReader:
    """What asks the index of the settings' base dir; raises OperationError."""
    check_base_dirs(settings)
    prepare_workspace(settings.workspace)
    check_index_store(settings)

    from mindinsight_like.loader.lock import AlreadyLocked
    from mindinsight_like.loader.once import load_once
    from mindinsight_like.store.database.location import IndexLocation
    from mindinsight_like.store.reader import IndexReader

    display = ProgressDisplay()
    # A service that follows this folder holds the lock and does the loading itself.
    with suppress(AlreadyLocked):
        load_once(settings, progress=display)
        display.wipe()
    return IndexReader(IndexLocation.of_settings(settings))
