"""Decode lines of output: their texts without colours, their levels, and a quick look at what cannot hold a match."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import orjson

from mindinsight_like.values.records import BadValue

LEVELS: Final = ("debug", "info", "warning", "error")  # from the least to the most serious one

# Colours, movements of the cursor, titles of windows.
_CONTROL: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?|[@-Z\\^_=>])")
_ENCODED_CONTROL: Final = re.compile(rb"\\u001b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\^_=>])")
_LOOKED_AT: Final = 200  # characters at the start of a line in which a level may stand
_TRACEBACK: Final = "Traceback (most recent call last)"

_LEVEL: Final = re.compile(
    r"\b(?P<word>DEBUG|TRACE|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b"
    r"|[\[(<](?P<bracketed>debug|trace|info|notice|warn(?:ing)?|error|critical|fatal)[\])>]"
    r"|^(?:\w+: )?(?P<prefix>debug|trace|info|notice|warn(?:ing)?|error|critical|fatal):"
    r"|^(?:\[rank\d+\]:)?\[?(?P<letter>[DIWEFC])(?:[01]\d{3})? (?=\d)"
    r"|\b\w*(?P<named>Warning|Error|Exception): "
    r"|(?P<trace>Traceback) \(most recent call last\)",
)
_NUMBERS: Final = {
    "debug": 0, "trace": 0, "d": 0,
    "info": 1, "notice": 1, "i": 1,
    "warn": 2, "warning": 2, "w": 2,
    "error": 3, "critical": 3, "fatal": 3, "exception": 3, "traceback": 3, "e": 3, "f": 3, "c": 3,
}  # fmt: skip
# One of these stands, in small letters, in what has a line of a level.
_SIGNS: Final = (
    (b"debug", b"trace", b'"d', b"[d", b":d"),
    (b"info", b"notice", b'"i', b"[i", b":i"),
    (b"warn", b'"w', b"[w", b":w"),
    (b"error", b"critical", b"fatal", b"exception", b"traceback", b'"e', b"[e", b":e", b'"f', b"[f", b'"c', b"[c"),
)


class Lines(NamedTuple):
    """Consecutive lines as they were printed."""

    texts: list[str]
    times: list[float]  # of each, or empty where nobody wrote them


def lines(data: bytes) -> Lines:
    """The lines of a document; raises BadValue."""
    try:
        content: Any = orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            content = json.loads(data)  # which takes times that are infinite
        except (ValueError, RecursionError) as error:
            raise BadValue("the lines are not valid JSON") from error
    texts = content.get("lines") if isinstance(content, dict) else None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadValue("the record contains no lines")
    times = content.get("times")
    is_timed = isinstance(times, list) and len(times) == len(texts)
    return Lines(texts, times if is_timed else [])


def plain(text: str) -> str:
    """A line without colours and other control sequences of terminals."""
    return _CONTROL.sub("", text) if "\x1b" in text else text


def levels(texts: Sequence[str]) -> list[int | None]:
    """The level of each line by the usual prefixes, as places in LEVELS; all lines of a traceback are errors."""
    levels: list[int | None] = []
    is_trace = False
    for text in texts:
        if is_trace and text[:1] in (" ", "\t"):
            levels.append(3)
            continue
        level = _level(text)
        if is_trace and level is None and text:
            level = 3  # the exception itself
        is_trace = _TRACEBACK in text[:_LOOKED_AT]
        levels.append(level)
    return levels


def _level(text: str) -> int | None:
    match = _LEVEL.search(text, 0, _LOOKED_AT)
    return _NUMBERS[str(match[match.lastgroup or 0]).lower()] if match else None


class Wanted:
    """Which lines are searched for: those that contain a text, ignoring the case of a to z, of a level or above."""

    def __init__(self, contains: str = "", level: str | None = None) -> None:
        self._text = _lowered(contains)
        self._encoded = json.dumps(contains, ensure_ascii=False)[1:-1].encode("utf-8", "replace").lower()
        self._level = LEVELS.index(level) if level else None
        self._signs = [sign for signs in _SIGNS[self._level :] for sign in signs] if level else []

    def may_be_in(self, data: bytes) -> bool:
        """Whether a document may have such a line, told from its bytes; never false when it has one."""
        data = data.lower()
        has_control = b"\\" in data and b"\\u001b" in data  # the first one takes no time where there is none
        if self._signs and not has_control and not any(sign in data for sign in self._signs):
            return False
        if self._encoded in data:
            return True
        if not has_control:
            return False
        # Colours may stand inside of what is searched for; titles of windows, and backslashes before, are too rare.
        if b"\\u001b]" in data or b"\\\\u001b" in data:
            return True
        return self._encoded in _ENCODED_CONTROL.sub(b"", data)

    def places(self, texts: Sequence[str], levels: Sequence[int | None]) -> list[int]:
        """The places of such lines among these plain texts with their levels."""
        least = self._level
        return [
            place
            for place, text in enumerate(texts)
            if self._text in _lowered(text)
            and (least is None or ((level := levels[place]) is not None and level >= least))
        ]


def _lowered(text: str) -> bytes:
    return text.encode("utf-8", "replace").lower()
