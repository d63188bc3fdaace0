"""Read schedule: which file's slice comes next.

Files that were read to their end and have grown since come first: somebody may be watching them. Turns are then
divided between the newest run, so that what people look at is soon complete, and the files that had the fewest slices
so far, so that one huge file keeps nobody waiting.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mindinsight_like.loader.discovery import FoundFile
from mindinsight_like.store.files import TrackedFile
from mindinsight_like.store.progress import Progress


class _Order(NamedTuple):
    """The run that was written to last first, a run's files in the order of their names."""

    age: int  # negative time of the run's newest file in nanoseconds
    run: str
    name: str


_LAST = _Order(1 << 63, "", "")


class _Started(NamedTuple):
    """A file of which some slices were read."""

    slices: int
    order: _Order


class Schedule:
    """The files that have something to read, and how much of it has been read."""

    def __init__(self) -> None:
        self._files: dict[str, FoundFile] = {}
        self._growing: deque[str] = deque()
        self._fresh: list[_Order] = []  # a heap of files of which nothing was read yet
        self._started: dict[str, _Started] = {}
        self._is_turn_of_newest = True
        self._progress = _BacklogProgress()

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, name: object) -> bool:
        return name in self._files

    @property
    def progress(self) -> Progress:
        """What was read of what there has been to read since there was nothing to read last."""
        return self._progress.now()

    def add(self, files: Iterable[FoundFile], tracked_files: Mapping[str, TrackedFile]) -> None:
        """Let files be read; one that waits already keeps its place."""
        backlog: list[FoundFile] = []
        newest: dict[str, int] = {}  # time of each run
        for file in files:
            is_waiting = file.name in self._files
            self._files[file.name] = file  # its run may be another by now
            if is_waiting:
                continue
            tracked = tracked_files.get(file.name)
            self._progress.add(file, tracked)
            newest[file.run] = max(file.mtime_ns, newest.get(file.run, 0))
            # One that was only touched is compared with what was read of it, which takes its size, and nobody waits.
            if tracked is not None and not tracked.is_partial and file.size > tracked.size:
                self._growing.append(file.name)
            else:
                backlog.append(file)
        self._fresh += [_Order(-newest[file.run], file.run, file.name) for file in backlog]
        if backlog:
            heapq.heapify(self._fresh)

    def next_growing(self) -> FoundFile | None:
        """A file that was read to its end before."""
        return self._files[self._growing.popleft()] if self._growing else None

    def turn(self) -> None:
        """Let the other half of the backlog have its turn."""
        self._is_turn_of_newest = not self._is_turn_of_newest

    def next_of_backlog(self) -> FoundFile | None:
        """The file whose slice comes next in the present turn; None when the backlog is empty."""
        if not self._started:
            return self._files[heapq.heappop(self._fresh).name] if self._fresh else None
        # Few files are too large for one slice, and a slice takes longer than a look at them all.
        orders = (started.order for started in self._started.values())
        if self._fresh and (not self._is_turn_of_newest or self._fresh[0] < min(orders, default=_LAST)):
            return self._files[heapq.heappop(self._fresh).name]
        if self._is_turn_of_newest:
            return self._files[min(started.order for started in self._started.values()).name]
        return self._files[min(self._started.values()).order.name]

    def read_to(self, file: TrackedFile) -> None:
        """Note what a slice has reached; a file of which there is more waits for another turn."""
        self._progress.read_to(file)
        if not file.is_partial:
            self.done(file.name)
            return
        self._wait_for_turn(file.name, _Order(-file.mtime_ns, file.run, file.name))

    def postpone(self, name: str) -> None:
        """Note that a slice was spent on a file that has to be read on."""
        file = self._files[name]
        self._wait_for_turn(name, _Order(-file.mtime_ns, file.run, name))

    def _wait_for_turn(self, name: str, order: _Order) -> None:
        before = self._started.get(name)
        self._started[name] = _Started(before.slices + 1 if before else 1, order)

    def done(self, name: str) -> None:
        """Note that a file has nothing more to read."""
        file = self._files.pop(name)
        self._started.pop(name, None)
        self._progress.done(file)
        if not self._files:
            self._progress = _BacklogProgress(finished=self._progress.now())


class _BacklogProgress:
    """Counts bytes and runs from when there is something to read until there is nothing."""

    def __init__(self, finished: Progress | None = None) -> None:
        self._finished = finished
        self._positions: dict[str, int] = {}
        self._waiting: dict[str, int] = {}  # files by run
        self._runs: set[str] = set()
        self._bytes_total = self._bytes_done = 0

    def now(self) -> Progress:
        if not self._runs and self._finished is not None:
            return self._finished
        done = min(self._bytes_done, self._bytes_total)  # files may have grown since they were found
        return Progress(len(self._runs) - len(self._waiting), len(self._runs), done, self._bytes_total)

    def add(self, file: FoundFile, tracked: TrackedFile | None) -> None:
        position = self._positions[file.name] = tracked.position if tracked is not None else 0
        self._bytes_total += max(0, file.size - position)
        self._waiting[file.run] = self._waiting.get(file.run, 0) + 1
        self._runs.add(file.run)

    def read_to(self, file: TrackedFile) -> None:
        self._bytes_done += max(0, file.position - self._positions[file.name])
        self._positions[file.name] = file.position

    def done(self, file: FoundFile) -> None:
        self._positions.pop(file.name, None)
        left = self._waiting.get(file.run, 0) - 1
        if left > 0:
            self._waiting[file.run] = left
        else:
            self._waiting.pop(file.run, None)
