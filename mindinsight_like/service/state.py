"""State file of a service in the workspace, `run/<host>-<port>.json`.

It tells what a crash has left behind, and lets other machines that share the workspace know of the service. Services
that run on this machine are found by their processes, whatever their workspace (`processes.services`).
"""

from __future__ import annotations

import json
import os
import re
import socket
import time
from dataclasses import dataclass
from pathlib import Path

from mindinsight_like.conf.settings import Settings, SettingsError

_STALE_SECONDS = 7 * 86_400  # a service touches its note every few seconds


@dataclass(frozen=True)
class ServiceState:
    """One started service. Whether it still runs, only its processes can tell: a crash leaves the note behind."""

    id: str  # drawn at random for every start; each process of the service carries it in its environment
    pid: int  # the supervisor
    create_time: float  # of the supervisor
    settings: Settings
    host: str  # the machine it runs on

    def write(self) -> None:
        """Save the note for its owner's eyes only, since settings may hold tokens."""
        path = _path(self.settings.workspace, self.settings.port, self.host)
        body = {
            "id": self.id,
            "host": self.host,
            "pid": self.pid,
            "create_time": self.create_time,
            "settings": self.settings.environment(),
        }
        draft = path.with_suffix(f".{self.id}.tmp")
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                json.dump(body, file, indent=1)
            draft.replace(path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise

    def remove(self) -> None:
        """Take the note away, unless a later service has put its own in this place."""
        remove(self.settings.workspace, self.settings.port, self.id)


def this_host() -> str:
    """The name of this machine, as part of a file name."""
    return re.sub(r"[^A-Za-z0-9.-]", "_", socket.gethostname()) or "localhost"


def read(workspace: Path, port: int) -> ServiceState | None:
    """The note of this machine for a port; None when there is none or it cannot be understood."""
    return _read(_path(workspace, port, this_host()))


def read_all(workspace: Path) -> list[ServiceState]:
    """The notes of all services of a workspace, of this machine and of others that share it, by host and port."""
    notes = map(_read, (workspace / "run").glob("*.json"))
    return sorted((note for note in notes if note is not None), key=lambda note: (note.host, note.settings.port))


def remove(workspace: Path, port: int, service_id: str) -> None:
    """Take the note of this machine for a port away if it is this service's."""
    state = read(workspace, port)
    if state is not None and state.id == service_id:
        _path(workspace, port, this_host()).unlink(missing_ok=True)


def touch(workspace: Path, port: int) -> None:
    """Let other machines see that the service of this one is alive; raises OSError."""
    os.utime(_path(workspace, port, this_host()))


def seen_at(state: ServiceState) -> float:
    """When the service last touched its note; 0 when there is none."""
    try:
        return _path(state.settings.workspace, state.settings.port, state.host).stat().st_mtime
    except OSError:
        return 0.0


def forget_stale(workspace: Path) -> None:
    """Remove notes that nobody has touched for days: of machines that are gone (containers), and of old releases."""
    for path in (workspace / "run").glob("*.json"):
        try:
            if time.time() - path.stat().st_mtime > _STALE_SECONDS:
                path.unlink()
        except OSError:
            continue


def _read(path: Path) -> ServiceState | None:
    try:
        body = json.loads(path.read_bytes())
        settings = Settings.from_environment(body["settings"])
        id, pid, created = str(body["id"]), int(body["pid"]), float(body["create_time"])
        return ServiceState(id, pid, created, settings, str(body["host"]))
    except (OSError, ValueError, KeyError, TypeError, SettingsError):
        return None


def _path(workspace: Path, port: int, host: str) -> Path:
    return workspace / "run" / f"{host}-{port}.json"
