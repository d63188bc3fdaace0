"""The loader process of a service: follows the base dir until it is stopped or its supervisor exits."""

from __future__ import annotations

import logging
import logging.handlers
import os
import signal
import threading
import time
from pathlib import Path
from types import FrameType

from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import DatabaseUnavailable, StorageFull
from mindinsight_like.loader.lock import AlreadyLocked, index_lock
from mindinsight_like.loader.memory import tune_for_loading
from mindinsight_like.loader.rebuilding import open_loader
from mindinsight_like.loader.user_data import UserDataKeeper
from mindinsight_like.store.database.database import DamagedDatabase, open_database
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.repairs import Repairs
from mindinsight_like.trackers.texts import own_patterns

log = logging.getLogger("mindinsight_like.loader")

_SHARE_OF_INTERVAL = 6  # files being written are looked at this much more often than the whole base dir
_RETRY_SECONDS = 1.0
_UNCHECKED = (
    "the database does not verify what it reads from its disk (PostgreSQL: data_checksums is off), so damage to the"
    " rows of the index may go unnoticed; its segments are verified in any case"
)
_QUIET_SECONDS = 2.0  # after which a profile is taken to be complete


class Follower:
    """Loads again and again, and starts over after any failure, since the logs are the truth."""

    def __init__(self, settings: Settings, stop: threading.Event) -> None:
        self._location = IndexLocation.of_settings(settings)
        own_patterns.use(settings.line_patterns)
        self._interval = settings.reload_interval
        self._most_watches = settings.watched_folders
        self._stalled_after = settings.stalled_after
        self._stop = stop
        self._last_trouble = ""

    def run(self) -> None:
        while not self._stop.is_set():
            try:
                with index_lock(self._location):
                    self._follow()
            except AlreadyLocked as error:
                self._complain(f"{error}; waiting to take over")
            except (OSError, DatabaseUnavailable, StorageFull) as error:
                self._complain(f"cannot load {self._location.base_dir}: {error}")
            except DamagedDatabase as error:
                log.warning("the index is damaged: %s", error)
                Repairs(self._location.repairs).request_database(open_database(self._location.database).number())
                continue
            except Exception:
                log.exception("loading %s failed; starting over", self._location.base_dir)
            self._wait(_RETRY_SECONDS)

    def _follow(self) -> None:
        if not open_database(self._location.database).has_checksums():
            self._complain(_UNCHECKED)
        loader = open_loader(
            self._location,
            is_stopped=self._stop.is_set,
            quiet_seconds=_QUIET_SECONDS,
            most_watches=self._most_watches,
            stalled_after=self._stalled_after,
        )
        try:
            if self._interval == 0:
                loader.round()
                while not self._wait(_RETRY_SECONDS):
                    loader.repair()
                    loader.refresh_states()
                    while loader.load_slice():
                        pass
                return
            next_look = next_look_at_hot_files = 0.0
            while not self._stop.is_set():
                now = time.monotonic()
                if now >= next_look:
                    loader.look()
                    self._last_trouble = ""
                    next_look = time.monotonic() + self._interval
                elif now >= next_look_at_hot_files:
                    loader.look_at_hot_files()
                    next_look_at_hot_files = time.monotonic() + self._interval / _SHARE_OF_INTERVAL
                if not loader.load_slice():
                    self._wait(max(0.0, min(next_look, next_look_at_hot_files) - time.monotonic()))
        finally:
            loader.close()

    def _wait(self, seconds: float) -> bool:
        return self._stop.wait(seconds)

    def _complain(self, trouble: str) -> None:
        """Log a trouble that may last for days once."""
        if trouble != self._last_trouble:
            log.warning("%s", trouble)
            self._last_trouble = trouble


def main() -> None:
    settings = Settings.from_environment(os.environ)
    _log_to(settings.workspace / "log" / "loader.log")
    stop = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    tune_for_loading()
    threading.Thread(target=_stop_with_parent, args=(stop, os.getppid()), daemon=True).start()
    log.info("scanning %s every %g s", settings.summary_base_dir, settings.reload_interval)
    threading.Thread(target=UserDataKeeper(settings, stop).run, daemon=True).start()
    Follower(settings, stop).run()
    log.info("stopped")


def _stop_with_parent(stop: threading.Event, parent: int) -> None:
    while not stop.wait(1.0):
        if os.getppid() != parent:
            stop.set()


def _log_to(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # The supervisor renames the file when it grows large; this handler then opens a new one.
    handler = logging.handlers.WatchedFileHandler(path)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


if __name__ == "__main__":
    main()
