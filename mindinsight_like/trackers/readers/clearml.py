"""ClearML's offline sessions: a folder, or the archive that is made of it in the end; both are counted once."""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.appended_files import read_tail
from mindinsight_like.trackers.console_lines import console_items
from mindinsight_like.trackers.files.archives import MAGIC, first_member, read_members
from mindinsight_like.trackers.files.event_points import EventPoints, number, unix_seconds, whole
from mindinsight_like.trackers.files.json_documents import JsonUnreadable, parsed, parsed_object
from mindinsight_like.trackers.reader import Folder, Log, LogUnreadable, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.source import Source

_TASK, _METRICS, _LOG = _FILES = ("task.json", "metrics.jsonl", "log.jsonl")
_ARCHIVE: Final = re.compile(r"offline-[0-9a-f]{32}\.zip")
_MOST_TASK = 64 << 20
_PIECE = 4 << 20
_LONGEST_LINE = 64 << 20


class ClearmlReader:
    """Reads offline sessions."""

    dialect = Dialect.CLEARML
    is_store = False

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        if _TASK in folder.files and not folder.files.isdisjoint({_METRICS, _LOG}):
            yield RecognisedLog(folder.name, folder.name, frozenset(_FILES) & folder.files)
        for name in sorted(folder.files):
            # While the folder is there, that is read: it is what grows.
            if _ARCHIVE.fullmatch(name) and name.removesuffix(".zip") not in folder.folders:
                head = folder.head(name)
                if head.startswith(MAGIC) and first_member(head) in _FILES:
                    yield RecognisedLog(folder.path(name), folder.path(name.removesuffix(".zip")), frozenset({name}))

    def members(self, source: Source, name: str) -> Sequence[str]:
        return (name,) if _is_archive(name) else [f"{name}/{each}" for each in _FILES]

    def read(self, log: Log) -> Slice:
        return _of_archive(log) if _is_archive(log.name) else _of_folder(log)


def _is_archive(name: str) -> bool:
    return _ARCHIVE.fullmatch(name.rpartition("/")[2]) is not None


def _of_archive(log: Log) -> Slice:
    version = log.versions[log.name]
    files = read_members(log.source, log.name, version.size, _FILES)
    if _TASK not in files:
        raise LogUnreadable("the archive is none of ClearML: it has no task.json")
    run = RunSlice(starts_over=bool(log.cursor))
    events = _Events()
    events.read(files.get(_METRICS, b""), _METRICS)
    events.read(files.get(_LOG, b""), _LOG)
    _say(run, files[_TASK])
    events.give(run, 0)
    return Slice(cursors.pack(read=True), version.size, runs=[run])


def _of_folder(log: Log) -> Slice:
    cursor = cursors.unpack(log.cursor)
    slice_ = _read_on(log, cursor)
    if slice_ is None:  # a file was replaced or has gone
        slice_ = _read_on(log, {})
        assert slice_ is not None
        slice_.runs[0].starts_over = True
    return slice_


def _read_on(log: Log, cursor: dict[str, Any]) -> Slice | None:
    places: dict[str, Any] = dict(cursor.get("places", {}))
    run, events = RunSlice(), _Events()
    is_partial, left = False, 0
    for name in (_METRICS, _LOG):
        path = f"{log.name}/{name}"
        version = log.versions.get(path)
        if version is None:
            if name in places:
                return None
            continue
        most = min(_PIECE, log.limits.bytes)
        while True:
            tail = read_tail(log.source, path, version, places.get(name), most)
            if tail.is_at_end or b"\n" in tail.data or most >= _LONGEST_LINE:
                break
            most *= 4  # a line holds many events
        if tail.starts_over:
            return None
        end = tail.data.rfind(b"\n") + 1
        if tail.is_at_end and tail.data[end:].rstrip().endswith(b"]") and _is_whole(tail.data[end:]):
            end = len(tail.data)
        if not end and not tail.is_at_end:
            end = len(tail.data)
        events.read(tail.data[:end], name, tail.offset)
        places[name] = tail.place(log.source, path, version, end)
        is_partial |= not tail.is_at_end
        left += 0 if tail.is_at_end else version.size - tail.offset - end
    task_mark = cursor.get("task", 0)
    if f"{log.name}/{_TASK}" in log.versions:
        content = log.source.read(f"{log.name}/{_TASK}", 0, _MOST_TASK)
        if (mark := zlib.crc32(content)) != task_mark:
            task_mark = mark
            _say(run, content)
    lines = events.give(run, cursor.get("lines", 0))
    size = sum(version.size for version in log.versions.values())
    return Slice(
        cursors.pack(places=places, task=task_mark, lines=lines), size - left, is_partial=is_partial, runs=[run]
    )


