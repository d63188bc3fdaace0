"""The collector's part inside a training process: writes recordings to a spool and runs a courier process.

Nothing here waits for the network, and nothing beyond the standard library is imported: sending, sampling and all
libraries for that are the courier's, a process of its own.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from mindinsight_like.profiler.collector.__main__ import NOT_INSTALLED
from mindinsight_like.profiler.collector.spool import Kind, SpoolWriter
from mindinsight_like.profiler.collector.tokens import sending_token
from mindinsight_like.profiler.process.identity import Process
from mindinsight_like.profiler.process.warnings import harmless, tell
from mindinsight_like.profiler.traces.own_format import DEFINITIONS, HEADER
from mindinsight_like.writers.files.run_state import run_states

if TYPE_CHECKING:
    from mindinsight_like.profiler.training.profiler import Profiler

_STATE_SECONDS: Final = 1.0
_LARGEST_BLOCK: Final = 48 << 20  # bytes that one message can carry
_MOST_REPEATED: Final = 1 << 20  # bytes at the beginning of every segment of the spool
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
_FAREWELL_SECONDS: Final = 2.0


def default_spool() -> Path:
    """Where things wait unless a folder is named."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache, "mindinsight_like", "spool").expanduser()


class Attachment:
    """Sends the recordings of a profiler to a service, and lets people there ask it for more."""

    def __init__(
        self, profiler: Profiler, process: Process, *, server: str, run: str, token: str, ca: str, spool: str
    ) -> None:
        """Raises OSError when nothing can be written to the spool, or the file with the token cannot be read."""
        folder = Path(spool).expanduser() if spool else default_spool()
        output_path = profiler.output_path.absolute()
        run = run or output_path.name
        self._spool = SpoolWriter(
            folder.absolute(),
            server=server,
            run=run,
            name=f"{process.host}.{os.getpid()}",
            output_path=str(output_path),
            is_training=True,
        )
        self._config = {
            "server": server,
            "run": run,
            "spool": str(folder.absolute()),
            "token": sending_token(token),
            "ca": str(Path(ca).absolute()) if ca not in ("", "system") else ca,
            "host": process.host,
            "process": os.getpid(),
            "rank": process.rank,
            "ranks": process.ranks,
            "output_path": str(output_path),
            "training_spool": str(self._spool.folder),
            "since": time.time(),
        }
        self._worker = process.worker
        self._recording = ""
        self._is_connected = self._sees_output = self._is_closed = False
        self._is_between = False  # the courier has ended, and the next has not been started
        self._courier: subprocess.Popen[bytes] | None = None
        self._profiler = weakref.ref(profiler, lambda _: self.close(is_waiting=False))
        run_states.watch_end()
        self._thread = threading.Thread(target=self._run, name="collector", daemon=True)
        self._thread.start()

    def take(self, block: bytes) -> None:
        """A block was recorded; called by the thread that writes recordings."""
        if block.startswith(HEADER):
            self._recording = f"{self._worker}.{json.loads(block[len(HEADER) :])['origin']}"
            self._spool.repeated = []
        if self._sees_output or self._is_closed or len(block) > _LARGEST_BLOCK:
            return
        metadata = {"recording": self._recording}
        try:
            self._spool.put(Kind.BLOCK, metadata, block)
        except OSError as error:
            where = self._spool.folder.parent
            tell(f"the collector cannot write to {where} ({error.strerror}); what is recorded now is not sent.")
        if block.startswith((HEADER, DEFINITIONS)):
            size = sum(len(each) for _, each in self._spool.repeated) + len(block)
            if size <= _MOST_REPEATED:
                self._spool.repeated.append((metadata, block))

    def close(self, *, is_waiting: bool = True) -> None:
        """The training ends. The courier goes on for a moment to send what is left, which may be waited for."""
        if self._is_closed or os.getpid() != self._config["process"]:  # a forked process has no part in this
            return
        self._is_closed = True
        self._spool.close()
        courier = self._courier
        if courier is None or courier.stdin is None:
            return
        if self._is_between:  # files that were written since the last courier was killed are noted by another
            with harmless("the collector cannot be started"):
                self._courier = courier = self._start()
        self._say({"end": True, "failure": run_states.failure()})
        if self._is_connected and is_waiting:
            with harmless("the collector does not end"):
                try:
                    courier.wait(_FAREWELL_SECONDS)
                except subprocess.TimeoutExpired:
                    return

    # --- the thread -------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        pause = _FIRST_PAUSE
        while not self._is_closed:
            began = time.monotonic()
            try:
                self._courier = courier = self._start()
                self._is_between = False
            except OSError as error:
                tell(f"the collector cannot be started: {error}. Training goes on without it.")
                return
            self._follow(courier)
            self._is_connected = False
            if self._is_closed or (code := courier.wait()) == NOT_INSTALLED:
                return
            self._is_between = True
            tell(f"the process that sends what is collected has ended ({_described(code)}); it is started again.")
            pause = _FIRST_PAUSE if time.monotonic() - began > _LONGEST_PAUSE else min(2 * pause, _LONGEST_PAUSE)
            time.sleep(pause)

    def _start(self) -> subprocess.Popen[bytes]:
        # In a session of its own: who interrupts the training must not lose what is still to be sent.
        courier = subprocess.Popen(
            [sys.executable, "-m", "mindinsight_like.profiler.collector"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        assert courier.stdin is not None
        os.write(courier.stdin.fileno(), json.dumps(self._config).encode() + b"\n")
        os.set_blocking(courier.stdin.fileno(), False)
        return courier

    def _follow(self, courier: subprocess.Popen[bytes]) -> None:
        """Until the courier ends: tell it how the training stands, and do what it says."""
        assert courier.stdout is not None
        rest = b""
        while True:
            self._say_state()
            until = time.monotonic() + _STATE_SECONDS
            while (left := until - time.monotonic()) > 0:
                if not _is_readable(courier.stdout, left):
                    continue
                chunk = os.read(courier.stdout.fileno(), 65_536)
                if not chunk:
                    return
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    with harmless("the collector was not understood"):
                        self._obey(json.loads(line))

    def _obey(self, message: dict[str, Any]) -> None:
        if "trouble" in message:
            tell(f"{message['trouble']}.")
        elif "is_connected" in message:
            self._is_connected = message["is_connected"]
            self._sees_output = message.get("sees_output", self._sees_output)
        elif "profile" in message and (profiler := self._profiler()) is not None:
            is_accepted = profiler.request(int(message["steps"]))
            why = "" if is_accepted else "a recording is being made already"
            self._say_state()
            self._say({"outcome": message["profile"], "is_accepted": is_accepted, "message": why})

    def _say_state(self) -> None:
        profiler = self._profiler()
        if profiler is not None:
            state = {
                "framework": profiler.framework,
                "step": profiler.current_step,
                "is_recording": profiler.is_recording,
                "is_asked": profiler.is_asked,
            }
            self._say({"state": state})

    def _say(self, message: dict[str, Any]) -> None:
        """A line to the courier; left out should it be too busy to read."""
        courier = self._courier
        if courier is not None and courier.stdin is not None:
            try:
                os.write(courier.stdin.fileno(), json.dumps(message).encode() + b"\n")
            except (OSError, ValueError):
                return


def _is_readable(stream: IO[bytes], seconds: float) -> bool:
    return bool(select.select([stream], [], [], seconds)[0])


def _described(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"
