"""The table of runs with canonical fields and scalars as columns, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from mindinsight_like.lineage.columns import Column, Table, Value
from mindinsight_like.lineage.fields.names import scalar_column, scalar_tag, words_of
from mindinsight_like.lineage.fields.rules import FieldRule
from mindinsight_like.lineage.fields.sources import FieldSources, find_sources
from mindinsight_like.lineage.fields.uniting import disagreeing, united
from mindinsight_like.lineage.table.scalars.scalar_store import End

MINDSPORE = "mindspore/"  # before the names of MindSpore's columns that a field has the name of
_LISTED_TAGS = 1_000  # those that most runs have; the others can be named


class Disagreement(NamedTuple):
    """What one of several sources says of a run."""

    column: str
    value: Value


class UnitedTable(Table):
    """Fields first; what they come from stays a column under its full name."""

    def __init__(
        self,
        base: Table,
        tags: Mapping[str, int],
        rules: Sequence[FieldRule],
        scalar: Callable[[str, End], Column],
        derived: Mapping[str, Callable[[], Column]] | None = None,
    ) -> None:
        """`tags`: number of runs by scalar tag, most first; `scalar` makes the column of a tag and its end.

        `derived`: further columns by name, made when they are first asked for.
        """
        self._rows = base._rows
        self._base = base
        self._columns = {}
        self.tags = tags
        self._scalar = scalar
        self._derived = {name: make for name, make in (derived or {}).items() if name not in base}
        names = [*base.names, *self._derived, *map(scalar_column, tags)]
        found = {each.name: each for each in find_sources(rules, names)}
        # A field of one column that has its name already is that column.
        self._renamed = {f"{MINDSPORE}{name}": name for name in found if name in base and len(found[name].all) > 1}
        full_names = {name: full for full, name in self._renamed.items()}
        self.fields = {
            name: FieldSources(
                each.rule,
                tuple(full_names.get(column, column) for column in each.columns),
                tuple(full_names.get(column, column) for column in each.fallbacks),
            )
            for name, each in found.items()
        }
        listed = [scalar_column(tag) for tag in list(tags)[:_LISTED_TAGS]]
        self.names = list(dict.fromkeys([*self.fields, *self._renamed, *base.names, *self._derived, *listed]))

    def __contains__(self, name: str) -> bool:
        return name in self._names or scalar_tag(name) in self.tags

    @cached_property
    def groups(self) -> Mapping[str, str]:
        return {name: each.rule.group for name, each in self.fields.items()}

    @cached_property
    def repeated(self) -> frozenset[str]:
        return frozenset(column for each in self.fields.values() for column in each.all if column != each.name)

    @cached_property
    def _by_words(self) -> dict[tuple[str, ...], str]:
        by_words: dict[tuple[str, ...], str] = {}
        for name, each in self.fields.items():
            for alias in each.rule.names:
                by_words.setdefault(words_of(alias), name)
        return by_words

    def meaning(self, name: str) -> str | None:
        """The column that a short name stands for: a field by any of its aliases, or the last values of a scalar."""
        if "/" not in name and (field := self._by_words.get(words_of(name))) is not None:
            return field
        return scalar_column(name) if name in self.tags else None

    def _build_column(self, name: str) -> Column:
        if (field := self.fields.get(name)) is not None:
            sources = [self._base.column(name) if each == name else self.column(each) for each in field.all]
            return united(name, sources)
        if (original := self._renamed.get(name)) is not None:
            return self._base.column(original).renamed(name)
        if (make := self._derived.get(name)) is not None:
            return make()
        if name not in self._base and (tag := scalar_tag(name)):
            return self._scalar(tag, "last")
        return self._base.column(name)

    def metric_tags(self) -> list[str]:
        """Scalars that metrics come from, those that most runs have first."""
        metrics = (each for each in self.fields.values() if each.rule.group == "metric")
        tags = {tag for each in metrics for name in each.all if (tag := scalar_tag(name)) in self.tags}
        return [tag for tag in self.tags if tag in tags]

    def disagreements(self, name: str, place: int) -> list[Disagreement]:
        """What the sources of a field say of one run where they are not of one mind; the first is the value shown."""
        field = self.fields.get(name)
        if field is None or len(field.columns) < 2:
            return []
        entries = []
        for source in field.columns:
            column = self._base.column(name) if source == name else self.column(source)
            if (value := column.at(place)) is not None:
                entries.append((source, value))
        return [Disagreement(*each) for each in disagreeing(entries)]
