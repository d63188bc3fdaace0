"""Query errors: a stable code for programs, a message for people, and the position in the query."""

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
    "text": "text",
    "comparison": "a comparison with {of}",
    "missing": "the keyword missing",
    "list": "a list in square brackets such as [1, 2]",
    "closing_bracket": "a closing parenthesis )",
    "comma_or_end": "a comma or {of}",
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
    return f"unknown column {about['name']!r}{near and f'; did you mean {near}?'}"


_SENTENCES: dict[Problem, Callable[[Mapping[str, Any]], str]] = {
    "too_long": lambda about: f"longer than {about['most']:,} characters",
    "never_closed": lambda about: f"missing closing {about['text']}",
    "meaningless": lambda about: f"invalid token {about['text']!r}",
    "unexpected": lambda about: f"unexpected {about['text']!r}",
    "too_many_levels": lambda about: f"more than {about['most']} levels of nesting",
    "ends_early": lambda about: f"incomplete: expected {_wanted(about)}",
    "other_expected": lambda about: f"expected {_wanted(about)}, found {about['text']!r}",
    "without_order": lambda _: "booleans can only be compared with = and !=",
    "ambiguous_column": lambda about: f"ambiguous column {about['name']!r}: {' or '.join(about['columns'])}",
    "unknown_column": _unknown,
}
