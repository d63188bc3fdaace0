r"""Patterns of text logs that users write: a JSON file, a list of objects with `name`, `line` and perhaps `files`.

    [{"name": "ours", "files": "train*.log", "line": "step (?P<step>\\d+) loss=(?P<loss>\\S+) acc=(?P<acc>\\S+)"}]

Each group of `line` is a value of the line; `step` must be there. `time` may be: unix seconds, or a date and time,
local where no zone stands with it. `pairs` with two groups finds further names and values behind that. `files` is a
name in which * and ? stand for anything; names end in .log, .out or .err.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import regex

from mindinsight_like.trackers.texts.line_patterns import LinePattern

log = logging.getLogger(__name__)

_MOST_BYTES: Final = 256 * 1024
_MOST_PATTERNS: Final = 100
_KEYS: Final = frozenset({"name", "line", "pairs", "files"})
_patterns: tuple[LinePattern, ...] = ()


class PatternsUnreadable(Exception):
    """A file of patterns cannot be used; the message is for people."""


def use(path: str) -> None:
    """Let logs be read by the patterns of a file from now on, or by none; says in the log if it cannot be used."""
    global _patterns
    try:
        _patterns = load(path) if path else ()
    except PatternsUnreadable as error:
        log.warning("--line-patterns: %s", error)
        _patterns = ()


def in_use() -> Sequence[LinePattern]:
    """The patterns that logs are read by."""
    return _patterns


def load(path: str) -> tuple[LinePattern, ...]:
    """The patterns of a file; raises PatternsUnreadable."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise PatternsUnreadable(f"{path} cannot be read: {error.strerror}") from error
    if len(content) > _MOST_BYTES:
        raise PatternsUnreadable(f"{path} is too large")
    try:
        return parse(content)
    except PatternsUnreadable as error:
        raise PatternsUnreadable(f"{path}: {error}") from error


def parse(content: bytes) -> tuple[LinePattern, ...]:
    """The patterns that a file with this content holds; raises PatternsUnreadable."""
    try:
        rows = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise PatternsUnreadable(f"it is not JSON: {error}") from error
    if not isinstance(rows, list) or len(rows) > _MOST_PATTERNS:
        raise PatternsUnreadable(f"it is not a list of at most {_MOST_PATTERNS} patterns")
    patterns = tuple(_pattern(row, number) for number, row in enumerate(rows, 1))
    if len({each.name for each in patterns}) < len(patterns):
        raise PatternsUnreadable("two patterns have the same name")
    return patterns


def _pattern(row: Any, number: int) -> LinePattern:
    if not isinstance(row, dict) or not all(isinstance(value, str) for value in row.values()):
        raise PatternsUnreadable(f"pattern {number} is not an object of texts")
    if unknown := row.keys() - _KEYS:
        raise PatternsUnreadable(f"pattern {number} has an unknown key: {min(unknown)}")
    line = _compiled(row.get("line", ""), number, "line", regex.MULTILINE)
    if "step" not in line.groupindex:
        raise PatternsUnreadable(f"pattern {number}: line has no group (?P<step>...)")
    pairs = _compiled(row["pairs"], number, "pairs", 0) if "pairs" in row else None
    if pairs is not None and pairs.groups != 2:
        raise PatternsUnreadable(f"pattern {number}: pairs has not two groups")
    if pairs is None and not line.groupindex.keys() - {"step", "time"}:
        raise PatternsUnreadable(f"pattern {number}: line has no group for a value")
    return LinePattern(row.get("name") or f"pattern {number}", line, pairs, files=row.get("files", "*.log"))


def _compiled(text: str, number: int, key: str, flags: int) -> regex.Pattern[str]:
    try:
        return regex.compile(text, flags)
    except (regex.error, RecursionError, OverflowError) as error:
        raise PatternsUnreadable(f"pattern {number}: {key} is no regular expression: {error}") from error
