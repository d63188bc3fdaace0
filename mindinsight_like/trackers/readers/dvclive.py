"""DVCLive: a folder with a table for each metric, and DVC's files that tell data and models by their hashes."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.appended_files import read_tail
from mindinsight_like.trackers.files.json_documents import JsonUnreadable, parsed_object
from mindinsight_like.trackers.files.yaml_documents import MOST_BYTES, YamlUnreadable, parse
from mindinsight_like.trackers.reader import Folder, Log, Points, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.source import Source

_PLOTS: Final = "plots"
_METRICS: Final = "plots/metrics/"
_IMAGES: Final = "plots/images/"
_PICTURES: Final = (".png", ".jpg", ".jpeg", ".gif")
_MOST_FILES = 20_000
_MOST_DVC_FILES = 100
_PIECE = 16 * 1024 * 1024
_LONGEST_LINE = 64 * 1024
_ROW: Final = np.dtype([("wall", "<f8"), ("value", "<f8"), ("step", "<i8")])


class DvcliveReader:
    """Reads folders of DVCLive."""

    dialect = Dialect.DVCLIVE
    is_store = False

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        if _PLOTS not in folder.folders:
            return
        is_named_so = folder.name.rpartition("/")[2] == "dvclive"
        if is_named_so or ("metrics.json" in folder.files and b'"step":' in folder.head("metrics.json")):
            claimed = frozenset({"metrics.json", "params.yaml"}) & folder.files
            yield RecognisedLog(folder.name, folder.name, claimed, frozenset({_PLOTS}))

    def members(self, source: Source, name: str) -> Sequence[str]:
        source.list(name)  # which raises when it has gone
        members = [f"{name}/{each}" for each in ("metrics.json", "params.yaml", "dvc.yaml")]
        members += _files(source, f"{name}/{_PLOTS}")
        if (parent := _parent(name)) is not None:
            members += [_inside(parent, each) for each in ("dvc.yaml", "dvc.lock")]
            try:
                names = [each.name for each in source.list(parent) if not each.is_folder and each.name != ".dvc"]
            except OSError:
                names = []
            members += [_inside(parent, each) for each in names if each.endswith(".dvc")][:_MOST_DVC_FILES]
        return members

    def read(self, log: Log) -> Slice:
        cursor = cursors.unpack(log.cursor)
        tables = _Tables(log, cursor.get("places", {}))
        if not tables.read():  # a table was replaced or has gone: what was read of it is not told apart
            tables = _Tables(log, {})
            tables.read()
            cursor = {}
        run = RunSlice(points=tables.points(), damage=tables.damage, starts_over=bool(log.cursor) and not cursor)
        lineage, damage = _lineage(log)
        mark = zlib.crc32(repr(lineage).encode("utf-8", "replace"))
        if mark != cursor.get("mark"):
            run.lineage = lineage
        reports = set(cursor.get("reports", ()))
        run.damage += [each for each in damage if zlib.crc32(each.message.encode()) not in reports]
        pictures: list[str] = cursor.get("pictures", [])
        for path in _pictures(log):
            if path not in pictures:
                version = log.versions[f"{log.name}/{path}"]
                tag, step = _tag_and_step(path)
                run.items.append(documents.files(Kind.IMAGE, tag, step, version.modified_ns / 1e9, [path]))
                pictures.append(path)
        size = sum(version.size for version in log.versions.values())
        return Slice(
            cursors.pack(
                places=tables.places,
                mark=mark,
                pictures=pictures,
                reports=[zlib.crc32(each.message.encode()) for each in damage],
            ),
            max(0, size - tables.left),
            is_partial=tables.is_partial,
            runs=[run],
        )


class _Tables:
    """Reads on in the tables of metrics."""

    def __init__(self, log: Log, places: dict[str, Any]) -> None:
        self._log = log
        self._before = places
        self._tags: list[str] = []
        self._columns: list[npt.NDArray[Any]] = []  # of each tag, of _ROW
        self.places: dict[str, Any] = dict(places)
        self.damage: list[Damage] = []
        self.is_partial = False
        self.left = 0

    def read(self) -> bool:
        """Whether all files go on where they were read to."""
        log, bytes_left = self._log, self._log.limits.bytes
        top = f"{log.name}/{_METRICS}"
        names = [name for name in log.versions if name.startswith(top) and name.endswith(".tsv")]
        if not self._before.keys() <= {name[len(top) :] for name in names}:
            return False
        for name in names:
            file, version = name[len(top) :], log.versions[name]
            place = self._before.get(file)
            if bytes_left <= 0:
                self.is_partial = True
                self.left += version.size - (place or {"position": 0})["position"]
                continue
            tail = read_tail(log.source, name, version, place, max(_LONGEST_LINE, min(_PIECE, bytes_left)))
            if tail.starts_over:
                return False
            end = tail.data.rfind(b"\n") + 1
            if not end and not tail.is_at_end:
                end = len(tail.data)
            data, header = tail.data[:end], (place or {}).get("header", "")
            if not tail.offset:
                first, _, data = data.partition(b"\n")
                header = first.decode(errors="replace").rstrip("\r")
            bytes_left -= end
            self.is_partial |= not tail.is_at_end
            self.left += version.size - tail.offset - end
            if end:
                self._add(file, header.split("\t"), data, tail.offset)
            self.places[file] = tail.place(log.source, name, version, end) | {"header": header}
        return True

    def _add(self, file: str, header: list[str], data: bytes, offset: int) -> None:
        tag = file.removesuffix(".tsv")
        if "step" not in header[:2] or len(header) - header.index("step") != 2:
            if not self._before.get(file):
                self.damage.append(Damage(0, "unparsable", f"{_METRICS}{file}: the first line names no step and value"))
            return
        columns = np.empty(0, _ROW) if not data else _quickly(data, header)
        if columns is None:
            columns, damage = _line_by_line(data, header, offset, file)
            self.damage += damage
        if len(columns):
            self._tags.append(tag)
            self._columns.append(columns)

    def points(self) -> Points | None:
        if not self._tags:
            return None
        rows = np.concatenate(self._columns)
        numbers = np.repeat(np.arange(len(self._tags)), [len(each) for each in self._columns])
        return Points(self._tags, numbers, rows["step"], rows["wall"], rows["value"])


def _quickly(data: bytes, header: list[str]) -> npt.NDArray[Any] | None:
    """The rows of lines that all are as they should be; None when some are not."""
    lines, words, width = data.count(b"\n"), data.split(), len(header)
    if len(words) != lines * width or data.count(b"\t") != lines * (width - 1):
        return None
    rows = np.empty(lines, _ROW)
    try:
        step = header.index("step")
        rows["step"], rows["value"] = list(map(int, words[step::width])), list(map(float, words[step + 1 :: width]))
        rows["wall"] = math.nan if not step else np.array(list(map(float, words[::width]))) / 1000
    except (ValueError, OverflowError):
        return None
    return rows


def _line_by_line(data: bytes, header: list[str], offset: int, file: str) -> tuple[npt.NDArray[Any], list[Damage]]:
    rows: list[tuple[float, float, int]] = []
    damage: list[Damage] = []
    step = header.index("step")
    for line in data.split(b"\n")[:-1]:
        cells = line.rstrip(b"\r").split(b"\t")
        try:
            if len(cells) != len(header):
                raise ValueError("a cell is missing")
            at = int(cells[step])
            np.int64(at)
            rows.append((float(cells[0]) / 1000 if step and cells[0] else math.nan, _value(cells[-1]), at))
        except (ValueError, OverflowError):
            excerpt = line[:60].decode(errors="replace")
            message = f"{_METRICS}{file}: a line is no step with a value: {excerpt}"
            damage.append(Damage(offset, "unparsable", message))
        offset += len(line) + 1
    return np.array(rows, _ROW), damage


def _value(cell: bytes) -> float:
    text = cell.strip()
    return float({b"True": b"1", b"False": b"0", b"": b"nan"}.get(text, text))


def _pictures(log: Log) -> list[str]:
    top = f"{log.name}/"
    paths = (name[len(top) :] for name in log.versions if name.startswith(f"{top}{_IMAGES}"))
    return [path for path in paths if path.lower().endswith(_PICTURES)]


def _tag_and_step(path: str) -> tuple[str, int]:
    """Pictures of several steps lie in a folder of their own, named after their steps."""
    name = path[len(_IMAGES) :]
    folder, _, file = name.rpartition("/")
    stem = file.partition(".")[0]
    return (folder, int(stem)) if folder and stem.isdecimal() and len(stem) < 16 else (name, 0)


def _lineage(log: Log) -> tuple[dict[str, Any], list[Damage]]:
    damage: list[Damage] = []
    params = _yaml(log, f"{log.name}/params.yaml", damage)
    parent = _parent(log.name)
    pipeline = _yaml(log, _inside(parent, "dvc.yaml"), damage) if parent is not None else {}
    own = _yaml(log, f"{log.name}/dvc.yaml", damage)
    lock = _yaml(log, _inside(parent, "dvc.lock"), damage) if parent is not None else {}
    inputs, outputs = _of_stages(lock, log.name.rpartition("/")[2])
    artifacts = {each["path"] for part in (pipeline, own) for each in _entries(part.get("artifacts")) if "path" in each}
    for name in log.versions:
        if parent is not None and name.endswith(".dvc") and (name.rpartition("/")[0] or ".") == parent:
            for entry in _hashed(_yaml(log, name, damage).get("outs")):
                (outputs if entry["path"] in artifacts else inputs).append(entry)
    lineage = documents.lineage(
        "dvclive",
        params=params,
        metrics=_flat(_summary(log, damage)),
        inputs=inputs,
        outputs=outputs,
    )
    return lineage, damage


def _of_stages(lock: Mapping[str, Any], folder: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What the stage that wrote this folder took and made; a lone stage is taken for it."""
    stages = lock.get("stages")
    candidates = [stage for stage in stages.values() if isinstance(stage, dict)] if isinstance(stages, dict) else []
    wrote = [
        stage
        for stage in candidates
        if any(each["path"] == folder or each["path"].startswith(f"{folder}/") for each in _hashed(stage.get("outs")))
    ]
    chosen = wrote or (candidates if len(candidates) == 1 else [])
    inputs = [entry for stage in chosen for entry in _hashed(stage.get("deps"))]
    outputs = [entry for stage in chosen for entry in _hashed(stage.get("outs"))]
    return inputs, [each for each in outputs if each["path"] != folder and not each["path"].startswith(f"{folder}/")]


