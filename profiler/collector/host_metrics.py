"""Host metrics: CPU, memory, disks, network and the training process."""

from __future__ import annotations

import contextlib
import time

import psutil

_MOST_CORES = 256


class HostMetrics:
    """Samples of the machine; rates are those since the sample before."""

    def __init__(self, process: int | None) -> None:
        self._process: psutil.Process | None = None
        if process is not None:
            with contextlib.suppress(psutil.Error):
                self._process = psutil.Process(process)
        self._before: dict[str, float] = {}
        self._at = time.monotonic()
        self.sample()  # psutil's first percentages mean nothing

    def sample(self) -> dict[str, float]:
        """Values by name; what the system does not tell is left out."""
        values: dict[str, float] = {}
        for number, percent in enumerate(psutil.cpu_percent(percpu=True)[:_MOST_CORES]):
            values[f"cpu/core{number}"] = percent
        if values:
            values["cpu/percent"] = round(sum(values.values()) / len(values), 2)
        memory = psutil.virtual_memory()
        values["memory/used"] = memory.total - memory.available
        values["memory/percent"] = memory.percent
        values |= self._rates() | self._of_process()
        return values

    def _rates(self) -> dict[str, float]:
        """Bytes per second of all disks and all networks."""
        totals: dict[str, float] = {}
        with contextlib.suppress(Exception):  # containers hide either, in several ways
            if (disks := psutil.disk_io_counters()) is not None:
                totals |= {"disk/read": disks.read_bytes, "disk/written": disks.write_bytes}
        with contextlib.suppress(Exception):
            if (network := psutil.net_io_counters()) is not None:
                totals |= {"network/received": network.bytes_recv, "network/sent": network.bytes_sent}
        now = time.monotonic()
        seconds, before = now - self._at, self._before
        self._at, self._before = now, totals
        return {
            name: (total - before[name]) / seconds
            for name, total in totals.items()
            if seconds > 0 and name in before and total >= before[name]
        }

    def _of_process(self) -> dict[str, float]:
        values: dict[str, float] = {}
        if self._process is not None:
            with contextlib.suppress(psutil.Error), self._process.oneshot():
                values["process/cpu"] = self._process.cpu_percent()
                values["process/memory"] = self._process.memory_info().rss
                values["process/threads"] = self._process.num_threads()
        return values
