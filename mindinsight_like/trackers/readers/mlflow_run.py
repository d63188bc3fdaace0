"""MLflow's file store: each run is a folder with meta.yaml and a file for every metric, parameter and tag."""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.appended_files import read_tail
from mindinsight_like.trackers.files.plain_yaml import Plain, parse
from mindinsight_like.trackers.reader import Folder, Item, Log, Points, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.source import Source

# The tracker's words and what they are here, by the numbers of the file store.
STATUSES: Final = {1: "RUNNING", 2: "SCHEDULED", 3: "FINISHED", 4: "FAILED", 5: "KILLED"}
_STATES: Final = {"FINISHED": "finished", "FAILED": "failed", "KILLED": "failed"}
_RUN_ID: Final = re.compile(rb"^run_(?:id|uuid): ", re.MULTILINE)
_DELETED: Final = re.compile(rb"^lifecycle_stage: '?deleted", re.MULTILINE)
_RUN_FOLDER: Final = re.compile(r"[0-9a-f]{32}")
_PARTS: Final = frozenset({"metrics", "params", "tags", "inputs", "outputs"})
_PICTURES: Final = (".png", ".jpg", ".jpeg", ".gif")
_MOST_FILES = 100_000
_MOST_ARTIFACTS = 1000
_MOST_SETTING = 64 * 1024
_PIECE = 16 * 1024 * 1024
_LONGEST_LINE = 1024


class MlflowRunReader:
    """Reads the runs of a file store."""

    dialect = Dialect.MLFLOW_RUN
    is_store = False

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        meta = folder.head("meta.yaml") if "meta.yaml" in folder.files else b""
        is_named_so = bool(_RUN_FOLDER.fullmatch(folder.name.rpartition("/")[2]))
        # What has lost its meta.yaml is told by its name and its folders.
        has_parts = len(_PARTS & folder.folders) > 1
        if _DELETED.search(meta) or not (_RUN_ID.search(meta) or (is_named_so and has_parts)):
            return
        yield RecognisedLog(folder.name, folder.name, frozenset({"meta.yaml"}), _PARTS & folder.folders)

    def members(self, source: Source, name: str) -> Sequence[str]:
        members = [f"{name}/meta.yaml"]
        for part in sorted(_PARTS):
            members += _files(source, f"{name}/{part}", _MOST_FILES - len(members))
        members += _files(source, f"{name}/artifacts", _MOST_ARTIFACTS)
        return members

    def read(self, log: Log) -> Slice:
        cursor = cursors.unpack(log.cursor)
        places: dict[str, Any] = cursor.get("places", {})
        reading = _Metrics(log, places)
        if not reading.read():  # a file was replaced or has gone: what was read of it is not told apart
            reading = _Metrics(log, {})
            reading.read()
            cursor = {}
        starts_over = bool(log.cursor) and not cursor
        run = RunSlice(points=reading.points(), damage=reading.damage, starts_over=starts_over)
        settings = _Settings(log)
        said = settings.checksum
        if said != cursor.get("said"):
            run.display_name, run.state, run.lineage = settings.display_name, settings.state, settings.lineage
            run.damage += settings.damage
        shown = cursor.get("shown", 0)
        pictures = [each for each in settings.artifacts if each.lower().endswith(_PICTURES)]
        run.items += [_picture(log, each) for each in pictures[shown:]]
        size = sum(version.size for version in log.versions.values())
        return Slice(
            cursors.pack(places=reading.places, said=said, shown=len(pictures)),
            max(0, size - reading.left),
            is_partial=reading.is_partial,
            runs=[run],
        )


