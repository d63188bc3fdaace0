"""The process of some analyses: `python -m mindinsight_like.profiler.results JOB LOCK [JOB LOCK …]`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from mindinsight_like.conf.settings import Settings
from mindinsight_like.profiler.results.analysing import Work
from mindinsight_like.profiler.results.batches import run_all
from mindinsight_like.profiler.results.job import AnalysisFolder


def main() -> None:
    # The locks came along as open files and are let go when this process ends, however that happens.
    os.nice(5)  # people who look at pages, and trainings on the same machine, go first
    settings = Settings.from_environment(os.environ)
    scheduler = settings.dask_scheduler
    places = 0 if scheduler else settings.profile_jobs
    held = {
        Work(job, str(settings.summary_base_dir), places): (AnalysisFolder(Path(job)), int(lock))
        for job, lock in zip(sys.argv[1::2], sys.argv[2::2], strict=True)
    }
    run_all(held, processes=settings.profile_jobs, scheduler=scheduler)


if __name__ == "__main__":
    main()
