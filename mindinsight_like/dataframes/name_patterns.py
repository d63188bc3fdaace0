"""Select names exactly or by shell pattern (`*`, `?`, `[...]`), for the Python API."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

Names = str | Iterable[str]
_PATTERN = re.compile(r"[*?\[]")


def listed(names: Names) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def has_pattern(names: Names) -> bool:
    return any(_PATTERN.search(name) for name in listed(names))


def expand(patterns: Names, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The known names that are wanted, in the order asked for, each once; and those wanted that nothing matches.

    A name that exists is meant literally, whatever characters it has.
    """
    exact = set(names)
    chosen: dict[str, None] = {}
    unmatched = []
    for name in listed(patterns):
        matches = [name] if name in exact else [each for each in names if fnmatchcase(each, name)]
        if not matches:
            unmatched.append(name)
        chosen |= dict.fromkeys(matches)
    return list(chosen), unmatched


def suggestion(name: str, candidates: Iterable[str]) -> str:
    """What a misspelt name may have been meant to be, as the end of a sentence; empty when nothing is near."""
    near = difflib.get_close_matches(name, list(candidates), n=3)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
