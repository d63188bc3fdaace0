"""Availability of a database server as seen by this process, so that threads do not wait on one that is down.

A server that is away may take seconds to be recognised as such. Of many requests that need it only some wait that
long, the others are refused at once, and so is everybody for a moment after a failure; the threads that are left
answer what needs no database.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

from mindinsight_like.errors import DatabaseUnavailable

_MOST_AT_ONCE = 6  # of the eight threads of a web process
_REST_SECONDS = 0.8  # after a failure nobody tries
_HEALTHY_SECONDS = 0.5  # a server that answered so lately is believed to be there
_PATIENCE_SECONDS = 4.0  # for a turn, while the server is there
_GLANCE_SECONDS = 0.1


class Availability:
    """What one process knows of one server; any number of threads."""

    def __init__(self) -> None:
        self._turns = threading.BoundedSemaphore(_MOST_AT_ONCE)
        self._answered_at = 0.0
        self._rests_until = 0.0

    @contextlib.contextmanager
    def attempt(self) -> Iterator[None]:
        """Around each question to the server; raises DatabaseUnavailable when it is better not asked."""
        now = time.monotonic()
        if now < self._rests_until:
            raise DatabaseUnavailable("The database is not responding; the service will retry in a moment.")
        while not self._turns.acquire(timeout=_GLANCE_SECONDS):
            latest = time.monotonic()
            if latest - self._answered_at > _HEALTHY_SECONDS or latest - now > _PATIENCE_SECONDS:
                raise DatabaseUnavailable("Too many requests are waiting for the database.")
        try:
            yield
            self._answered_at = time.monotonic()
        except DatabaseUnavailable:
            self._rests_until = time.monotonic() + _REST_SECONDS
            raise
        finally:
            self._turns.release()