def _is_whole(line: bytes) -> bool:
    try:
        parsed(line)
    except JsonUnreadable:
        return False
    return True


@dataclass
class _Events:
    """Events of lines, each of which is a list of some."""

    values: EventPoints = field(default_factory=EventPoints)
    lines: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)

    def read(self, data: bytes, name: str, offset: int = 0) -> None:
        for line in data.split(b"\n"):
            if line and not line.isspace():
                try:
                    events = parsed(line)
                except JsonUnreadable:
                    events = None
                if isinstance(events, list):
                    for event in events:
                        if isinstance(event, dict):
                            self._add(event)
                else:
                    excerpt = line[:60].decode(errors="replace")
                    message = f"{name}: a line is no list of events: {excerpt}"
                    self.damage.append(Damage(offset, "unparsable", message))
            offset += len(line) + 1

    def _add(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        wall = unix_seconds(event.get("timestamp"))
        if kind == "training_stats_scalar":
            step, value = whole(event.get("iter")), number(event.get("value"))
            if step is not None and value is not None:
                self.values.add(f"{event.get('metric', '')}/{event.get('variant', '')}", step, wall, value)
        elif kind == "log" and isinstance(event.get("msg"), str):
            new = event["msg"].rstrip("\n").split("\n")
            self.lines += new
            self.times += [wall] * len(new)

    def give(self, run: RunSlice, first_line: int) -> int:
        """Add what was collected to a run; gives the number of the next line."""
        run.points = self.values.points()
        run.damage += self.damage
        if self.lines:
            run.items += console_items(first_line, self.lines, self.times)
        return first_line + len(self.lines)


def _say(run: RunSlice, content: bytes) -> None:
    """Give what the task says of a run."""
    try:
        task = parsed_object(content)
    except JsonUnreadable as error:
        run.damage.append(Damage(0, "unparsable", f"{_TASK}: {error}"))
        return
    script, execution = (_mapping(task.get(name)) for name in ("script", "execution"))
    requirements = _mapping(script.get("requirements"))
    params = {}
    for section, values in _mapping(task.get("hyperparams")).items():
        for name, value in _mapping(values).items():
            params[f"{section}/{name}"] = _param(_mapping(value))
    for name, value in _mapping(execution.get("parameters")).items():
        params.setdefault(str(name), value)
    tags = task.get("tags")
    run.display_name = str(task["name"]) if task.get("name") else None
    run.lineage = documents.lineage(
        "clearml",
        params=params,
        code=_present(
            {
                "remote": script.get("repository"),
                "branch": script.get("branch"),
                "commit": script.get("version_num"),
                "command": script.get("entry_point"),
                "diff": script.get("diff"),
            }
        ),
        environment=_present({"python": script.get("binary"), "packages": requirements.get("pip")}),
        about=_present(
            {
                "id": task.get("id"),
                "project": task.get("project_name"),
                "job_type": task.get("type"),
                "tags": tags if isinstance(tags, list) else None,
                "notes": task.get("comment"),
            }
        ),
        outputs=[
            _present({"name": each.get("key"), "type": "artifact", "hash": each.get("hash")})
            for each in execution.get("artifacts") or ()
            if isinstance(each, dict)
        ],
    )


def _param(entry: dict[str, Any]) -> Any:
    """A parameter, which is a text with the name of its type."""
    value, kind = entry.get("value"), entry.get("type")
    if not isinstance(value, str):
        return value
    try:
        if kind == "int":
            return int(value) if len(value) < 20 else value
        if kind == "float":
            return float(value)
        if kind == "bool":
            return {"True": True, "False": False}.get(value, value)
        return json.loads(value) if kind in ("list", "dict", "tuple") else value
    except (ValueError, RecursionError):
        return value


def _present(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "", math.nan)}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
