"""Which columns of a table each canonical field comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .names import normalised, words_of
from .rules import FieldRule


@dataclass(frozen=True)
class FieldSources:
    """The columns of one field, most trusted first."""

    rule: FieldRule
    columns: tuple[str, ...]  # two that differ in a run contradict each other
    fallbacks: tuple[str, ...]  # for runs that have none of the others

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def all(self) -> tuple[str, ...]:
        return *self.columns, *self.fallbacks


def find_sources(rules: Sequence[FieldRule], names: Iterable[str]) -> list[FieldSources]:
    """The fields that any of the columns belongs to, each column to one field at most."""
    by_column: dict[str, tuple[int, int, bool]] = {}  # -> field, place in its order, whether it is a fallback
    by_words: dict[tuple[str, ...], tuple[int, int, bool]] = {}
    for number, rule in sorted(enumerate(rules), key=lambda item: not item[1].is_custom):
        for place, column in enumerate(rule.columns):
            by_column.setdefault(column, (number, place, False))
        begin = len(rule.columns)
        for place, alias in enumerate((rule.name, *rule.aliases), begin):
            if alias == rule.name and words_of(alias) in map(words_of, rule.fallbacks):
                continue
            by_words.setdefault(words_of(alias), (number, place, False))
        for place, alias in enumerate(rule.fallbacks):
            by_words.setdefault(words_of(alias), (number, place, True))
    members: dict[int, list[tuple[bool, bool, int, int, str]]] = {}
    for order, name in enumerate(names):
        words, is_scalar = normalised(name)
        match = by_column.get(name) or by_words.get(words)
        if match is None or (is_scalar and not rules[match[0]].has_scalars):
            continue
        number, place, is_fallback = match
        # What somebody recorded as the result comes before the last value of a curve.
        members.setdefault(number, []).append((is_fallback, is_scalar, place, order, name))
    fields = []
    for number in sorted(members):
        ordered = sorted(members[number])
        fields.append(
            FieldSources(
                rules[number],
                tuple(name for is_fallback, *_, name in ordered if not is_fallback),
                tuple(name for is_fallback, *_, name in ordered if is_fallback),
            )
        )
    return fields
