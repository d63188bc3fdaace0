"""The event file of one folder, named and opened as TensorBoard's writers do it."""

from __future__ import annotations

import itertools
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.files.background import BackgroundFile

_numbers = itertools.count()  # keeps the files of one process apart that begin in the same second


class EventFile:
    """Writes events into a new file of the folder; serves as the `FileWriter` of torch and tensorboardX, too."""

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        flush_secs: float,
        filename_suffix: str = "",
        write_to_disk: bool = True,
        lazy: bool = False,
        has_run_state: bool = False,
        total_steps: int | None = None,
    ) -> None:
        self._folder = os.fspath(folder)
        self._started = time.time()
        self._host = socket.gethostname()
        self._suffix = filename_suffix
        self._has_run_state = has_run_state
        self._total_steps = total_steps
        self._file = self._new_file(flush_secs=flush_secs, write_to_disk=write_to_disk, lazy=lazy)
        self.put = self._file.put
        self.put_small = self._file.put_small

    def get_logdir(self) -> str:
        """The folder."""
        return self._folder

    def add_summary(self, summary: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Write a Summary message, encoded or as an object of any protobuf library."""
        content = summary if isinstance(summary, bytes) else summary.SerializeToString()
        moment = time.time() if walltime is None else walltime
        self.put(_summary, content, int(global_step or 0), moment)

    def add_event(self, event: Any, step: int | None = None, walltime: float | None = None) -> None:
        """Write an Event message, an object of any protobuf library, after setting its step and time."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.put(bytes, event.SerializeToString())

    def set_total_steps(self, total_steps: int) -> None:
        """Say how many steps the run is going to have."""
        self._file.set_total_steps(total_steps)

    def flush(self) -> None:
        """Hand everything to the operating system."""
        self._file.flush()

    def close(self, *, wait: bool = True) -> None:
        """Flush and release the file; without `wait` that happens in the thread."""
        self._file.close(wait=wait)

    def _new_file(self, *, flush_secs: float, write_to_disk: bool, lazy: bool) -> BackgroundFile:
        while True:
            number = next(_numbers)
            renamed = self._renamed(number)
            path = renamed(Path(self._folder, "events"), os.getpid())
            try:
                return BackgroundFile(
                    path,
                    frame=tensorboard.frame,
                    opening=tensorboard.opening,
                    flush_secs=flush_secs,
                    write_to_disk=write_to_disk,
                    exclusive=True,
                    lazy=lazy,
                    renamed=renamed,
                    has_run_state=self._has_run_state,
                    total_steps=self._total_steps,
                )
            except FileExistsError:  # by a process of the same number in another container
                if path.parent.is_dir() and path.exists():
                    continue
                raise

    def _renamed(self, number: int) -> Callable[[Path, int], Path]:
        def with_process(path: Path, process: int) -> Path:
            name = tensorboard.file_name(self._started, host=self._host, process=process, number=number)
            return path.with_name(name + self._suffix)

        return with_process


def _summary(content: bytes, step: int, wall_time: float) -> bytes:
    return tensorboard.summary(content, step=step, wall_time=wall_time)
