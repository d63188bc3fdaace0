"""Samples of the host and its devices as scalars of a run, taken by a thread of the training process."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mindinsight_like.writers.tensorboard.summary_writer import SummaryWriter

log = logging.getLogger(__name__)

PREFIX = "system/"


class HostSampling:
    """Records a sample every few seconds until it is stopped; the step of a sample is the seconds since the start."""

    def __init__(self, writer: SummaryWriter, *, seconds: float) -> None:
        self._writer = writer
        self._seconds = seconds
        self._process = os.getpid()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mindinsight-like host metrics", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._is_over.set()
        if self._process == os.getpid():
            self._thread.join(timeout=2)

    def _run(self) -> None:
        from mindinsight_like.profiler.collector.metrics import Metrics

        try:
            metrics = Metrics(self._process, rank=None)
            while not self._is_over.wait(self._seconds):
                sample = metrics.sample()
                for name, value in sample["values"].items():
                    if not name.startswith("cpu/core"):  # a hundred curves that nobody looks at
                        self._writer.add_scalar(PREFIX + name, value, sample["step"], sample["time"])
        except Exception:
            log.warning("host metrics of %s end here", self._writer.logdir, exc_info=True)
