"""The note a service leaves in the workspace, `run/<port>.json`, so that later commands find it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from mindinsight_like.conf.settings import Settings, SettingsError


@dataclass(frozen=True)
class ServiceState:
    """One started service. Whether it still runs, only its processes can tell: a crash leaves the note behind."""

    id: str  # drawn at random for every start; each process of the service carries it in its environment
    pid: int  # the supervisor
    create_time: float  # of the supervisor
    settings: Settings

    def write(self) -> None:
        """Save the note for its owner's eyes only, since settings may hold the token."""
        path = _path(self.settings.workspace, self.settings.port)
        body = {
            "id": self.id,
            "pid": self.pid,
            "create_time": self.create_time,
            "settings": self.settings.environment(),
        }
        draft = path.with_suffix(f".{self.id}.tmp")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(body, file, indent=1)
        draft.replace(path)

    def remove(self) -> None:
        """Take the note away, unless a later service has put its own in this place."""
        remove(self.settings.workspace, self.settings.port, self.id)


def read(workspace: Path, port: int) -> ServiceState | None:
    """The note for a port; None when there is none or it cannot be understood."""
    try:
        body = json.loads(_path(workspace, port).read_bytes())
        settings = Settings.from_environment(body["settings"])
        return ServiceState(str(body["id"]), int(body["pid"]), float(body["create_time"]), settings)
    except (OSError, ValueError, KeyError, TypeError, SettingsError):
        return None


def read_all(workspace: Path) -> list[ServiceState]:
    """The notes of all services of a workspace, by port."""
    ports = sorted(int(path.stem) for path in (workspace / "run").glob("*.json") if path.stem.isdecimal())
    return [state for port in ports if (state := read(workspace, port)) is not None]


def remove(workspace: Path, port: int, service_id: str) -> None:
    state = read(workspace, port)
    if state is not None and state.id == service_id:
        _path(workspace, port).unlink(missing_ok=True)


def _path(workspace: Path, port: int) -> Path:
    return workspace / "run" / f"{port}.json"
