"""Repair requests: damage that readers of an index found, queued for the loader, the only writer.

Each finding is an empty file in a folder beside the index: `file-<id>` for a log file whose segments are damaged,
`database-<number>` for the database. It stays until the loader has read the log file again or made the index anew, so
it also tells all readers what they must not answer meanwhile.
"""

from __future__ import annotations

import contextlib
import logging
import os
from pathlib import Path

log = logging.getLogger(__name__)


class Repairs:
    """What has to be made anew in one index."""

    def __init__(self, folder: Path) -> None:
        self._folder = os.fspath(folder)

    def request_file(self, file: int) -> None:
        """Ask for a log file to be read again."""
        self._request(f"file-{file}")

    def request_database(self, number: int) -> None:
        """Ask for the whole index to be made anew, while its database is still the one of this number."""
        self._request(f"database-{number}")

    def files(self) -> frozenset[int]:
        """The ids of log files that are to be read again; asked with every answer, so it must be cheap."""
        return self._requested("file-")

    def databases(self) -> frozenset[int]:
        return self._requested("database-")

    def file_done(self, file: int) -> None:
        self._remove(f"file-{file}")

    def database_done(self, number: int) -> None:
        self._remove(f"database-{number}")

    def clear(self) -> None:
        """Forget everything: the index is a new one."""
        for name in self._names():
            self._remove(name)

    def _request(self, name: str) -> None:
        try:
            Path(self._folder).mkdir(exist_ok=True, mode=0o700)
            with Path(self._folder, name).open("x"):
                pass
        except FileExistsError:
            pass
        except OSError as error:  # no room, say: the next one who meets the damage tries again
            log.warning("cannot request a repair of the index: %s", error)
        else:
            log.warning("the index is damaged (%s); it will be repaired from the logs", name)

    def _names(self) -> list[str]:
        try:
            return os.listdir(self._folder)  # noqa: PTH208 - for every answer
        except FileNotFoundError:
            return []

    def _requested(self, prefix: str) -> frozenset[int]:
        names = self._names()
        return frozenset(int(name[len(prefix) :]) for name in names if name.startswith(prefix)) if names else _NOTHING

    def _remove(self, name: str) -> None:
        with contextlib.suppress(OSError):
            Path(self._folder, name).unlink()
        with contextlib.suppress(OSError):
            Path(self._folder).rmdir()  # fails as long as there is something else


_NOTHING: frozenset[int] = frozenset()
