"""Run states in the index.

The loader evaluates a run whenever something of it is stored, and once more at `state_until`, so that readers need no
clock and a change that comes by time alone is a change like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from mindinsight_like.logs.kinds import TRACKER_DIALECTS, Dialect
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.store.database.database import Connection, Row, in_chunks, marks
from mindinsight_like.store.rows.file_totals import FileTotals, file_totals
from mindinsight_like.store.run_status import NO_MARKS, Growth, LineageMarks, RunStatus, Writer, evaluate

DIALECTS: Final = TRACKER_DIALECTS | {Dialect.RUN_STATE}  # of files that may say a state

# One row for each file with a run state; the time of its last heartbeat is that of the file.
TABLE = """CREATE TABLE run_states (
    file BIGINT PRIMARY KEY, state TEXT NOT NULL, started_at DOUBLE PRECISION NOT NULL, ended_at DOUBLE PRECISION,
    reason TEXT NOT NULL, word TEXT NOT NULL, total_steps BIGINT)"""
# Of the table of runs. active_at: last data; seconds_per_step: on average; state_until: when to look again.
RUN_COLUMNS = """
    state TEXT NOT NULL DEFAULT 'unknown', state_word TEXT NOT NULL DEFAULT '', exit_reason TEXT NOT NULL DEFAULT '',
    started_at DOUBLE PRECISION, ended_at DOUBLE PRECISION, active_at DOUBLE PRECISION, step BIGINT,
    total_steps BIGINT, seconds_per_step DOUBLE PRECISION, state_until DOUBLE PRECISION"""
INDEX = "CREATE INDEX runs_by_state_until ON runs (state_until) WHERE state_until IS NOT NULL"

STATUS_COLUMNS: Final = (
    "state, state_word, exit_reason, started_at, ended_at, active_at, step, total_steps, seconds_per_step"
)
WRITER_STATE_COLUMNS: Final = "state, started_at, ended_at, reason, word, total_steps"


def put(connection: Connection, states: Iterable[tuple[int, WriterState | None]]) -> None:
    """Store what files with run states say, by the number of the file."""
    states = list(states)
    connection.execute_many("DELETE FROM run_states WHERE file = ?", [(file,) for file, _ in states])
    connection.execute_many(
        "INSERT INTO run_states (file, state, started_at, ended_at, reason, word, total_steps)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                file,
                writer_state.state,
                writer_state.started_at,
                writer_state.ended_at,
                writer_state.reason,
                writer_state.word,
                writer_state.total_steps,
            )
            for file, writer_state in states
            if writer_state is not None
        ],
    )


def stored(connection: Connection) -> dict[int, WriterState]:
    """What all files say."""
    return {
        file: WriterState(*writer_state)
        for file, *writer_state in connection.execute(f"SELECT file, {WRITER_STATE_COLUMNS} FROM run_states")
    }


def with_parents(connection: Connection, runs: Sequence[str]) -> list[str]:
    """Some runs, and those that the others among them are shown in."""
    parents: list[str] = []
    for chunk in in_chunks(runs):
        where = f"id IN ({marks(chunk)}) AND parent IS NOT NULL"
        parents += [parent for (parent,) in connection.execute(f"SELECT parent FROM runs WHERE {where}", chunk)]
    return [*runs, *parents]


def due(connection: Connection, now: float) -> list[str]:
    """The runs whose state may have changed by time alone."""
    return [run for (run,) in connection.execute("SELECT id FROM runs WHERE state_until <= ?", (now,))]


def refresh(connection: Connection, runs: Iterable[str], *, now: float, stalled_after: float) -> list[str]:
    """Evaluate some runs anew; gives those that have changed for readers, whose versions are left to the caller."""
    changed: list[str] = []
    for chunk in in_chunks(list(dict.fromkeys(runs))):
        before = {
            run: tuple(values)
            for run, *values in connection.execute(
                f"SELECT id, {STATUS_COLUMNS}, state_until FROM runs WHERE id IN ({marks(chunk)})", chunk
            )
        }
        states = _evaluated(connection, chunk, {}, now, stalled_after)
        updates = [(*status, until, run) for run, (status, until) in states if (*status, until) != before.get(run)]
        _store(connection, updates)
        changed += [run for *status, _, run in updates if run in before and tuple(status) != before[run][:-1]]
    return changed


def set_states(
    connection: Connection,
    runs: Iterable[str],
    totals: Mapping[str, FileTotals],
    *,
    now: float,
    stalled_after: float,
) -> None:
    """Evaluate runs that have changed anyway; `totals` of some of them save looking for these again."""
    for chunk in in_chunks(list(dict.fromkeys(runs))):
        states = _evaluated(connection, chunk, totals, now, stalled_after)
        _store(connection, [(*status, until, run) for run, (status, until) in states])


def _store(connection: Connection, rows: Sequence[Row]) -> None:
    assignments = ", ".join(f"{column} = ?" for column in f"{STATUS_COLUMNS}, state_until".split(", "))
    connection.execute_many(f"UPDATE runs SET {assignments} WHERE id = ?", rows)


def _evaluated(
    connection: Connection, runs: Sequence[str], totals: Mapping[str, FileTotals], now: float, stalled_after: float
) -> list[tuple[str, tuple[RunStatus, float | None]]]:
    """The state of each run that has files, and when time alone may change it."""
    owner = {run: run for run in runs}
    owner |= dict(
        connection.execute(f"SELECT id, parent FROM runs WHERE parent IN ({marks(runs)})", runs)
    )  # add_scalars folders
    growth: dict[str, Growth] = {}
    writers: dict[str, list[Writer]] = {}
    lineage: dict[str, LineageMarks] = {}
    for chunk in in_chunks(list(owner)):
        unread = [run for run in chunk if run not in totals]
        read = file_totals(connection, unread) if unread else {}
        for run in chunk:
            if (files := totals.get(run) or read.get(run)) is not None:
                shown_in, each = owner[run], files.growth
                growth[shown_in] = growth[shown_in].joined(each) if shown_in in growth else each
        for run, mtime_ns, *writer_state in connection.execute(
            f"SELECT run, mtime_ns, {WRITER_STATE_COLUMNS} FROM files JOIN run_states ON run_states.file = files.id"
            f" WHERE run IN ({marks(chunk)})",
            chunk,
        ):
            writers.setdefault(owner[run], []).append(Writer(WriterState(*writer_state), int(mtime_ns) / 1e9))
    for run, *values in connection.execute(
        f"SELECT run, word, begun_at, ended_at, total_steps FROM lineage WHERE run IN ({marks(runs)})", runs
    ):
        lineage[run] = LineageMarks(*values)
    return [
        (
            run,
            evaluate(each, writers.get(run, ()), lineage.get(run, NO_MARKS), now=now, stalled_after=stalled_after),
        )
        for run, each in growth.items()
    ]
