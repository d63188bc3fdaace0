"""Process of one column: `python -m mindinsight_like.lineage.table.scalars.column_process JOB LOCK`."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np

from mindinsight_like.conf.settings import Settings
from mindinsight_like.jobs.folder import READY, RUNNING, Status
from mindinsight_like.jobs.working import end_when_unwanted, wait_for_turn
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.intact import Intact, read_part
from mindinsight_like.store.reader import IndexReader

from .column_jobs import ColumnFolder, StoredValues
from .curve_values import read_values

_AT_ONCE = 1
_LONGEST_SECONDS = 6 * 3600
_RUNS_AT_ONCE = 200  # whose curves are in memory together
_WRITE_SECONDS = 1.0  # between two states of the file: pages show values as they come

log = logging.getLogger("mindinsight_like.columns")


def main() -> None:
    # The lock came along as an open file and is let go when this process ends, however that happens.
    job = ColumnFolder(Path(sys.argv[1]))
    longest = {"longest_seconds": _LONGEST_SECONDS}
    threading.Thread(target=end_when_unwanted, args=(job,), kwargs=longest, daemon=True).start()
    os.nice(5)  # people who look at pages, and trainings on the same machine, go first
    name = str(job.order()["name"])
    turn = wait_for_turn(job.path.parent.parent, "column", _AT_ONCE)
    begin = time.monotonic()
    try:
        reader = IndexReader(IndexLocation.of_settings(Settings.from_environment(os.environ)))
        compute(job, reader, name)
        job.finish(Status(READY, 1.0, seconds=round(time.monotonic() - begin, 3)))
    except Exception as error:
        log.exception("cannot compute the column %s", name[:200])
        job.fail(f"the column failed: {type(error).__name__}: {' '.join(str(error).split())[:300]}")
    os.close(turn)


def compute(job: ColumnFolder, reader: IndexReader, name: str) -> None:
    """Write the values of all runs; those of runs that have not changed are taken from the file."""
    ids = [each.id for each in reader.runs.facts()]
    # Before the curves are read: a run that changes meanwhile is computed again.
    versions = np.array(reader.runs.versions(ids), np.int64)
    values, present, is_done = np.full(len(ids), np.nan), np.zeros(len(ids), bool), np.zeros(len(ids), bool)
    if (before := job.values()) is not None:
        places = np.array([before.places.get(run, -1) for run in ids], np.int64)
        is_done = places >= 0
        is_done[is_done] = before.versions[places[is_done]] == versions[is_done]
        values[is_done], present[is_done] = before.values[places[is_done]], before.present[places[is_done]]
    all_runs = np.array(ids, "S")

    def write() -> None:
        job.write_values(StoredValues(all_runs[is_done], versions[is_done], values[is_done], present[is_done]))

    missing = np.flatnonzero(~is_done)
    written = time.monotonic()
    for begin in range(0, len(missing), _RUNS_AT_ONCE):
        places = missing[begin : begin + _RUNS_AT_ONCE]
        runs = [ids[place] for place in places.tolist()]
        read: Intact[dict[str, float]] = read_part(
            reader, runs, lambda intact: read_values(reader, name, intact), empty={}
        )
        damaged = set(read.rebuilding)
        values[places] = [read.answer.get(run, np.nan) for run in runs]
        present[places] = [run in read.answer for run in runs]
        is_done[places] = [run not in damaged for run in runs]
        if time.monotonic() - written >= _WRITE_SECONDS:
            write()
            written = time.monotonic()
            job.report(Status(RUNNING, (begin + len(places)) / len(missing)))
    write()


if __name__ == "__main__":
    main()
