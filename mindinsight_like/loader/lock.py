"""Lock that makes a loader the only writer of its index; released by the system when its holder is killed."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from mindinsight_like.store.database.location import IndexLocation


class AlreadyLocked(Exception):
    """Another loader writes this index."""


@contextmanager
def index_lock(location: IndexLocation) -> Iterator[None]:
    """Hold the index's lock; raises AlreadyLocked at once when another process does."""
    location.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(location.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise AlreadyLocked(f"another loader is already running for {location.base_dir}") from error
        yield
    finally:
        os.close(handle)
