"""Match user-supplied regular expressions against run names, with a timeout."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

import regex

from mindinsight_like.errors import BadParameter

_TIMEOUT_SECONDS = 1.0  # for all names together
# For a single name: the limit of `regex` counts CPU time of the process, which on a busy machine passes slowly, and it
# is only looked at between names otherwise.
_NAME_TIMEOUT_SECONDS = 0.25
_MAX_LENGTH = 1000
# Calls of groups take memory without end before any time limit is looked at.
_GROUP_CALL = re.compile(r"\(\?(?:R\)|[+-]?\d|&|P>|\(DEFINE\))")


class NamePattern:
    """An expression that is searched for in names; raises BadParameter, also when that takes too long.

    Python's own expressions cannot be stopped: one that backtracks without end would hold up the whole process.
    """

    def __init__(self, text: str, *, parameter: str) -> None:
        self._parameter = parameter
        if len(text) > _MAX_LENGTH:
            raise BadParameter(f"{parameter}: at most {_MAX_LENGTH} characters.", parameter=parameter)
        if _GROUP_CALL.search(re.sub(r"\\.", "", text, flags=re.DOTALL)):
            raise BadParameter(
                f"{parameter}: recursive patterns such as (?R) and (?1) are not supported.", parameter=parameter
            )
        try:
            self._pattern = regex.compile(text)
        except (regex.error, OverflowError, RecursionError) as error:
            raise BadParameter(f"{parameter}: {error}.", parameter=parameter) from error

    def matched(self, names: Sequence[str]) -> list[bool]:
        """Which of the names match somewhere."""
        return [match is not None for match in self._search_all(names)]

    def captured(self, names: Sequence[str]) -> list[str]:
        """What the first group matches in each name, or the whole expression without groups; empty where nothing."""
        place = 1 if self._pattern.groups else 0
        return ["" if match is None else match[place] or "" for match in self._search_all(names)]

    def _search_all(self, names: Sequence[str]) -> list[regex.Match[str] | None]:
        until = time.monotonic() + _TIMEOUT_SECONDS
        try:
            # Each name takes what is left of the time, which the next one then lacks.
            return [self._pattern.search(name, timeout=_remaining_seconds(until), concurrent=True) for name in names]
        except (TimeoutError, MemoryError) as error:
            message = f"{self._parameter}: this expression takes too long; repetitions inside repetitions do."
            raise BadParameter(message, parameter=self._parameter) from error


def _remaining_seconds(until: float) -> float:
    rest = until - time.monotonic()
    if rest <= 0:
        raise TimeoutError
    return min(rest, _NAME_TIMEOUT_SECONDS)
