"""The courier: samples host metrics, sends spooled entries and relays profiling requests to a training.

It lives in a process beside the training, or alone. Should the training be killed, it still sends what that left; and
whatever it cannot send now, a later one will.
"""

from __future__ import annotations

import json
import os
import queue
import random
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from mindinsight_like.profiler.collector.entries import fill
from mindinsight_like.profiler.collector.link import Link, LinkLost
from mindinsight_like.profiler.collector.marker import MarkerFile
from mindinsight_like.profiler.collector.messages import VERSION, message_class
from mindinsight_like.profiler.collector.metrics import Metrics
from mindinsight_like.profiler.collector.new_files import NewFiles
from mindinsight_like.profiler.collector.orphans import mark_noted
from mindinsight_like.profiler.collector.outgoing import Outgoing
from mindinsight_like.profiler.collector.spool import LIMIT, Entry, Kind, SpoolInfo, SpoolWriter
from mindinsight_like.profiler.collector.start_message import CourierConfig

_GONE: Final = "the process ended without a word; was it killed?"
_LOOK_SECONDS: Final = 0.25  # between two looks at what others have put into their spools
_LEFTOVERS_SECONDS: Final = 30.0
_BATCH_BYTES: Final = 1 << 20
_MOST_ON_THE_WAY: Final = 8  # batches
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_LINGER_SECONDS: Final = 20.0  # after the end of the training, as long as the service takes what is left
_LAST_WORD_SECONDS: Final = 1.0
_LINGER_ALONE_SECONDS: Final = 3.0  # the same without a connection


class Refused(Exception):
    """The service does not want what this collector sends; the message says why."""


