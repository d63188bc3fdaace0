"""Resolve what to export: runs, kinds with suitable formats, and tags."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from mindinsight_like.errors import OperationError
from mindinsight_like.export.kinds import KINDS, Write
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import Run, TagSummary

_MOST_HINTS = 5
_ALIASES = {"text": "texts", "videos": "video", "sounds": "audio"}


def chosen_runs(reader: IndexReader, words: Sequence[str]) -> list[Run]:
    """The runs that any of the words means: a name or id, else a pattern as in shells, else a regular expression."""
    runs = reader.runs.find()[1]
    if not runs:
        raise OperationError(f"no runs in {reader.base_dir}")
    if not words:
        return runs
    ids = {run.id for word in words for run in _match_runs(runs, word)}
    return [run for run in runs if run.id in ids]


def _match_runs(runs: Sequence[Run], word: str) -> list[Run]:
    matches = [run for run in runs if word in (run.name, run.id)] or [
        run for run in runs if fnmatchcase(run.name, word)
    ]
    if not matches:
        try:
            pattern = re.compile(word)
        except re.error:
            pattern = None
        matches = [run for run in runs if pattern and pattern.fullmatch(run.name)]
    if not matches:
        close = get_close_matches(word, [run.name for run in runs], _MOST_HINTS, 0.4) or [runs[0].name]
        raise OperationError(f"no run matches {word!r}; there are {len(runs)} runs, such as {', '.join(close)}")
    return matches


def chosen_writers(kinds: Sequence[str], formats: Sequence[str]) -> dict[str, Write]:
    """What writes each kind: in the first of the formats asked for that suits it.

    Kinds that were not named may be without any, and are then left out; raises OperationError for those that were.
    """
    named = [_ALIASES.get(kind.replace("_", "-"), kind.replace("_", "-")) for kind in kinds]
    for kind in named:
        if kind not in KINDS:
            raise OperationError(f"unknown kind {kind!r}; expected one of {', '.join(KINDS)}")
    chosen: dict[str, Write] = {}
    for kind in named or KINDS:
        possible = KINDS[kind].formats
        fitting = [format for format in formats if format in possible] if formats else list(possible)[:1]
        if fitting:
            chosen[kind] = possible[fitting[0]]
        elif named:
            raise OperationError(f"{kind} cannot be written as {' or '.join(formats)}; use {' or '.join(possible)}")
    if not chosen:
        raise OperationError(f"no kind can be written as {' or '.join(formats)}")
    return chosen


class TagPatterns:
    """Regular expressions of which any must be found in a tag; none at all takes every tag."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._texts = set(patterns)
        self._patterns = [_compiled(text) for text in patterns]

    def chosen(self, tags: Sequence[TagSummary]) -> list[TagSummary]:
        return [tag for tag in tags if self._matches(tag.tag)]

    def _matches(self, tag: str) -> bool:
        # A tag's own name always means it, also where its characters would mean something else in a pattern.
        return not self._patterns or tag in self._texts or any(pattern.search(tag) for pattern in self._patterns)


def _compiled(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise OperationError(f"--tag: invalid regular expression {text!r}: {error}") from error
