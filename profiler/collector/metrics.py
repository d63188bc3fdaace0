"""Samples of all metrics of a machine."""

from __future__ import annotations

import contextlib
import time
from typing import Any

from mindinsight_like.profiler.collector.device_metrics import device_samplers
from mindinsight_like.profiler.collector.host_metrics import HostMetrics


class Metrics:
    """Samples of the host, of a process on it, and of its devices."""

    def __init__(self, process: int | None, *, rank: int | None) -> None:
        self._began = time.monotonic()  # a clock that is set anew must not turn steps back
        self._host = HostMetrics(process)
        self._devices = device_samplers()
        self._prefix = "" if rank is None else f"rank{rank}/"  # ranks of a training share one run

    def sample(self) -> dict[str, Any]:
        """As an entry of a spool tells it; the step of a metric is the seconds since the beginning."""
        values = self._host.sample()
        for sample in self._devices:
            with contextlib.suppress(Exception):  # a driver that goes away must not end the collector
                values |= sample()
        seconds = time.monotonic() - self._began
        named = {self._prefix + name: value for name, value in values.items()}
        return {"time": time.time(), "step": round(seconds), "values": named}
