"""Append records to log files from a thread of their own, so that training never waits for a disk.

One thread serves all files of a process. It is asleep while nothing is recorded; the first record wakes it, it gathers
what comes within the next second, encodes it, and appends it with one write per file. `flush`, `close` and the end of
the process do the same at once, in the calling thread.

Over 400 lines, as files and the thread that serves them share one lock and one order of forking, flushing and ending.
"""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from pathlib import Path
from weakref import WeakSet

from mindinsight_like.writers.files.run_state import RunState, run_states

log = logging.getLogger(__name__)

MOST_WAITING = 64 << 20  # bytes of records that wait for a disk; what comes on top is dropped
_PATIENCE_SECONDS = 1.0  # for a slow disk, once, before a picture or the like is dropped
_RECORD_BYTES = 256  # what a waiting record takes that carries nothing but a few numbers
_HELP_BYTES = 32 << 20  # from here on callers encode their records themselves, so that the thread only has to write
_HELP_RECORDS = 8192
_WRITE_BYTES = 4 << 20  # encoded bytes that are gathered for one write
_GATHER_SECONDS = 1.0  # at most; less when flush_secs is less
_LEAST_GATHER_SECONDS = 0.01
_TURN_RECORDS = 64  # encoded before the thread lets others have the interpreter
_PAUSE_SECONDS = 0.0001


def _with_process(path: Path, process: int) -> Path:
    return path.with_name(f"{path.name}.{process}")


