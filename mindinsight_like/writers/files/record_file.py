"""Append records to a log file that readers may be following."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType


class RecordFile:
    """Frames payloads and appends them; others see a record after `flush` at the latest.

    Whatever the file already holds stays in place. The folder is made when it is missing.
    """

    def __init__(self, path: Path, *, frame: Callable[[bytes], bytes]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._frame = frame
        self._file = path.open("ab")

    def write(self, payload: bytes) -> None:
        """Put one record behind the others."""
        self._file.write(self._frame(payload))

    def flush(self) -> None:
        """Hand everything written so far to the operating system."""
        self._file.flush()

    def close(self) -> None:
        """Flush and release the file; further calls change nothing."""
        self._file.close()

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
