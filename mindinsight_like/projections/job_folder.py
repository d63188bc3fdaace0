"""Job folder of one projection, with snapshots of the points while it is still running."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.jobs import folder
from mindinsight_like.jobs.folder import READY
from mindinsight_like.store.segments.sealing import BrokenSeal


@dataclass(frozen=True)
class Status(folder.Status):
    """The stages are reading, components, neighbours and layout."""

    snapshot: int = 0  # grows when there are new points to look at before the end
    explained: list[float] | None = None  # PCA: the share of the variance that each component has


class ProjectionFolder(folder.JobFolder[Status]):
    """Files of one projection."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, Status)

    def begin(self, order: dict[str, Any]) -> None:
        (self.path / "points.npy").unlink(missing_ok=True)
        super().begin(order)

    def picture(self, status: Status, points: NDArray[np.float32]) -> None:
        """Report how it stands, with points to look at."""
        self._write("points.npy", _npy(points))
        self.report(status)

    def finish_with(self, points: NDArray[np.float32], explained: list[float], seconds: float) -> None:
        self._write("points.npy", _npy(points))
        self.finish(Status(READY, 1.0, explained=explained or None, seconds=round(seconds, 3)))

    def points(self) -> bytes | None:
        """The points as a file of numpy, as far as they are; None when there are none yet, or they are damaged."""
        try:
            return self._unsealed("points.npy")
        except FileNotFoundError:
            return None
        except BrokenSeal as error:
            self.discard(error)
            return None


def _npy(points: NDArray[np.float32]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(points, "<f4"), allow_pickle=False)
    return buffer.getvalue()
