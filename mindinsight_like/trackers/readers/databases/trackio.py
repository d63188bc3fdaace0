"""Trackio's database: one for each project, with a JSON object for each step of each run."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

import numpy as np
import orjson

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Kind
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.files.database_rows import Database, Followed, as_text
from mindinsight_like.trackers.reader import Item, Log, Points, RunSlice, Slice

TABLES: Final = frozenset({"metrics", "configs"})
NUMBERS: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_OWN: Final = {"_Group": "group", "_Username": "user", "_Created": "created"}
_FILES: Final = {
    "trackio.image": Kind.IMAGE,
    "trackio.audio": Kind.AUDIO,
    "trackio.video": Kind.VIDEO,
}
# What is read row by row, beside the run.
_FOLLOWED: Final = {
    "metrics": ("run_name", "timestamp", "step", "metrics"),
    "system_metrics": ("run_name", "timestamp", "step", "metrics"),
    "alerts": ("run_name", "timestamp", "step", "title", "text", "level"),
}
_DEEPEST = 16
_STEPS: Final = (-(1 << 63), (1 << 63) - 1)


def read_trackio(database: Database, log: Log, cursor: dict[str, Any]) -> Slice:
    """The next slice of a database of Trackio."""
    return _Project(database, log, cursor).read()


@dataclass
class _Columns:
    """Points of a run as they are collected."""

    tags: dict[str, int] = field(default_factory=dict)
    numbers: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    walls: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def points(self) -> Points | None:
        if not self.values:
            return None
        return Points(
            list(self.tags),
            np.array(self.numbers, np.int64),
            np.array(self.steps, np.int64),
            np.array(self.walls, np.float64),
            np.array(self.values, np.float64),
        )


class _Project:
    def __init__(self, database: Database, log: Log, cursor: dict[str, Any]) -> None:
        self._database = database
        self._log = log
        self._cursor = cursor
        self._marks: dict[str, int] = cursor.get("marks", {})  # fingerprints of what was said of runs
        self._system_steps: dict[str, int] = cursor.get("system_steps", {})  # system metrics have no steps
        self._runs: dict[str, RunSlice] = {}
        self._columns: dict[str, _Columns] = {}
        # The first versions knew runs by their names only.
        self._id = "run_id" if "run_id" in database.tables["metrics"] else "run_name"

    def read(self) -> Slice:
        metrics, system, alerts = (self._follow(table) for table in _FOLLOWED)
        if any(each is not None and each.starts_over for each in (metrics, system, alerts)):
            # What a table no longer holds is not told apart: all is read anew.
            for run in self._marks:
                self._run(run).starts_over = True
            self._marks = dict.fromkeys(self._marks, 0)
            self._system_steps, self._cursor = {}, {}
            metrics, system, alerts = (self._follow(table) for table in _FOLLOWED)
        self._add(metrics, "metrics")
        self._add(system, "system_metrics", prefix="system/")
        self._add_alerts(alerts)
        for run, columns in self._columns.items():
            self._run(run).points = columns.points()
        parts = [each for each in (metrics, system, alerts) if each is not None]
        is_partial = any(each.is_partial for each in parts)
        gone: list[str] = []
        if not is_partial:
            self._say()
            gone = [run for run in self._marks if not self._exists(run)]
        for run in gone:
            self._marks.pop(run)
            self._runs.pop(run, None)
        for run in self._runs:
            self._marks.setdefault(run, 0)
        followed = zip(_FOLLOWED, (metrics, system, alerts), strict=True)
        places = {table: each.place for table, each in followed if each is not None}
        size = self._log.versions[self._log.name].size
        return Slice(
            cursors.pack(places=places, marks=self._marks, system_steps=self._system_steps),
            int(size * min((each.share for each in parts), default=1.0)),
            is_partial=is_partial,
            runs=list(self._runs.values()),
            gone=gone,
        )

    def _follow(self, table: str) -> Followed | None:
        present = self._database.tables.get(table)
        if present is None:
            return None
        identity = self._id if self._id in present else "run_name"
        place = self._cursor.get("places", {}).get(table)
        return self._database.follow(table, (identity, *_FOLLOWED[table]), place, self._log)

    def _run(self, run: str) -> RunSlice:
        return self._runs.setdefault(run, RunSlice(run))

    def _add(self, followed: Followed | None, table: str, prefix: str = "") -> None:
        for row, identity, name, time, step, content in followed.rows if followed is not None else ():
            run = as_text(identity) or as_text(name)
            wall = _unix(as_text(time))
            values = _parsed(content)
            if prefix:
                step = self._system_steps[run] = self._system_steps.get(run, -1) + 1
            if values is None or not isinstance(step, int) or not _STEPS[0] <= step <= _STEPS[1]:
                self._note(row, table)
                continue
            columns = self._columns.setdefault(run, _Columns())
            self._run(run)
            before = len(columns.values)
            for key, value in _flat(values, prefix):
                if isinstance(value, dict):
                    if (item := _media(key, step, wall, value)) is not None:
                        self._run(run).items.append(item)
                else:
                    columns.numbers.append(columns.tags.setdefault(key, len(columns.tags)))
                    columns.values.append(value)
            count = len(columns.values) - before
            columns.steps += [step] * count
            columns.walls += [wall] * count

    def _note(self, row: int, table: str) -> None:
        message = f"table {table}: row {row} holds no step with values"
        self._database.damage.append(Damage(0, "unparsable", message))

    def _add_alerts(self, followed: Followed | None) -> None:
        for _, identity, name, time, step, title, text, level in followed.rows if followed is not None else ():
            run = as_text(identity) or as_text(name)
            content = f"**{as_text(level)}: {as_text(title)}**\n\n{as_text(text)}".rstrip()
            at = step if isinstance(step, int) and _STEPS[0] <= step <= _STEPS[1] else 0
            self._run(run).items.append(documents.text("alerts", at, _unix(as_text(time)), content))

    def _say(self) -> None:
        """Give what is new among settings of runs."""
        links = self._links()
        identity = self._id if self._id in self._database.tables["configs"] else "run_name"
        names: dict[str, str] = {}
        for run, name, content, created in self._database.all("configs", identity, "run_name", "config", "created_at"):
            key = as_text(run) or as_text(name)
            names[key] = as_text(name)
            mark = zlib.crc32(repr((name, content, links.get(key))).encode())
            if self._marks.get(key) != mark:
                self._marks[key] = mark
                self._tell(key, as_text(name), _parsed(content) or {}, as_text(created), links.get(key, ([], [])))
        for run, mark in list(self._marks.items()):
            if run not in names and not mark:  # logged without a config
                name = self._name(run)
                self._marks[run] = 1
                self._tell(run, name, {}, "", links.get(run, ([], [])))

    def _name(self, run: str) -> str:
        rows = self._database.select(f"SELECT run_name FROM metrics WHERE {self._id} = ? LIMIT 1", (run,))
        return as_text(rows[0][0]) if rows else run

    def _tell(
        self, run: str, name: str, config: Mapping[str, Any], created: str, links: tuple[list[Any], list[Any]]
    ) -> None:
        own = {_OWN[key]: value for key, value in config.items() if key in _OWN and value is not None}
        about = {"id": run, "project": _project(self._log.name), **own}
        if created and "created" not in about:
            about["created"] = created
        part = self._run(run)
        part.display_name = name
        part.lineage = documents.lineage(
            "trackio",
            params={key: value for key, value in config.items() if not key.startswith("_")},
            about=about,
            inputs=links[0],
            outputs=links[1],
        )

    def _links(self) -> dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
        """Artifacts that runs used and made, by run."""
        links: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {}
        names = {row[0]: row[1:] for row in self._database.all("artifacts", "id", "name", "type")}
        versions = {}
        for number, artifact, version, digest in self._database.all(
            "artifact_versions", "id", "artifact_id", "version", "manifest_digest"
        ):
            name, kind = names.get(artifact, (b"?", b"artifact"))
            versions[number] = {
                "name": f"{as_text(name)}:v{version}",
                "type": as_text(kind),
                "hash": as_text(digest),
            }
        for run, name, version, direction in self._database.all(
            "run_artifact_links", "run_id", "run_name", "artifact_version_id", "direction"
        ):
            if version in versions:
                sides = links.setdefault(as_text(run) or as_text(name), ([], []))
                sides[direction == b"output"].append(versions[version])
        for run, name, project, artifact, kind, version, direction in self._database.all(
            "external_run_artifact_links",
            *("run_id", "run_name", "source_project", "source_artifact", "source_type", "source_version", "direction"),
        ):
            sides = links.setdefault(as_text(run) or as_text(name), ([], []))
            place = f"{as_text(project)}/{as_text(artifact)}:v{version}"
            sides[direction == b"output"].append({"name": place, "type": as_text(kind)})
        return links

    def _exists(self, run: str) -> bool:
        for table in ("configs", "metrics", "system_metrics", "alerts"):
            columns = self._database.tables.get(table, frozenset())
            if self._database.is_damaged(table):
                return True
            if "run_name" not in columns:
                continue
            identity = self._id if self._id in columns else "run_name"
            if self._database.select(f'SELECT 1 FROM "{table}" WHERE {identity} = ? LIMIT 1', (run,)):
                return True
        return False


def _project(name: str) -> str:
    return name.rpartition("/")[2].rpartition(".")[0]


def _parsed(content: Any) -> dict[str, Any] | None:
    try:
        values = orjson.loads(content)
    except (ValueError, TypeError):
        return None
    return values if isinstance(values, dict) else None


def _flat(values: Mapping[str, Any], prefix: str, depth: int = 0) -> Iterator[tuple[str, float | dict[str, Any]]]:
    """Numbers by their names, and what stands for media; other values are none that are shown."""
    for name, value in values.items():
        kind = type(value)
        if kind is float or kind is int:
            try:
                yield prefix + name, float(value)
            except OverflowError:
                continue
        elif kind is str and value in NUMBERS:
            yield prefix + name, NUMBERS[value]
        elif kind is dict:
            if "_type" in value:
                yield prefix + name, value
            elif depth < _DEEPEST:
                yield from _flat(value, f"{prefix}{name}.", depth + 1)


def _media(tag: str, step: int, wall: float, value: dict[str, Any]) -> Item | None:
    kind = value.get("_type")
    path = value.get("file_path")
    if kind in _FILES and isinstance(path, str):
        caption = value.get("caption")
        return documents.files(_FILES[kind], tag, step, wall, [f"media/{path}"], [caption] if caption else [])
    if kind == "trackio.table" and isinstance(value.get("_value"), list):
        rows = [row for row in value["_value"] if isinstance(row, dict)]
        columns = list(dict.fromkeys(str(name) for row in rows for name in row))
        return documents.table(tag, step, wall, columns, [[_cell(row.get(name)) for name in columns] for row in rows])
    if kind == "trackio.histogram":
        edges, counts = value.get("bins"), value.get("values")
        if _are_numbers(edges) and _are_numbers(counts) and len(edges) == len(counts) + 1:  # type: ignore[arg-type]
            return documents.histogram(tag, step, wall, edges, counts)  # type: ignore[arg-type]
        return None
    if kind == "trackio.markdown" and isinstance(value.get("_value"), str):
        return documents.text(tag, step, wall, value["_value"])
    return None


def _cell(value: Any) -> Any:
    """A cell of a table; media in it are files."""
    if isinstance(value, dict) and value.get("_type") in _FILES and isinstance(value.get("file_path"), str):
        return {"file": f"media/{value['file_path']}"}
    return value


def _are_numbers(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) in (int, float) for value in values)


@lru_cache(maxsize=256)  # all rows of a batch have the same time
def _unix(text: str) -> float:
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError):
        return math.nan
