"""The gRPC service: a connection for each training, from its greeting to its end."""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import grpc

from mindinsight_like.profiler.collector.endpoint.arrivals import Arrivals
from mindinsight_like.profiler.collector.endpoint.places import NoPlace, folder_of, is_below, safe_path
from mindinsight_like.profiler.collector.messages import VERSION, message_class
from mindinsight_like.profiler.collector.trainings import ACCEPTED, REFUSED, SENT, Command, Training, Trainings

log = logging.getLogger(__name__)

_POLL_SECONDS = 0.25


class _Connection:
    """One training: it is written to by its own task and by that of the commands."""

    def __init__(self, context: Any, training: Training) -> None:
        self._context = context
        self._turn = asyncio.Lock()
        self.training = training

    async def send(self, message: Any) -> None:
        async with self._turn:
            await self._context.write(message)


class Connections:
    """All trainings that are connected. Files and databases are one thread's, so that entries are written in order."""

    def __init__(self, arrivals: Arrivals, trainings: Trainings, *, base_dir: Path, token: str) -> None:
        self._arrivals = arrivals
        self._trainings = trainings
        self._base_dir = base_dir
        self._token = token.encode()
        self._open: dict[str, _Connection] = {}
        self._writing = ThreadPoolExecutor(1, "writing")

    async def connect(self, messages: AsyncIterator[Any], context: Any) -> None:
        """Serve one training until it goes."""
        await self._check_token(context)
        hello = await anext(aiter(messages), None)
        if hello is None or hello.WhichOneof("content") != "hello":
            await _refuse(context, grpc.StatusCode.INVALID_ARGUMENT, "The first message has to be a greeting.")
        connection = await self._welcome(hello.hello, context)
        training = connection.training
        log.info("run %s: %s, process %d, is connected", training.run, training.host, training.process)
        self._open[training.id] = connection
        try:
            async for message in messages:
                await self._take(message, connection, context)
        finally:
            if self._open.get(training.id) is connection:
                del self._open[training.id]
                await self._do(self._trainings.forget, training.id)
            log.info("run %s: %s, process %d, is gone", training.run, training.host, training.process)

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

    async def _check_token(self, context: Any) -> None:
        if not self._token:
            return
        given = dict(context.invocation_metadata()).get("authorization", "")
        scheme, _, token = str(given).partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(token.strip().encode(), self._token):
            why = "The token is not the right one." if token else "A token is needed; the service printed it at start."
            await _refuse(context, grpc.StatusCode.UNAUTHENTICATED, why)

    async def _welcome(self, hello: Any, context: Any) -> _Connection:
        if hello.version != VERSION:
            why = (
                f"The service speaks version {VERSION} of the collector's language, the training {hello.version}: "
                "install the same release of mindinsight-like on both sides."
            )
            await _refuse(context, grpc.StatusCode.FAILED_PRECONDITION, why)
        try:
            await self._do(folder_of, self._base_dir, hello.run)
        except (NoPlace, OSError) as error:
            await _refuse(context, grpc.StatusCode.INVALID_ARGUMENT, f"The run cannot be written: {error}.")
        training = Training(
            id=hello.sender[:64],
            run=safe_path(hello.run) or ".",
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
        connection = _Connection(context, training)
        await connection.send(message)
        return connection

    def _sees(self, hello: Any) -> bool:
        """Whether profiles are written below the base dir: the mark that the training left tells."""
        if not hello.mark or not hello.output_path or Path(hello.mark).name != hello.mark:
            return False
        mark = Path(hello.output_path, hello.mark)
        return is_below(mark, os.path.realpath(self._base_dir)) and mark.is_file()

    async def _take(self, message: Any, connection: _Connection, context: Any) -> None:
        kind = message.WhichOneof("content")
        if kind == "batch":
            answer = message_class("FromService")()
            answer.acknowledged.spool = message.batch.spool
            try:
                answer.acknowledged.sequence = await self._do(self._arrivals.take, message.batch)
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
        elif kind == "outcome":
            outcome = message.outcome
            state = ACCEPTED if outcome.is_accepted else REFUSED
            await self._do(self._trainings.settle, outcome.command, state, outcome.message[:500])

    async def _do(self, act: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._writing, act, *arguments)


async def _refuse(context: Any, code: Any, why: str) -> NoReturn:
    await context.abort(code, why)
    raise AssertionError("abort raises")