def _hashed(entries: Any) -> list[dict[str, Any]]:
    """What DVC says of files and folders."""
    results = []
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(path := entry.get("path"), str):
            digest = next((entry[key] for key in ("md5", "etag", "checksum") if isinstance(entry.get(key), str)), None)
            results.append({"name": path, "type": "dvc", "path": path} | ({"hash": digest} if digest else {}))
    return results


def _entries(part: Any) -> list[dict[str, Any]]:
    values = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return [each for each in values if isinstance(each, dict) and isinstance(each.get("path"), str)]


def _yaml(log: Log, name: str, damage: list[Damage]) -> dict[str, Any]:
    if name not in log.versions:
        return {}
    try:
        content = parse(log.source.read(name, 0, MOST_BYTES + 1))
    except (YamlUnreadable, OSError) as error:
        damage.append(Damage(0, "unparsable", f"{name.rpartition('/')[2]}: {error}"))
        return {}
    return content if isinstance(content, dict) else {}


def _summary(log: Log, damage: list[Damage]) -> dict[str, Any]:
    name = f"{log.name}/metrics.json"
    if name not in log.versions:
        return {}
    try:
        return parsed_object(log.source.read(name, 0, MOST_BYTES + 1))
    except JsonUnreadable:
        return {}  # it is rewritten at each step, and may be found half-written
    except OSError as error:
        damage.append(Damage(0, "unparsable", f"metrics.json: {error.strerror}"))
        return {}


def _flat(values: Mapping[str, Any], prefix: str = "", depth: int = 0) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            if depth < 16:
                results |= _flat(value, f"{prefix}{name}/", depth + 1)
        elif prefix + name != "step":
            results[prefix + name] = value
    return results


def _parent(name: str) -> str | None:
    """The folder that a folder lies in; None for the base dir."""
    return None if name == "." else name.rpartition("/")[0] or "."


def _inside(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def _files(source: Source, folder: str) -> list[str]:
    names: list[str] = []
    waiting = [folder]
    while waiting and len(names) < _MOST_FILES:
        top = waiting.pop()
        try:
            entries = source.list(top)
        except OSError:
            continue
        names += [f"{top}/{entry.name}" for entry in entries if not entry.is_folder]
        waiting += [f"{top}/{entry.name}" for entry in entries if entry.is_folder]
    return sorted(names)[:_MOST_FILES]
