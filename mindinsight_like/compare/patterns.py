"""Regular expressions that people type, tried on the names of runs for a limited time."""

from __future__ import annotations

import time
from collections.abc import Sequence

import regex

from mindinsight_like.errors import BadParameter

_PATIENCE_SECONDS = 1.0  # for all names together
_LONGEST = 1000


class NamePattern:
    """An expression that is searched for in names; raises BadParameter, also when that takes too long.

    Python's own expressions cannot be stopped: one that backtracks without end would hold up the whole process.
    """

    def __init__(self, text: str, *, parameter: str) -> None:
        self._parameter = parameter
        if len(text) > _LONGEST:
            raise BadParameter(f"{parameter}: at most {_LONGEST} characters.", parameter=parameter)
        try:
            self._pattern = regex.compile(text)
        except (regex.error, OverflowError, RecursionError) as error:
            raise BadParameter(f"{parameter}: {error}.", parameter=parameter) from error

    def matched(self, names: Sequence[str]) -> list[bool]:
        """Which of the names match somewhere."""
        return [match is not None for match in self._searched(names)]

    def captured(self, names: Sequence[str]) -> list[str]:
        """What the first group matches in each name, or the whole expression without groups; empty where nothing."""
        place = 1 if self._pattern.groups else 0
        return ["" if match is None else match[place] or "" for match in self._searched(names)]

    def _searched(self, names: Sequence[str]) -> list[regex.Match[str] | None]:
        until = time.monotonic() + _PATIENCE_SECONDS
        try:
            # Each name takes what is left of the time, which the next one then lacks.
            return [
                self._pattern.search(name, timeout=max(until - time.monotonic(), 1e-6), concurrent=True)
                for name in names
            ]
        except TimeoutError as error:
            message = f"{self._parameter}: this expression takes too long; repetitions inside repetitions do."
            raise BadParameter(message, parameter=self._parameter) from error
