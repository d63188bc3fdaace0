"""Folder of one analysis job, whose result is a folder of columns."""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, TypedDict

from mindinsight_like.jobs import folder
from mindinsight_like.jobs.starting import entries
from mindinsight_like.profiler.traces.files import Source

DIGESTS: Final = "ranks"  # the folder beside that of the jobs


class ProfileFigures(TypedDict, total=False):
    """What lists show of an analysed profile without opening it; empty before."""

    tool: str
    device: str
    host: str
    rank: int  # NOTHING where it is not known
    ranks: int
    steps: int
    started_at: float | None  # unix time
    average_step: float | None  # of whole steps, ms
    breakdown: dict[str, float]  # of an average whole step, ms
    advice: dict[str, Any] | None  # the most important
    losses: list[dict[str, Any]]  # the first of what could not be read
    loss_count: int


@dataclass(frozen=True)
class Status(folder.Status):
    """The stages are reading, analysing and saving."""

    result: str = ""  # the folder of columns, inside that of the job
    figures: ProfileFigures = field(default_factory=ProfileFigures)


class AnalysisFolder(folder.JobFolder[Status]):
    """Files of one analysis."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, Status)

    def begin(self, order: dict[str, Any]) -> None:
        for left in entries(self.path):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
        super().begin(order)

    def source(self) -> Source:
        """The recording that `order_for` was asked for."""
        values = self.order()["source"]
        return Source(**{**values, "files": tuple(values["files"])})

    @property
    def batch(self) -> str:
        """The same for the jobs that one process works on; empty when it cannot be told."""
        try:
            return str(self.order()["batch"])
        except (OSError, ValueError, KeyError):
            return ""

    @property
    def digest(self) -> Path:
        """The file for what the view of many ranks needs; it stays when the columns make room for others."""
        return self.path.parent.parent / DIGESTS / self.path.name

    def new_result(self) -> Path:
        """An empty folder for columns. Its name is new, so that a process that outlived its job spoils nothing."""
        path = self.path / f"result-{os.getpid()}-{os.urandom(4).hex()}"
        path.mkdir()
        return path


def order_for(source: Source, batch: str) -> dict[str, Any]:
    return {"source": asdict(source), "batch": batch}