class _Metrics:
    """Reads on in the files of metrics."""

    def __init__(self, log: Log, places: dict[str, Any]) -> None:
        self._log = log
        self._before = places
        self._tags: list[str] = []
        self._columns: list[npt.NDArray[Any]] = []  # of each tag, of _ROW
        self.places: dict[str, Any] = dict(places)
        self.damage: list[Damage] = []
        self.is_partial = False
        self.left = 0  # bytes not read yet

    def read(self) -> bool:
        """Whether all files go on where they were read to."""
        log, end = self._log, time.monotonic() + self._log.limits.seconds
        top = f"{log.name}/metrics/"
        bytes_left = log.limits.bytes
        names = [name for name in log.versions if name.startswith(top)]
        if not self._before.keys() <= {name[len(top) :] for name in names}:
            return False
        for name in names:
            tag, version = name[len(top) :], log.versions[name]
            if bytes_left <= 0 or time.monotonic() > end:
                self.is_partial = True
                self.left += version.size - (self._before.get(tag) or {"position": 0})["position"]
                continue
            tail = read_tail(
                log.source, name, version, self._before.get(tag), max(_LONGEST_LINE, min(_PIECE, bytes_left))
            )
            if tail.starts_over:
                return False
            consumed = tail.data.rfind(b"\n") + 1
            if not consumed and not tail.is_at_end:
                consumed = len(tail.data)  # no line of a metric is so long
            bytes_left -= consumed
            self.left += version.size - tail.offset - consumed
            self.is_partial |= not tail.is_at_end
            self._add(tag, tail.data[:consumed], tail.offset)
            self.places[tag] = tail.place(log.source, name, version, consumed)
        if not self.is_partial:
            self.left = 0  # lines that are not complete yet
        return True

    def _add(self, tag: str, data: bytes, offset: int) -> None:
        rows = _quickly(data)
        if rows is None:
            rows, damage = _line_by_line(data, offset, tag)
            self.damage += damage
        if len(rows):
            self._tags.append(tag)
            self._columns.append(rows)

    def points(self) -> Points | None:
        if not self._tags:
            return None
        rows = np.concatenate(self._columns)
        numbers = np.repeat(np.arange(len(self._tags)), [len(each) for each in self._columns])
        return Points(self._tags, numbers, rows["step"], rows["wall"] / 1000, rows["value"])


_ROW = np.dtype([("wall", "<f8"), ("value", "<f8"), ("step", "<i8")])


def _quickly(data: bytes) -> npt.NDArray[Any] | None:
    """The rows of lines that all are as they should be; None when some are not."""
    if not data:
        return np.zeros(0, _ROW)
    content = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(content == 10)
    spaces = np.searchsorted(np.flatnonzero(content == 32), ends)
    if (np.diff(spaces, prepend=0) != 2).any():
        return None
    words = data.split()
    if len(words) != 3 * len(ends):
        return None
    rows = np.empty(len(ends), _ROW)
    try:
        rows["wall"], rows["value"] = list(map(int, words[::3])), list(map(float, words[1::3]))
        rows["step"] = list(map(int, words[2::3]))
    except (ValueError, OverflowError):
        return None
    return rows


def _line_by_line(data: bytes, offset: int, tag: str) -> tuple[npt.NDArray[Any], list[Damage]]:
    rows: list[tuple[int, float, int]] = []
    damage: list[Damage] = []
    for number, line in enumerate(data.split(b"\n")):
        words = line.split()
        try:
            if words:
                if len(words) not in (2, 3):  # the first versions wrote no steps
                    raise ValueError(line)
                step = int(words[2]) if len(words) == 3 else number
                np.int64(step)
                rows.append((int(words[0]), float(words[1]), step))
        except (ValueError, OverflowError):
            excerpt = line[:60].decode(errors="replace")
            place = f"metrics/{tag}, byte {offset}"
            damage.append(Damage(offset, "unparsable", f"{place}: not a time, a value and a step: {excerpt}"))
        offset += len(line) + 1
    return np.array(rows, _ROW), damage


