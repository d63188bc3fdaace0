"""What of a folder is to be exported: runs, kinds with the formats that suit them, tags."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from mindinsight_like.export.kinds import KINDS, Write
from mindinsight_like.service.errors import OperationError
from mindinsight_like.store.answers import Run, TagSummary
from mindinsight_like.store.reading import IndexReader

_MOST_HINTS = 5
_ALIASES = {"text": "texts", "videos": "video", "sounds": "audio"}


def chosen_runs(reader: IndexReader, wanted: Sequence[str]) -> list[Run]:
    """The runs that any of the words means: a name or id, else a pattern as in shells, else a regular expression."""
    runs = reader.runs()[1]
    if not runs:
        raise OperationError(f"there are no runs below {reader.base_dir}")
    if not wanted:
        return runs
    found = {run.id for word in wanted for run in _meant(runs, word)}
    return [run for run in runs if run.id in found]


def _meant(runs: Sequence[Run], word: str) -> list[Run]:
    found = [run for run in runs if word in (run.name, run.id)] or [run for run in runs if fnmatchcase(run.name, word)]
    if not found:
        try:
            pattern = re.compile(word)
        except re.error:
            pattern = None
        found = [run for run in runs if pattern and pattern.fullmatch(run.name)]
    if not found:
        close = get_close_matches(word, [run.name for run in runs], _MOST_HINTS, 0.4) or [runs[0].name]
        raise OperationError(f"no run is called or matches {word!r}; there are {len(runs)}, as {', '.join(close)}")
    return found


def chosen_writers(kinds: Sequence[str], formats: Sequence[str]) -> dict[str, Write]:
    """What writes each kind: in the first of the formats asked for that suits it.

    Kinds that were not named may be without any, and are then left out; raises OperationError for those that were.
    """
    named = [_ALIASES.get(kind.replace("_", "-"), kind.replace("_", "-")) for kind in kinds]
    for kind in named:
        if kind not in KINDS:
            raise OperationError(f"there is no kind {kind!r}; there are {', '.join(KINDS)}")
    chosen: dict[str, Write] = {}
    for kind in named or KINDS:
        possible = KINDS[kind].formats
        fitting = [format for format in formats if format in possible] if formats else list(possible)[:1]
        if fitting:
            chosen[kind] = possible[fitting[0]]
        elif named:
            raise OperationError(f"{kind} cannot be written as {' or '.join(formats)}; but as {', '.join(possible)}")
    if not chosen:
        raise OperationError(f"nothing can be written as {' or '.join(formats)}")
    return chosen


class TagPatterns:
    """Regular expressions of which any must be found in a tag; none at all takes every tag."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._texts = set(patterns)
        self._patterns = [_compiled(text) for text in patterns]

    def chosen(self, tags: Sequence[TagSummary]) -> list[TagSummary]:
        return [tag for tag in tags if self._takes(tag.tag)]

    def _takes(self, tag: str) -> bool:
        # A tag's own name always means it, also where its characters would mean something else in a pattern.
        return not self._patterns or tag in self._texts or any(pattern.search(tag) for pattern in self._patterns)


def _compiled(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise OperationError(f"--tag {text!r} is not a regular expression: {error}") from error
