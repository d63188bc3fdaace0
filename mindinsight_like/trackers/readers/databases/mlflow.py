"""MLflow's database: a store of many runs, whose points are followed row by row."""

from __future__ import annotations

import sys
import zlib
from collections import defaultdict
from typing import Any, Final, NamedTuple

import numpy as np

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Kind
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.files.database_rows import Database, Followed, Numbers, as_text, or_none, reals, wholes
from mindinsight_like.trackers.reader import Log, Points, RunSlice, Slice
from mindinsight_like.trackers.readers.mlflow_run import mlflow_lineage, mlflow_state

TABLES: Final = frozenset({"runs", "metrics", "params", "tags", "experiments"})
_METRIC: Final = ("run_uuid", "key", "value", "timestamp", "step", "is_nan")
_MOST_RUNS = 2000  # whose settings one slice brings
_MOST_ARTIFACTS = 1000
_PICTURES: Final = (".png", ".jpg", ".jpeg", ".gif")


class _Run(NamedTuple):
    """A row of the table of runs."""

    id: Any
    name: Any
    status: Any
    started: Any
    ended: Any
    stage: Any
    experiment: Any
    artifacts: Any
    user: Any


_RUN: Final = (
    "run_uuid",
    "name",
    "status",
    "start_time",
    "end_time",
    "lifecycle_stage",
    "experiment_id",
    "artifact_uri",
    "user_id",
)


def read_mlflow(database: Database, log: Log, cursor: dict[str, Any]) -> Slice:
    """The next slice of a database of MLflow."""
    return _Store(database, log, cursor).read()


class _Store:
    def __init__(self, database: Database, log: Log, cursor: dict[str, Any]) -> None:
        self._database = database
        self._log = log
        self._place = cursor.get("place")
        self._marks: dict[str, int] = cursor.get("marks", {})  # fingerprints of runs that have been given
        self._runs: dict[str, RunSlice] = {}
        rows = database.all("experiments", "experiment_id", "name", "lifecycle_stage")
        self._experiments = {number: (as_text(name), stage == b"deleted") for number, name, stage in rows}
        self._rows = {as_text(row[0]): _Run(*row) for row in database.all("runs", *_RUN)}
        self._hidden = {run for run, row in self._rows.items() if self._is_deleted(row)}
        self._hidden_before: set[str] = set(cursor.get("hidden", ()))
        self._is_sure = not database.is_damaged("runs")

    def read(self) -> Slice:
        followed = self._database.follow("metrics", _METRIC, self._place, self._log)
        if followed.starts_over:
            for run in self._marks:
                self._run(run).starts_over = True
            self._marks = dict.fromkeys(self._marks, 0)
        else:
            for run in sorted((self._hidden_before - self._hidden) & self._rows.keys()):
                self._restore(run, followed)
        self._add(followed.rows)
        is_partial = followed.is_partial or self._say()
        keys = dict.fromkeys([*self._marks, *self._runs])
        gone = [run for run in keys if not self._is_shown(run)]
        for run in gone:
            self._marks.pop(run, None)
            self._runs.pop(run, None)
        for run in self._runs:
            self._marks.setdefault(run, 0)
        return Slice(
            cursors.pack(place=followed.place, marks=self._marks, hidden=sorted(self._hidden)),
            int(self._log.versions[self._log.name].size * followed.share),
            is_partial=is_partial,
            runs=list(self._runs.values()),
            gone=gone,
        )

    def _is_deleted(self, row: _Run) -> bool:
        _, has_gone = self._experiments.get(row.experiment, ("", False))
        return has_gone or bool(row.stage == b"deleted")

    def _is_shown(self, run: str) -> bool:
        return run not in self._hidden and (run in self._rows or not self._is_sure)

    def _run(self, run: str) -> RunSlice:
        return self._runs.setdefault(run, RunSlice(run))

    def _restore(self, run: str, followed: Followed) -> None:
        """Read again what was passed over while a run was deleted."""
        columns = self._database.columns("metrics", *_METRIC)
        before = self._database.select(
            f"SELECT rowid, {columns} FROM metrics WHERE run_uuid = ? AND rowid <= ? ORDER BY rowid",
            (run, (self._place or {"row": 0})["row"]),
        )
        self._run(run).starts_over = True
        followed.rows[:0] = before

    def _add(self, rows: list[tuple[Any, ...]]) -> None:
        if not rows:
            return
        _, runs, keys, values, times, steps, are_nan = zip(*rows, strict=True)
        step_column = wholes(steps)
        if step_column is None:
            sound = [row for row in rows if isinstance(row[5], int)]
            lost = len(rows) - len(sound)
            self._database.damage.append(Damage(0, "unparsable", f"table metrics: {lost} rows have no step"))
            self._add(sound)
            return
        numbers, tags = Numbers(), Numbers()
        run_column, tag_column = numbers.of(runs), tags.of(keys)
        walls, value_column = reals(times) / 1000, reals(values)
        value_column[reals(are_nan) == 1] = np.nan
        # MLflow writes the largest number there is for infinity.
        value_column[value_column >= sys.float_info.max] = np.inf
        value_column[value_column <= -sys.float_info.max] = -np.inf
        names = [as_text(key) for key in tags]
        order = np.argsort(run_column, kind="stable")
        starts = np.searchsorted(run_column[order], np.arange(len(numbers) + 1))
        for place, run in enumerate(numbers):
            name = as_text(run)
            if self._is_shown(name):
                mine = order[starts[place] : starts[place + 1]]
                used, tag_numbers = np.unique(tag_column[mine], return_inverse=True)
                self._run(name).points = Points(
                    [names[each] for each in used],
                    tag_numbers.astype(np.int64),
                    step_column[mine],
                    walls[mine],
                    value_column[mine],
                )

    def _say(self) -> bool:
        """Give what is new among settings of runs; True when some are left."""
        settings = _Settings(self._database)
        new = 0
        for run, row in self._rows.items():
            if run in self._hidden:
                continue
            tables = settings.of(run)
            experiment = self._experiments.get(row.experiment, ("", False))[0]
            mark = zlib.crc32(repr((row, tables, experiment)).encode())
            if self._marks.get(run) == mark:
                continue
            if new == _MOST_RUNS:
                return True
            new += 1
            self._tell(self._run(run), row, tables, experiment)
            self._marks[run] = mark
        return False

    def _tell(self, run: RunSlice, row: _Run, tables: _Tables, experiment: str) -> None:
        params, tags = (
            dict(sorted((as_text(k), as_text(v)) for k, v in each)) for each in (tables.params, tables.tags)
        )
        run.display_name = or_none(row.name) or tags.get("mlflow.runName")
        if row.status is not None:
            run.state = mlflow_state(as_text(row.status), _seconds(row.started), _seconds(row.ended))
        parent = tags.get("mlflow.parentRunId")
        artifacts = _artifacts(self._log, as_text(row.artifacts))
        models = [
            {"name": as_text(name), "type": "model", "hash": as_text(model)} for name, model in tables.models_written
        ]
        run.lineage = mlflow_lineage(
            params,
            tags,
            about={"id": run.key, "experiment": experiment or None, "user": or_none(row.user)},
            parents=[{"relation": "parent", "run": f"../{parent}"}] if parent and "/" not in parent else [],
            inputs=[
                {"name": as_text(name), "type": kind, "hash": as_text(identity)}
                for kind, name, identity in tables.inputs
            ],
            outputs=[{"name": name, "type": "artifact", "path": path} for name, path in artifacts] + models,
        )
        wall = _seconds(row.ended) or _seconds(row.started) or 0.0
        pictures = [(name, path) for name, path in artifacts if name.lower().endswith(_PICTURES)]
        if not self._marks.get(run.key):  # those that came later are shown when the run is read anew
            run.items += [documents.files(Kind.IMAGE, name, 0, wall, [path]) for name, path in pictures]