class BackgroundFile:
    """A log file whose records are encoded and appended by a thread; putting one never waits for the disk.

    The folder and the file are made at once (`lazy`: the file with its first record), which may raise OSError; later
    trouble with the disk is told once as a warning, records wait (up to MOST_WAITING bytes for all files together) and
    follow when there is room again. What the file already holds stays in place; with `exclusive` it must not exist
    yet. `opening` gives the first payload of a file that is empty, from its time.

    With `has_run_state` the file is a log of its folder's run: the folder gets a file with the run's state, too.

    A forked process inherits neither waiting records nor the file: what it puts goes to a file of its own, named by
    `renamed(path, process id)`, which is made with its first record.
    """

    def __init__(
        self,
        path: Path,
        *,
        frame: Callable[[bytes], bytes],
        opening: Callable[[float], bytes] | None = None,
        flush_secs: float = 120.0,
        write_to_disk: bool = True,
        exclusive: bool = False,
        lazy: bool = False,
        renamed: Callable[[Path, int], Path] = _with_process,
        has_run_state: bool = False,
        total_steps: int | None = None,
    ) -> None:
        self._file: FileIO | None = None
        self._unwritten: list[bytes] = []  # whole records, framed
        self.path = path
        self._given_path = path
        self._frame = frame
        self._opening = opening
        self._write_to_disk = write_to_disk
        self._renamed = renamed
        self._is_closed = False
        self._is_troubled = False
        self._dropped = 0
        self._has_run_state = has_run_state and write_to_disk
        self._run_state: RunState | None = None
        self._total_steps = total_steps
        self._passing = sys.exc_info()[1]  # an error that is being handled as writing begins is none of ours
        if not write_to_disk:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        if not lazy:
            self._open("xb" if exclusive else "ab")
        _worker.adopt(self, flush_secs, begins=not lazy)

    def put(self, make: Callable[..., bytes], *arguments: object) -> None:
        """Append the record `make(*arguments)`, which is called later and elsewhere, in the order of the puts.

        The arguments must not change afterwards. When `make` gives no bytes, no record is written.
        """
        self._put(make, arguments, sum(map(_size, arguments)))

    def put_small(self, make: Callable[..., bytes], *arguments: object) -> None:
        """The same for arguments too small to be counted: numbers and short texts."""
        self._put(make, arguments, 0)

    def _put(self, make: Callable[..., bytes], arguments: tuple[object, ...], size: int) -> None:
        if self._is_closed:
            raise ValueError(f"{self.path} has been closed")
        if not self._write_to_disk:
            return
        worker = _worker
        if size or len(worker.queue) >= _HELP_RECORDS:
            worker.put_counted(self, make, arguments, size)
            return
        worker.queue.append((self, make, arguments, 0))
        if worker.is_asleep:
            worker.wake()

    def set_total_steps(self, total_steps: int) -> None:
        """Say how many steps the run is going to have."""
        self._total_steps = total_steps
        if self._run_state is not None:
            run_states.set_total_steps(self._run_state, total_steps)

    def flush(self) -> None:
        """Return when everything put so far has been handed to the operating system, as far as it takes it."""
        if self._write_to_disk:
            _worker.drain()

    def close(self, *, wait: bool = True) -> None:
        """Flush and release the file; records that the disk does not take yet are tried until the process ends.

        Without `wait` the thread does both when it comes to it.
        """
        if self._is_closed:
            return
        self._is_closed = True
        error = sys.exc_info()[1]
        if wait:
            self.flush()
            self.release()
        if self._run_state is not None:
            run_states.close(self._run_state, None if error is self._passing else error)
        self._has_run_state, self._run_state = False, None
        if not wait:
            return
        if self._dropped:
            _tell(f"{self._dropped} records of {self.path} were dropped, because too many were waiting for the disk")

    def __del__(self) -> None:
        self.release()

    @property
    def has_heartbeat(self) -> bool:
        """Whether the thread has to give signs of life."""
        return self._run_state is not None

    # --- for the worker, which calls one at a time ------------------------------------------------------------------

    def framed(self, make: Callable[..., bytes], arguments: tuple[object, ...]) -> bytes:
        """The record as it stands in the file; nothing when it cannot be encoded, which is logged."""
        try:
            payload = make(*arguments)
            return self._frame(payload) if payload else b""
        except Exception:
            log.exception("cannot encode a record of %s; skipped", self.path)
            return b""

    def append(self, records: list[bytes]) -> int:
        """Write as many whole records as the disk takes; returns the bytes that still wait."""
        self._unwritten += records
        try:
            self._write(self._opened())
        except OSError as error:
            self._complain(error)
        else:
            self._is_troubled = False
            if self._is_closed:
                self.release()
        return sum(map(len, self._unwritten))

    def release(self) -> None:
        """Give the file back to the system, unless something waits for it; the next record opens it again."""
        if not self._unwritten and self._file is not None:
            self._file.close()

    def drop(self, count: int) -> None:
        """Remember that records were lost, and tell so the first time."""
        if not self._dropped:
            _tell(
                f"{MOST_WAITING >> 20} MB of records are waiting for the disk of {self.path}: "
                "further ones are dropped until it takes them. Is it stuck, full, or gone?"
            )
        self._dropped += count

    def forget(self, process: int) -> None:
        """Leave everything to the parent process, of which this one has been forked."""
        self.path = self._renamed(self._given_path, process)
        self._unwritten = []
        self._dropped = 0
        self._has_run_state, self._run_state = False, None
        if self._file is not None:
            self._file.close()
            self._file = None

    def abandon(self) -> None:
        """Tell how much is lost, as the process ends."""
        _tell(f"{len(self._unwritten)} records of {self.path} could not be written before the process ended")

    def _opened(self) -> FileIO:
        file = self._file
        # Without a name left the file has been removed: what is written there can be found by nobody.
        if file is not None and not file.closed and os.fstat(file.fileno()).st_nlink:
            return file
        if file is not None:
            file.close()
        return self._open("ab")

    def _open(self, mode: str) -> FileIO:
        self._file = file = FileIO(self.path, mode)
        if self._opening is not None and not os.fstat(file.fileno()).st_size:
            self._unwritten.insert(0, self._frame(self._opening(time.time())))
        if self._has_run_state:
            self._has_run_state = False
            self._run_state = run_states.open(self.path.parent, self._total_steps)
        return file

    def _write(self, file: FileIO) -> None:
        while self._unwritten:
            count = size = 0
            while count < len(self._unwritten) and size < _WRITE_BYTES:
                size += len(self._unwritten[count])
                count += 1
            self._write_first(file, count)

    def _write_first(self, file: FileIO, count: int) -> None:
        """Write so many of the waiting records; when that fails, those that are not in the file wait on."""
        start = os.fstat(file.fileno()).st_size
        rest = memoryview(b"".join(self._unwritten[:count]))
        written = 0
        try:
            while len(rest):
                step = file.write(rest) or 0
                written += step
                rest = rest[step:]
        except BaseException:  # also an interrupt from the keyboard, in a thread that flushes
            self._keep_whole_records(file, start, written)
            raise
        del self._unwritten[:count]

    def _keep_whole_records(self, file: FileIO, start: int, written: int) -> None:
        """Cut off the part of a record that was still written behind `start`, and forget only what is whole."""
        whole = number = 0
        while number < len(self._unwritten) and whole + len(self._unwritten[number]) <= written:
            whole += len(self._unwritten[number])
            number += 1
        del self._unwritten[:number]
        if written == whole:
            return
        with suppress(OSError):
            # Another process that appends to this file, too, would lose its records by the cut.
            if os.fstat(file.fileno()).st_size == start + written:
                file.truncate(start + whole)
                return
        self._unwritten[0] = self._unwritten[0][written - whole :]

    def _complain(self, error: OSError) -> None:
        if self._is_troubled:
            return
        self._is_troubled = True
        if self.path.parent.is_dir():
            cause, remedy = f"cannot write {self.path} ({error.strerror})", "make room or give permission"
        else:
            cause, remedy = f"the folder of {self.path} is gone", "make it again"
        _tell(f"{cause}: training goes on and records wait; {remedy}, and they will be written")


