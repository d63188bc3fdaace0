"""Append records in the background to a file that may be limited in size."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from mindinsight_like.writers.files.background import BackgroundFile

log = logging.getLogger(__name__)

_FRAMING_BYTES = 16


class LimitedFile:
    """A log file with checksums that takes nothing more once a record would let it grow beyond `limit` bytes.

    The file is made with its first record. A forked process writes to a file of its own, named with its number before
    the `suffix`, by which readers tell kinds of files apart. `on_full` is called, once, in the thread that writes.
    """

    def __init__(
        self,
        path: Path,
        *,
        suffix: str,
        frame: Callable[[bytes], bytes],
        opening: Callable[[float], bytes] | None = None,
        limit: int | None = None,
        flush_secs: float = 120.0,
        on_full: Callable[[], None] | None = None,
        has_run_state: bool = False,
        total_steps: int | None = None,
    ) -> None:
        def renamed(path: Path, process: int) -> Path:
            return path.with_name(f"{path.name.removesuffix(suffix)}.{process}{suffix}")

        self._file = BackgroundFile(
            path,
            frame=frame,
            opening=opening,
            flush_secs=flush_secs,
            lazy=True,
            renamed=renamed,
            has_run_state=has_run_state,
            total_steps=total_steps,
        )
        self._on_full = on_full
        self._left = limit
        if limit is not None and opening is not None:
            self._left = limit - len(opening(0.0)) - _FRAMING_BYTES

    @property
    def path(self) -> Path:
        """Where this process writes."""
        return self._file.path

    def put(self, make: Callable[..., bytes], *arguments: object) -> None:
        """Append the record `make(*arguments)`, as BackgroundFile does."""
        if self._left is None:
            self._file.put(make, *arguments)
        else:
            self._file.put(self._within_limit, make, *arguments)

    def set_total_steps(self, total_steps: int) -> None:
        """Say how many steps the run is going to have."""
        self._file.set_total_steps(total_steps)

    def put_aside(self, act: Callable[..., bytes], *arguments: object) -> None:
        """Have the writing thread do something else in its turn; `act` gives no bytes."""
        self._file.put(act, *arguments)

    def flush(self) -> None:
        """Return when everything put so far has been handed to the operating system."""
        self._file.flush()

    def close(self) -> None:
        """Flush and release the file."""
        self._file.close()

    def _within_limit(self, make: Callable[..., bytes], *arguments: object) -> bytes:
        if self._left is None or self._left < 0:
            return b""
        payload = make(*arguments)
        self._left -= len(payload) + _FRAMING_BYTES
        if self._left < 0:
            if self._on_full is not None:
                self._on_full()
            else:
                log.warning("%s has reached its limit; nothing more is recorded there", self.path)
            return b""
        return payload
