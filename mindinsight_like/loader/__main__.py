"""The loader process of a service: follows the base dir until it is told to stop or its supervisor is gone."""

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
from mindinsight_like.loader.lock import AlreadyLocked, index_lock
from mindinsight_like.loader.rounds import Loader
from mindinsight_like.store.location import IndexLocation

log = logging.getLogger("mindinsight_like.loader")

_SHARE_OF_INTERVAL = 6  # files being written are looked at this much more often than the whole base dir
_RETRY_SECONDS = 3.0
_QUIET_SECONDS = 2.0  # after which a profile is taken to be complete


class Follower:
    """Loads again and again, and starts over after any failure, since the logs are the truth."""

    def __init__(self, settings: Settings, stop: threading.Event) -> None:
        self._location = IndexLocation.of(settings.summary_base_dir, settings.workspace, settings.store_url)
        self._interval = settings.reload_interval
        self._stop = stop
        self._last_trouble = ""

    def run(self) -> None:
        while not self._stop.is_set():
            try:
                with index_lock(self._location):
                    self._follow()
            except AlreadyLocked as error:
                self._complain(f"{error}; waiting to take over")
            except OSError as error:
                self._complain(f"cannot load {self._location.base_dir}: {error}")
            except Exception:
                log.exception("loading %s failed; starting over", self._location.base_dir)
            self._wait(_RETRY_SECONDS)

    def _follow(self) -> None:
        loader = Loader(self._location, quiet_seconds=_QUIET_SECONDS)
        try:
            while not self._stop.is_set():
                loader.round()
                self._last_trouble = ""
                if self._interval == 0:
                    self._stop.wait()
                    return
                until = time.monotonic() + self._interval
                while time.monotonic() < until and not self._wait(self._interval / _SHARE_OF_INTERVAL):
                    loader.round_over_hot_files()
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
    threading.Thread(target=_stop_with_parent, args=(stop, os.getppid()), daemon=True).start()
    log.info("following %s every %g s", settings.summary_base_dir, settings.reload_interval)
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
