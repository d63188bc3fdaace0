"""What can be wrong with a query: a word for programs, a sentence for people, and the place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from mindinsight_like.errors import BadParameter

Problem = Literal[
    "too_long",
    "never_closed",
    "meaningless",
    "unexpected",
    "too_many_levels",
    "ends_early",
    "other_expected",
    "without_order",
    "ambiguous_column",
    "unknown_column",
]
Wanted = Literal["column", "value", "text", "comparison", "missing", "list", "closing_bracket", "comma_or_end"]

PROBLEMS: tuple[Problem, ...] = get_args(Problem)
WANTED: tuple[Wanted, ...] = get_args(Wanted)

_WANTED: dict[Wanted, str] = {
    "column": "a column",
    "value": "a value",
    "text": "a text",
    "comparison": "a comparison with {of}",
    "missing": "the word missing",
    "list": "a list in brackets, as in [1, 2]",
    "closing_bracket": "a closing bracket )",
    "comma_or_end": ", or {of}",
}


class BadQuery(BadParameter):
    """A query that cannot be understood, and where in it.

    The details name the problem and what it is about, so that a page can say it in another language.
    """

    def __init__(self, problem: Problem, position: int, length: int = 1, **about: object) -> None:
        message = f"query: {_SENTENCES[problem](about)} (at character {position + 1})"
        super().__init__(message, position=position, length=length, problem=problem, **about)
        self.position = position


def _wanted(about: Mapping[str, Any]) -> str:
    return _WANTED[about["wanted"]].format(of=about.get("of"))


def _unknown(about: Mapping[str, Any]) -> str:
    near = ", ".join(about["near"])
    return f"there is no column {about['name']!r}{near and f'; near are {near}'}"


_SENTENCES: dict[Problem, Callable[[Mapping[str, Any]], str]] = {
    "too_long": lambda about: f"it is longer than {about['most']:,} characters",
    "never_closed": lambda about: f"the {about['text']} is never closed",
    "meaningless": lambda about: f"{about['text']!r} means nothing here",
    "unexpected": lambda about: f"{about['text']!r} was not expected",
    "too_many_levels": lambda about: f"more than {about['most']} levels",
    "ends_early": lambda about: f"it ends where {_wanted(about)} is missing",
    "other_expected": lambda about: f"expected {_wanted(about)}, not {about['text']!r}",
    "without_order": lambda _: "true and false have no order",
    "ambiguous_column": lambda about: f"{about['name']!r} may be {' or '.join(about['columns'])}",
    "unknown_column": _unknown,
}
