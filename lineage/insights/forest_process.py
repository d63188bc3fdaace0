"""Process of one forest: `python -m mindinsight_like.lineage.insights.forest_process JOB LOCK`."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np

from mindinsight_like.jobs.folder import RUNNING
from mindinsight_like.jobs.working import end_when_unwanted, wait_for_turn

from .forest import Features, fit
from .forest_jobs import ForestFolder, ForestStatus

_AT_ONCE = 1
_LONGEST_SECONDS = 3600

log = logging.getLogger("mindinsight_like.forest")


def main() -> None:
    # The lock came along as an open file and is let go when this process ends, however that happens.
    job = ForestFolder(Path(sys.argv[1]))
    longest = {"longest_seconds": _LONGEST_SECONDS}
    threading.Thread(target=end_when_unwanted, args=(job,), kwargs=longest, daemon=True).start()
    os.nice(5)  # people who look at pages, and trainings on the same machine, go first
    order = job.order()
    turn = wait_for_turn(job.path.parent.parent, "forest", _AT_ONCE)
    begin = time.monotonic()
    try:
        job.report(ForestStatus(RUNNING))
        values = np.array(order["values"], np.float64).reshape(len(order["target"]), len(order["names"]))
        data = Features(order["names"], values, np.array(order["target"], np.float64))
        result = fit(data, lambda progress: job.report(ForestStatus(RUNNING, progress)))
        job.finish_with(result, time.monotonic() - begin)
    except Exception as error:
        log.exception("cannot fit a forest")
        job.fail(f"the forest failed: {type(error).__name__}: {' '.join(str(error).split())[:300]}")
    os.close(turn)


if __name__ == "__main__":
    main()
