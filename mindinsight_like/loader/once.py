"""Load a base dir once, for commands and scripts."""

from __future__ import annotations

from mindinsight_like.conf.settings import Settings
from mindinsight_like.loader.lock import index_lock
from mindinsight_like.loader.rebuilding import open_loader, rebuild
from mindinsight_like.loader.rounds import Show
from mindinsight_like.store.database.database import DamagedDatabase
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.run_status import STALLED_AFTER_SECONDS
from mindinsight_like.trackers.texts import own_patterns


def load_once(settings: Settings, progress: Show | None = None) -> None:
    """Bring the index of the settings' base dir up to date; raises AlreadyLocked when a service is at it."""
    location = IndexLocation.of_settings(settings)
    own_patterns.use(settings.line_patterns)
    load_index(location, progress, stalled_after=settings.stalled_after)


def load_index(
    location: IndexLocation, progress: Show | None = None, *, stalled_after: float = STALLED_AFTER_SECONDS
) -> None:
    with index_lock(location):
        loader = open_loader(location, progress, stalled_after=stalled_after)
        try:
            loader.round(progress)
        except DamagedDatabase as error:
            rebuild(location, str(error), progress, stalled_after=stalled_after)
        finally:
            loader.close()
