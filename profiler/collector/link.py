"""The gRPC connection of a collector to its service."""

from __future__ import annotations

import errno
import os
import queue
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what it has to say at every attempt, we say once
import grpc

from mindinsight_like.profiler.collector.messages import LARGEST_MESSAGE, METHOD, message_class

_OPTIONS: Final = (
    ("grpc.max_send_message_length", LARGEST_MESSAGE),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.enable_http_proxy", 0),  # the proxies of web pages do not know this protocol
)
# Trying again would change nothing.
_FOR_GOOD: Final = {
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
}


# What gRPC says, and what that means to people.
_MEANINGS: Final = (
    ("CERTIFICATE_VERIFY_FAILED", "its certificate is none of those that are trusted here"),
    ("WRONG_VERSION_NUMBER", "it is not encrypted; collectors must not name certificates then"),
    ("http1.x server", "a web server listens there; collectors have a port of their own"),
    ("Domain name not found", "host not found"),
)
_CLOSED: Final = "Socket closed"
# What gRPC says before it comes to the point, such as "... last error: UNKNOWN: ipv4:10.0.0.1:80: "
_FAR_FETCHED: Final = re.compile(r"^.*last error: (?:[A-Z]+: )?(?:ipv[46]:\S+ )?")


class LinkLost(Exception):
    """The connection is over; `is_refused` when the service does not want this collector."""

    def __init__(self, message: str, *, is_refused: bool) -> None:
        super().__init__(message)
        self.is_refused = is_refused


class Link:
    """One call to the service. What it answers goes to `inbox`, from a thread; at last a LinkLost."""

    def __init__(self, server: str, *, token: str, ca: str, inbox: queue.SimpleQueue[Any]) -> None:
        """Raises OSError when the file with certificates cannot be read."""
        self._server = server
        self._is_plain, self._is_answered = not ca, False
        if ca:
            credentials = grpc.ssl_channel_credentials(None if ca == "system" else _certificates(ca))
            self._channel = grpc.secure_channel(server, credentials, options=_OPTIONS)
        else:
            self._channel = grpc.insecure_channel(server, options=_OPTIONS)
        self._outbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        call = self._channel.stream_stream(
            METHOD,
            request_serializer=message_class("FromTraining").SerializeToString,
            response_deserializer=message_class("FromService").FromString,
        )
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._answers = call(self._messages(), metadata=metadata)
        self._listener = threading.Thread(target=self._listen, args=(inbox,), name="collector answers", daemon=True)
        self._listener.start()

    def send(self, message: Any) -> None:
        """Put a message on its way; how many are on theirs is for the caller to limit."""
        self._outbox.put(message)

    def finish(self, seconds: float) -> None:
        """Close once the service has taken everything that was sent, or after some time."""
        self._outbox.put(None)
        self._listener.join(seconds)
        self.close()

    def close(self) -> None:
        self._outbox.put(None)
        self._answers.cancel()
        self._channel.close()

    def _messages(self) -> Iterator[Any]:
        while (message := self._outbox.get()) is not None:
            yield message

    def _listen(self, inbox: queue.SimpleQueue[Any]) -> None:
        try:
            for answer in self._answers:
                self._is_answered = True
                inbox.put((self, answer))
            lost = LinkLost(f"{self._server} has ended the connection", is_refused=False)
        except grpc.RpcError as error:
            lost = self._described(error)
        self._outbox.put(None)
        inbox.put((self, lost))

    def _described(self, error: Any) -> LinkLost:
        code, details = error.code(), " ".join((error.details() or "").split())
        details = _FAR_FETCHED.sub("", details)
        if code == grpc.StatusCode.UNIMPLEMENTED:
            details = "The server at this address is not a mindinsight-like collector."
        if code == grpc.StatusCode.UNAVAILABLE:
            details = next((meaning for phrase, meaning in _MEANINGS if phrase in details), details)
            if details == _CLOSED and self._is_plain and not self._is_answered:
                details = (
                    "it closes the connection; perhaps it wants an encrypted one, for which certificates are named"
                )
            return LinkLost(f"{self._server} cannot be reached ({details[:200]})", is_refused=False)
        return LinkLost(f"{self._server}: {details[:500]}", is_refused=code in _FOR_GOOD)


def _certificates(path: str) -> bytes:
    content = Path(path).read_bytes()
    if b"-----BEGIN CERTIFICATE-----" not in content:
        raise OSError(errno.EINVAL, "it contains no PEM certificate")
    return content
