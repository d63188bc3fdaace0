"""Worker process of analysis jobs: `python -m mindinsight_like.profiler.jobs JOB LOCK [JOB LOCK …]`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from mindinsight_like.conf.settings import Settings
from mindinsight_like.profiler.jobs.analysis_folder import AnalysisFolder
from mindinsight_like.profiler.jobs.analysis_work import Work
from mindinsight_like.profiler.jobs.batches import run_all
from mindinsight_like.store.database.location import IndexLocation

_NICE: Final = 5  # people who look at pages, and trainings on the same machine, go first


def main(*, nice: int = _NICE, processes: int | None = None) -> None:
    """Does the jobs, `processes` at a time; as many as the settings allow by default."""
    # The locks came along as open files and are let go when this process ends, however that happens.
    os.nice(nice)
    settings = Settings.from_environment(os.environ)
    scheduler = settings.dask_scheduler
    places = 0 if scheduler else settings.profile_jobs
    dirs = IndexLocation.of_settings(settings).dirs
    jobs = {
        Work(job, dirs.to_text(), places): (AnalysisFolder(Path(job)), int(lock))
        for job, lock in zip(sys.argv[1::2], sys.argv[2::2], strict=True)
    }
    run_all(jobs, processes=processes or settings.profile_jobs, scheduler=scheduler)


if __name__ == "__main__":
    main()
