"""What the files of a run come to: its size and damages, and how its logs have grown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.store.database.database import Connection, marks
from mindinsight_like.store.run_status import Growth


class FileTotals(NamedTuple):
    """Of the logs alone, where there are any: a file with a run state is none."""

    created_at: float
    mtime_ns: int
    bytes: int
    damages: int
    first_dialect: int  # smallest and largest number; other files count, too
    last_dialect: int
    display_name: str  # of some file, empty where none has one
    first_wall: float | None
    last_wall: float | None
    first_step: int | None
    last_step: int | None
    interval: float | None

    @property
    def growth(self) -> Growth:
        return Growth(self.created_at, int(self.mtime_ns) / 1e9, *self[7:])


def file_totals(connection: Connection, runs: Sequence[str]) -> dict[str, FileTotals]:
    """The totals of some runs, by their ids; a run without files has none."""
    is_log = f"CASE WHEN dialect <> {Dialect.RUN_STATE:d}"
    interval = "CASE WHEN points > 1 AND last_wall > first_wall THEN (last_wall - first_wall) / (points - 1) END"
    rows = connection.execute(
        "SELECT run, MIN(COALESCE(created_at, mtime_ns / 1e9)),"
        f" COALESCE(MAX({is_log} THEN mtime_ns END), MAX(mtime_ns)),"
        f" COALESCE(SUM({is_log} THEN size END), 0), SUM(damages),"
        " MIN(dialect), MAX(dialect), MAX(display_name),"
        f" MIN(first_wall), MAX(last_wall), MIN(first_step), MAX(last_step), MIN({interval})"
        f" FROM files WHERE run IN ({marks(runs)}) AND hidden = 0 GROUP BY run",
        runs,
    )
    return {run: FileTotals(*totals) for run, *totals in rows}
