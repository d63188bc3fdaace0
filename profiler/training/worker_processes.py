"""Operations recorded in other processes of a training, such as data loaders.

The training announces what it records in a small file that they map: forked processes inherit it, others are told its
path when the profiler is sent to them. Each writes a trace file of its own while the training records.
"""

from __future__ import annotations

import json
import mmap
import os
import tempfile
import threading
import time
import weakref
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from mindinsight_like.profiler.process.identity import Process
from mindinsight_like.profiler.process.warnings import harmless
from mindinsight_like.profiler.training.recorder import Recorder
from mindinsight_like.profiler.training.slices import Slice, Switch

_BYTES: Final = 16_384
_HEAD_BYTES: Final = 16  # the number of the version, and how long its text is
_LOOK_SECONDS: Final = 0.1


@dataclass(frozen=True)
class Announced:
    """The recording that a training makes at present."""

    folder: str
    recording: str  # how its files begin
    rank: int
    ranks: int
    host: str
    framework: str
    limit_bytes: int | None


class Announcement:
    """What a training records, in memory that its processes share."""

    def __init__(self, path: str = "") -> None:
        """Of another process with a path, of this one without; raises OSError."""
        is_own = not path
        if path:
            handle = os.open(path, os.O_RDWR)
        elif hasattr(os, "memfd_create"):  # nothing of it is left behind, however the process ends
            handle = os.memfd_create("mindinsight-like")
            path = f"/proc/{os.getpid()}/fd/{handle}"
        else:
            handle, path = tempfile.mkstemp(prefix="mindinsight-like-")
        try:
            if is_own:
                os.truncate(handle, _BYTES)
            self._memory = mmap.mmap(handle, _BYTES)
        except OSError:
            os.close(handle)
            raise
        self._numbers = memoryview(self._memory)[:_HEAD_BYTES].cast("Q")
        self.path = path
        if is_own:
            weakref.finalize(self, _remove, path, handle, os.getpid())
        else:
            os.close(handle)

    @property
    def version(self) -> int:
        """Another one with every change."""
        return self._numbers[0]

    def put(self, announced: Announced | None) -> None:
        """Say what is recorded from now on."""
        text = b"" if announced is None else json.dumps(asdict(announced)).encode()
        if len(text) > _BYTES - _HEAD_BYTES:
            text = b""  # a path without end
        self._numbers[0] += 1  # odd while the text changes
        self._memory[_HEAD_BYTES : _HEAD_BYTES + len(text)] = text
        self._numbers[1] = len(text)
        self._numbers[0] += 1

    def get(self) -> tuple[int, Announced | None]:
        """The version, and what is recorded."""
        while True:
            version, length = self._numbers
            text = self._memory[_HEAD_BYTES : _HEAD_BYTES + length]
            if version % 2 == 0 and version == self.version:
                return version, Announced(**json.loads(text)) if text else None
            time.sleep(0.001)


class Follower:
    """Records the operations of a process that is not the training's own, while the training records."""

    def __init__(self, announcement: Announcement) -> None:
        self._announcement = announcement
        self._version = 0
        self._switch = Switch()
        self._recorder: Recorder | None = None
        self._lock = threading.Lock()

    def mark(self, name: str, type: str, shape: object = "") -> AbstractContextManager[Any]:
        """An operation; recorded if the training is recording when it begins."""
        if self._announcement.version != self._version:
            self.follow()
        return Slice(self._switch, name, type, shape)

    def follow(self) -> None:
        """Begin or end as the training has."""
        with self._lock, harmless("operations of this process cannot be recorded"):
            version, announced = self._announcement.get()
            if version == self._version:
                return
            self._version = version
            self._switch.target = None
            self.close()
            if announced is None:
                return
            self._recorder = recorder = Recorder(
                Path(announced.folder),
                Process(announced.rank, announced.ranks, announced.host),
                name=f"{announced.recording}.{os.getpid()}",
                facts={"framework": announced.framework},
                limit_bytes=announced.limit_bytes,
                is_helper=True,
            )
            self._switch.target = recorder
            threading.Thread(target=self._until_over, args=(version,), daemon=True, name="recording").start()

    def write(self) -> None:
        """Return when all that is recorded has been handed to the operating system."""
        if self._recorder is not None:
            self._recorder.write()

    def close(self) -> None:
        """End the present recording, if any."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.close()

    def _until_over(self, version: int) -> None:
        """Who does nothing more must not keep what it has recorded."""
        while self._announcement.version == version:
            time.sleep(_LOOK_SECONDS)
        self.follow()


def settle(folder: Path, recording: str) -> None:
    """Give other processes that have recorded something the time to write it."""
    if next(folder.glob(f"{recording}.*.mi-trace"), None) is not None:
        time.sleep(3 * _LOOK_SECONDS)


def _remove(path: str, handle: int, process: int) -> None:
    if os.getpid() == process:
        with suppress(OSError):
            os.close(handle)
        if not path.startswith("/proc/"):
            Path(path).unlink(missing_ok=True)
