"""Totals over all runs, updated with each commit so that no query has to sum them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field

from mindinsight_like.store.database.database import Connection, Row, in_chunks, marks


@dataclass
class RunTotals:
    """How many runs are shown, their bytes, and how many runs have each kind of data."""

    runs: int = 0
    bytes: int = 0
    kinds: dict[str, int] = field(default_factory=dict)

    def to_text(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> RunTotals:
        return cls(**json.loads(text))


class TotalsUpdate:
    """The difference that one commit makes; to be made before it changes any run."""

    def __init__(self, connection: Connection, runs: Iterable[str]) -> None:
        self._connection = connection
        self._runs = list(runs)
        self._before = _rows(connection, self._runs)

    def store(self, folded: Collection[str]) -> None:
        """Store the new totals; `folded` are runs that are shown in another one, or not so any longer, by now."""
        ((text,),) = self._connection.execute("SELECT value FROM meta WHERE key = 'totals'")
        totals = RunTotals.from_text(text)
        kinds = Counter(totals.kinds)
        for rows, sign in ((self._before, -1), (_rows(self._connection, self._runs), 1)):
            for _, is_shown, size, _ in rows:
                totals.runs += sign * is_shown
                totals.bytes += sign * is_shown * int(size)
            for counts, runs in Counter(counts for *_, counts in rows).items():  # most runs have the same
                for kind in json.loads(counts):
                    kinds[kind] += sign * runs
        for _, is_shown, size, _ in _rows(self._connection, [run for run in folded if run not in set(self._runs)]):
            totals.runs += 1 if is_shown else -1
            totals.bytes += int(size) if is_shown else -int(size)
        totals.kinds = {kind: count for kind, count in kinds.items() if count > 0}
        self._connection.execute("UPDATE meta SET value = ? WHERE key = 'totals'", (totals.to_text(),))


def _rows(connection: Connection, runs: list[str]) -> list[Row]:
    """Id, whether it is shown by itself (1 or 0), bytes and counts of some runs."""
    rows: list[Row] = []
    for chunk in in_chunks(runs):
        rows += connection.execute(
            "SELECT id, CASE WHEN parent IS NULL THEN 1 ELSE 0 END, bytes, counts FROM runs"
            f" WHERE id IN ({marks(chunk)})",
            chunk,
        )
    return rows
