"""Run inside Aim's own environment: keep trials in its repository, or search them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

from aim import Repo, Run

_RUNS_AT_ONCE = 200
_PATIENCE_SECONDS = 300.0


def make(folder: Path, trials: Path, count: int) -> None:
    """One run of Aim for each of the first trials; a process that hangs when a run ends, as some do, is replaced."""
    folder.mkdir()
    Repo.from_path(str(folder), init=True)
    written = 0
    while written < count:
        end = min(count, written + _RUNS_AT_ONCE)
        part = [sys.executable, __file__, "part", folder, trials, str(written), str(end)]
        try:
            lines = subprocess.run(part, check=True, stdout=subprocess.PIPE, timeout=_PATIENCE_SECONDS).stdout
        except subprocess.TimeoutExpired as hanging:
            lines = hanging.stdout or b""
        written += lines.count(b"\n")
    # Runs are not found until somebody, usually its web server, has put them into the index.
    program = [Path(sys.executable).with_name("aim"), "storage", "--repo", folder, "reindex"]
    subprocess.run(program, input="y\n", text=True, check=True, capture_output=True)


def make_part(folder: Path, trials: Path, first: int, end: int) -> None:
    """Some of them, with a line for each."""
    for line in islice(trials.open(), first, end):
        trial = json.loads(line)
        run = Run(repo=str(folder), system_tracking_interval=None, capture_terminal_logs=False, log_system_params=False)
        run.name = trial["name"]
        run["params"] = trial["params"]
        run["results"] = trial["metrics"]
        for step, value in enumerate(trial["accuracy"]):
            run.track(value, name="accuracy", step=step)
        print(trial["name"], flush=True)
        run.close()


def search(folder: Path, calls: int) -> list[dict[str, float]]:
    """The best hundred trials with Adam and an accuracy above 0.9, with their settings, again and again."""
    taken = []
    for _ in range(calls):
        wall, cpu = time.perf_counter(), time.process_time()
        repo = Repo.from_path(str(folder))
        query = 'run["results", "accuracy"] > 0.9 and run["params", "optimizer"] == "Adam"'
        found = [each.run for each in repo.query_runs(query).iter_runs()]
        values = [(run["results", "accuracy"], run["params"]) for run in found]
        page = sorted(values, key=lambda each: -each[0])[:100]
        taken.append({
            "wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu,
            "found": len(found), "best": page[0][0],
        })  # fmt: skip
    return taken


if __name__ == "__main__":
    what, repository = sys.argv[1], Path(sys.argv[2])
    if what == "make":
        make(repository, Path(sys.argv[3]), int(sys.argv[4]))
    elif what == "part":
        make_part(repository, Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
    else:
        print(json.dumps(search(repository, int(sys.argv[3]))))