class _Worker:
    """The thread of this process that encodes and writes, and what waits for it."""

    def __init__(self) -> None:
        self._files: WeakSet[BackgroundFile] = WeakSet()
        self._gather_seconds = _GATHER_SECONDS
        self._ends_with_process = False
        self._start_over()

    def _start_over(self) -> None:
        self.queue: deque[tuple[BackgroundFile, Callable[..., bytes], tuple[object, ...], int]] = deque()
        self.is_asleep = True  # the next record has to wake the thread, or start it
        self._is_ending = False
        self._thread: threading.Thread | None = None
        self._bell = threading.Event()
        # Both may be asked for again by the thread that holds them: in a signal handler, or when garbage is collected.
        self._turn = threading.RLock()  # to encode and write
        self._counting = threading.RLock()
        self._is_draining = False
        self._counted_bytes = 0  # of the waiting records that were put with a size
        self._stuck: dict[BackgroundFile, int] = {}  # bytes that a disk does not take at present
        self._stuck_bytes = 0
        self._is_stalled = False  # nothing has been written since somebody lost patience

    def adopt(self, file: BackgroundFile, flush_secs: float, *, begins: bool) -> None:
        """Look after a new file at least every `flush_secs`, and write its opening if it begins now."""
        self._files.add(file)
        self._gather_seconds = max(min(self._gather_seconds, flush_secs), _LEAST_GATHER_SECONDS)
        if begins:
            with self._turn:
                self._append_all({file: []})
            if file.has_heartbeat and not self._is_ending:
                self._has_thread()

    def put_counted(
        self, file: BackgroundFile, make: Callable[..., bytes], arguments: tuple[object, ...], size: int
    ) -> None:
        """Take a record by its size, encoded here and now when the thread is behind; drop it when the disk is.

        A record that alone fills half of what may wait is written here, too.
        """
        if self._waiting() > MOST_WAITING and not (size and self._gets_room()):
            file.drop(1)
            return
        is_large = size > _HELP_BYTES
        if self._waiting() + size > _HELP_BYTES or len(self.queue) >= _HELP_RECORDS:
            record = file.framed(make, arguments)
            make, arguments, size = _ready, (record,), len(record)
            self._bell.set()
        with self._counting:
            self._counted_bytes += size
        self.queue.append((file, make, arguments, size))
        if is_large:
            self.drain()
        elif self.is_asleep:
            self.wake()

    def _waiting(self) -> int:
        return self._counted_bytes + len(self.queue) * _RECORD_BYTES + self._stuck_bytes

    def _gets_room(self) -> bool:
        """Give a slow disk a moment, but one that does not move at all only once."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while not self._is_stalled and self._stuck_bytes <= MOST_WAITING:
            if self._waiting() <= MOST_WAITING:
                return True
            self._bell.set()
            time.sleep(0.01)
            self._is_stalled = time.monotonic() > end
        return False

    def wake(self) -> None:
        """Have the thread look after the queue soon."""
        if self._is_ending or not self._has_thread():
            self.drain()
            return
        self.is_asleep = False
        self._bell.set()

    def _has_thread(self) -> bool:
        with self._counting:
            if self._thread is not None and self._thread.is_alive():
                return True
            self._end_with_process()
            self._thread = threading.Thread(target=self._run, name="mindinsight-like-writer", daemon=True)
            try:
                self._thread.start()
            except RuntimeError:  # the interpreter is ending, or there are too many threads
                self._thread = None
            return self._thread is not None

    def drain(self, pause: float = 0.0) -> None:
        """Encode and write all that has been put; `pause` seconds belong to other threads after every few records."""
        with self._turn:
            if self._is_draining:
                return  # the caller has interrupted the very thread that is at it
            self._is_draining = True
            batches: dict[BackgroundFile, list[bytes]] = {file: [] for file in self._stuck}
            try:
                self._encode(batches, pause)
            finally:
                try:
                    self._append_all(batches)
                finally:
                    self._is_draining = False

    def _encode(self, batches: dict[BackgroundFile, list[bytes]], pause: float) -> None:
        gathered = 0
        for number in range(1, len(self.queue) + 1):
            file, make, arguments, size = self.queue.popleft()
            record = arguments[0] if make is _ready else file.framed(make, arguments)
            assert isinstance(record, bytes)
            if record:
                batches.setdefault(file, []).append(record)
            if size:
                with self._counting:
                    self._counted_bytes -= size
            gathered += len(record)
            if gathered > _WRITE_BYTES:
                self._append_all(batches)
                gathered = 0
            if pause and not number % _TURN_RECORDS and len(self.queue) < _HELP_RECORDS:
                time.sleep(pause)

    def _append_all(self, batches: dict[BackgroundFile, list[bytes]]) -> None:
        while batches:
            file, records = batches.popitem()
            if self._stuck_bytes > MOST_WAITING and records:
                file.drop(len(records))
                records = []
            stuck = file.append(records)
            self._is_stalled = False
            self._stuck_bytes += stuck - self._stuck.pop(file, 0)
            if stuck:
                self._stuck[file] = stuck

    def _run(self) -> None:
        while True:
            self.is_asleep = True
            if not self.queue and not self._stuck and not self._is_ending:
                self._bell.wait(run_states.seconds_to_beat())
            if self._is_ending:
                return
            run_states.beat()
            if not self.queue and not self._stuck and not self._bell.is_set():
                continue  # woken by the heartbeat alone
            self.is_asleep = False
            self._bell.clear()
            self._bell.wait(self._gather_seconds)
            self._bell.clear()
            try:
                self.drain(_PAUSE_SECONDS)
            except Exception:
                log.exception("records could not be written")

    def _end_with_process(self) -> None:
        if not self._ends_with_process:
            self._ends_with_process = True
            atexit.register(self._end)
        if "multiprocessing.util" in sys.modules:  # its processes leave without atexit
            from multiprocessing import process, util

            if process.parent_process() is not None:
                util.Finalize(None, self._end, exitpriority=0)

    def _end(self) -> None:
        """Write what waits as the process ends; what is put later is written at once."""
        self._is_ending = True
        self._bell.set()
        if self._thread is not None:
            self._thread.join()
        self.drain()
        run_states.end_process()
        for file in self._stuck:
            file.abandon()
        for file in list(self._files):
            file.release()

    def restart_after_fork(self) -> None:
        """Begin anew in a forked process: the thread and what waited for it belong to the parent."""
        self._start_over()
        run_states.restart_after_fork()
        for file in list(self._files):
            file.forget(os.getpid())


def _ready(record: bytes) -> bytes:
    return record


def _size(argument: object) -> int:
    if isinstance(argument, (bytes, str)):
        return len(argument)
    if type(argument) is list and argument and type(argument[0]) in (int, float):
        return 8 * len(argument)  # of numbers all through
    if isinstance(argument, (list, tuple)):
        return sum(map(_size, argument))
    size = getattr(argument, "nbytes", 0)
    return size if isinstance(size, int) else 0


def _tell(message: str) -> None:
    try:
        warnings.warn(message, RuntimeWarning, stacklevel=3)
    except RuntimeWarning:  # made an error by the user's filters, which must not end the thread
        log.warning("%s", message)


_worker = _Worker()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_worker.restart_after_fork)
