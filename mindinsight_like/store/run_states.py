"""Run states in the index.

The loader evaluates a run whenever something of it is stored, and once more at `state_until`, so that readers need no
clock and a change that comes by time alone is a change like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.store.database.database import Connection, Row, in_chunks, marks
from mindinsight_like.store.run_status import Growth, LineageMarks, Writer, evaluate

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
        changed += _refresh(connection, chunk, now, stalled_after)
    return changed


def _refresh(connection: Connection, runs: Sequence[str], now: float, stalled_after: float) -> list[str]:
    owner = {run: run for run in runs}
    owner |= dict(
        connection.execute(f"SELECT id, parent FROM runs WHERE parent IN ({marks(runs)})", runs)
    )  # add_scalars folders
    growth: dict[str, Growth] = {}
    writers: dict[str, list[Writer]] = {}
    lineage: dict[str, LineageMarks] = {}
    for chunk in in_chunks(list(owner)):
        for row in _growth_rows(connection, chunk):
            run = owner[row[0]]
            each = _growth(row)
            growth[run] = growth[run].joined(each) if run in growth else each
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
    before = {
        run: tuple(values)
        for run, *values in connection.execute(
            f"SELECT id, {STATUS_COLUMNS}, state_until FROM runs WHERE id IN ({marks(runs)})", runs
        )
    }
    updates: list[Row] = []
    changed = []
    for run, each in growth.items():
        if run not in before:
            continue
        status, until = evaluate(
            each,
            writers.get(run, ()),
            lineage.get(run, LineageMarks()),
            now=now,
            stalled_after=stalled_after,
        )
        if (*status, until) != before[run]:
            updates.append((*status, until, run))
            if tuple(status) != before[run][:-1]:
                changed.append(run)
    assignments = ", ".join(f"{column} = ?" for column in f"{STATUS_COLUMNS}, state_until".split(", "))
    connection.execute_many(f"UPDATE runs SET {assignments} WHERE id = ?", updates)
    return changed


def _growth_rows(connection: Connection, runs: Sequence[str]) -> list[Row]:
    """Run and what `_growth` takes, of the logs alone where there are any."""
    is_log = f"CASE WHEN dialect <> {Dialect.RUN_STATE:d}"
    interval = "CASE WHEN points > 1 AND last_wall > first_wall THEN (last_wall - first_wall) / (points - 1) END"
    return connection.execute(
        "SELECT run, MIN(COALESCE(created_at, mtime_ns / 1e9)),"
        f" COALESCE(MAX({is_log} THEN mtime_ns END), MAX(mtime_ns)),"
        f" MIN(first_wall), MAX(last_wall), MIN(first_step), MAX(last_step), MIN({interval})"
        f" FROM files WHERE run IN ({marks(runs)}) GROUP BY run",
        runs,
    )


def _growth(row: Row) -> Growth:
    _, created_at, mtime_ns, *reach = row
    return Growth(created_at, int(mtime_ns) / 1e9, *reach)
