"""One job on disk: what was asked, how far it is, and whether it is done.

Whoever computes holds the lock of the folder for as long as it lives. So nothing has to be believed that a process has
written before it was killed: without a holder of the lock and without a result, nobody is computing any more.

Files are sealed: a result that was damaged on the disk is dropped, and computed again when somebody asks for it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from mindinsight_like.store.segments.sealing import BrokenSeal, number_for, sealed, unsealed

log = logging.getLogger(__name__)

QUEUED, RUNNING, READY, FAILED = STATES = ("queued", "running", "ready", "failed")
_DISCARDED, _DISCARDED_BEFORE = "discarded", "discarded-before"
_TWICE_SECONDS = 60.0


@dataclass(frozen=True)
class Status:
    state: str
    progress: float = 0.0  # 0 to 1
    stage: str = ""  # what is done now
    message: str = ""  # of a failure, for people
    seconds: float | None = None  # that it took


S = TypeVar("S", bound=Status)


class JobFolder(Generic[S]):
    """Files of one job; written by its process, read by everybody."""

    def __init__(self, path: Path, status: type[S]) -> None:
        self.path = path
        self._status = status

    # --- the process that computes ---

    def claim(self) -> int | None:
        """The lock as a descriptor that a child process may inherit, None when somebody else has it."""
        self.path.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            return None
        return handle

    def begin(self, order: dict[str, Any]) -> None:
        for name in ("failed.json", "result.json", "cancelled"):
            (self.path / name).unlink(missing_ok=True)
        with contextlib.suppress(FileNotFoundError):
            (self.path / _DISCARDED).replace(self.path / _DISCARDED_BEFORE)
        self._write("order.json", json.dumps(order).encode())
        self.report(self._status(QUEUED))

    def order(self) -> dict[str, Any]:
        """What `begin` was given; raises OSError, and ValueError for a damaged file."""
        try:
            order: dict[str, Any] = json.loads(self._unsealed("order.json"))
        except BrokenSeal as error:
            raise ValueError(f"order.json: {error}") from error
        return order

    def report(self, status: S) -> None:
        self._write("progress.json", _json(status))

    def finish(self, status: S) -> None:
        self._write("result.json", _json(status))  # after all that it makes valid

    def fail(self, message: str) -> None:
        self._write("failed.json", _json(self._status(FAILED, message=message)))

    @property
    def is_cancelled(self) -> bool:
        return (self.path / "cancelled").exists()

    # --- everybody ---

    @property
    def is_held(self) -> bool:
        """Whether a process is working on it, or waiting for its turn."""
        try:
            handle = os.open(self.path / "lock", os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(handle)
        return False

    def status(self) -> S | None:
        """How it stands; None when nobody asked for it, it was cancelled, or its result is damaged."""
        if (result := self._result()) is not None:
            return result
        is_held = self.is_held
        # In this order: a process that ends in between has written what follows before it let go.
        if (result := self._result() or self._read("failed.json")) is not None:
            return result
        if not self.path.is_dir() or self.is_cancelled or self.is_discarded:
            return None
        if is_held:
            return self._read("progress.json") or self._status(QUEUED)
        return self._status(FAILED, message="the computation ended before it was done; it can be started again")

    def cancel(self) -> None:
        if self.path.is_dir():
            (self.path / "cancelled").touch()

    def discard(self, reason: object) -> None:
        """Drop a damaged result: the job counts as not asked for yet.

        Where the result before it was damaged within a minute as well, the job has failed instead, so that a broken
        disk does not keep the machine computing.
        """
        result = self.path / "result.json"
        if not result.exists():
            return  # somebody else was quicker, or it made room
        log.warning("dropping the damaged result in %s: %s", self.path, reason)
        with contextlib.suppress(OSError):
            if self._is_recent(_DISCARDED_BEFORE):
                self.fail("what was computed was damaged on the disk twice; look at the disk of the workspace")
            else:
                (self.path / _DISCARDED).touch()
        with contextlib.suppress(OSError):
            result.unlink()

    @property
    def is_discarded(self) -> bool:
        """Whether the result was dropped and nobody has begun to compute it again."""
        return (self.path / _DISCARDED).exists()

    def _is_recent(self, name: str) -> bool:
        with contextlib.suppress(FileNotFoundError):
            return time.time() - (self.path / name).stat().st_mtime < _TWICE_SECONDS
        return False

    def touch(self) -> None:
        """It was used: what has not been for the longest time goes first when space is needed."""
        os.utime(self.path)

    def _result(self) -> S | None:
        """The result that is there; one that is damaged is dropped."""
        try:
            return self._status(**json.loads(self._unsealed("result.json")))
        except FileNotFoundError:
            return None
        except (BrokenSeal, ValueError, TypeError) as error:
            self.discard(error)
            return None

    def _read(self, name: str) -> S | None:
        try:
            return self._status(**json.loads(self._unsealed(name)))
        except (FileNotFoundError, BrokenSeal, ValueError, TypeError):
            return None

    def _unsealed(self, name: str) -> bytes:
        return unsealed((self.path / name).read_bytes(), number_for(self.path.name))

    def _write(self, name: str, content: bytes) -> None:
        """Readers see the file as it was or as it will be."""
        part = self.path / f"{name}.{os.getpid()}.part"
        part.write_bytes(sealed(content, number_for(self.path.name)))
        part.replace(self.path / name)


def _json(status: Status) -> bytes:
    return json.dumps(vars(status)).encode()
