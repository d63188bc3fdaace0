"""Worker process of one projection: `python -m mindinsight_like.projections JOB LOCK`, started by a web worker."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mindinsight_like.jobs.folder import RUNNING
from mindinsight_like.jobs.working import end_when_unwanted, wait_for_turn
from mindinsight_like.projections.job_folder import ProjectionFolder, Status
from mindinsight_like.projections.request import PCA, ProjectionRequest, name_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_AT_ONCE = 2  # of the slow methods; each uses all processors
_LONGEST_SECONDS = 6 * 3600
_REPORT_SECONDS = 0.4
_SNAPSHOT_SECONDS = 1.5

log = logging.getLogger("mindinsight_like.projections")


def main() -> None:
    # The lock came along as an open file and is let go when this process ends, however that happens.
    job = ProjectionFolder(Path(sys.argv[1]))
    longest = {"longest_seconds": _LONGEST_SECONDS}
    threading.Thread(target=end_when_unwanted, args=(job,), kwargs=longest, daemon=True).start()
    os.nice(5)  # people who look at pages, and trainings on the same machine, go first
    order = job.order()
    request = ProjectionRequest(**order["asked"])
    turn = wait_for_turn(job.path.parent.parent, "quick" if request.method == PCA else "slow", _AT_ONCE)
    try:
        _compute(job, request, order)
    except MemoryError:
        job.fail(f"{name_of(request.method)} of so many numbers does not fit into the memory of the service's machine")
    except Exception as error:
        log.exception("cannot project %s", order)
        job.fail(f"{name_of(request.method)} failed: {type(error).__name__}: {' '.join(str(error).split())[:300]}")
    os.close(turn)


def _compute(job: ProjectionFolder, request: ProjectionRequest, order: dict[str, Any]) -> None:
    job.report(Status(RUNNING, stage="reading"))
    begin = time.monotonic()
    # Only now: who waits for a turn should not hold memory.
    from mindinsight_like.projections.methods import CannotProject, project

    reported, pictured, last_stage, snapshot = 0.0, 0.0, "reading", 0

    def report(progress: float, stage: str, points: NDArray[np.float32] | None) -> None:
        nonlocal reported, pictured, last_stage, snapshot
        now = time.monotonic()
        is_new = points is not None and now - pictured > _SNAPSHOT_SECONDS
        if is_new:
            pictured, snapshot = now, snapshot + 1
        if is_new or stage != last_stage or now - reported > _REPORT_SECONDS:
            reported, last_stage = now, stage
            status = Status(RUNNING, progress, stage, snapshot=snapshot)
            if is_new and points is not None:
                job.picture(status, points)
            else:
                job.report(status)

    try:
        projection = project(_vectors(order), request, report)
        job.finish_with(projection.points, projection.explained, time.monotonic() - begin)
    except CannotProject as error:
        job.fail(str(error))


def _vectors(order: dict[str, Any]) -> NDArray[np.float32]:
    """The vectors that were asked for; raises CannotProject."""
    from mindinsight_like.conf.settings import Settings
    from mindinsight_like.errors import ServiceError
    from mindinsight_like.projections.embedding import Place, find_embedding
    from mindinsight_like.projections.matrices import Matrices
    from mindinsight_like.projections.methods import CannotProject
    from mindinsight_like.store.database.location import IndexLocation
    from mindinsight_like.store.reader import IndexReader
    from mindinsight_like.values.records import BadValue

    settings = Settings.from_environment(os.environ)
    reader = IndexReader(IndexLocation.of_settings(settings))
    try:
        embedding = find_embedding(reader, Place(*order["place"]))
        if embedding.content != order["content"]:
            raise CannotProject("the vectors have been overwritten in the meantime")
        return Matrices.beside(reader).vectors(embedding)
    except (ServiceError, BadValue) as error:
        raise CannotProject(f"cannot read the vectors: {error}") from error


if __name__ == "__main__":
    main()
