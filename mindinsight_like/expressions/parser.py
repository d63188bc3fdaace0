"""Parser of expressions over scalars: a tree of numbers, tags, operators and functions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from mindinsight_like.expressions.tokens import FUNCTIONS, BadExpression, Token, tokens

_DEEPEST = 60  # brackets and signs within each other
_MOST_OPERATIONS = 100


@dataclass(frozen=True, eq=False)
class Number:
    value: float


@dataclass(frozen=True, eq=False)
class Tag:
    name: str
    begin: int
    end: int


@dataclass(frozen=True, eq=False)
class Operation:
    """`sign` is one of + - * /."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, eq=False)
class Call:
    """`function` is one of FUNCTIONS; `weight` is that of an average."""

    function: str
    of: Node
    weight: float = 0.0


Node: TypeAlias = "Number | Tag | Operation | Call"


@dataclass(frozen=True)
class Expression:
    root: Node
    tags: tuple[Tag, ...]
    needs_baseline: bool


@lru_cache(maxsize=512)
def parse(text: str, tags: frozenset[str]) -> Expression:
    """An expression as a run with these tags has it; raises BadExpression."""
    return _Parser(tokens(text, tags)).expression()


def tags_in(expression: Expression) -> list[str]:
    """The tags that it names, each once."""
    return list(dict.fromkeys(tag.name for tag in expression.tags))


class _Parser:
    def __init__(self, parts: list[Token]) -> None:
        self._parts, self._at = parts, 0
        self._depth = self._operations = 0
        self._tags: list[Tag] = []
        self._needs_baseline = False

    def expression(self) -> Expression:
        root = self._sum()
        if self._next.kind != "end":
            raise self._unexpected("an operator")
        if not self._tags:
            raise BadExpression("no_tag", "the expression names no tag", 0, self._next.end)
        return Expression(root, tuple(self._tags), self._needs_baseline)

    @property
    def _next(self) -> Token:
        return self._parts[self._at]

    def _take(self, *marks: str) -> Token | None:
        """The next part if it is one of these."""
        if self._next.kind != "mark" or self._next.text not in marks:
            return None
        self._at += 1
        return self._parts[self._at - 1]

    def _expect(self, mark: str) -> None:
        if self._take(mark) is None:
            raise self._unexpected(f"'{mark}'")

    def _unexpected(self, wanted: str) -> BadExpression:
        part = self._next
        what = f"'{part.text[:40]}'" if part.kind != "end" else "the end"
        return BadExpression("expected", f"expected {wanted}, not {what}", part.begin, part.end, part.text)

    def _sum(self) -> Node:
        left = self._product()
        while (mark := self._take("+", "-")) is not None:
            left = self._operation(mark, left, self._product())
        return left

    def _product(self) -> Node:
        left = self._factor()
        while (mark := self._take("*", "/")) is not None:
            left = self._operation(mark, left, self._factor())
        return left

    def _operation(self, mark: Token, left: Node, right: Node) -> Operation:
        self._count(mark)
        return Operation(mark.text, left, right)

    def _count(self, part: Token) -> None:
        self._operations += 1
        if self._operations > _MOST_OPERATIONS:
            message = f"more than {_MOST_OPERATIONS} operators and functions"
            raise BadExpression("too_many", message, part.begin, part.end)

    def _factor(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise BadExpression("too_deep", f"nested more than {_DEEPEST} deep", self._next.begin, self._next.end)
        try:
            return self._unnested()
        finally:
            self._depth -= 1

    def _unnested(self) -> Node:
        part = self._next
        if (mark := self._take("-", "+")) is not None:
            factor = self._factor()
            return factor if mark.text == "+" else self._operation(mark, Number(0.0), factor)
        if self._take("("):
            inner = self._sum()
            self._expect(")")
            return inner
        if part.kind == "number":
            self._at += 1
            return Number(float(part.text))
        if part.kind == "tag":
            self._at += 1
            tag = Tag(part.text, part.begin, part.end)
            self._tags.append(tag)
            return tag
        if part.kind == "function":
            return self._call(part)
        raise self._unexpected("a tag, a number or '('")

    def _call(self, name: Token) -> Call:
        function = name.text.lower()
        if function not in FUNCTIONS:
            known = ", ".join(FUNCTIONS)
            message = f"unknown function '{name.text[:40]}'; there are {known}"
            raise BadExpression("unknown_function", message, name.begin, name.end, name.text)
        self._count(name)
        self._at += 1
        self._expect("(")
        of = self._sum()
        weight = self._weight() if function == "ema" else 0.0
        self._expect(")")
        self._needs_baseline |= function == "delta"
        return Call(function, of, weight)

    def _weight(self) -> float:
        self._expect(",")
        part = self._next
        if part.kind != "number" or not float(part.text) < 1.0:
            message = "ema(x, weight): the weight of the past is a number from 0 to below 1, such as 0.9"
            raise BadExpression("bad_weight", message, part.begin, part.end, part.text)
        self._at += 1
        return float(part.text)
