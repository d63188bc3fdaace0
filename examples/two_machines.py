"""Two machines train, a third shows it: profiles and machine metrics are sent to a service by the collector.

Rehearse it on one machine, where processes stand for machines that share nothing but a port; then open the board:

    python examples/two_machines.py
    app start --summary-base-dir runs

On real machines, start the service on the first and the training on the others, with the token that it prints:

    app start --summary-base-dir runs --host 0.0.0.0 --collector-port 8090
    RANK=0 WORLD_SIZE=2 MINDINSIGHT_COLLECTOR_TOKEN=... python examples/two_machines.py board.example:8090
    RANK=1 WORLD_SIZE=2 MINDINSIGHT_COLLECTOR_TOKEN=... python examples/two_machines.py board.example:8090

Look at run `two-machines`:

- Scalars: `system/rank0/cpu/percent`, `system/rank1/cpu/percent`, `system/rank1/process/memory`
- Profiler: `data`, `forward`, `communication` among the operator types, and every `step`: rank 1 computes longer
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mindinsight_like as mi

STEPS, PATIENCE_SECONDS = 100, 120


def train(server):
    """One rank: what it records goes to a spool on its own disk first, and from there to the service."""
    rank = int(os.environ["RANK"])
    with tempfile.TemporaryDirectory() as own_disk:
        profiler = mi.Profiler(own_disk, framework="none", collector=server, run="two-machines")
        for _ in range(STEPS):
            with profiler.op("load", type="data"):
                time.sleep(0.010)
            with profiler.op("layers", type="forward"):
                time.sleep(0.020 + 0.010 * rank)  # the machine of rank 1 is slower
            with profiler.op("AllReduce", type="communication"):
                time.sleep(0.012 - 0.010 * rank)  # rank 0 waits for it
            profiler.step()
        profiler.stop()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def rehearse():
    """Start a service and both ranks here, and stop the service when it has received everything."""
    app, collector = Path(sys.executable).with_name("app"), free_port()
    with tempfile.TemporaryDirectory() as disk:
        service = ["--workspace", f"{disk}/workspace", "--port", str(free_port())]
        Path("runs").mkdir(exist_ok=True)
        subprocess.run([app, "start", *service, "--summary-base-dir=runs", f"--collector-port={collector}"], check=True)
        try:
            machines = []
            for rank in range(2):
                caches = f"{disk}/machine{rank}"  # where the spool is
                environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "XDG_CACHE_HOME": caches}
                command = [sys.executable, __file__, f"127.0.0.1:{collector}"]
                machines.append(subprocess.Popen(command, env=environment))
            for machine in machines:
                machine.wait()
            deadline = time.monotonic() + PATIENCE_SECONDS
            while list(Path(disk).glob("machine*/*/spool/*")):  # emptied when the service has everything
                if time.monotonic() > deadline:
                    sys.exit("the service has not received everything")
                time.sleep(0.2)
        finally:
            subprocess.run([app, "stop", *service], check=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        train(sys.argv[1])
    else:
        rehearse()
