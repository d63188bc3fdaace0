"""Sacred's file storage: a numbered folder for each run, whose files are rewritten whole at each heartbeat."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.appended_files import read_tail
from mindinsight_like.trackers.console_lines import console_items
from mindinsight_like.trackers.files.json_documents import JsonUnreadable, parsed_object
from mindinsight_like.trackers.reader import Folder, Item, Log, Points, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.source import Source

_FILES: Final = ("run.json", "config.json", "info.json", "metrics.json", "cout.txt")
_STATES: Final = {"COMPLETED": "finished", "RUNNING": "running", "QUEUED": "running"}
_MOST_BYTES = 256 << 20  # of a file of JSON
_CONSOLE_PIECE = 1 << 20
_DEEPEST = 32


class SacredReader:
    """Reads runs of a file storage."""

    dialect = Dialect.SACRED
    is_store = False

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        if not {"run.json", "config.json"} <= folder.files:
            return
        head = folder.head("run.json")
        # run.json may be found empty, as it is rewritten.
        if (b'"experiment"' in head and b'"command"' in head) or (not head and "cout.txt" in folder.files):
            yield RecognisedLog(folder.name, folder.name, frozenset(_FILES) & folder.files)

    def members(self, source: Source, name: str) -> Sequence[str]:
        return [f"{name}/{each}" for each in _FILES]

    def read(self, log: Log) -> Slice:
        cursor = cursors.unpack(log.cursor)
        run_file, config, info, metrics = (_Json(log, each) for each in _FILES[:4])
        part = RunSlice()
        is_running = run_file.value.get("status") in (None, "RUNNING")
        counts, places = cursor.get("counts", {}), cursor.get("console", {})
        read = _Metrics(counts)
        if metrics.is_read and not read.read(metrics.value):
            part.starts_over = True
            read = _Metrics({})
            read.read(metrics.value)
            cursor, places = {}, {}
        console = _Console(log, places, is_running=is_running)
        if console.starts_over and not part.starts_over:
            part.starts_over = True
            read = _Metrics({})
            read.read(metrics.value)
            cursor = {}
        part.points, part.items, part.damage = read.points(), console.items, read.damage
        marks = cursor.get("marks", [])
        new = [each.mark for each in (run_file, config, info)]
        if run_file.is_read and (new != marks or part.starts_over):
            self._say(part, run_file.value, config.value, info.value)
            marks = new
        reports = cursor.get("reports", [])
        for file in (run_file, config, info, metrics):
            # What is being rewritten is read when that is done.
            if file.error and not is_running and file.name not in reports:
                reports.append(file.name)
                part.damage.append(Damage(0, "unparsable", f"{file.name}: {file.error}"))
        totals = counts if not metrics.is_read and not part.starts_over else read.counts
        size = sum(version.size for version in log.versions.values())
        return Slice(
            cursors.pack(counts=totals, console=console.place, marks=marks, reports=reports),
            size - console.left,
            is_partial=console.is_partial,
            runs=[part],
        )

    def _say(self, part: RunSlice, run: Mapping[str, Any], config: Mapping[str, Any], info: Mapping[str, Any]) -> None:
        experiment, host, meta = (_mapping(run.get(name)) for name in ("experiment", "host", "meta"))
        repositories = [each for each in _list(experiment.get("repositories")) if isinstance(each, dict)]
        first = repositories[0] if repositories else {}
        result = _plain(run.get("result"))
        notes = meta.get("comment")
        name = experiment.get("name")
        part.display_name = str(name) if name else None
        part.state = _state(run)
        part.lineage = documents.lineage(
            "sacred",
            params={key: _plain(value) for key, value in config.items() if key != "__doc__"},
            metrics=_results(result),
            code=_present(
                {"command": run.get("command"), "commit": first.get("commit"), "remote": first.get("url")}
                | {"entry": experiment.get("mainfile")}
            ),
            environment=_present(
                {
                    "host": host.get("hostname"),
                    "python": host.get("python_version"),
                    "cpu": host.get("cpu"),
                    "os": " ".join(str(each) for each in _list(host.get("os"))) or None,
                    "packages": _list(experiment.get("dependencies")) or None,
                }
            ),
            about=_present(
                {"experiment": name, "notes": notes, "info": {k: _plain(v) for k, v in info.items()} or None}
            ),
            inputs=[
                {"name": str(each[0]), "type": "resource", "hash": str(each[1])}
                for each in _list(run.get("resources"))
                if isinstance(each, list) and len(each) == 2
            ],
            outputs=[
                {"name": str(each), "type": "artifact", "path": str(each)} for each in _list(run.get("artifacts"))
            ],
        )


class _Json:
    """A file that holds one object, or one that is being written."""

    def __init__(self, log: Log, name: str) -> None:
        self.name = name
        self.value: dict[str, Any] = {}
        self.error = ""
        self.is_read = False
        self.mark = 0
        version = log.versions.get(f"{log.name}/{name}")
        if version is None:
            return
        if version.size > _MOST_BYTES:
            self.error = f"a file of {version.size:,} bytes; the limit is {_MOST_BYTES:,}"
            return
        content = log.source.read(f"{log.name}/{name}", 0, version.size)
        self.mark = zlib.crc32(content)
        try:
            self.value = parsed_object(content)
            self.is_read = True
        except JsonUnreadable as error:
            self.error = str(error)


class _Metrics:
    """New points of a file that holds all of them."""

    def __init__(self, counts: Mapping[str, Any]) -> None:
        self._before = counts  # how many points there were of each metric, with a fingerprint
        self.counts: dict[str, list[int]] = {}
        self._tags: list[str] = []
        self._columns: list[tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]] = []
        self.damage: list[Damage] = []

    def read(self, metrics: Mapping[str, Any]) -> bool:
        """Whether all that was there is there as it was."""
        if not self._before.keys() <= metrics.keys():
            return False
        for tag, series in metrics.items():
            parts = _mapping(series)
            steps, values, times = (_list(parts.get(name)) for name in ("steps", "values", "timestamps"))
            count = min(len(steps), len(values))
            if len(steps) != len(values) and not self._before.get(tag):
                message = f"metrics.json: {tag} has {len(steps)} steps and {len(values)} values"
                self.damage.append(Damage(0, "unparsable", message))
            step_column, value_column = _steps(steps[:count]), _values(values[:count])
            before, mark = self._before.get(tag, (0, 0))
            if count < before or (before and _mark(step_column[:before], value_column[:before]) != mark):
                return False
            self.counts[tag] = [count, _mark(step_column, value_column)]
            if count > before:
                self._tags.append(tag)
                walls = _times(times[before:count], count - before)
                self._columns.append((step_column[before:], walls, value_column[before:]))
        return True

    def points(self) -> Points | None:
        if not self._tags:
            return None
        numbers = np.repeat(np.arange(len(self._tags)), [len(each[0]) for each in self._columns])
        steps, walls, values = (np.concatenate(each) for each in zip(*self._columns, strict=True))
        return Points(self._tags, numbers, steps, walls, values)


class _Console:
    """New lines of what a run has printed."""

    def __init__(self, log: Log, places: Mapping[str, Any], *, is_running: bool) -> None:
        self.items: list[Item] = []
        self.place = dict(places)
        self.is_partial = self.starts_over = False
        self.left = 0
        name = f"{log.name}/cout.txt"
        version = log.versions.get(name)
        if version is None:
            self.starts_over = bool(places)
            self.place = {}
            return
        most = max(4096, min(log.limits.bytes, _CONSOLE_PIECE))
        tail = read_tail(log.source, name, version, places.get("place"), most)
        self.starts_over = tail.starts_over
        first = 0 if tail.starts_over else places.get("lines", 0)
        end = tail.data.rfind(b"\n") + 1
        if not tail.is_at_end:
            end = end or len(tail.data)
        elif not is_running:
            end = len(tail.data)
        lines = [_last_shown(each) for each in tail.data[:end].decode(errors="replace").splitlines()]
        if lines:
            self.items = list(console_items(first, lines, [math.nan] * len(lines)))
        self.place = {"place": tail.place(log.source, name, version, end), "lines": first + len(lines)}
        self.is_partial = not tail.is_at_end
        self.left = version.size - tail.offset - end if self.is_partial else 0


def _last_shown(line: str) -> str:
    """What a progress bar leaves on the screen."""
    return line.rstrip("\r").rpartition("\r")[2]


def _state(run: Mapping[str, Any]) -> WriterState | None:
    word = run.get("status")
    if not isinstance(word, str):
        return None
    state = _STATES.get(word, "failed")
    trace = run.get("fail_trace")
    reason = "".join(str(each) for each in trace[-1:]).strip() if isinstance(trace, list) and trace else ""
    started, ended = _unix(run.get("start_time")), _unix(run.get("stop_time"))
    return WriterState(state, started or 0.0, ended if state != "running" else None, reason, word)


def _unix(text: Any) -> float | None:
    """A time that Sacred wrote: UTC, without saying so."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _times(texts: list[Any], count: int) -> npt.NDArray[np.float64]:
    try:
        moments = np.array(texts, "datetime64[us]")
        walls = np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / 1e6)
    except (ValueError, TypeError, OverflowError):
        walls = np.array([_unix(each) or math.nan for each in texts], np.float64)
    return walls if len(walls) == count else np.full(count, math.nan)


