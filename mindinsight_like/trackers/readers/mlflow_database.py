"""MLflow's SQLite store: a run for each row of its table of runs, metrics followed by their row numbers."""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors
from mindinsight_like.trackers.databases import MAGIC, claimed_by_database, database_members, opened
from mindinsight_like.trackers.reader import Folder, Log, LogUnreadable, Points, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.readers.mlflow_run import mlflow_lineage, mlflow_state
from mindinsight_like.trackers.source import Source

_NEEDED: Final = frozenset({"runs", "metrics", "params", "tags", "experiments"})
_ENDINGS: Final = (".db", ".sqlite", ".sqlite3")
_ROWS = 20_000
_ROW = np.dtype([("tag", "<i8"), ("run", "<i8"), ("value", "<f8"), ("wall", "<f8"), ("step", "<i8")])


class MlflowDatabaseReader:
    """Reads databases."""

    dialect = Dialect.MLFLOW_DATABASE
    is_store = True

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        for name in sorted(folder.files):
            # Its first page tells only that it is a database; its name tells whose it may be.
            if name.startswith("mlflow") and name.endswith(_ENDINGS) and folder.head(name).startswith(MAGIC):
                yield RecognisedLog(folder.path(name), folder.name, claimed_by_database(name) & folder.files)

    def members(self, source: Source, name: str) -> Sequence[str]:
        return database_members(name)

    def read(self, log: Log) -> Slice:
        with opened(log.source, log.name) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not tables >= _NEEDED:
                raise LogUnreadable("the database is none of MLflow: it has no tables of runs and metrics")
            reading = _Reading(connection, cursors.unpack(log.cursor), tables)
            if not reading.goes_on():
                reading = _Reading(connection, {}, tables)
                reading.starts_over = bool(log.cursor)
            return reading.slice(log)


class _Reading:
    """Reads what is new in one database."""

    def __init__(self, connection: sqlite3.Connection, cursor: dict[str, Any], tables: set[str]) -> None:
        self._connection = connection
        self._tables = tables
        self._row: int = cursor.get("row", 0)  # of metrics, read last
        self._mark: int = cursor.get("mark", 0)  # of what that row said
        self._said: dict[str, int] = cursor.get("said", {})  # checksums of what was said of each run, by its key
        self.starts_over = False

    def goes_on(self) -> bool:
        """Whether the row that was read last is there as it was; deleted rows and VACUUM change numbers."""
        return self._row == 0 or self._mark_of(self._row) == self._mark

    def slice(self, log: Log) -> Slice:
        runs = self._runs()
        slices = {key: RunSlice(key, starts_over=self.starts_over) for key in runs if self.starts_over}
        is_partial = self._add_points(log, {run[0]: key for key, run in runs.items()}, slices)
        said = {}
        for key, about in self._about(runs).items():
            said[key] = zlib.crc32(repr(about).encode("utf-8", "replace"))
            if self._said.get(key) != said[key]:
                run = slices.setdefault(key, RunSlice(key))
                run.display_name, run.state, run.lineage = about
        versions = log.versions.values()
        return Slice(
            cursors.pack(row=self._row, mark=self._mark_of(self._row), said=said),
            sum(version.size for version in versions),
            is_partial=is_partial,
            runs=list(slices.values()),
            gone=[key for key in self._said if key not in said],
        )

    def _mark_of(self, row: int) -> int:
        rows = self._connection.execute(
            "SELECT key, timestamp, step, run_uuid FROM metrics WHERE rowid = ?", (row,)
        ).fetchall()
        return zlib.crc32(repr(rows).encode("utf-8", "replace"))

    def _runs(self) -> dict[str, tuple[Any, ...]]:
        """The rows of runs that are not deleted, by key: experiment and id."""
        rows = self._connection.execute(
            "SELECT run_uuid, runs.name, status, start_time, end_time, user_id, experiments.experiment_id,"
            " experiments.name FROM runs LEFT JOIN experiments ON experiments.experiment_id = runs.experiment_id"
            " WHERE runs.lifecycle_stage = 'active' AND COALESCE(experiments.lifecycle_stage, 'active') = 'active'"
            " ORDER BY runs.rowid"
        )
        return {f"{row[6]}/{row[0]}": row for row in rows}

    def _add_points(self, log: Log, keys: dict[str, str], slices: dict[str, RunSlice]) -> bool:
        """Read on in the table of metrics; gives whether there is more of it."""
        end, count = time.monotonic() + log.limits.seconds, 0
        tags: dict[str, int] = {}
        places: dict[str, int] = {}  # of runs
        parts = []
        is_partial = False
        rows = self._connection.execute(
            "SELECT rowid, key, run_uuid, CASE WHEN is_nan THEN NULL ELSE value END, timestamp, step FROM metrics"
            " WHERE rowid > ? ORDER BY rowid",
            (self._row,),
        )
        while part := rows.fetchmany(_ROWS):
            self._row = part[-1][0]
            parts.append(
                np.array(
                    [
                        (
                            tags.setdefault(tag, len(tags)),
                            places.setdefault(run, len(places)),
                            np.nan if value is None else value,
                            wall / 1000,
                            step,
                        )
                        for _, tag, run, value, wall, step in part
                    ],
                    _ROW,
                )
            )
            count += len(part)
            if count >= log.limits.points or time.monotonic() > end:
                is_partial = True
                break
        if not parts:
            return False
        columns = np.concatenate(parts)
        names = list(tags)
        for run, place in places.items():
            if (key := keys.get(run)) is None:
                continue  # deleted
            chosen = columns[columns["run"] == place] if len(places) > 1 else columns
            slices.setdefault(key, RunSlice(key)).points = Points(
                names, chosen["tag"], chosen["step"], chosen["wall"], chosen["value"]
            )
        return is_partial

    def _about(self, runs: dict[str, tuple[Any, ...]]) -> dict[str, tuple[Any, Any, Any]]:
        """Display name, state and lineage of each run."""
        params, tags = self._by_run("params"), self._by_run("tags")
        inputs = self._inputs()
        about = {}
        keys = {run[0]: key for key, run in runs.items()}
        for key, (run, name, status, started, ended, user, _, experiment) in runs.items():
            parent = tags.get(run, {}).get("mlflow.parentRunId")
            parents = [{"relation": "parent", "run": f"../{parent}"}] if parent and parent in keys else []
            lineage = mlflow_lineage(
                params.get(run, {}),
                tags.get(run, {}),
                about={"id": run, "experiment": experiment, "user": user},
                parents=parents,
                inputs=inputs.get(run, []),
            )
            display_name = name or tags.get(run, {}).get("mlflow.runName")
            state = mlflow_state(str(status), _seconds(started), _seconds(ended))
            about[key] = display_name, state, lineage
        return about

    def _by_run(self, table: str) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for run, key, value in self._connection.execute(f"SELECT run_uuid, key, value FROM {table}"):
            found.setdefault(run, {})[str(key)] = "" if value is None else str(value)
        return found

    def _inputs(self) -> dict[str, list[dict[str, Any]]]:
        """The data sets of each run."""
        if not self._tables >= {"inputs", "datasets"}:
            return {}
        found: dict[str, list[dict[str, Any]]] = {}
        for run, name, digest in self._connection.execute(
            "SELECT destination_id, name, digest FROM inputs JOIN datasets ON dataset_uuid = source_id"
            " WHERE destination_type = 'RUN' AND source_type = 'DATASET'"
        ):
            found.setdefault(run, []).append({"name": name, "type": "dataset", "hash": digest})
        return found


def _seconds(value: Any) -> float | None:
    return value / 1000 if isinstance(value, int | float) and value > 0 else None
