"""The gRPC service: a connection for each training, from its greeting to its end."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import grpc

from mindinsight_like.access.attempts import WrongTokens
from mindinsight_like.access.tokens import Role, Tokens
from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.profiler.collector.endpoint.arrivals import Arrivals, Refused
from mindinsight_like.profiler.collector.endpoint.peers import PeerCheck, address_of
from mindinsight_like.profiler.collector.endpoint.places import NoPlace, base_of, folder_of, is_below, safe_path
from mindinsight_like.profiler.collector.endpoint.quiet_log import QuietLog
from mindinsight_like.profiler.collector.endpoint.run_states import TrainingState
from mindinsight_like.profiler.collector.messages import VERSION, message_class
from mindinsight_like.profiler.collector.trainings import ACCEPTED, REFUSED, SENT, Command, Training, Trainings

log = logging.getLogger(__name__)

_POLL_SECONDS = 0.25
UNREADABLE = object()  # in place of a message that cannot be decoded


def decode(message: bytes) -> Any:
    """A message of a training, or UNREADABLE; gRPC would write a traceback for each that raises."""
    try:
        return message_class("FromTraining").FromString(message)
    except Exception:  # which one, depends on the version of protobuf
        return UNREADABLE


class _Connection:
    """One training: it is written to by its own task and by that of the commands."""

    def __init__(self, context: Any, training: Training, hello: Any) -> None:
        self.hello = hello
        self.run_state = TrainingState()
        self._context = context
        self._turn = asyncio.Lock()
        self.training = training
        self.has_accepted = False  # a command, of which nothing was heard since

    async def send(self, message: Any) -> None:
        async with self._turn:
            await self._context.write(message)


class Connections:
    """All trainings that are connected. Files and databases are one thread's, so that entries are written in order."""

    def __init__(
        self, arrivals: Arrivals, trainings: Trainings, *, dirs: BaseDirs, tokens: Tokens, peers: PeerCheck
    ) -> None:
        self._arrivals = arrivals
        self._trainings = trainings
        self._dirs = dirs
        self._tokens = tokens
        self._peers = peers
        self._wrong_tokens = WrongTokens()
        self._quiet = QuietLog(log)
        self._open: dict[str, _Connection] = {}
        self._writing = ThreadPoolExecutor(1, "writing")

    async def connect(self, messages: AsyncIterator[Any], context: Any) -> None:
        """Serve one training until it goes."""
        try:
            await self._check_sender(context)
            await self._serve(messages, context)
        except grpc.aio.AbortError:
            raise
        except Exception as error:
            self._quiet.warning("unexpected", f"{context.peer()} caused an error", error=error)
            await _refuse(context, grpc.StatusCode.INTERNAL, "Something went wrong in the service; its log says what.")

    async def _serve(self, messages: AsyncIterator[Any], context: Any) -> None:
        hello = await anext(aiter(messages), None)
        if hello is UNREADABLE:
            await self._refuse_unreadable(context)
        if hello is None or hello.WhichOneof("content") != "hello":
            await _refuse(context, grpc.StatusCode.INVALID_ARGUMENT, "The first message has to be a greeting.")
        connection = await self._welcome(hello.hello, context)
        training = connection.training
        log.info("run %s: %s, process %d, connected", training.run, training.host, training.process)
        self._open[training.id] = connection
        try:
            async for message in messages:
                if message is UNREADABLE:
                    await self._refuse_unreadable(context)
                await self._take(message, connection, context)
        finally:
            if self._open.get(training.id) is connection:
                del self._open[training.id]
                await self._do(self._trainings.forget, training.id)
            log.info("run %s: %s, process %d, disconnected", training.run, training.host, training.process)

    async def pass_commands_on(self) -> None:
        """Look for commands of people again and again, and send them to whom they concern."""
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            if not self._open:
                continue
            try:
                for command in await self._do(self._trainings.waiting):
                    await self._pass_on(command)
            except Exception:
                log.exception("a command could not be passed on")

    async def _pass_on(self, command: Command) -> None:
        connection = self._open.get(command.training)
        if connection is None:
            return
        await self._do(self._trainings.settle, command.id, SENT)
        message = message_class("FromService")()
        message.profile.id, message.profile.steps = command.id, command.steps
        await connection.send(message)

    async def _check_sender(self, context: Any) -> None:
        """A token for sending lets everybody in; without one, on loopback, the service's own user is."""
        header = dict(context.invocation_metadata()).get("authorization", "")
        scheme, _, token = str(header).partition(" ")
        role = self._tokens.role_of(token.strip()) if scheme.lower() == "bearer" else None
        if role in (Role.FULL, Role.COLLECTOR) or self._peers.is_trusted(context.peer()):
            return
        if role is Role.READ:
            await _refuse(context, grpc.StatusCode.PERMISSION_DENIED, "This token is for reading; it cannot send.")
        if not token:
            self._quiet.warning("no token", f"{context.peer()} rejected: missing token")
            await _refuse(context, grpc.StatusCode.UNAUTHENTICATED, self._peers.reason)
        self._quiet.warning("wrong token", f"{context.peer()} rejected: invalid token")
        wait_seconds = self._wrong_tokens.add(address_of(context.peer())[0])
        if wait_seconds:
            why = f"Too many invalid tokens; try again in {wait_seconds} s."
            await _refuse(context, grpc.StatusCode.RESOURCE_EXHAUSTED, why)
        await _refuse(context, grpc.StatusCode.UNAUTHENTICATED, "Invalid token.")

    async def _refuse_unreadable(self, context: Any) -> None:
        self._quiet.warning("unreadable", f"{context.peer()} sends messages that no collector sends")
        await _refuse(context, grpc.StatusCode.INVALID_ARGUMENT, "The message is none of a collector's.")

    async def _welcome(self, hello: Any, context: Any) -> _Connection:
        if hello.version != VERSION:
            why = (
                f"The service speaks version {VERSION} of the collector's language, the training {hello.version}: "
                "install the same release of mindinsight-like on both sides."
            )
            await _refuse(context, grpc.StatusCode.FAILED_PRECONDITION, why)
        try:
            base_dir, below = base_of(self._dirs, hello.run)
            await self._do(folder_of, base_dir, below)
        except (NoPlace, OSError) as error:
            await _refuse(context, grpc.StatusCode.INVALID_ARGUMENT, f"The run cannot be written: {error}.")
        training = Training(
            id=hello.sender[:64],
            run=_name_of(hello.run, self._dirs),
            host="".join(filter(str.isprintable, hello.host[:200])),
            process=hello.process,
            rank=hello.rank,
            ranks=hello.ranks,
            can_profile=hello.can_profile,
        )
        await self._do(self._trainings.note, training)
        message = message_class("FromService")()
        message.welcome.version = VERSION
        message.welcome.sees_output = await self._do(self._sees, hello)
        connection = _Connection(context, training, hello)
        await connection.send(message)
        return connection

    def _sees(self, hello: Any) -> bool:
        """Whether profiles are written below the base dir: the mark that the training left tells."""
        if not hello.mark or not hello.output_path or Path(hello.mark).name != hello.mark:
            return False
        mark = Path(hello.output_path, hello.mark)
        try:
            is_served = any(is_below(mark, os.path.realpath(top)) for top, _ in self._dirs.roots())
            return is_served and mark.is_file()
        except (OSError, ValueError):  # no path at all
            return False

    async def _take(self, message: Any, connection: _Connection, context: Any) -> None:
        kind = message.WhichOneof("content")
        if kind == "batch":
            answer = message_class("FromService")()
            answer.acknowledged.spool = message.batch.spool
            try:
                answer.acknowledged.sequence = await self._do(self._arrivals.take, message.batch)
            except Refused as error:
                self._quiet.warning("refused", f"run {connection.training.run}: {error}")
                answer.acknowledged.refused = str(error)
            except (ValueError, OverflowError) as error:  # NoPlace, or numbers that are none of a collector's
                answer.acknowledged.refused = f"The run cannot be written: {error}."
            except OSError as error:
                log.error("run %s cannot be written: %s", connection.training.run, error)
                await _refuse(context, grpc.StatusCode.RESOURCE_EXHAUSTED, f"The service cannot write: {error}")
            await connection.send(answer)
        elif kind == "state":
            training, state = connection.training, message.state
            training.framework, training.step = state.framework[:100], state.step
            training.is_recording, training.is_asked = state.is_recording, state.is_asked
            training.dropped = min(state.dropped, 2**62)
            await self._do(self._trainings.note, training)
            await self._do(connection.run_state.note, connection.hello, state, self._dirs)
            if connection.has_accepted and not (training.is_recording or training.is_asked):
                connection.has_accepted = False
                await self._do(self._trainings.finish, training.id)
        elif kind == "outcome":
            outcome = message.outcome
            connection.has_accepted |= outcome.is_accepted
            state = ACCEPTED if outcome.is_accepted else REFUSED
            await self._do(self._trainings.settle, outcome.command, state, outcome.message[:500])

    async def _do(self, act: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._writing, act, *arguments)


async def _refuse(context: Any, code: Any, why: str) -> NoReturn:
    await context.abort(code, why)
    raise AssertionError("abort raises")


def _name_of(run: str, dirs: BaseDirs) -> str:
    """The name that the index has for a run of a collector."""
    base_dir, below = base_of(dirs, run)
    root = dict(dirs.roots())[str(base_dir)]
    name = safe_path(below)
    if root == ".":
        return name or "."
    return f"{root}/{name}" if name else root
