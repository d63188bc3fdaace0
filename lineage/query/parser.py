"""Parser of the search box's query language: text to a tree of conditions. Queries are never run as code.

    metric/accuracy > 0.9 and optimizer = "Adam" and lr in [1e-3, 1e-4]
    not (epoch < 10) or user_defined/version contains "beta"
    loss is missing
    resnet batch_size >= 32          words on their own look into the run's name; `and` may be left out

A column goes by its whole name (`hparam/lr`), by any name of a canonical field (`lr` for `learning_rate`), or by the
part after its group where only one column ends so.
Names with blanks, quotes, brackets, commas or signs of comparison stand in backquotes. Signs and quotes may also be
those of Chinese keyboards: `lr ＞ 0.1 and optimizer = “Adam”`.
"""

from __future__ import annotations

import re

from mindinsight_like.lineage.columns import Table, Value

from .conditions import EVERYTHING, All, AnyOf, Comparison, Condition, Missing, Not
from .lexer import Token, tokens
from .problems import BadQuery, Problem, Wanted

RUN_NAME = "run"  # the column that holds the names of runs
DISPLAY_NAME = "display_name"  # and that of names which writers or people gave them
_MOST_CHARACTERS = 20_000
_MOST_NESTED = 50

_SIGNS = {"=": "eq", "==": "eq", "!=": "ne", "<>": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_SIGNS |= {"≠": "ne", "≤": "le", "≥": "ge"}
_ORDERS = ("lt", "le", "gt", "ge")

_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)")


def parse(text: str, table: Table) -> Condition:
    """The condition that a query stands for, over the columns of a table; raises BadQuery."""
    if len(text) > _MOST_CHARACTERS:
        raise BadQuery("too_long", 0, most=_MOST_CHARACTERS)
    parts = tokens(text)
    for part in parts:
        if part.kind == "open":
            raise BadQuery("never_closed", part.begin, text=part.text[0])
        if part.kind == "other":
            raise BadQuery("meaningless", part.begin, text=part.text)
    if not parts:
        return EVERYTHING
    return _Parser(parts, table, len(text)).parse()


class _Parser:
    def __init__(self, parts: list[Token], table: Table, length: int) -> None:
        self._parts = parts
        self._names = ColumnNames(table)
        self._has_display_names = DISPLAY_NAME in table
        self._length = length
        self._at = 0
        self._depth = 0

    def parse(self) -> Condition:
        condition = self._or_expression()
        if (rest := self._next()) is not None:
            raise _wrong("unexpected", rest, text=rest.text)
        return condition

    # --- precedence levels, lowest first ---

    def _or_expression(self) -> Condition:
        terms = [self._and_expression()]
        while self._take_keyword("or"):
            terms.append(self._and_expression())
        return terms[0] if len(terms) == 1 else AnyOf(tuple(terms))

    def _and_expression(self) -> Condition:
        terms = [self._not_expression()]
        while self._take_keyword("and") or self._begins_condition():
            terms.append(self._not_expression())
        return terms[0] if len(terms) == 1 else All(tuple(terms))

    def _begins_condition(self) -> bool:
        part = self._next()
        if part is None or part.keyword in ("or", "and"):
            return False
        return part.kind in ("word", "quoted", "text") or part.text == "("

    def _not_expression(self) -> Condition:
        self._depth += 1
        if self._depth > _MOST_NESTED:
            part = self._next()
            raise BadQuery("too_many_levels", part.begin if part else self._length, most=_MOST_NESTED)
        try:
            if self._take_keyword("not"):
                return Not(self._not_expression())
            if self._take_mark("("):
                inner = self._or_expression()
                if not self._take_mark(")"):
                    raise self._missing("closing_bracket")
                return inner
            return self._comparison()
        finally:
            self._depth -= 1

    def _named(self, word: str) -> Condition:
        """Runs with a word in their name, or in the one that their writer or people gave them."""
        own = Comparison(RUN_NAME, "contains", word)
        return AnyOf((own, Comparison(DISPLAY_NAME, "contains", word))) if self._has_display_names else own

    def _comparison(self) -> Condition:
        part = self._expect("column")
        if part.kind == "text":
            return self._named(_unquoted(part))
        if part.kind not in ("word", "quoted") or part.keyword:
            raise _wrong("other_expected", part, wanted="column", text=part.text)
        follower = self._next()
        if follower is None or not self._compares(follower):
            if part.kind == "quoted":
                raise self._missing("comparison", of=part.text)
            return self._named(part.text)
        column = self._names.resolve(part)
        if follower.kind == "sign":
            self._at += 1
            operator = _SIGNS[follower.text]
            return Comparison(column, operator, self._value(operator))
        if self._take_keyword("contains"):
            return Comparison(column, "contains", self._text())
        if self._take_keyword("is"):
            is_negated = self._take_keyword("not")
            if not self._take_keyword("missing"):
                raise self._missing("missing")
            return Not(Missing(column)) if is_negated else Missing(column)
        is_negated = self._take_keyword("not")
        self._take_keyword("in")
        return Comparison(column, "not_in" if is_negated else "in", self._list())

    # --- values ---

    def _value(self, operator: str) -> Value:
        part = self._expect("value")
        value = _value_of(part)
        if value is None:
            raise _wrong("other_expected", part, wanted="value", text=part.text)
        if isinstance(value, bool) and operator in _ORDERS:
            raise _wrong("without_order", part)
        return value

    def _text(self) -> str:
        part = self._expect("text")
        if part.kind not in ("text", "word"):
            raise _wrong("other_expected", part, wanted="text", text=part.text)
        return _unquoted(part)

    def _list(self) -> tuple[Value, ...]:
        close = "]" if self._take_mark("[") else ")" if self._take_mark("(") else None
        if close is None:
            raise self._missing("list")
        values: list[Value] = []
        while not self._take_mark(close):
            if values and not self._take_mark(","):
                raise self._missing("comma_or_end", of=close)
            values.append(self._value("in"))
        return tuple(values)

    # --- moving on ---

    def _next(self) -> Token | None:
        return self._parts[self._at] if self._at < len(self._parts) else None

    def _expect(self, expected: Wanted) -> Token:
        part = self._next()
        if part is None:
            raise self._missing(expected)
        self._at += 1
        return part

    def _compares(self, part: Token) -> bool:
        """Whether the next part, this one, says how a column is compared."""
        is_not_in = [each.keyword for each in self._parts[self._at : self._at + 2]] == ["not", "in"]
        return part.kind == "sign" or part.keyword in ("in", "contains", "is") or is_not_in

    def _take_keyword(self, word: str) -> bool:
        part = self._next()
        is_match = part is not None and part.keyword == word
        self._at += is_match
        return is_match

    def _take_mark(self, mark: str) -> bool:
        part = self._next()
        is_match = part is not None and part.kind == "mark" and part.text == mark
        self._at += is_match
        return is_match

    def _missing(self, expected: Wanted, of: str = "") -> BadQuery:
        part = self._next()
        if part is None:
            return BadQuery("ends_early", self._length, wanted=expected, of=of)
        return _wrong("other_expected", part, wanted=expected, of=of, text=part.text)


