"""Names of columns, normalised: lower-case words, so that `hparams/batchSize` and `Batch-Size` are the same."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_SCALAR = re.compile(r"scalar/(?P<tag>.+)/last", re.DOTALL)
_PREFIXES = ("hparam", "hparams", "user_defined", "metric", "model", "data", "environment", "config", "params", "args")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_MOST_CHARACTERS = 200  # a longer name is none that a rule knows


class NormalisedName(NamedTuple):
    words: tuple[str, ...]
    is_scalar: bool


@lru_cache(maxsize=20_000)
def normalised(name: str) -> NormalisedName:
    """The words of a name without the group that it stands in."""
    match = _SCALAR.fullmatch(name)
    rest = name if match is None else match["tag"]
    while True:
        group, slash, behind = rest.partition("/")
        if not slash or group.lower() not in _PREFIXES or not behind:
            break
        rest = behind
    return NormalisedName(words_of(rest), match is not None)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text: parted by separators and by capital letters, all in lower case."""
    return tuple(word.lower() for word in _WORD.findall(text[:_MOST_CHARACTERS]))


def scalar_column(tag: str) -> str:
    """The column of the last values of a scalar."""
    return f"scalar/{tag}/last"


def scalar_tag(name: str) -> str:
    """The scalar whose last values a column has; empty for other columns."""
    match = _SCALAR.fullmatch(name)
    return "" if match is None else match["tag"]