def _steps(values: list[Any]) -> npt.NDArray[np.int64]:
    try:
        return np.array(values, np.int64) if all(type(each) is int for each in values) else _slow_steps(values)
    except OverflowError:
        return _slow_steps(values)


def _slow_steps(values: list[Any]) -> npt.NDArray[np.int64]:
    """Steps of which some are none: those count on."""
    steps: list[int] = []
    for value in values:
        number = _number(value)
        is_step = math.isfinite(number) and abs(number) < 1 << 62
        steps.append(int(number) if is_step else (steps[-1] + 1 if steps else 0))
    return np.array(steps, np.int64)


def _values(values: list[Any]) -> npt.NDArray[np.float64]:
    if all(type(each) is float for each in values):
        return np.array(values, np.float64)
    return np.array([_number(each) for each in values], np.float64)


def _number(value: Any) -> float:
    """A number, as such or as jsonpickle writes those of numpy."""
    if isinstance(value, dict):
        value = value.get("value")
    try:
        return float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        return math.nan


def _mark(steps: npt.NDArray[np.int64], values: npt.NDArray[np.float64]) -> int:
    return zlib.crc32(np.ascontiguousarray(values).tobytes(), zlib.crc32(np.ascontiguousarray(steps).tobytes()))


def _plain(value: Any, depth: int = 0) -> Any:
    """A value without what jsonpickle says of its type; nothing is made of that."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, dict):
        for key in ("py/tuple", "py/set"):
            if isinstance(value.get(key), list):
                return [_plain(each, depth + 1) for each in value[key]]
        if "py/object" in value and "value" in value:
            return _plain(value["value"], depth + 1)
        return {name: _plain(each, depth + 1) for name, each in value.items()}
    return [_plain(each, depth + 1) for each in value] if isinstance(value, list) else value


def _results(result: Any) -> dict[str, Any]:
    if isinstance(result, dict):
        return result
    return {} if result is None else {"result": result}


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