class _Tables(NamedTuple):
    """What tables beside that of runs say of one."""

    params: list[tuple[Any, Any]]
    tags: list[tuple[Any, Any]]
    inputs: list[tuple[str, Any, Any]]  # type, name, hash
    models_written: list[tuple[Any, Any]]  # name, id


class _Settings:
    def __init__(self, database: Database) -> None:
        self._params: defaultdict[str, list[tuple[Any, Any]]] = defaultdict(list)
        self._tags: defaultdict[str, list[tuple[Any, Any]]] = defaultdict(list)
        self._inputs: defaultdict[str, list[tuple[str, Any, Any]]] = defaultdict(list)
        self._models: defaultdict[str, list[tuple[Any, Any]]] = defaultdict(list)
        for run, key, value in database.all("params", "run_uuid", "key", "value"):
            self._params[as_text(run)].append((key, value))
        for run, key, value in database.all("tags", "run_uuid", "key", "value"):
            self._tags[as_text(run)].append((key, value))
        data = {row[0]: row[1:] for row in database.all("datasets", "dataset_uuid", "name", "digest")}
        models = {}
        for model, name, run, stage in database.all(
            "logged_models", "model_id", "name", "source_run_id", "lifecycle_stage"
        ):
            models[model] = name
            if run is not None and stage != b"deleted":
                self._models[as_text(run)].append((name, model))
        links = database.all(
            "inputs", "source_type", "source_id", "destination_type", "destination_id", order="destination_id"
        )
        for kind, source, target, other in links:
            if kind == b"DATASET" and target == b"RUN":
                name, digest = data.get(source, (source, source))
                self._inputs[as_text(other)].append(("dataset", name, digest))
            elif kind == b"RUN_INPUT" and target == b"MODEL_INPUT":
                self._inputs[as_text(source)].append(("model", models.get(other, other), other))

    def of(self, run: str) -> _Tables:
        parts = (self._params, self._tags, self._inputs, self._models)
        params, tags, inputs, models = (each.get(run, []) for each in parts)
        return _Tables(params, tags, inputs, models)  # type: ignore[arg-type]


def _seconds(value: Any) -> float | None:
    return value / 1000 if isinstance(value, int | float) and 0 < value < 1e16 else None


def _artifacts(log: Log, uri: str) -> list[tuple[str, str]]:
    """Names and paths of a run's artifacts, where they lie beside the database; the rest of their place is another's.

    Only the last parts of the place are used: it was written on another machine, or by somebody who would like to read
    files elsewhere.
    """
    parts = [part for part in uri.split("/") if part]
    if not parts or any(part in (".", "..") or (part.endswith(":") and part != parts[0]) for part in parts[-5:]):
        return []
    for count in (3, 4, 2):
        place = "/".join(parts[-count:])
        if len(parts) > count and parts[-1] == "artifacts":
            names = _files_below(log, place)
            if names:
                return [(name, f"{place}/{name}") for name in names]
    return []


def _files_below(log: Log, place: str) -> list[str]:
    names: list[str] = []
    waiting = [""]
    looked_at = 0
    while waiting and len(names) < _MOST_ARTIFACTS and looked_at < _MOST_ARTIFACTS:
        below = waiting.pop()
        looked_at += 1
        folder = place if log.folder == "." else f"{log.folder}/{place}"
        try:
            entries = log.source.list(f"{folder}/{below}".rstrip("/"))
        except OSError:
            continue
        names += [f"{below}{entry.name}" for entry in entries if not entry.is_folder]
        waiting += [f"{below}{entry.name}/" for entry in entries if entry.is_folder]
    return sorted(names)[:_MOST_ARTIFACTS]