def _wrong(problem: Problem, part: Token, **about: object) -> BadQuery:
    return BadQuery(problem, part.begin, len(part.text), **about)


class ColumnNames:
    """Finds columns by whole names, by what the table agrees on, or by the part after their group."""

    def __init__(self, table: Table) -> None:
        names = table.names
        self._table = table
        self._whole = {name.lower(): name for name in reversed(names)}
        self._short: dict[str, list[str]] = {}
        for name in names:
            group, slash, rest = name.partition("/")
            if slash and group:
                self._short.setdefault(rest.lower(), []).append(name)

    def has(self, name: str) -> bool:
        """Whether a name stands for a column, or for several."""
        return self._unambiguous(name) is not None or name.lower() in self._short

    def resolve(self, part: Token) -> str:
        """The column a token names; raises BadQuery with what is near."""
        name = part.text[1:-1] if part.kind == "quoted" else part.text
        if (column := self._unambiguous(name)) is not None:
            return column
        candidates = self._short.get(name.lower(), [])
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            raise _wrong("ambiguous_column", part, name=name, columns=candidates[:5])
        import difflib

        near = difflib.get_close_matches(name.lower(), [*self._whole, *self._short], n=3, cutoff=0.6)
        raise _wrong("unknown_column", part, name=name, near=near)

    def _unambiguous(self, name: str) -> str | None:
        if name in self._table:
            return name
        return self._whole.get(name.lower()) or self._table.meaning(name)


def _value_of(part: Token) -> Value | None:
    if part.kind == "text":
        return _unquoted(part)
    if part.kind != "word":
        return None
    if part.keyword in ("true", "false"):
        return part.keyword == "true"
    if part.keyword:
        return None
    number = number_of(part.text)
    return part.text if number is None else number


def number_of(text: str) -> int | float | None:
    """The number a text stands for, if it does."""
    lower = text.lower().lstrip("+-")
    if lower in ("nan", "inf", "infinity"):
        return float(text)
    if not _NUMBER.fullmatch(text):
        return None
    plain = text.replace("_", "")
    if re.fullmatch(r"[+-]?\d{1,400}", plain):
        return int(plain)
    return float(plain)


def _unquoted(part: Token) -> str:
    if part.kind != "text":
        return part.text
    if part.text[0] in "“‘":
        return part.text[1:-1]
    return re.sub(r"\\(.)", r"\1", part.text[1:-1], flags=re.DOTALL)
