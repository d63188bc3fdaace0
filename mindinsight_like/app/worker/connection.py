"""One client connection: received request bytes, response bytes to send, and the deadline."""

from __future__ import annotations

import enum
import select
import socket
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from mindinsight_like.app.worker.request_framing import Limits, ReceivedRequest, RequestFraming

_FLUSH_BYTES = 64 * 1024  # smaller pieces, such as the headers of an answer, are sent together with what follows
_MOST_PIECES = 64  # in one call of the kernel


class State(enum.Enum):
    """What a connection waits for."""

    IDLE = "the first byte of a request"
    RECEIVING = "the rest of a request"
    ANSWERING = "a thread that works on its answer, or will"
    SENDING = "its client to take the answer"
    CLOSING = "its client to close it"


class Outbox:
    """Takes answers as a socket would, but never waits: what the client does not take yet stays here.

    It stands in for the socket wherever gunicorn writes.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._pieces: deque[bytes | memoryview] = deque()
        self.waiting_bytes = 0
        self.sent_bytes = 0

    def sendall(self, data: bytes) -> None:
        if data:
            self._pieces.append(data)
            self.waiting_bytes += len(data)
            if self.waiting_bytes >= _FLUSH_BYTES:
                self.flush()

    def send(self, data: bytes) -> int:
        self.sendall(data)
        return len(data)

    def flush(self, patience_seconds: float = 0.0) -> None:
        """Send as much as the client takes now and in the next moment; raises OSError when it is gone."""
        deadline = time.monotonic() + patience_seconds if patience_seconds else 0.0
        while self._pieces:
            pieces = list(islice(self._pieces, _MOST_PIECES))
            try:
                sent = self._sock.sendmsg(pieces)
            except BlockingIOError:
                sent = 0
            self._remove(sent)
            if sent < sum(map(len, pieces)) and not self._takes_more(deadline):
                return

    def _takes_more(self, deadline: float) -> bool:
        """Wait until the client has taken some of what was sent; False when it does not in time."""
        rest = deadline - time.monotonic() if deadline else 0.0
        if rest <= 0:
            return False
        poll = select.poll()
        poll.register(self._sock, select.POLLOUT)
        return bool(poll.poll(rest * 1e3))

    def _remove(self, sent: int) -> None:
        """Forget what was sent."""
        self.waiting_bytes -= sent
        self.sent_bytes += sent
        while sent:
            first = self._pieces.popleft()
            if sent < len(first):
                self._pieces.appendleft(memoryview(first)[sent:])
                return
            sent -= len(first)

    def clear(self) -> None:
        """Forget what was not sent."""
        self._pieces.clear()
        self.waiting_bytes = 0

    def gettimeout(self) -> float:
        return 0.0

    def setblocking(self, flag: bool) -> None:
        """As a socket has it; this one stays as it is."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)


@dataclass
class Answer:
    """An answer on its way: gunicorn's objects for it, and the pieces of its body that are still to come."""

    request: Any
    response: Any
    environ: dict[str, Any]
    body: Any  # what the application returned; closed at the end
    pieces: Iterator[bytes]
    started: datetime

    def close(self) -> None:
        if hasattr(self.body, "close"):
            self.body.close()


class Connection:
    """Belongs to the event loop, but while `ANSWERING` to the thread that answers."""

    def __init__(self, sock: socket.socket, client: Any, server: Any, limits: Limits, now: float) -> None:
        sock.setblocking(False)
        self.sock = sock
        self.client = client
        self.server = server
        self.outbox = Outbox(sock)
        self.framing = RequestFraming(limits)
        self.state = State.IDLE
        self.since = now  # when this state began
        self.deadline = 0.0
        self.events = 0  # what the event loop looks for
        self.accounted_bytes = 0  # what the event loop believes `held_bytes` to be
        self.sent_before = 0  # bytes sent when `SENDING` began
        self.requests = 0
        self.received: ReceivedRequest | None = None
        self.answer: Answer | None = None
        self.is_last = False  # it is closed after its answer
        self.wants_close = False  # its client has said that this request is its last one

    def enter(self, state: State, now: float, seconds: float = float("inf")) -> None:
        self.state = state
        self.since = now
        self.deadline = now + seconds

    @property
    def held_bytes(self) -> int:
        """Memory that this client makes the service hold."""
        return len(self.framing) + (len(self.received.data) if self.received else 0) + self.outbox.waiting_bytes
