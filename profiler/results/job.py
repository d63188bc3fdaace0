"""One analysis on disk: a job whose result is a folder of columns."""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mindinsight_like.jobs import folder
from mindinsight_like.jobs.starting import entries
from mindinsight_like.profiler.traces.files import Source


@dataclass(frozen=True)
class Status(folder.Status):
    """The stages are reading, analysing and saving."""

    result: str = ""  # the folder of columns, inside that of the job
    figures: dict[str, Any] = field(default_factory=dict)  # what lists of profiles show of it


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
        given = self.order()["source"]
        return Source(**{**given, "files": tuple(given["files"])})

    @property
    def batch(self) -> str:
        """The same for the jobs that one process works on; empty when it cannot be told."""
        try:
            return str(self.order()["batch"])
        except (OSError, ValueError, KeyError):
            return ""

    def new_result(self) -> Path:
        """An empty folder for columns. Its name is new, so that a process that outlived its job spoils nothing."""
        path = self.path / f"result-{os.getpid()}-{os.urandom(4).hex()}"
        path.mkdir()
        return path


def order_for(source: Source, batch: str) -> dict[str, Any]:
    return {"source": asdict(source), "batch": batch}
