"""The folder of the demo runs, with a marker file so that a user's own logs are never overwritten."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mindinsight_like.demo.training.plans import DIALECTS

_MARKER = ".mindinsight-demo.json"
_LIVE = "live"


class NotADemoFolder(Exception):
    """The folder holds something the demo did not write."""


@dataclass(frozen=True)
class Recipe:
    """What the finished runs of a demo folder depend on."""

    runs: int
    seed: int


class DemoFolder:
    """A folder that is empty, new, or was written by the demo before; raises NotADemoFolder otherwise."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.exists() and not path.is_dir():
            raise NotADemoFolder(f"{path} is not a directory")
        self._marker = self._read()
        if self._marker is None and path.is_dir() and next(path.iterdir(), None) is not None:
            raise NotADemoFolder(f"{path} contains other files; use a new or empty directory")

    def holds(self, recipe: Recipe) -> bool:
        """Whether the runs of this recipe were written to the end."""
        return (
            self._marker is not None
            and self._marker.finished == recipe
            and all((self.path / run).is_dir() for run in self._marker.runs)
        )

    def clear(self) -> None:
        """Remove the runs of earlier demos and nothing else."""
        for run in self._marker.runs if self._marker else ():
            shutil.rmtree(self.path / run, ignore_errors=True)
        self._write(_Marker([], None))

    def add(self, run: str) -> Path:
        """The folder of a run about to be written, below `live` or its dialect."""
        marker = self._marker or _Marker([], None)
        self._write(_Marker([*marker.runs, run], marker.finished))
        return self.path / run

    def finish(self, recipe: Recipe) -> None:
        """Note that the runs of this recipe are complete."""
        self._write(_Marker(self._marker.runs if self._marker else [], recipe))

    def _read(self) -> _Marker | None:
        try:
            content = json.loads((self.path / _MARKER).read_text())
            finished = content["finished"]
            return _Marker([run for run in content["runs"] if _is_ours(run)], Recipe(**finished) if finished else None)
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise NotADemoFolder(f"{self.path / _MARKER} cannot be read; delete the directory manually") from error

    def _write(self, marker: _Marker) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        finished = vars(marker.finished) if marker.finished else None
        (self.path / _MARKER).write_text(json.dumps({"runs": marker.runs, "finished": finished}))
        self._marker = marker


@dataclass(frozen=True)
class _Marker:
    runs: list[str]
    finished: Recipe | None


def _is_ours(run: str) -> bool:
    """Only such folders are ever removed, whatever a marker may say."""
    parts = PurePosixPath(run).parts
    return len(parts) == 2 and parts[0] in (*DIALECTS, _LIVE) and parts[1] != ".."