class Courier:
    """Runs until the training has ended, or for ever."""

    def __init__(self, config: CourierConfig, *, tell: Callable[[dict[str, Any]], None]) -> None:
        self._config = config
        self._tell = tell
        self._sender = secrets.token_hex(8)
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        folder = Path(config.spool)
        output = config.output_path
        self._writer = SpoolWriter(
            folder,
            server=config.server,
            run=config.run,
            name=f"{config.host}.{config.process or os.getpid()}",
            output_path=output,
            limit=config.limit or LIMIT,
        )
        own = [self._writer.folder, *([Path(config.training_spool)] if config.training_spool else [])]
        self._outgoing = Outgoing(folder, config.server, own)
        rank = config.rank if config.ranks > 1 else None
        self._metrics = Metrics(config.process or None, rank=rank)
        self._files: NewFiles | None = None
        if output:
            identity: dict[str, Any] = {"host": config.host, "process": config.process, "rank": rank}
            source = Path(config.training_spool).name or self._writer.id
            self._files = NewFiles(Path(output), source=source, since=config.since or time.time(), **identity)
        self._state: dict[str, Any] = {}
        self._link: Link | None = None
        self._is_welcome = False
        self._sees_output = False
        self._mark = MarkerFile(output, self._sender)
        self._on_the_way = 0
        self._pause = _FIRST_PAUSE
        self._connect_at = 0.0
        self._last_problem = ""
        self._refusal = ""
        self._ended_at: float | None = None  # when the training had ended
        self._failure = ""  # why it has ended, unless normally
        self._has_heard_end = False
        self._progress_at = 0.0

    def end(self) -> None:
        """Send what there is, then leave; from any thread."""
        self._inbox.put(("end", None))

    def hear(self, line: bytes) -> None:
        """How the training stands, from any thread."""
        self._inbox.put(("state", line))

    def run(self) -> None:
        """Raises Refused when there is no training to go on collecting for."""
        sample_at = leftovers_at = state_at = 0.0
        while not self._is_done():
            now = time.monotonic()
            if self._config.training_spool and os.getppid() != self._config.process and self._ended_at is None:
                self.end()  # its pipe may be held open by processes that it forked
                self._failure = "" if self._has_heard_end else _GONE
            if now >= sample_at and self._ended_at is None:
                self._put(Kind.SAMPLE, self._metrics.sample())
                self._look_for_files()
                sample_at = max(sample_at + self._config.interval, now)
            if now >= leftovers_at:
                self._outgoing.add_leftovers()
                leftovers_at = now + _LEFTOVERS_SECONDS
            if self._link is None and now >= self._connect_at and not self._refusal:
                self._connect()
            if self._is_welcome:
                self._send_entries()
                if now >= state_at:
                    self._send_state()
                    state_at = now + 1.0
            self._take(min(_LOOK_SECONDS, max(0.0, sample_at - time.monotonic())) or _LOOK_SECONDS)
        self._leave()

    # --- collecting -------------------------------------------------------------------------------------------------

    def _put(self, kind: Kind, metadata: dict[str, Any]) -> None:
        try:
            self._writer.put(kind, metadata)
        except OSError as error:
            self._complain(f"cannot write to {self._config.spool} ({error.strerror}); what is collected now is lost")

    def _look_for_files(self, *, is_last: bool = False) -> None:
        """Files are looked for only where a framework's profiler writes any, and the service does not see them."""
        framework = self._state.get("framework", "" if is_last else "none")
        if self._files is None or self._sees_output or framework == "none":
            return
        try:
            for piece in self._files.look(is_last=is_last):
                self._put(Kind.PIECE, piece)
        except ImportError as error:  # installed without what the package depends on
            self._files = None
            if framework:
                self._complain(f"files of {framework} are not sent, since {error.name} is not installed")
            return
        for path in self._files.too_large:
            self._complain(f"{path} is too large to be sent; copy it to the run by other means")
        self._files.too_large.clear()

    # --- sending ----------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        self._on_the_way = 0
        self._outgoing.rewind()
        config = self._config
        try:
            self._link = Link(config.server, token=config.token, ca=config.ca, inbox=self._inbox)
        except OSError as error:
            self._refuse(f"cannot read {config.ca}: {error.strerror}")
            return
        message = message_class("FromTraining")()
        hello = message.hello
        hello.version, hello.sender, hello.run, hello.host = VERSION, self._sender, config.run, config.host
        hello.process, hello.rank, hello.ranks = config.process or os.getpid(), config.rank, config.ranks
        hello.can_profile, hello.output_path = bool(config.training_spool), config.output_path
        hello.mark = self._mark.leave()
        self._link.send(message)

    def _send_entries(self) -> None:
        while self._on_the_way < _MOST_ON_THE_WAY and (batch := self._outgoing.next_batch(_BATCH_BYTES)) is not None:
            self._send_batch(*batch)

    def _send_batch(self, info: SpoolInfo, entries: list[Entry]) -> None:
        message = message_class("FromTraining")()
        batch = message.batch
        batch.spool, batch.run, batch.name, batch.output_path = info.id, info.run, info.name, info.output_path
        is_seen = self._sees_output and self._outgoing.is_own(info.id)
        for entry in entries:
            fill(batch.entries.add(sequence=entry.sequence), entry, samples_only=is_seen)
        assert self._link is not None
        self._link.send(message)
        self._on_the_way += 1

    def _send_state(self) -> None:
        assert self._link is not None
        message = message_class("FromTraining")()
        state = message.state
        state.framework, state.step = str(self._state.get("framework", "")), int(self._state.get("step", 0))
        state.is_recording, state.is_asked = bool(self._state.get("is_recording")), bool(self._state.get("is_asked"))
        state.dropped = self._outgoing.dropped
        if self._config.training_spool:
            state.began, state.has_ended, state.failure = self._config.since, self._ended_at is not None, self._failure
        self._link.send(message)

    # --- what comes in ----------------------------------------------------------------------------------------------

    def _take(self, seconds: float) -> None:
        """Wait for something to come in, and do what it asks for."""
        try:
            source, content = self._inbox.get(timeout=seconds)
        except queue.Empty:
            return
        if source == "end":
            if self._ended_at is None:
                self._ended_at = self._progress_at = time.monotonic()
                self._look_for_files(is_last=True)
                if not self._has_heard_end and self._config.training_spool:
                    self._failure = _GONE
                if self._is_welcome:
                    self._send_state()
                if self._config.training_spool:
                    mark_noted(Path(self._config.training_spool))
        elif source == "state":
            self._take_line(content)
        elif source is self._link:
            if isinstance(content, LinkLost):
                self._lose(content)
            else:
                self._take_answer(content)

    def _take_line(self, line: bytes) -> None:
        report = json.loads(line)
        if "outcome" in report and self._is_welcome and self._link is not None:
            self._send_state()  # by which people see what came of it
            message = message_class("FromTraining")()
            outcome = message.outcome
            outcome.command, outcome.is_accepted = report["outcome"], report["is_accepted"]
            outcome.message = report.get("message", "")
            self._link.send(message)
        elif "state" in report:
            self._state = report["state"]
        elif "end" in report:
            self._has_heard_end, self._failure = True, str(report.get("failure", ""))
            self.end()

    def _take_answer(self, answer: Any) -> None:
        kind = answer.WhichOneof("content")
        if kind == "welcome":
            self._mark.remove()
            if answer.welcome.version != VERSION:
                self._refuse(f"the service speaks version {answer.welcome.version}, this collector {VERSION}")
                return
            self._is_welcome, self._sees_output = True, answer.welcome.sees_output
            self._pause, self._last_problem = _FIRST_PAUSE, ""
            self._tell({"is_connected": True, "sees_output": self._sees_output})
        elif kind == "acknowledged":
            self._on_the_way -= 1
            self._progress_at = time.monotonic()
            self._take_acknowledged(answer.acknowledged)
        elif kind == "profile":
            self._tell({"profile": answer.profile.id, "steps": answer.profile.steps})

    def _take_acknowledged(self, acknowledgement: Any) -> None:
        self._outgoing.acknowledge(acknowledgement.spool, acknowledgement.sequence)
        if not acknowledgement.refused:
            return
        if self._outgoing.is_own(acknowledgement.spool):
            self._refuse(acknowledgement.refused)
        elif (info := self._outgoing.give_up(acknowledgement.spool)) is not None:
            self._complain(f"what was left for run {info.run} stays in {self._config.spool}: {acknowledgement.refused}")

    def _lose(self, lost: LinkLost) -> None:
        self._cut()
        if lost.is_refused:
            self._refuse(str(lost))
            return
        self._complain(f"{lost}; what is collected waits in {self._config.spool}")
        self._connect_at = time.monotonic() + self._pause * random.uniform(0.75, 1.25)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)

    def _refuse(self, why: str) -> None:
        """Trying again is of no use. Beside a training, what is collected stays on disk for later."""
        self._cut()
        self._refusal = why
        if not self._config.training_spool:
            self._leave()
            raise Refused(why)
        self._complain(f"{why} Nothing is sent; what is collected stays in {self._config.spool}")

    def _complain(self, problem: str) -> None:
        """Say once what may last for hours."""
        if problem.partition("(")[0] != self._last_problem.partition("(")[0]:
            self._tell({"trouble": f"the collector: {problem}"})
        self._last_problem = problem

    # --- coming and going -------------------------------------------------------------------------------------------

    def _is_done(self) -> bool:
        if self._ended_at is None:
            return False
        patience = _LINGER_SECONDS if self._is_welcome else _LINGER_ALONE_SECONDS
        return bool(self._refusal) or self._outgoing.is_empty or time.monotonic() - self._progress_at > patience

    def _cut(self) -> None:
        if self._link is not None:
            self._link.close()
        self._link = None
        self._is_welcome = False
        self._mark.remove()
        self._tell({"is_connected": False})

    def _leave(self) -> None:
        self._writer.close()
        if self._link is not None and self._is_welcome:
            self._link.finish(_LAST_WORD_SECONDS)
        elif self._link is not None:
            self._link.close()
        self._outgoing.close()
