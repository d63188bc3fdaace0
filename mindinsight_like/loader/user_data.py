"""Maintenance of the user data by the loader: daily backups, run heads for recognition, board offers."""

from __future__ import annotations

import logging
import threading

from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import ServiceError
from mindinsight_like.store.annotations.access import UserDatabase
from mindinsight_like.store.annotations.backups import back_up_daily
from mindinsight_like.store.annotations.boards import Boards
from mindinsight_like.store.annotations.recognition import RunHeads, note_heads, offers
from mindinsight_like.store.database.location import IndexLocation

log = logging.getLogger(__name__)

_PAUSE_SECONDS = 5.0
_FIRST_PAUSE_SECONDS = 0.5  # until the folder is loaded: who has just moved it looks for the notes


class UserDataKeeper:
    """A thread of the loader, with connections of its own: neither loading nor saving waits for it."""

    def __init__(self, settings: Settings, stop: threading.Event) -> None:
        self._location = IndexLocation.of_settings(settings)
        self._keep = settings.backups
        self._stop = stop
        self._database = UserDatabase(self._location)
        self._boards = Boards(self._location, settings.board_id, self._database)
        self._heads = RunHeads(self._location)
        self._noted = ("", 0)  # the board whose runs were noted, and the version of the index then
        self._compared: tuple[object, ...] = ()  # what boards were compared with at the last look
        self._runs: tuple[int, frozenset[str]] = (0, frozenset())  # of a version of the index
        self._pause_seconds = _FIRST_PAUSE_SECONDS
        self._last_trouble = ""

    def run(self) -> None:
        while not self._stop.wait(self._pause_seconds):
            try:
                self.look()
                self._last_trouble = ""
            except Exception as error:
                self._complain(error)

    def look(self) -> None:
        """Do what is due; costs a few small queries when nothing is."""
        is_loading = self._heads.is_loading()
        self._pause_seconds = _FIRST_PAUSE_SECONDS if is_loading else _PAUSE_SECONDS
        if self._database.reading() is None:
            return
        path = back_up_daily(self._location, self._database, keep=self._keep)
        if path is not None:
            log.info("backed up notes, labels and views to %s", path)
        if not is_loading:
            self._note_runs()
            self._compare()

    def _note_runs(self) -> None:
        board = self._boards.current()
        if board.is_empty:
            return
        self._boards.note_folder()
        board_id, since = self._noted
        cursor, runs = self._heads.changed(since if board_id == board.id else 0)
        note_heads(self._boards, board.id, self._heads, runs)
        self._noted = board.id, cursor

    def _compare(self) -> None:
        candidates = self._boards.candidates()
        if candidates:
            cursor, _ = self._heads.changed(self._runs[0])
            if cursor != self._runs[0]:
                self._runs = cursor, frozenset(self._heads.changed(0)[1])
        state = (tuple(candidates), self._runs[1] if candidates else ())
        if state != self._compared:
            self._boards.offered(offers(self._boards, self._heads))
            self._compared = state

    def _complain(self, error: Exception) -> None:
        """Log a trouble that may last for days once."""
        trouble = f"{type(error).__name__}: {error}"
        if trouble != self._last_trouble:
            self._last_trouble = trouble
            is_known = isinstance(error, ServiceError | OSError)
            log.warning("cannot back up notes, labels and views: %s", trouble, exc_info=not is_known)
