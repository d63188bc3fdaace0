"""Autocompletion for queries: columns, operators and values that fit at the cursor."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mindinsight_like.lineage.columns import Table, as_text

from .lexer import WORD, Token, tokens
from .parser import ColumnNames
from .problems import BadQuery

_COMPARISONS = {
    "text": ("=", "!=", "contains", "in", "is missing"),
    "bool": ("=", "!=", "is missing"),
}
_NUMBER_COMPARISONS = ("<", "<=", ">", ">=", "=", "!=", "in", "is missing")
_JOINS = ("and", "or")
_MOST = 30
_PLAIN_NAME = re.compile(WORD)


@dataclass(frozen=True)
class Suggestion:
    kind: str  # column, operator, value or word
    text: str  # what to write
    label: str  # what to show


@dataclass(frozen=True)
class Completion:
    """Suggestions, and the part of the query that the chosen one replaces."""

    begin: int
    end: int
    suggestions: list[Suggestion]


def complete(text: str, cursor: int, table: Table) -> Completion:
    """What fits at the cursor; `table` gives columns and the values in them."""
    before = tokens(text[:cursor])
    is_typing = bool(before) and before[-1].end == cursor and before[-1].kind in ("word", "open", "text", "quoted")
    typed = before[-1] if is_typing else None
    context = before[:-1] if typed else before
    begin = typed.begin if typed else cursor
    fragment = typed.text.strip("\"'`“”‘’").lower() if typed else ""
    suggestions = [each for each in _candidates(context, table) if fragment in each.label.lower()]
    suggestions.sort(key=lambda each: not each.label.lower().startswith(fragment))
    return Completion(begin, cursor, suggestions[:_MOST])


def _candidates(context: list[Token], table: Table) -> list[Suggestion]:
    last = context[-1] if context else None
    if last is None or last.keyword in _JOINS or last.keyword == "not" or last.text == "(":
        return _columns(table)
    if last.kind == "sign" or last.keyword == "contains":
        return _values(context[-2:-1], table)
    if (column := _list_column(context)) is not None:
        return _values([column], table)
    if last.keyword == "in":
        return [Suggestion("word", "[", "[")]
    if last.keyword == "is":
        return [Suggestion("word", each, each) for each in ("missing", "not missing")]
    name = _resolved(last, table)
    if name is not None and _is_column_place(context):
        kind = table.column(name).type
        return [Suggestion("operator", each, each) for each in _COMPARISONS.get(kind, _NUMBER_COMPARISONS)]
    return [Suggestion("word", each, each) for each in _JOINS]


def _is_column_place(context: list[Token]) -> bool:
    """Whether the last token stands where a column is expected, not a value."""
    previous = context[-2] if len(context) > 1 else None
    if previous is None:
        return True
    return not (previous.kind == "sign" or previous.keyword in ("contains", "in") or previous.text in ("[", ","))


def _list_column(context: list[Token]) -> Token | None:
    """The column of the list that is open at the end, after `[` or a comma."""
    if context[-1].text not in ("[", ","):
        return None
    for place in range(len(context) - 1, 0, -1):
        if context[place].text == "]":
            return None
        if context[place].keyword == "in":
            return context[place - (2 if context[place - 1].keyword == "not" else 1)]
    return None


def _columns(table: Table) -> list[Suggestion]:
    return [Suggestion("column", _written(name), name) for name in table.names]


def _values(column: list[Token], table: Table) -> list[Suggestion]:
    name = _resolved(column[0], table) if column else None
    if name is None:
        return []
    counts: dict[object, int] = {}
    for value in table.column(name).values:
        if value is not None:
            counts[value] = counts.get(value, 0) + 1
    common = sorted(counts, key=lambda value: -counts[value])[:500]
    return [
        Suggestion("value", f'"{_escaped(value)}"' if isinstance(value, str) else as_text(value), as_text(value))  # type: ignore[arg-type]
        for value in common
    ]


def _resolved(part: Token, table: Table) -> str | None:
    try:
        return ColumnNames(table).resolve(part)
    except BadQuery:
        return None


def _written(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else f"`{name}`"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
