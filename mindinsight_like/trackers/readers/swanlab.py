"""Offline runs of SwanLab, version 2: `run-DATE_TIME-ID/run-ID.swanlab`, settings in `files`, media in `media`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas import swanlab
from mindinsight_like.logs.protobuf.schemas.swanlab import ColumnType, Record, RunState
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.trackers import documents, record_logs
from mindinsight_like.trackers.console_lines import console_items
from mindinsight_like.trackers.cursors import pack, unpack
from mindinsight_like.trackers.files import yaml_documents
from mindinsight_like.trackers.reader import Folder, Item, Log, Points, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.record_log_reading import (
    Layout,
    Reading,
    beside,
    joined,
    kept,
    memory_of,
    points_of,
)
from mindinsight_like.trackers.record_logs import Scanned
from mindinsight_like.trackers.siblings import siblings_in
from mindinsight_like.trackers.source import Source

_LAYOUT: Final = Layout(record_logs.SWANLAB, b":SWL\xd6\xe1", 2, "SwanLab")
_NAME: Final = re.compile(r"run-(.+)\.swanlab")
_CONFIG: Final = "files/config.yaml"
_METADATA: Final = "files/swanlab-metadata.json"
_MOST_METADATA: Final = 1 << 20
_MOST_TEXT: Final = 1 << 16
_OWN: Final = "__swanlab__."  # begins the tags of host metrics
_SETTING: Final = frozenset(("desc", "sort", "value"))
_FOLDERS: Final[Mapping[int, str]] = {
    ColumnType.TEXT: "text",
    ColumnType.IMAGE: "image",
    ColumnType.AUDIO: "audio",
    ColumnType.VIDEO: "video",
    ColumnType.ECHARTS: "echarts",
    ColumnType.OBJECT3D: "object3d",
    ColumnType.MOLECULE: "molecule",
    ColumnType.HTML: "html",
}
_KINDS: Final = {ColumnType.IMAGE: Kind.IMAGE, ColumnType.AUDIO: Kind.AUDIO, ColumnType.VIDEO: Kind.VIDEO}
_STATES: Final = {  # in the words of SwanLab
    RunState.FINISHED: ("finished", "finished"),
    RunState.CRASHED: ("failed", "crashed"),
    RunState.ABORTED: ("failed", "aborted"),
}


class SwanLabReader:
    dialect = Dialect.SWANLAB
    is_store = False

    def recognise(self, folder: Folder) -> Iterable[RecognisedLog]:
        names = sorted(name for name in folder.files if _NAME.fullmatch(name))
        logs = [name for name in names if folder.head(name)[:4] in (b"", _LAYOUT.magic[:4])]
        for name in logs:
            run = folder.name if len(logs) == 1 else folder.path(name.removesuffix(".swanlab"))
            own = frozenset(("files", "media", "debug", "logs")) & folder.folders
            yield RecognisedLog(folder.path(name), run, frozenset((name,)), own)

    def members(self, source: Source, name: str) -> Sequence[str]:
        return name, beside(name, _CONFIG), beside(name, _METADATA)

    def read(self, log: Log) -> Slice:
        cursor = unpack(log.cursor)
        reading = Reading(log, _LAYOUT, cursor.get("place"), memory_of(cursor))
        run = _Run(log, cursor)
        for scanned in reading.pieces():
            if reading.starts_over and not run.part.starts_over:
                run = _Run(log, {}, starts_over=True)
            run.add(scanned)
        if reading.starts_over and not run.part.starts_over:  # the file was cut to nothing
            run = _Run(log, {}, starts_over=True)
        run.read_members()
        part = run.finished(reading)
        after = pack(place=reading.next_place(), memory=kept(reading.memory), **run.kept)
        return Slice(after, reading.position, reading.is_partial, [part])


class _Run:
    """Gathers what a slice has brought for a run."""

    def __init__(self, log: Log, cursor: Mapping[str, Any], *, starts_over: bool = False) -> None:
        self.part = RunSlice(starts_over=starts_over)
        self.kept: dict[str, Any] = {
            "about": cursor.get("about", {}),
            "started": cursor.get("started"),
            "end": cursor.get("end"),  # state, word, error, time
            "lines": cursor.get("lines", 0),
            "seen": cursor.get("seen", {}),  # versions of the files beside the log
        }
        self._log = log
        self._points: list[Points] = []
        self._lineage: dict[str, Any] = {}
        self._has_news = starts_over

    def add(self, scanned: Scanned) -> None:
        if len(scanned.values):
            self._points.append(_named(points_of(scanned)))
        if scanned.lines:
            lines = scanned.lines[:-1].decode(errors="replace").split("\n")
            self.part.items += console_items(self.kept["lines"], lines, scanned.line_times.tolist())
            self.kept["lines"] += len(lines)
        for number, content, _, _ in scanned.records:
            try:
                self._take(number, MessageFields(content))
            except Malformed:
                continue  # inside of what the scanner leaves to us; the rest of the run is whole

    def read_members(self) -> None:
        """Read the files beside the log that have changed."""
        for name, read in ((_CONFIG, self._read_config), (_METADATA, self._read_metadata)):
            version = self._log.versions.get(beside(self._log.name, name))
            seen = None if version is None else [version.size, version.changed_ns]
            if seen is not None and self.kept["seen"].get(name) != seen:
                try:
                    read(self._log.source.read(beside(self._log.name, name), 0, _MOST_METADATA))
                except (OSError, ValueError, RecursionError, yaml_documents.YamlUnreadable):
                    continue  # it is being written
                self.kept["seen"][name] = seen

    def finished(self, reading: Reading) -> RunSlice:
        part, about = self.part, self.kept["about"]
        part.points = joined(self._points)
        part.damage = reading.damage
        if self._has_news:
            home, _, own = self._log.folder.rpartition("/")
            same = siblings_in(self._log.source, home or ".", own).folders_of(about.get("id", ""))
            earlier = same[: same.index(own)] if own in same else []
            parents = [{"relation": "resumed from", "run": f"../{name}"} for name in earlier[-1:]]
            part.lineage = documents.lineage("swanlab", about=about, parents=parents, **self._lineage)
        if self.kept["started"] is not None:
            part.state = WriterState("running", self.kept["started"], word="running")
            if self.kept["end"]:
                state, word, error, ended = self.kept["end"]
                part.state = WriterState(state, self.kept["started"], ended, error, word)
        return part

    def _take(self, number: int, message: MessageFields) -> None:
        if number == Record.start:
            fields = swanlab.StartRecord
            texts = {
                "id": message.text(fields.id),
                "project": message.text(fields.project),
                "entity": message.text(fields.workspace),
                "group": message.text(fields.group),
                "job_type": message.text(fields.job_type),
                "notes": message.text(fields.description),
                "tags": message.texts(fields.tags),
            }
            self.kept["about"] |= {name: value for name, value in texts.items() if value}
            self.kept["started"] = _time(message, fields.started_at)
            self.part.display_name = message.text(fields.name) or None
            self._has_news = True
        elif number == Record.finish:
            end = swanlab.FinishRecord
            state, word = _STATES.get(message.integer(end.state), ("failed", "unknown"))
            ended = _time(message, end.finished_at)
            self.kept["end"] = [state, word, message.text(end.error)[:1000], ended or self.kept["started"]]
        elif number == Record.media:
            self.part.items += _media(self._log, message)

    def _read_config(self, content: bytes) -> None:
        config = yaml_documents.parse(content)
        if isinstance(config, dict):
            is_setting = {
                key: isinstance(each, dict) and "value" in each and each.keys() <= _SETTING
                for key, each in config.items()
            }
            self._lineage["params"] = {key: each["value"] if is_setting[key] else each for key, each in config.items()}
            self._has_news = True

    def _read_metadata(self, content: bytes) -> None:
        found = json.loads(content)
        runtime, git, hardware = (_object(found, name) for name in ("runtime", "git", "hardware"))
        code = {
            "command": runtime.get("command"),
            "commit": git.get("commit"),
            "branch": git.get("branch"),
            "repository": git.get("remote_url"),
        }
        environment = {
            "host": runtime.get("hostname"),
            "python": runtime.get("python_version"),
            "platform": runtime.get("os"),
            "cpus": _object(hardware, "cpu").get("logical_count"),
        }
        for part, values in (("code", code), ("environment", environment)):
            self._lineage[part] = {
                name: value for name, value in values.items() if isinstance(value, str | int) and value
            }
        self._has_news = True


def _named(points: Points) -> Points:
    """Host metrics get the name that they have everywhere."""
    tags = [f"system/{tag.removeprefix(_OWN)}" if tag.startswith(_OWN) else tag for tag in points.tags]
    return points._replace(tags=tags)


def _media(log: Log, media: MessageFields) -> Iterator[Item]:
    fields = swanlab.MediaRecord
    kind, tag, step = media.integer(fields.type), media.text(fields.key), media.integer(fields.step)
    wall = _time(media, fields.timestamp)
    wall = math.nan if wall is None else wall
    items = [item for value in media.messages(fields.value) for item in value.messages(swanlab.MediaValue.items)]
    names = [item.text(swanlab.MediaItem.filename) for item in items]
    captions = [item.text(swanlab.MediaItem.caption) for item in items]
    folder = _FOLDERS.get(kind)
    if (
        folder is None
        or not names
        or any("/" in name or "\\" in name or "\0" in name or name in ("", "..") for name in names)
    ):
        return
    paths = [f"media/{folder}/{name}" for name in names]
    if kind in _KINDS:
        yield documents.files(_KINDS[kind], tag, step, wall, paths, captions if any(captions) else ())
        return
    for path, caption in zip(paths, captions, strict=True):
        content = _text(log, path) if kind in (ColumnType.TEXT, ColumnType.HTML, ColumnType.ECHARTS) else f"`{path}`"
        if kind != ColumnType.TEXT and not content.startswith("`"):
            content = _fenced(content, "html" if kind == ColumnType.HTML else "json")
        yield documents.text(tag, step, wall, f"**{caption}**\n\n{content}" if caption else content)


def _text(log: Log, path: str) -> str:
    """The content of a text file, its path when it is not there."""
    try:
        return log.source.read(beside(log.name, path), 0, _MOST_TEXT).decode(errors="replace")
    except OSError:
        return f"`{path}`"


def _fenced(content: str, language: str) -> str:
    fence = "```"
    while fence in content:
        fence += "`"
    return f"{fence}{language}\n{content}\n{fence}"


def _time(message: MessageFields, number: int) -> float | None:
    for time in message.messages(number):
        return time.integer(swanlab.Timestamp.seconds) + time.integer(swanlab.Timestamp.nanos) / 1e9
    return None


def _object(value: Any, name: str) -> Mapping[str, Any]:
    inner = value.get(name) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}
