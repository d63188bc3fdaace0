"""Queue between the event loop and its threads that keeps as few of the threads busy as will do.

The thread that became idle last gets the next task: its database connections, its arena of the allocator and the
processor caches are warm. `queue.SimpleQueue` wakes the thread that has waited longest, so that even a single client
goes around all of them.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

_Task = TypeVar("_Task")


class Tasks(Generic[_Task]):
    """Any number of threads iterate over it, and each gets other tasks; it never ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[_Task] = deque()  # for a thread
        self._idle: list[queue.SimpleQueue[_Task]] = []  # threads that wait for a task, the last one on top

    def put(self, task: _Task) -> None:
        with self._lock:
            if not self._idle:
                self._waiting.append(task)
                return
            thread = self._idle.pop()
        thread.put(task)

    def __iter__(self) -> Iterator[_Task]:
        own: queue.SimpleQueue[_Task] = queue.SimpleQueue()
        while True:
            with self._lock:
                task = self._waiting.popleft() if self._waiting else None
                if task is None:
                    self._idle.append(own)
            yield own.get() if task is None else task
