"""Exports of Neptune: Parquet files of a run, as neptune-exporter leaves them, with values in columns by their type."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.console_lines import console_items
from mindinsight_like.trackers.reader import Folder, Log, LogUnreadable, Points, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.source import Source

_FIRST: Final = "_part_0.parquet"
_PART: Final = re.compile(r"_part_(\d{1,6})\.parquet")
_MAGIC: Final = b"PAR1"
_MOST_BYTES: Final = 1 << 29  # of a part; Neptune's have 50 MB
_MOST_UNPACKED: Final = 4 << 30
_MOST_ITEMS: Final = 100_000  # of a part
_NEEDED: Final = frozenset({"run_id", "attribute_path", "attribute_type", "step", "timestamp", "float_value"})
_SETTINGS: Final = {
    "float": "float_value",
    "int": "int_value",
    "string": "string_value",
    "bool": "bool_value",
    "datetime": "datetime_value",
    "string_set": "string_set_value",
}
_ABOUT: Final = {
    "sys/description": "notes",
    "sys/tags": "tags",
    "sys/group_tags": "groups",
    "sys/owner": "user",
    "sys/custom_run_id": "custom_id",
    "sys/experiment/name": "experiment",
}
_SMALLEST_STEPS: Final = 6  # digits behind the point that Neptune keeps of steps


class NeptuneReader:
    """Reads exports."""

    dialect = Dialect.NEPTUNE
    is_store = True  # of one run; Parquet files of others bring none

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        for name in sorted(folder.files):
            if name.endswith(_FIRST) and folder.head(name).startswith(_MAGIC):
                stem = name.removesuffix(_FIRST)
                claimed = frozenset(each for each in folder.files if _part(stem, each) is not None)
                yield RecognisedLog(folder.path(name), folder.name, claimed)

    def members(self, source: Source, name: str) -> Sequence[str]:
        folder, _, file = name.rpartition("/")
        stem = file.removesuffix(_FIRST)
        names = [each.name for each in source.list(folder or ".") if not each.is_folder]
        parts = sorted((part, each) for each in names if (part := _part(stem, each)) is not None)
        return [f"{folder}/{each}" if folder else each for _, each in parts]

    def read(self, log: Log) -> Slice:
        cursor = cursors.unpack(log.cursor)
        versions: list[list[Any]] = [[name, *version] for name, version in log.versions.items()]
        done: list[list[Any]] = cursor.get("done", [])
        digits = cursor.get("digits", 0)
        starts_over = False
        if versions[: len(done)] != done:
            done, digits, starts_over = [], 0, True
        if len(done) == len(versions):
            return Slice(log.cursor, _size(log), runs=[])
        table = _table(log, versions[len(done)][0])
        if table is None:
            return Slice(cursors.pack(done=versions), _size(log))
        needed = _digits(table)
        if done and needed > digits:  # steps that were whole numbers so far are counted in smaller ones
            done, starts_over = [], True
            table = _table(log, versions[0][0])
            assert table is not None
        if not done:
            digits = max(digits, needed)
        key = log.name.rpartition("/")[2].removesuffix(_FIRST)
        run = RunSlice(key, starts_over=starts_over and bool(log.cursor))
        lines = _Part(run, table, digits, 0 if not done else cursor.get("lines", 0)).read()
        done = versions[: len(done) + 1]
        return Slice(
            cursors.pack(done=done, digits=digits, lines=lines),
            sum(int(version[1]) for version in done),
            is_partial=len(done) < len(versions),
            runs=[run],
        )


def _part(stem: str, name: str) -> int | None:
    match = _PART.fullmatch(name[len(stem) :]) if name.startswith(stem) else None
    return int(match[1]) if match else None


def _size(log: Log) -> int:
    return sum(version.size for version in log.versions.values())


def _table(log: Log, name: str) -> pa.Table | None:
    """A part; None when it is none of Neptune; raises LogUnreadable."""
    size = log.versions[name].size
    if size > _MOST_BYTES:
        raise LogUnreadable(f"a part of {size:,} bytes; the limit is {_MOST_BYTES:,}")
    try:
        file = pq.ParquetFile(pa.BufferReader(log.source.read(name, 0, size)))
        groups = range(file.metadata.num_row_groups)
        if sum(file.metadata.row_group(each).total_byte_size for each in groups) > _MOST_UNPACKED:
            raise LogUnreadable(f"a part with more than {_MOST_UNPACKED:,} bytes in it")
        if not set(file.schema_arrow.names) >= _NEEDED:
            return None
        return file.read()
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise LogUnreadable(f"a part cannot be read as Parquet: {str(error)[:200]}") from error


def _digits(table: pa.Table) -> int:
    """How many digits behind the point steps of a table have."""
    steps = _floats(table["step"])
    steps = steps[np.isfinite(steps)]
    for digits in range(_SMALLEST_STEPS):
        scaled = steps * 10**digits
        if (np.abs(scaled - np.rint(scaled)) < 10.0 ** (digits - _SMALLEST_STEPS) / 2).all():
            return digits
    return _SMALLEST_STEPS


def _floats(column: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    try:
        values = pc.cast(column, pa.float64(), safe=False).to_numpy()
    except pa.ArrowException as error:
        raise LogUnreadable(f"a column has another type than Neptune's: {column.type}") from error
    return np.asarray(values, np.float64)


def _walls(column: pa.ChunkedArray) -> npt.NDArray[np.float64]:
    """Unix seconds; NaN where there is none."""
    if not pa.types.is_timestamp(column.type):
        raise LogUnreadable(f"a column has another type than Neptune's: {column.type}")
    milliseconds = pc.cast(pc.cast(column, pa.timestamp("ms", "UTC"), safe=False), pa.int64())
    return _floats(milliseconds) / 1000


class _Part:
    """What one part says."""

    def __init__(self, run: RunSlice, table: pa.Table, digits: int, first_line: int) -> None:
        self._run = run
        self._table = table
        self._digits = digits
        self._line = first_line

    def read(self) -> int:
        """Give what is in the part; the number of the next line of the console."""
        self._add_points(self._of("float_series"))
        self._add_items()
        self._say()
        return self._line

    def _of(self, *kinds: str) -> pa.Table:
        return self._table.filter(pc.is_in(self._table["attribute_type"], pa.array(kinds)))

    def _steps(self, table: pa.Table) -> npt.NDArray[np.int64]:
        steps = np.rint(np.nan_to_num(_floats(table["step"])) * 10**self._digits)
        whole: npt.NDArray[np.int64] = np.clip(steps, -(2.0**62), 2.0**62).astype(np.int64)
        return whole

    def _add_points(self, table: pa.Table) -> None:
        if not table.num_rows:
            return
        paths = pc.cast(table["attribute_path"], pa.string()).combine_chunks().dictionary_encode()
        if isinstance(paths, pa.ChunkedArray):
            paths = paths.combine_chunks()
        self._run.points = Points(
            [str(each) for each in paths.dictionary.to_pylist()],
            np.asarray(paths.indices.fill_null(0), np.int64),
            self._steps(table),
            _walls(table["timestamp"]),
            _floats(table["float_value"]),
        )

    def _add_items(self) -> None:
        table = self._of("string_series", "histogram_series")
        if table.num_rows > _MOST_ITEMS:
            message = f"{table.num_rows - _MOST_ITEMS} texts and histograms of a part are left out"
            self._run.damage.append(Damage(0, "unparsable", message))
            table = table.slice(0, _MOST_ITEMS)
        if not table.num_rows:
            return
        texts, histograms = (self._column(table, name) for name in ("string_value", "histogram_value"))
        paths, steps, walls = self._column(table, "attribute_path"), self._steps(table), _walls(table["timestamp"])
        lines: list[str] = []
        times: list[float] = []
        for path, step, wall, text, histogram in zip(
            paths, steps.tolist(), walls.tolist(), texts, histograms, strict=True
        ):
            if isinstance(histogram, dict):
                edges, counts = histogram.get("edges") or [], histogram.get("values") or []
                if len(edges) == len(counts) + 1:
                    self._run.items.append(documents.histogram(str(path), step, wall, edges, counts))
            elif isinstance(text, str):
                if str(path).endswith(("/stdout", "/stderr")):
                    new = text.rstrip("\n").split("\n")
                    lines += new
                    times += [wall] * len(new)
                else:
                    self._run.items.append(documents.text(str(path), step, wall, text))
        if lines:
            self._run.items += console_items(self._line, lines, times)
            self._line += len(lines)

    def _say(self) -> None:
        table = self._of(*_SETTINGS, "file")
        if not table.num_rows:
            return
        columns = {name: self._column(table, name) for name in (*_SETTINGS.values(), "file_value")}
        kinds, paths = self._column(table, "attribute_type"), self._column(table, "attribute_path")
        settings: dict[str, Any] = {}
        outputs = []
        for place, (kind, path) in enumerate(zip(kinds, paths, strict=True)):
            if kind == "file":
                where = columns["file_value"][place]
                outputs.append({"name": str(path), "type": "file"} | ({"path": where["path"]} if where else {}))
            else:
                value = columns[_SETTINGS[kind]][place]
                settings[str(path)] = value if not hasattr(value, "timestamp") else value.timestamp()
        about = {name: settings[path] for path, name in _ABOUT.items() if settings.get(path) is not None}
        run_ids, projects = self._column(table.slice(0, 1), "run_id"), self._column(table.slice(0, 1), "project_id")
        about |= {"id": run_ids[0], "project": projects[0]}
        if self._digits:
            about["steps_times"] = 10**self._digits
        name = settings.get("sys/name") or settings.get("sys/custom_run_id") or run_ids[0]
        self._run.display_name = None if name is None else str(name)
        self._run.state = _state(settings)
        self._run.lineage = documents.lineage(
            "neptune",
            params={path: value for path, value in settings.items() if not path.startswith("sys/")},
            about=about,
            outputs=outputs,
        )

    def _column(self, table: pa.Table, name: str) -> list[Any]:
        if name not in table.column_names:
            return [None] * table.num_rows
        try:
            return list(table[name].to_pylist())
        except (pa.ArrowException, ValueError, OverflowError, UnicodeDecodeError) as error:
            raise LogUnreadable(f"column {name} cannot be read: {str(error)[:200]}") from error


def _state(settings: dict[str, Any]) -> WriterState | None:
    """What Neptune knows of the end of a run; versions since 3 do not."""
    started = settings.get("sys/creation_time")
    began = float(started) if isinstance(started, int | float) and math.isfinite(started) else 0.0
    ended = settings.get("sys/modification_time")
    if settings.get("sys/failed") is True:
        return WriterState("failed", began, ended, word="failed")
    if str(settings.get("sys/state", "")).lower() == "inactive":
        return WriterState("finished", began, ended, word=str(settings["sys/state"]))
    return None
