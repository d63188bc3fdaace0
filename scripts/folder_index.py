"""The index of a folder for commands that read logs: brought up to date, by us or by the service that follows it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from mindinsight_like.scripts.progress import ProgressDisplay
from mindinsight_like.service.ground import check_base_dir, check_store, prepare_workspace

if TYPE_CHECKING:
    from mindinsight_like.conf.settings import Settings
    from mindinsight_like.store.reading import IndexReader


def open_index(settings: Settings) -> IndexReader:
    """What asks the index of the settings' base dir; raises OperationError."""
    check_base_dir(settings.summary_base_dir)
    prepare_workspace(settings.workspace)
    check_store(settings.store_url)

    from mindinsight_like.loader.lock import AlreadyLocked
    from mindinsight_like.loader.once import load_once
    from mindinsight_like.store.reading import IndexReader

    display = ProgressDisplay()
    # A service that follows this folder holds the lock and does the loading itself.
    with suppress(AlreadyLocked):
        load_once(settings, progress=display)
        display.wipe()
    return IndexReader.open(settings.summary_base_dir, settings.workspace, settings.store_url)
