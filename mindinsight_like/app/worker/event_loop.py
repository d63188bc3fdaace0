"""Gunicorn worker class with an event loop, so that slow clients cannot block others.

gunicorn's own threaded worker reads requests and writes answers in its threads, so as many clients that send or read
slowly as there are threads stop it. Here one event loop reads all requests and writes what clients do not take at
once; a thread gets a request when it is complete and is free again when the answer is made. Whoever is too slow is
dropped after a while, or earlier when there are too many such clients. Parsing, the WSGI environment and the log
are gunicorn's.

Over 400 lines, as all states of a connection are handled by one loop, whose queues and limits no second class could
share without a lock.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import resource
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Any

from gunicorn.http import wsgi
from gunicorn.http.errors import InvalidHeader, LimitRequestHeaders, LimitRequestLine, NoMoreData, ParseException
from gunicorn.http.message import Request
from gunicorn.http.unreader import IterUnreader
from gunicorn.workers.base import Worker

from mindinsight_like.app.worker.connection import Answer, Connection, State
from mindinsight_like.app.worker.request_framing import LARGEST_BODY, Flaw, Limits, ReceivedRequest
from mindinsight_like.app.worker.tasks import Tasks

_LARGEST_HEAD = 64 * 1024
_HEAD_SECONDS = 10.0  # from the first byte of a request to the end of its headers
_GRACE_SECONDS = 15.0  # for a body to arrive or an answer to be taken, besides what its size needs
_SLOWEST_BYTES_PER_SECOND = 8 * 1024
_CLOSING_SECONDS = 2.0
_HEAD_READ_BYTES = 8 * 1024
_BODY_READ_BYTES = 256 * 1024
_AHEAD_BYTES = 2**20  # of a streamed answer, made before its client has taken what was made before
_MOST_HELD_BYTES = 256 * 2**20  # of requests and answers of slow clients, in each process
_PATIENCE_SECONDS = 0.005  # a thread waits for a client that takes its answer: most do, sooner than the loop is asked
_TICK_SECONDS = 1.0
_MOST_FILES = 8192
_TIMED_OUT = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_NO_FILES_LEFT = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
# Who goes first when there are too many connections; among equals the one that has waited longest.
_DISPENSABLE = (State.CLOSING, State.RECEIVING, State.IDLE)


class EventLoopWorker(Worker):  # type: ignore[misc]  # gunicorn has no types
    """Answers in threads, and does everything that depends on clients in one event loop."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limits = Limits(self.cfg.limit_request_line, _LARGEST_HEAD, LARGEST_BODY)
        self._connections: set[Connection] = set()
        self._most_connections = self.cfg.worker_connections
        self._tasks = Tasks[Connection]()
        self._finished: deque[Connection] = deque()  # a thread has done its part
        self._held_bytes = 0
        self._is_accepting = False

    # --- the event loop ---------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Called by gunicorn in the new process; returns when it is to end."""
        self._most_connections = min(self._most_connections, _file_limit() // 2)
        self._poller = selectors.DefaultSelector()
        self._poller.register(self.PIPE[0], selectors.EVENT_READ, self._on_wake)
        for _ in range(self.cfg.threads):
            threading.Thread(target=self._work, daemon=True).start()
        self._accept_clients(True)
        tick_at = 0.0
        while self.alive and self.ppid == os.getppid():
            now = time.monotonic()
            if now >= tick_at:
                self.notify()
                self._drop_slow(now)
                self._accept_clients(True)
                tick_at = now + _TICK_SECONDS
            self._turn(tick_at - now)
        self._end()

    def _turn(self, timeout_seconds: float) -> None:
        for key, _ in self._poller.select(max(0.0, timeout_seconds)):
            key.data(key.fileobj)
        while self._finished:
            self._on_finished(self._finished.popleft())

    def _end(self) -> None:
        """Give answers that are being made a little time, and everybody else none."""
        self._accept_clients(False)
        for listener in self.sockets:
            listener.close()
        deadline = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < deadline:
            for connection in list(self._connections):
                if connection.state not in (State.ANSWERING, State.SENDING):
                    self._close(connection)
            if not self._connections:
                return
            self.notify()
            self._turn(0.1)

    def _on_wake(self, pipe: int) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(pipe, 65536)

    def _accept_clients(self, accept: bool) -> None:
        if accept == self._is_accepting:
            return
        self._is_accepting = accept
        for listener in self.sockets:
            if accept:
                listener.setblocking(False)
                self._poller.register(listener, selectors.EVENT_READ, partial(self._on_client, listener.getsockname()))
            else:
                self._poller.unregister(listener)

    def _on_client(self, server: Any, listener: Any) -> None:
        """Accept one client, so that other processes get their share."""
        if len(self._connections) >= self._most_connections and not self._evict():
            self._accept_clients(False)  # until the next tick
            return
        try:
            sock, client = listener.accept()
        except OSError as error:
            if error.errno in _NO_FILES_LEFT and not self._evict():
                self._accept_clients(False)
            return  # else another process was faster, or the client has gone
        now = time.monotonic()
        connection = Connection(sock, client, server, self._limits, now)
        connection.enter(State.IDLE, now, self.cfg.keepalive)
        self._connections.add(connection)
        self._receive(connection)  # most clients have sent their request by now

    # --- requests in ------------------------------------------------------------------------------------------------

    def _on_readable(self, connection: Connection) -> None:
        if connection.state in (State.IDLE, State.RECEIVING):
            self._receive(connection)
        elif connection.state is State.CLOSING:
            self._discard(connection)
        else:
            # A client that has gone, or sends its next request already: looked at after the answer.
            self._listen(connection, 0)

    def _receive(self, connection: Connection) -> None:
        try:
            data = connection.sock.recv(_BODY_READ_BYTES if connection.framing.has_head else _HEAD_READ_BYTES)
        except BlockingIOError:
            self._listen(connection, selectors.EVENT_READ)
            return
        except OSError:
            data = b""
        if not data:
            self._close(connection)
            return
        connection.framing.feed(data)
        self._proceed(connection)

    def _proceed(self, connection: Connection) -> None:
        """Hand a complete request to a thread, or wait for the rest of it."""
        connection.received = connection.framing.take()
        now = time.monotonic()
        if connection.received is not None:
            connection.enter(State.ANSWERING, now)
            self._account(connection)
            self._tasks.put(connection)
            return
        if connection.state is not State.RECEIVING:
            connection.enter(State.RECEIVING, now, _HEAD_SECONDS)
        if connection.framing.has_head:
            earned = len(connection.framing) / _SLOWEST_BYTES_PER_SECOND
            connection.deadline = connection.since + _GRACE_SECONDS + earned
            if connection.framing.wants_continue():
                with contextlib.suppress(OSError):
                    connection.sock.send(_CONTINUE)
        self._listen(connection, selectors.EVENT_READ)
        self._account(connection)

    def _listen(self, connection: Connection, events: int) -> None:
        """Look for these events of a connection; 0: for none."""
        if events == connection.events:
            return
        if not events:
            self._poller.unregister(connection.sock)
        elif not connection.events:
            self._poller.register(connection.sock, events, partial(self._on_event, connection))
        else:
            self._poller.modify(connection.sock, events, partial(self._on_event, connection))
        connection.events = events

    def _on_event(self, connection: Connection, sock: socket.socket) -> None:
        if connection not in self._connections:
            return  # dropped a moment ago to make room for another one
        if connection.events == selectors.EVENT_WRITE:
            self._on_writable(connection)
        else:
            self._on_readable(connection)

    def _account(self, connection: Connection) -> None:
        """Note what a connection holds, and drop one when all together hold too much."""
        now_held = connection.held_bytes
        self._held_bytes += now_held - connection.accounted_bytes
        connection.accounted_bytes = now_held
        if self._held_bytes > _MOST_HELD_BYTES:
            self._evict((State.SENDING, State.RECEIVING))

    # --- answers out ------------------------------------------------------------------------------------------------

    def _on_finished(self, connection: Connection) -> None:
        """A thread has done its part: send what is left, then go on."""
        connection.received = None
        if connection.outbox.waiting_bytes:
            connection.enter(State.SENDING, time.monotonic(), _GRACE_SECONDS)
            connection.sent_before = connection.outbox.sent_bytes
            self._listen(connection, selectors.EVENT_WRITE)
            self._account(connection)
        else:
            self._account(connection)
            self._after_sending(connection)

    def _on_writable(self, connection: Connection) -> None:
        try:
            connection.outbox.flush()
        except OSError:
            self._close(connection)
            return
        self._account(connection)
        if connection not in self._connections:
            return
        if connection.outbox.waiting_bytes:
            sent = connection.outbox.sent_bytes - connection.sent_before
            connection.deadline = connection.since + _GRACE_SECONDS + sent / _SLOWEST_BYTES_PER_SECOND
        else:
            self._after_sending(connection)

    def _after_sending(self, connection: Connection) -> None:
        now = time.monotonic()
        if connection.answer is not None:  # a stream
            connection.enter(State.ANSWERING, now)
            self._listen(connection, 0)
            self._tasks.put(connection)
        elif connection.wants_close and not len(connection.framing):
            self._close(connection)  # nothing more comes from its client, so there will be no reset
        elif connection.is_last or not self.alive:
            self._close_gently(connection, now)
        else:
            connection.enter(State.IDLE, now, self.cfg.keepalive)
            if len(connection.framing):
                self._proceed(connection)
            else:
                self._listen(connection, selectors.EVENT_READ)

    # --- ends -------------------------------------------------------------------------------------------------------

    def _close_gently(self, connection: Connection, now: float) -> None:
        """Close our side and wait for the client's: a reset could overtake the end of the answer."""
        try:
            connection.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._close(connection)
            return
        connection.enter(State.CLOSING, now, _CLOSING_SECONDS)
        self._listen(connection, selectors.EVENT_READ)

    def _discard(self, connection: Connection) -> None:
        try:
            if connection.sock.recv(_BODY_READ_BYTES):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self._close(connection)

    def _close(self, connection: Connection) -> None:
        self._connections.discard(connection)
        self._held_bytes -= connection.accounted_bytes
        self._listen(connection, 0)
        with contextlib.suppress(OSError):
            connection.sock.close()
        if connection.answer is not None:
            self._conclude(connection)

    def _drop_slow(self, now: float) -> None:
        for connection in [each for each in self._connections if each.deadline <= now]:
            if connection.state is State.RECEIVING:
                with contextlib.suppress(OSError):
                    connection.sock.send(_TIMED_OUT)
            self._close(connection)

    def _evict(self, states: Sequence[State] = _DISPENSABLE) -> bool:
        """Make room by dropping the connection that can best be done without; False when there is none."""
        for state in states:
            candidates = [each for each in self._connections if each.state is state]
            if candidates:
                # Of idle ones those go first that have never asked for anything.
                self._close(min(candidates, key=lambda each: (each.requests > 0, each.since)))
                return True
        return False

    # --- threads ----------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        for connection in self._tasks:
            try:
                if connection.answer is None:
                    self._begin_answer(connection)
                self._make_pieces(connection)
            except OSError:  # also gunicorn's NoMoreData: the client has gone, or was not understood
                self._give_up(connection)
            except BaseException as error:
                self._fail(connection, error)
            self._finished.append(connection)
            with contextlib.suppress(BlockingIOError):
                os.write(self.PIPE[1], b".")

    def _begin_answer(self, connection: Connection) -> None:
        """Ask the application; its answer is then ready to be sent."""
        received = connection.received
        assert received is not None
        connection.is_last = True  # unless all goes well
        connection.wants_close = False
        connection.requests += 1
        request = self._parsed(received, connection)
        request._expected_100_continue = False  # said when the headers had come
        connection.wants_close = received.flaw is None and request.should_close()
        response, environ = wsgi.create(request, connection.outbox, connection.client, connection.server, self.cfg)
        environ["wsgi.multithread"] = True
        if received.flaw is not None or not self.alive:
            response.force_close()
        started = datetime.now()
        body = self.wsgi(environ, response.start_response)
        connection.answer = Answer(request, response, environ, body, iter(body), started)

    def _parsed(self, received: ReceivedRequest, connection: Connection) -> Any:
        """gunicorn's request with its whole body; raises what gunicorn answers with a status of its own."""
        if received.flaw is Flaw.LONG_LINE:
            raise LimitRequestLine(len(received.data), self._limits.line)
        if received.flaw is Flaw.LONG_HEAD:
            raise LimitRequestHeaders("limit request headers fields size")
        unreader = IterUnreader([received.data])
        request = Request(self.cfg, unreader, connection.client, connection.requests)
        if received.flaw is Flaw.LONG_BODY:
            # The application refuses it in its own words when it looks at the length.
            framing = ("CONTENT-LENGTH", "TRANSFER-ENCODING")
            request.headers = [header for header in request.headers if header[0] not in framing]
            request.headers.append(("CONTENT-LENGTH", str(self._limits.body + 1)))
            request.body = io.BytesIO()
            return request
        try:
            body = request.body.read()
        except (ParseException, NoMoreData) as error:
            raise InvalidHeader("the body is malformed", req=request) from error
        length = next((int(value) for name, value in request.headers if name == "CONTENT-LENGTH"), len(body))
        if len(body) != length or unreader.read():
            raise InvalidHeader("the length of the request body is ambiguous", req=request)
        request.body = io.BytesIO(body)
        return request

    def _make_pieces(self, connection: Connection) -> None:
        """Send the answer; of a stream so much that its client has something to take meanwhile."""
        answer = connection.answer
        assert answer is not None
        for piece in answer.pieces:
            answer.response.write(piece)
            if connection.outbox.waiting_bytes > _AHEAD_BYTES:
                connection.outbox.flush()
                return
        answer.response.close()
        connection.is_last = answer.response.should_close()
        connection.outbox.flush(_PATIENCE_SECONDS)
        self._conclude(connection)  # its client need not wait for the log

    def _conclude(self, connection: Connection) -> None:
        answer, connection.answer = connection.answer, None
        if answer is not None:
            with contextlib.suppress(Exception):
                answer.close()
            self.log.access(answer.response, answer.request, answer.environ, datetime.now() - answer.started)

    def _give_up(self, connection: Connection) -> None:
        self._conclude(connection)
        connection.outbox.clear()
        connection.is_last = True

    def _fail(self, connection: Connection, error: BaseException) -> None:
        """Say what was wrong with the request, or with us, as gunicorn does."""
        if connection.answer is not None and connection.answer.response.headers_sent:
            self.log.error("a response was cut off", exc_info=error)
            self._give_up(connection)
            return
        request = connection.answer.request if connection.answer else None
        connection.answer = None
        connection.is_last = True
        try:
            self.handle_error(request, connection.outbox, connection.client, error)
            connection.outbox.flush()
        except Exception:
            connection.outbox.clear()


def _file_limit() -> int:
    """How many files this process may have open, after asking for many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < target:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
            return target
    return _MOST_FILES if soft == resource.RLIM_INFINITY else soft
