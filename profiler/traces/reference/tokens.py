"""Tokens of possibly incomplete or malformed JSON: the Python reference."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from mindinsight_like.profiler.traces.event_rows import MOST_DEPTH

OPEN, CLOSE, LIST, LIST_END, QUOTE, COLON, COMMA, _ESCAPE = b'{}[]":,\\'
SPACE: Final = re.compile(rb"[ \t\r\n]*")
SPACE_OR_COMMA: Final = re.compile(rb"[ \t\r\n,]*")
_BARE: Final = re.compile(rb"[A-Za-z0-9+.-]*")
_BRACKET_OR_STRING: Final = re.compile(rb'["{}\[\]]')
_AFTER_STRING: Final = b",:}]"


class Malformed(Exception):
    """This is not what it has to be."""


class Incomplete(Exception):
    """The bytes end before this does."""


class Tokens:
    """Reads tokens of `data`: positions come in, positions behind what was read come back."""

    def __init__(self) -> None:
        self.data = b""

    def at(self, position: int) -> int:
        if position >= len(self.data):
            raise Incomplete
        return self.data[position]

    def space(self, position: int, pattern: re.Pattern[bytes] = SPACE) -> int:
        match = pattern.match(self.data, position)
        return match.end() if match else position

    def string(self, begin: int) -> int:
        position = begin + 1
        while True:
            end = self.data.find(b'"', position)
            if end < 0:
                raise Incomplete
            escapes = end
            while self.data[escapes - 1] == _ESCAPE and escapes > position:
                escapes -= 1
            if (end - escapes) % 2 == 0:
                return end + 1
            position = end + 1

    def skip(self, begin: int) -> int:
        first = self.at(begin)
        if first == QUOTE:
            return self.string(begin)
        if first in (OPEN, LIST):
            return self._skip_brackets(begin)
        match = _BARE.match(self.data, begin)
        end = match.end() if match else begin
        if end == begin:
            raise Malformed
        self.at(end)  # more of it may come
        return end

    def _skip_brackets(self, position: int) -> int:
        expected: list[int] = []
        while True:
            match = _BRACKET_OR_STRING.search(self.data, position)
            if not match:
                raise Incomplete
            position = match.end()
            byte = self.data[position - 1]
            if byte == QUOTE:
                position = self.space(self.string(position - 1))
                if self.at(position) not in _AFTER_STRING:
                    raise Malformed
            elif byte in (OPEN, LIST):
                if len(expected) == MOST_DEPTH:
                    raise Malformed
                expected.append(byte + 2)  # as it is in ASCII
            elif expected.pop() != byte:
                raise Malformed
            elif not expected:
                return position

    def object(self, begin: int, member: Callable[[bytes, int], int]) -> int:
        """Gives each key with the place of its value to `member`, which returns where the value ends."""
        position = self.space(begin + 1)
        while True:
            byte = self.at(position)
            if byte == CLOSE:
                return position + 1
            if byte != QUOTE:
                raise Malformed
            end = self.string(position)
            colon = self.space(end)
            if self.at(colon) != COLON:
                raise Malformed
            value = self.space(colon + 1)
            self.at(value)
            position = self.space(member(self.data[position + 1 : end - 1], value))
            byte = self.at(position)
            if byte == COMMA:
                position = self.space(position + 1)
            elif byte != CLOSE:
                raise Malformed
