"""Lexer of expressions over scalars: numbers, names, operators and brackets, with their positions.

Tags often contain `/` and `-`, which are operators, too. In quotes a name is what it is; without, `a/b` is the tag of
that name if the run has it, else `a` divided by `b`. Which tags there are is therefore known to the lexer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from mindinsight_like.errors import BadParameter

MOST_CHARACTERS: Final = 2000
_MOST_CANDIDATES = 300  # names that the words of an expression may be, read together or apart

FUNCTIONS: Final = ("abs", "delta", "ema", "log")

_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_NAME = r"[^\W\d][\w.:#@%$]*"
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
      | (?P<quoted>"(?:[^"\\]|\\.)*"|`[^`]*`)
      | (?P<words>{_NAME}(?:[/-][\w.:#@%$]+)*)
      | (?P<number>{_NUMBER})
      | (?P<mark>[-+*/(),])""",
    re.VERBOSE,
)
_WIDE = str.maketrans("（），＋－×÷＊／", "(),+-*/*/")

Kind = Literal["number", "tag", "function", "mark", "end"]


@dataclass(frozen=True)
class Token:
    kind: Kind
    text: str  # of a tag: its name, without quotes
    begin: int
    end: int


Problem = Literal[
    "too_long",
    "open_quote",
    "unexpected",
    "expected",
    "ambiguous",
    "too_deep",
    "too_many",
    "no_tag",
    "unknown_tag",
    "unknown_function",
    "bad_weight",
]
PROBLEMS: tuple[Problem, ...] = get_args(Problem)


class BadExpression(BadParameter):
    """An expression that cannot be read: `details` has a code for the problem, the place, and what stands there."""

    def __init__(self, problem: Problem, message: str, begin: int, end: int, text: str = "") -> None:
        place = f"at character {begin + 1}" if end > begin else "at its end"
        super().__init__(
            f"{message} ({place}).", parameter="expression", problem=problem, position=begin, end=end, text=text[:100]
        )


def check_length(text: str) -> None:
    """Raises BadExpression for what is too long to be read."""
    if len(text) > MOST_CHARACTERS:
        message = f"the expression has {len(text):,} characters; at most {MOST_CHARACTERS:,} are allowed"
        raise BadExpression("too_long", message, MOST_CHARACTERS, len(text))


def possible_tags(text: str) -> list[str]:
    """Every name that is a tag of the expression if a run has it; raises BadExpression."""
    names: dict[str, None] = {}
    for kind, match in _matches(text):
        if kind == "quoted":
            names[_unquoted(match[0])] = None
        elif kind == "words":
            bounds = [match.start(), *(place for place, _ in _cuts(match)), match.end()]
            if len(names) + len(bounds) ** 2 // 2 > _MOST_CANDIDATES:
                message = "too many / and - in a row: put names with them in quotes"
                raise BadExpression("ambiguous", message, *match.span())
            for first, low in enumerate(bounds[:-1]):
                for high in bounds[first + 1 :]:
                    names[text[low if low == bounds[0] else low + 1 : high]] = None
    return list(names)


def tokens(text: str, tags: Collection[str]) -> list[Token]:
    """The parts of an expression for a run with these tags, and its end; raises BadExpression."""
    result: list[Token] = []
    for kind, match in _matches(text):
        if kind == "quoted":
            result.append(Token("tag", _unquoted(match[0]), *match.span()))
        elif kind == "words":
            is_call = re.match(r"\s*[(（]", text[match.end() :]) is not None
            result += _words(text, match, tags, is_call=is_call)
        elif kind == "number":
            result.append(Token("number", match[0], *match.span()))
        else:
            result.append(Token("mark", match[0], *match.span()))
    return [*result, Token("end", "", len(text), len(text))]


def _matches(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    check_length(text)
    plain = text.translate(_WIDE)
    at = 0
    while at < len(text):
        match = _TOKEN.match(plain, at)
        if match is None or match.lastgroup is None:
            if text[at] in '"`':
                raise BadExpression("open_quote", "a quote without its end", at, len(text))
            raise BadExpression("unexpected", f"unexpected {text[at]!r}", at, at + 1, text[at])
        if match.lastgroup != "space":
            yield match.lastgroup, match
        at = match.end()


def _unquoted(text: str) -> str:
    return text[1:-1] if text[0] == "`" else re.sub(r"\\(.)", r"\1", text[1:-1])


def _cuts(match: re.Match[str]) -> list[tuple[int, str]]:
    """Where words joined by operators may be taken apart."""
    return [(match.start() + each.start(), each[0]) for each in re.finditer("[/-]", match[0])]


def _words(text: str, match: re.Match[str], tags: Collection[str], *, is_call: bool) -> list[Token]:
    """A name, or several with operators between them, each the longest that is a tag; the last may be a function."""
    begin, end = match.span()
    cuts = _cuts(match)
    result: list[Token] = []
    if is_call:  # what stands before the bracket is no tag
        last = cuts[-1][0] + 1 if cuts else begin
        function = Token("function", text[last:end], last, end)
        if last == begin:
            return [function]
        mark = Token("mark", text[last - 1], last - 1, last)
        return [*_apart(text, begin, last - 1, cuts[:-1], tags), mark, function]
    result += _apart(text, begin, end, cuts, tags)
    return result


def _apart(text: str, begin: int, end: int, cuts: list[tuple[int, str]], tags: Collection[str]) -> list[Token]:
    result: list[Token] = []
    while True:
        rest = text[begin:end]
        if re.fullmatch(_NUMBER, rest):
            return [*result, Token("number", rest, begin, end)]
        if rest in tags:
            return [*result, Token("tag", rest, begin, end)]
        inner = [cut for cut in cuts if cut[0] > begin]
        known = [cut for cut in inner if _is_operand(text[begin : cut[0]], tags)]
        if not known:
            return [*result, Token("tag", rest, begin, end)]
        place, mark = known[-1]
        kind: Kind = "tag" if text[begin:place] in tags else "number"
        result += [Token(kind, text[begin:place], begin, place), Token("mark", mark, place, place + 1)]
        begin = place + 1


def _is_operand(text: str, tags: Collection[str]) -> bool:
    return text in tags or re.fullmatch(_NUMBER, text) is not None
