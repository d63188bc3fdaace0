"""Log files of the service and their rotation."""

from __future__ import annotations

import fcntl
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 50 * 1024 * 1024
KEEP = 5


@dataclass(frozen=True)
class LogFiles:
    """The log files of a workspace; several services may write to them."""

    folder: Path

    @classmethod
    def of(cls, workspace: Path) -> LogFiles:
        return cls(workspace / "log")

    @property
    def access(self) -> Path:
        return self.folder / "gunicorn" / "access.log"

    @property
    def error(self) -> Path:
        return self.folder / "gunicorn" / "error.log"

    @property
    def loader(self) -> Path:
        return self.folder / "loader.log"

    @property
    def supervisor(self) -> Path:
        return self.folder / "supervisor.log"

    @property
    def collector(self) -> Path:
        return self.folder / "collector.log"

    def all(self) -> tuple[Path, ...]:
        return self.access, self.error, self.loader, self.supervisor, self.collector


def rotate(path: Path, *, max_bytes: int = MAX_BYTES, keep: int = KEEP) -> bool:
    """Rename a log that has grown too large to `<name>.1`, older ones move on and the oldest goes; False if small.

    Writers notice that their file has another name and open a new one (WatchedFileHandler).
    """
    if _size(path) <= max_bytes:
        return False
    with (path.parent / ".rotation.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _size(path) <= max_bytes:  # the supervisor of another port was faster
            return False
        for number in range(keep - 1, 0, -1):
            older = path.with_name(f"{path.name}.{number}")
            if older.exists():
                older.replace(path.with_name(f"{path.name}.{number + 1}"))
        path.replace(path.with_name(f"{path.name}.1"))
    return True


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
