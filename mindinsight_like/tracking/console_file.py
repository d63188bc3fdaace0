"""What a process prints, kept in a file beside its logs while it goes on to where it always went.

The file begins with a line that says what it is; each further one has the unix time with six digits behind the point,
a space, and the line. Whole lines are appended with one call to the system, so nothing that was printed is lost when
the process is killed, and processes that were forked write into the same file. Of a progress bar, whose states follow
each other by carriage returns, the last state is kept.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

NAME = "mindinsight_like.console."  # then the time and the process
HEAD = b"mindinsight-like console 1\n"
_LONGEST = 2**16  # characters of a line; what is longer becomes several


class ConsoleFile:
    """Takes down what is written to standard output and standard error from now on."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError."""
        path = folder / f"{NAME}{time.time_ns()}.{os.getpid()}"
        self._handle: int | None = os.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o666
        )
        os.write(self._handle, HEAD)
        self._lock = threading.RLock()
        self._streams = [_Stream(stream, self._append) for stream in (sys.stdout, sys.stderr) if stream is not None]
        _open_files.add(self)

    def close(self) -> None:
        """Give the streams back as they were; a line that has no end yet is written."""
        for stream in self._streams:
            stream.release()
        with self._lock:
            handle, self._handle = self._handle, None
            if handle is not None:
                with suppress(OSError):
                    os.close(handle)

    def after_fork(self) -> None:
        """In a new process: what the other one was about to write is not ours, nor is a lock that it held."""
        self._lock = threading.RLock()
        for stream in self._streams:
            stream.forget()

    def _append(self, lines: list[str]) -> None:
        moment = f"{time.time():017.6f} "
        data = "".join(f"{moment}{line}\n" for line in lines).encode("utf-8", "replace")
        with self._lock:
            if self._handle is None:
                return
            try:
                os.write(self._handle, data)
            except OSError:  # a full disk must not end a training, nor keep it from printing
                self._handle = None


class _Stream:
    """A stream whose `write` is watched; the object itself stays, so that those who hold it are watched, too."""

    def __init__(self, stream: Any, append: Callable[[list[str]], None]) -> None:
        self._stream = stream
        self._append = append
        self._pending = ""
        self._write: Callable[[str], int] = stream.write
        self._lock = threading.RLock()
        self._watched = self._watching_write
        with suppress(AttributeError):  # of streams that take no attributes nothing is recorded
            stream.write = self._watched

    def release(self) -> None:
        if getattr(self._stream, "write", None) == self._watched:
            with suppress(AttributeError):
                del self._stream.write
            if getattr(self._stream, "write", None) != self._write:
                with suppress(AttributeError):
                    self._stream.write = self._write  # somebody else had put theirs there before us
        with self._lock:
            if self._pending.strip("\r"):
                self._append([_last_shown(self._pending)])
            self._pending = ""

    def forget(self) -> None:
        self._lock = threading.RLock()
        self._pending = ""

    def _watching_write(self, text: str) -> int:
        count = self._write(text)
        with suppress(Exception):  # whatever happens to the record, the program prints
            self._take(text)
        return count

    def _take(self, text: str) -> None:
        with self._lock:
            *lines, rest = (self._pending + text).split("\n")
            while len(rest) > _LONGEST:
                lines.append(rest[:_LONGEST])
                rest = rest[_LONGEST:]
            if "\r" in rest:
                rest = _last_shown(rest) + ("\r" if rest.endswith("\r") else "")
            self._pending = rest
            if lines:
                self._append([_last_shown(line) for line in lines])


def _last_shown(line: str) -> str:
    """What a line that was begun anew by carriage returns shows in the end."""
    return line.rstrip("\r").rpartition("\r")[2]


_open_files: weakref.WeakSet[ConsoleFile] = weakref.WeakSet()


def _after_fork() -> None:
    for each in _open_files:
        each.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
