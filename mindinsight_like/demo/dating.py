"""Backdate logs: give files that were just written the names and times of an earlier training."""

from __future__ import annotations

import json
import os
import re
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from mindinsight_like.logs.framing import frame
from mindinsight_like.logs.protobuf.schemas.mindspore_summary import Event
from mindinsight_like.profiler.traces import own_format
from mindinsight_like.writers.encoding import wire
from mindinsight_like.writers.files import run_state

_SECONDS = re.compile(r"(?<=\.)\d{10}(?=\.)")  # in the name of a log: when it was begun
_NANOSECONDS = re.compile(r"(?<=\.)\d{19}(?=\.)")  # in the name of a trace
_HEAD, _FOOT = 12, 4  # bytes of a framed record around its payload
_STAMP = len(wire.double(Event.wall_time, 1.0))  # events begin with their time


class NewFiles:
    """The files that come to a folder after this was made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known = set(folder.rglob("*"))

    def set_back(self, *, started: float, ended: float) -> None:
        """Rename them after the start of the training, and let them look as if they had last changed at its end."""
        for path in sorted(set(self._folder.rglob("*")) - self._known):
            if path.name.startswith(run_state.NAME):
                _set_back_state(path, started=started, ended=ended)
            elif path.is_file():
                renamed = path.with_name(_SECONDS.sub(f"{int(started):010d}", path.name, count=1))
                os.utime(path.rename(renamed), (ended, ended))


def _set_back_state(path: Path, *, started: float, ended: float) -> None:
    state = json.loads(path.read_bytes())
    path.write_text(json.dumps(state | {"started": started, "heartbeat": ended, "ended": ended}) + "\n")
    os.utime(path, (ended, ended))


def restamp(path: Path, times: Iterable[float]) -> None:
    """Give the events of a MindSpore log these times, one each; its writer takes none."""
    payloads = _payloads(path.read_bytes())
    events = [
        wire.double(Event.wall_time, time) + payload[_STAMP:] for time, payload in zip(times, payloads, strict=True)
    ]
    path.write_bytes(b"".join(map(frame, events)))


def set_back_trace(path: Path, *, started: float) -> None:
    """Let a trace of our own look as if it had been recorded at another time."""
    payloads = list(_payloads(path.read_bytes()))
    origin = int(started * 1e9)
    header = json.loads(payloads[0].removeprefix(own_format.HEADER)) | {"origin": origin}
    payloads[0] = own_format.HEADER + json.dumps(header).encode("ascii")
    path.write_bytes(b"".join(map(frame, payloads)))
    os.utime(path, (started, started))
    path.rename(path.with_name(_NANOSECONDS.sub(str(origin), path.name)))


def _payloads(content: bytes) -> Iterator[bytes]:
    begin = 0
    while begin < len(content):
        (length,) = struct.unpack_from("<Q", content, begin)
        yield content[begin + _HEAD : begin + _HEAD + length]
        begin += _HEAD + length + _FOOT