class _Settings:
    """What meta.yaml and the files of parameters, tags and inputs say."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.damage: list[Damage] = []
        self._meta = parse(self._content("meta.yaml")) if f"{log.name}/meta.yaml" in log.versions else {}
        if not self._meta:
            self.damage.append(Damage(0, "unparsable", "meta.yaml is missing or holds nothing: the state is unknown"))
        self._tags = self._texts("tags")
        top = f"{log.name}/"
        self.artifacts = [name[len(top) :] for name in log.versions if name.startswith(f"{top}artifacts/")]
        self.lineage = self._lineage()
        self.checksum = zlib.crc32(repr((self._meta, self.lineage)).encode("utf-8", "replace"))

    @property
    def display_name(self) -> str | None:
        named = self._meta.get("run_name") or self._tags.get("mlflow.runName")
        return None if named is None else str(named)

    @property
    def state(self) -> WriterState | None:
        status = self._meta.get("status")
        word = STATUSES.get(status, str(status)) if isinstance(status, int) else status
        if not isinstance(word, str):
            return None
        started, ended = (_milliseconds(self._meta.get(name)) for name in ("start_time", "end_time"))
        return mlflow_state(word, started, ended)

    def _lineage(self) -> dict[str, Any]:
        tags = self._tags
        parent = tags.get("mlflow.parentRunId")
        experiment = self._log.name.rpartition("/")[0]
        return mlflow_lineage(
            self._texts("params"),
            tags,
            about={
                "id": self._meta.get("run_id") or self._log.name.rpartition("/")[2],
                "experiment": self._experiment(experiment) if experiment else None,
                "user": self._meta.get("user_id"),
            },
            parents=[{"relation": "parent", "run": f"../{parent}"}] if parent and "/" not in parent else [],
            inputs=self._inputs(experiment),
            outputs=[{"name": name.partition("/")[2], "type": "artifact", "path": name} for name in self.artifacts],
        )

    def _experiment(self, folder: str) -> Plain:
        try:
            return parse(self._log.source.read(f"{folder}/meta.yaml", 0, _MOST_SETTING)).get("name")
        except OSError:
            return None

    def _inputs(self, experiment: str) -> list[dict[str, Any]]:
        inputs = []
        top = f"{self._log.name}/inputs/"
        for name in self._log.versions:
            if not name.startswith(top) or not name.endswith("/meta.yaml"):
                continue
            source_id = parse(self._content(name[len(self._log.name) + 1 :])).get("source_id")
            if not isinstance(source_id, str) or not re.fullmatch(r"[\w-]+", source_id):
                continue
            try:
                about = parse(self._log.source.read(f"{experiment}/datasets/{source_id}/meta.yaml", 0, _MOST_SETTING))
            except OSError:
                about = {}
            inputs.append(
                {"name": about.get("name") or source_id, "type": "dataset", "hash": about.get("digest") or source_id}
            )
        return inputs

    def _texts(self, part: str) -> dict[str, str]:
        top = f"{self._log.name}/{part}/"
        texts = {}
        for name in self._log.versions:
            if name.startswith(top):
                key = name[len(top) :]
                content = self._content(f"{part}/{key}")
                try:
                    texts[key] = content.decode()
                except UnicodeDecodeError as error:
                    texts[key] = content.decode(errors="replace")
                    self.damage.append(Damage(error.start, "unparsable", f"{part}/{key} is not UTF-8"))
        return texts

    def _content(self, name: str) -> bytes:
        try:
            return self._log.source.read(f"{self._log.name}/{name}", 0, _MOST_SETTING)
        except OSError:
            return b""


def mlflow_state(word: str, started: float | None, ended: float | None) -> WriterState:
    """The state that MLflow means by a word, with times in unix seconds."""
    state = _STATES.get(word, "running")
    return WriterState(state, started or 0.0, ended if state != "running" else None, word=word)


def mlflow_lineage(
    params: dict[str, str], tags: dict[str, str], *, about: dict[str, Any], **more: Any
) -> dict[str, Any]:
    """The lineage of a run with these parameters and tags, of which MLflow writes some itself."""
    own = {name: value for name, value in tags.items() if not name.startswith("mlflow.")}
    code = {
        "commit": tags.get("mlflow.source.git.commit"),
        "branch": tags.get("mlflow.source.git.branch"),
        "remote": tags.get("mlflow.source.git.repoURL"),
        "command": tags.get("mlflow.source.name"),
    }
    about = about | {"tags": own or None, "notes": tags.get("mlflow.note.content")}
    return documents.lineage(
        "mlflow",
        params={name: _number_or_text(value) for name, value in params.items()},
        code={name: value for name, value in code.items() if value},
        about={name: value for name, value in about.items() if value is not None},
        **more,
    )


def _number_or_text(text: str) -> Plain:
    """A parameter: MLflow writes all as text."""
    if re.fullmatch(r"[-+]?(?:0|[1-9]\d{0,17})", text):
        return int(text)
    if text in ("True", "False"):
        return text == "True"
    try:
        return float(text) if re.fullmatch(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?", text) else text
    except ValueError:
        return text


def _milliseconds(value: Plain) -> float | None:
    return value / 1000 if isinstance(value, int | float) and value > 0 else None


def _picture(log: Log, artifact: str) -> Item:
    version = log.versions[f"{log.name}/{artifact}"]
    return documents.files(Kind.IMAGE, artifact, 0, version.modified_ns / 1e9, [artifact])


def _files(source: Source, folder: str, most: int) -> list[str]:
    """The files inside a folder, at any depth."""
    names: list[str] = []
    waiting = [folder]
    while waiting and len(names) < most:
        top = waiting.pop()
        try:
            entries = source.list(top)
        except (FileNotFoundError, NotADirectoryError):
            continue
        names += [f"{top}/{entry.name}" for entry in entries if not entry.is_folder]
        waiting += [f"{top}/{entry.name}" for entry in entries if entry.is_folder]
    return sorted(names)[:most]
