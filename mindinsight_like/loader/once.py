"""Load a base dir once, for commands and scripts."""

from __future__ import annotations

from mindinsight_like.conf.settings import Settings
from mindinsight_like.loader.lock import index_lock
from mindinsight_like.loader.rounds import Loader, Show
from mindinsight_like.store.location import IndexLocation


def load_once(settings: Settings, progress: Show | None = None) -> None:
    """Bring the index of the settings' base dir up to date; raises AlreadyLocked when a service is at it."""
    load_index(IndexLocation.of(settings.summary_base_dir, settings.workspace, settings.store_url), progress)


def load_index(location: IndexLocation, progress: Show | None = None) -> None:
    with index_lock(location):
        loader = Loader(location)
        try:
            loader.round(progress)
        finally:
            loader.close()
