"""The table of runs with a row for all sub-runs of a training."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from mindinsight_like.lineage.columns import Column, NumberColumn, Table
from mindinsight_like.lineage.fields.metrics import split_rank
from mindinsight_like.lineage.fields.rules import FieldRule
from mindinsight_like.lineage.fields.sources import FieldSources
from mindinsight_like.lineage.query.search import group_of
from mindinsight_like.lineage.table.run_table import LABELS, NOTE
from mindinsight_like.lineage.table.united_table import Disagreement, UnitedTable

from .rows import FoldedRows, Places, Preference
from .sub_runs import EVALUATION

_OF_PEOPLE = frozenset((NOTE, LABELS, "owner", "display_name"))
# What one split of the data is called where directories tell the split: the loss in `eval` is a loss on held-out data.
_ON_SPLIT: Final = {"val_loss": ("loss", "evaluation"), "train_accuracy": ("accuracy", "training")}
_TRAINING_FIELDS = frozenset(("loss", "train_accuracy"))


class FoldedColumns(Table):
    """Columns of recorded values: parameters, data, pipelines."""

    def __init__(self, base: Table, rows: FoldedRows) -> None:
        self._rows = [{}] * len(rows)
        self._columns = {}
        self._base, self._folded = base, rows
        self.names = base.names

    def _build_column(self, name: str) -> Column:
        return self._folded.column(self._base.column(name), preference_of(name))


class FoldedTable(UnitedTable):
    """United columns of rows; `own` are those that are not taken from a sub-run, such as names and states."""

    def __init__(
        self,
        base: UnitedTable,
        rows: FoldedRows,
        own: Mapping[str, Callable[[], Column]],
        tags: Mapping[str, int],
        rules: Sequence[FieldRule],
    ) -> None:
        self._rows = [{}] * len(rows)
        self._columns = {}
        self._whole, self._folded, self._own = base, rows, dict(own)
        self._sources: dict[str, Places] = {}
        self.tags = tags
        self._renamed = base._renamed
        by_name = {rule.name: rule for rule in rules}
        self.fields = dict(base.fields)
        if rows.roles:
            for name, (twin, _) in _ON_SPLIT.items():
                if name not in self.fields and name not in base and twin in base.fields and name in by_name:
                    self.fields[name] = FieldSources(by_name[name], (), ())
        self.names = list(dict.fromkeys([*self.fields, *base.names]))

    def __contains__(self, name: str) -> bool:
        return name in self.fields or name in self._whole

    def _build_column(self, name: str) -> Column:
        if (make := self._own.get(name)) is not None:
            return make()
        column = self._whole.column(name)
        end = name.rpartition("/")[2] if name.startswith("scalar/") else ""
        if name in _ON_SPLIT and self._folded.roles:
            return self._on_split(name, column)
        return self._folded.column(column, self.preference(name), end)

    def preference(self, name: str) -> Preference:
        """Whose value of a column a row shows."""
        field = self.fields.get(name)
        if field is None:
            return preference_of(name)
        if field.rule.group != "metric" or name in _TRAINING_FIELDS:
            return "training"
        return "evaluation"

    def source_places(self, name: str) -> Places:
        """The sub-run whose value each row shows in a column; -1 where none has one."""
        places = self._sources.get(name)
        if places is None:
            places = self._folded.chosen(self._whole.column(name).present, self.preference(name))
            self._sources[name] = places
        return places

    def _on_split(self, name: str, column: Column) -> Column:
        """A metric of one split: by its name, else what the sub-run of that split calls by the plain name."""
        plain, split = _ON_SPLIT[name]
        preference: Preference = "evaluation" if split == "evaluation" else "training"
        by_name = self._folded.column(column, preference)
        if plain not in self._whole.fields or (by_name.count and by_name.type not in ("int", "float")):
            return by_name
        other = self._whole.column(plain)
        places = self._folded.chosen(other.present & self._is_on(split), preference)
        by_split = self._folded.taken(other, np.where(by_name.present, -1, places))
        present = by_name.present | by_split.present
        return NumberColumn(name, np.where(by_name.present, by_name.numbers, by_split.numbers), present)

    def _is_on(self, split: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        mask = np.zeros(len(self._folded.row_of), bool)
        is_evaluation = split == "evaluation"
        mask[[run for run, role in self._folded.roles.items() if (role == EVALUATION) == is_evaluation]] = True
        return mask

    def disagreements(self, name: str, place: int) -> list[Disagreement]:
        """What the sources of a field say of the sub-run whose value is shown, where they are not of one mind."""
        if name not in self._whole.fields:
            return []
        source = int(self.source_places(name)[place])
        return self._whole.disagreements(name, source) if source >= 0 else []


def preference_of(name: str) -> Preference:
    """The same for a column that is no field: results on held-out data before others."""
    if name in _OF_PEOPLE:
        return "lead"
    is_result = name.startswith("scalar/") or group_of(name) == "metric"
    return "evaluation" if is_result and split_rank(name) > 0 else "training"
