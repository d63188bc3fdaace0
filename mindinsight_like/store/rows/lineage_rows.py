"""Lineage records in the index: one row per run, recomputed when its inputs change.

The row is marked stale in the transaction that stores or forgets lineage, so that no kill can leave an old record
for a new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mindinsight_like.logs.kinds import Kind
from mindinsight_like.store.database.database import Connection, in_chunks, marks
from mindinsight_like.store.database.location import run_id
from mindinsight_like.store.files import FileUpdate, TrackedFile
from mindinsight_like.store.run_status import LineageMarks

_KINDS = (Kind.LINEAGE, Kind.HPARAMS)

# summary: what tables of all runs show; record: everything, with uncommitted changes of code and the like.
# word, begun_at, ended_at, total_steps: what it says of the run's state, see `LineageMarks`.
TABLE = """CREATE TABLE lineage (
    run TEXT PRIMARY KEY, summary TEXT NOT NULL, record TEXT NOT NULL,
    stale INTEGER NOT NULL, version BIGINT NOT NULL, word TEXT NOT NULL DEFAULT '', begun_at DOUBLE PRECISION,
    ended_at DOUBLE PRECISION, total_steps BIGINT)"""


class LineageRow(NamedTuple):
    """The lineage of one run, as JSON."""

    run: str
    summary: str
    record: str
    marks: LineageMarks = LineageMarks()


def touched_runs(connection: Connection, updates: Sequence[FileUpdate], removed: Sequence[TrackedFile]) -> set[str]:
    """The runs whose lineage a commit changes; to be asked before anything of their files is forgotten."""
    runs = {run_id(update.file.run) for update in updates if _brings_lineage(update)}
    forgotten = [update.file.id for update in updates if update.starts_over] + [file.id for file in removed]
    for chunk in in_chunks(forgotten):
        rows = connection.execute(
            "SELECT DISTINCT run FROM files JOIN series ON series.file = files.id"
            f" WHERE files.id IN ({marks(chunk)}) AND kind IN ({marks(_KINDS)})",
            [*chunk, *map(int, _KINDS)],
        )
        runs.update(run for (run,) in rows)
    return runs


def _brings_lineage(update: FileUpdate) -> bool:
    batch = update.batch
    return update.lineage is not None or (
        batch is not None and any(update.keys[number][0] in _KINDS for number in batch.blob_numbers.tolist())
    )


def mark_stale(connection: Connection, runs: Iterable[str], version: int) -> None:
    connection.execute_many(
        "INSERT INTO lineage (run, summary, record, stale, version) VALUES (?, '', '', 1, ?)"
        " ON CONFLICT (run) DO UPDATE SET stale = 1",
        [(run, version) for run in runs],
    )


def stale_runs(connection: Connection) -> list[str]:
    return [run for (run,) in connection.execute("SELECT run FROM lineage WHERE stale = 1")]


def put(connection: Connection, rows: Sequence[LineageRow], version: int) -> None:
    """Store new records and show that their runs have changed."""
    connection.execute_many(
        "UPDATE lineage SET summary = ?, record = ?, stale = 0, version = ?, word = ?, begun_at = ?, ended_at = ?,"
        " total_steps = ? WHERE run = ?",
        [(row.summary, row.record, version, *row.marks, row.run) for row in rows],
    )
    connection.execute_many("UPDATE runs SET version = ? WHERE id = ?", [(version, row.run) for row in rows])


def forget(connection: Connection, runs: Iterable[str]) -> None:
    connection.execute_many("DELETE FROM lineage WHERE run = ?", [(run,) for run in runs])
