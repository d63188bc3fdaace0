"""The queue between the event loop and its threads."""

from __future__ import annotations

import threading
import time

from mindinsight_like.app.worker.tasks import Tasks


class Threads:
    """Work off tasks, events to be set, and remember which thread had which."""

    def __init__(self, count: int) -> None:
        self.tasks = Tasks[tuple[threading.Event, threading.Event]]()
        self.workers: list[int] = []
        for _ in range(count):
            threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        for begun, may_end in self.tasks:
            self.workers.append(threading.get_ident())
            begun.set()
            may_end.wait(10)

    def start(self) -> tuple[threading.Event, threading.Event]:
        task = threading.Event(), threading.Event()
        self.tasks.put(task)
        return task


def test_one_client_keeps_one_thread_busy() -> None:
    threads = Threads(4)
    for _ in range(10):
        time.sleep(0.02)  # all threads wait
        begun, may_end = threads.start()
        assert begun.wait(10)
        may_end.set()
    assert len(set(threads.workers)) == 1


def test_all_threads_work_at_once_and_what_is_left_waits() -> None:
    threads = Threads(3)
    time.sleep(0.02)
    running = [threads.start() for _ in range(3)]
    assert all(begun.wait(10) for begun, _ in running)
    waiting = [threads.start() for _ in range(2)]
    assert not any(begun.is_set() for begun, _ in waiting)
    running[0][1].set()
    assert waiting[0][0].wait(10)  # the first one first
    assert not waiting[1][0].is_set()
    waiting[0][1].set()
    assert waiting[1][0].wait(10)
    for _, may_end in [*running, *waiting]:
        may_end.set()
    assert len(threads.workers) == 5 and len(set(threads.workers)) == 3
