"""Marker file by which a service on the same disk recognises the output folder of a training."""

from __future__ import annotations

from pathlib import Path


class MarkerFile:
    """There from the greeting of a collector until it is answered."""

    def __init__(self, folder: str, sender: str) -> None:
        self._path = Path(folder, f".collector-{sender}") if folder else None
        self._is_left = False

    def leave(self) -> str:
        """The name of the file; empty where none can be left."""
        if self._path is None:
            return ""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch()
        except OSError:
            return ""
        self._is_left = True
        return self._path.name

    def remove(self) -> None:
        """Take it away, if it is there."""
        if self._is_left and self._path is not None:
            self._is_left = False
            self._path.unlink(missing_ok=True)
