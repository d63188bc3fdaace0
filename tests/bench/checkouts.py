"""CPU seconds of two checkouts, in turns in one sitting: `python -m tests.bench.checkouts OLD NEW LOGS...`.

Each checkout needs its environment (`make .venv/.installed`); LOGS are base directories to load from scratch. Medians
are printed, with their ratio: what a change costs can be told on a machine whose speed drifts.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

_WRITE = """
import tempfile
from mindinsight_like import SummaryWriter
with tempfile.TemporaryDirectory() as folder, SummaryWriter(folder) as writer:
    for step in range(200_000):
        writer.add_scalar("loss", step * 0.5, step)
"""


def _cpu_seconds(command: Sequence[str | Path]) -> float:
    process = os.fork()
    if process == 0:
        os.chdir(tempfile.gettempdir())  # the package of this checkout must not hide the other's
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        os.execv(command[0], list(map(str, command)))
    _, status, usage = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{' '.join(map(str, command))} failed")
    return usage.ru_utime + usage.ru_stime


def _load(logs: Path, checkout: Path) -> float:
    workspace = tempfile.mkdtemp()
    try:
        app = checkout / ".venv/bin/app"
        return _cpu_seconds([app, "index", "--summary-base-dir", logs, "--workspace", workspace])
    finally:
        shutil.rmtree(workspace)


def _run(code: str, checkout: Path) -> float:
    return _cpu_seconds([checkout / ".venv/bin/python", "-c", code])


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the CPU seconds of two checkouts.")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("logs", type=Path, nargs="*", help="base directories to load")
    parser.add_argument("--pairs", type=int, default=7)
    arguments = parser.parse_args()
    cases: dict[str, Callable[[Path], float]] = {
        **{f"load {logs.name}": partial(_load, logs.absolute()) for logs in arguments.logs},
        "200,000 add_scalar": partial(_run, _WRITE),
        "import mindinsight_like": partial(_run, "import mindinsight_like"),
    }
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    checkouts = (arguments.old.absolute(), arguments.new.absolute())
    for name, measure in cases.items():
        costs: dict[Path, list[float]] = {checkout: [] for checkout in checkouts}
        for pair in range(arguments.pairs):
            for checkout in checkouts if pair % 2 == 0 else reversed(checkouts):
                costs[checkout].append(measure(checkout))
        old, new = (statistics.median(costs[checkout]) for checkout in checkouts)
        print(f"{name}: {old:.3f} s before, {new:.3f} s now, ratio {new / old:.2f}", flush=True)


if __name__ == "__main__":
    main()
