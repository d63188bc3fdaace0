"""Incremental HTTP/1 request framing: finds the end of a request while its bytes arrive, without blocking.

This decides only when a request is complete. Whether it is a valid one, its parser decides later, which gets exactly
these bytes; what the two understand differently ends the connection.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

_BODY_HEADERS = re.compile(rb"\r\n(content-length|transfer-encoding|expect)[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE)
LARGEST_BODY = 16 * 2**20  # bytes; a hundred thousand run ids fit
_LONGEST_CHUNK_LINE = 8192  # bytes; also of the fields behind the last chunk


class Flaw(enum.Enum):
    """Why a request is handed on although it has not arrived whole."""

    LONG_LINE = "its first line is too long"
    LONG_HEAD = "its headers are too long"
    LONG_BODY = "its body is too long"
    MALFORMED = "it is malformed"


@dataclass(frozen=True)
class Limits:
    """In bytes."""

    line: int
    head: int
    body: int


@dataclass(frozen=True)
class ReceivedRequest:
    """The bytes of one request; with a flaw, as much of it as is needed to refuse it."""

    data: bytes
    flaw: Flaw | None = None


class RequestFraming:
    """Collects what a connection receives and cuts it into requests."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._buffer = bytearray()
        self._start_over()

    def _start_over(self) -> None:
        self._searched = 0  # where looking for the end of the head goes on
        self._head_end = 0  # 0: not known yet
        self._end = 0  # of the request; 0: not known yet
        self._is_chunked = False
        self._chunk_at = 0  # first byte of the next chunk's size line
        self._wants_continue = False

    def __len__(self) -> int:
        """Bytes that wait for the rest of their request."""
        return len(self._buffer)

    @property
    def has_head(self) -> bool:
        """Whether only the body is still to come."""
        return self._head_end > 0

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def take(self) -> ReceivedRequest | None:
        """The next request, or None while it is incomplete."""
        if not self._head_end:
            flaw = self._find_head()
            if flaw is not None:
                return self._cut(len(self._buffer), flaw)
            if not self._head_end:
                return None
            self._look_for_body()
        if self._is_chunked and not self._end:
            flaw = self._find_last_chunk()
            if flaw is not None:
                return self._cut(self._head_end if flaw is Flaw.LONG_BODY else len(self._buffer), flaw)
        if self._end - self._head_end > self._limits.body:
            return self._cut(self._head_end, Flaw.LONG_BODY)
        return self._cut(self._end) if self._end and len(self._buffer) >= self._end else None

    def wants_continue(self) -> bool:
        """Whether the client waits for "100 Continue" before it sends its body; true once for a request."""
        pending, self._wants_continue = self._wants_continue, False
        return pending

    def _cut(self, end: int, flaw: Flaw | None = None) -> ReceivedRequest:
        request = ReceivedRequest(bytes(self._buffer[:end]), flaw)
        del self._buffer[:end]
        self._start_over()
        return request

    def _find_head(self) -> Flaw | None:
        buffer, limits = self._buffer, self._limits
        end = buffer.find(b"\r\n\r\n", self._searched)
        if end >= 0:
            if end > limits.head:
                return Flaw.LONG_HEAD
            self._head_end = end + 4
            return None
        if buffer.find(b"\n", 0, limits.line + 2) < 0 and len(buffer) > limits.line + 2:
            return Flaw.LONG_LINE
        if len(buffer) > limits.head:
            return Flaw.LONG_HEAD
        if buffer.count(b"\n", self._searched) != buffer.count(b"\r\n", max(0, self._searched - 1)):
            return Flaw.MALFORMED  # lines that end otherwise never make a head
        # The end may have begun in the last three bytes.
        self._searched = max(0, len(buffer) - 3)
        return None

    def _look_for_body(self) -> None:
        length = 0
        expects = False
        for name, value in _BODY_HEADERS.findall(self._buffer, 0, self._head_end):
            name = name.lower()
            if name == b"transfer-encoding":
                self._is_chunked = True
            elif name == b"expect":
                expects = value.strip().lower() == b"100-continue"
            elif value.strip().isdigit():
                # Longer numbers are too much anyway, and Python refuses to read very long ones.
                length = int(value.strip()[:18]) if len(value) < 19 else self._limits.body + 1
        self._chunk_at = self._head_end
        if not self._is_chunked:
            self._end = self._head_end + length
        has_body = self._is_chunked or 0 < length <= self._limits.body
        self._wants_continue = expects and has_body and len(self._buffer) == self._head_end

    def _find_last_chunk(self) -> Flaw | None:
        buffer = self._buffer
        while True:
            line_end = buffer.find(b"\r\n", self._chunk_at)
            if line_end < 0:
                is_long = len(buffer) - self._chunk_at > _LONGEST_CHUNK_LINE
                return Flaw.MALFORMED if is_long else None
            try:
                size = int(bytes(buffer[self._chunk_at : line_end]).partition(b";")[0], 16)
            except ValueError:
                return Flaw.MALFORMED
            if size < 0:
                return Flaw.MALFORMED
            if size == 0:
                return self._find_trailer_end(line_end + 2)
            following = line_end + 2 + size + 2
            if following - self._head_end > self._limits.body:
                return Flaw.LONG_BODY
            if following > len(buffer):
                return None
            self._chunk_at = following

    def _find_trailer_end(self, start: int) -> Flaw | None:
        buffer = self._buffer
        if buffer[start : start + 2] == b"\r\n":
            self._end = start + 2
        elif (end := buffer.find(b"\r\n\r\n", start)) >= 0:
            self._end = end + 4
        elif len(buffer) - start > _LONGEST_CHUNK_LINE:
            return Flaw.MALFORMED
        return None
