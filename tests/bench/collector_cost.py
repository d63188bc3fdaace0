"""What a collector at one sample a second takes: one program, run in a process of its own.

python -m tests.bench.collector_cost <host:port> <folder>
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import psutil

from mindinsight_like import Profiler

from .yardsticks import host_metrics_cpu_seconds

_SECONDS = 10.0
_ROUNDS = 3
_PSUTIL_TIMES = 200


def main() -> None:
    server, folder = sys.argv[1], Path(sys.argv[2])
    profiler = Profiler(
        folder / "out", framework="none", start_profile=False, collector=server, run="run", spool=str(folder / "spool")
    )
    time.sleep(5)  # imports are paid once
    (courier,) = psutil.Process().children()
    inside, beside, psutil_alone = [], [], []
    for _ in range(_ROUNDS):
        began = time.monotonic(), time.process_time(), _cpu_seconds(courier)
        time.sleep(_SECONDS)
        wall = time.monotonic() - began[0]
        inside.append((time.process_time() - began[1]) / wall * 1e3)  # one sample a second
        beside.append((_cpu_seconds(courier) - began[2]) / wall * 1e3)
        psutil_alone.append(host_metrics_cpu_seconds(_PSUTIL_TIMES) * 1e3)
    megabytes = [courier.memory_info().rss / 1e6]
    profiler.stop()
    print(json.dumps({"inside": inside, "beside": beside, "psutil": psutil_alone, "megabytes": megabytes}))


def _cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


if __name__ == "__main__":
    main()
