"""What rows of a W&B history hold beside numbers: texts and media."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from mindinsight_like.logs.kinds import Kind
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas import wandb
from mindinsight_like.trackers import documents
from mindinsight_like.trackers.reader import Item, Log

_MOST_HTML: Final = 1 << 16
_MOST_BINS: Final = 1 << 16
_DEEPEST: Final = 32  # parts of a key
_NUMBERS: Final = frozenset(("NaN", "Infinity", "-Infinity"))
_FOLDER: Final = "files"
_LONGEST: Final = 1000  # characters of a tag that is put together


def items_of_row(log: Log, row: MessageFields, step: int, wall: float) -> Iterator[Item]:
    """The texts and media of a row; raises Malformed."""
    values: dict[str, Any] = {}
    for item in row.messages(wandb.HistoryRecord.item):
        *outer, last = item.texts(wandb.Item.nested_key) or [item.text(wandb.Item.key)]
        try:
            value = json.loads(item.content(wandb.Item.value_json))
        except (ValueError, RecursionError):
            continue
        if len(outer) > _DEEPEST:
            continue
        place = values
        for name in outer:
            inner = place.setdefault(name, {})
            place = inner if isinstance(inner, dict) else {}
        place[last] = value
    for tag, value in _found(values):
        if isinstance(value, str):
            yield documents.text(tag, step, wall, value)
        else:
            yield from _media(log, tag, step, wall, value)


def alert(message: MessageFields, step: int, wall: float) -> Item:
    title, text = message.text(wandb.AlertRecord.title), message.text(wandb.AlertRecord.text)
    return documents.text("alerts", step, wall, f"**{title}**\n\n{text}")


def _found(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Texts and media of a row, with parts of nested keys joined by dots."""
    waiting = list(values.items())[::-1]
    while waiting:
        tag, value = waiting.pop()
        if isinstance(value, str):
            if value not in _NUMBERS and tag != "_wandb":
                yield tag, value
        elif isinstance(value, dict):
            if isinstance(value.get("_type"), str):
                yield tag, value
            elif tag != "_wandb":
                waiting += [(f"{tag}.{name}", each) for name, each in list(value.items())[::-1] if len(tag) < _LONGEST]


def _media(log: Log, tag: str, step: int, wall: float, value: Mapping[str, Any]) -> Iterator[Item]:
    kind = value["_type"]
    if kind == "histogram":
        edges, counts = _edges(value), value.get("values")
        if isinstance(counts, list) and _are_numbers(counts) and _are_numbers(edges) and len(edges) == len(counts) + 1:
            yield documents.histogram(tag, step, wall, edges, counts)
        return
    if kind in _FILES:
        named, of_one = _FILES[kind]
        listed = value.get(named) if named else [value]
        parts = (
            [part if isinstance(part, Mapping) else {"path": part} for part in listed]
            if isinstance(listed, list)
            else []
        )
        paths = [path for part in parts if (path := _path(part.get("path")))]
        if paths:
            yield documents.files(of_one, tag, step, wall, paths, _captions(value, parts))
        return
    path = _path(value.get("path"))
    if kind == "table-file" and path:
        yield documents.table_file(tag, step, wall, path)
    elif kind == "html-file" and path:
        yield documents.text(tag, step, wall, _html(log, path))
    elif kind == "html":
        pages = [_path(page.get("path")) for page in _objects(value.get("html"))]
        yield documents.text(tag, step, wall, "\n\n".join(_html(log, page) for page in pages if page))
    elif path:
        yield documents.text(tag, step, wall, f"{kind}: `{path}`")
    elif kind not in _PARTS:
        yield documents.text(tag, step, wall, kind)


# Of each kind the field that lists its parts, none for one file.
_FILES: Final[Mapping[str, tuple[str, Kind]]] = {
    "image-file": ("", Kind.IMAGE),
    "images/separated": ("filenames", Kind.IMAGE),
    "audio-file": ("", Kind.AUDIO),
    "audio": ("audio", Kind.AUDIO),
    "video-file": ("", Kind.VIDEO),
    "videos": ("videos", Kind.VIDEO),
}
_PARTS: Final = frozenset(("boxes2D", "mask", "histogram"))


def _edges(value: Mapping[str, Any]) -> list[float]:
    bins, packed = value.get("bins"), value.get("packedBins")
    if isinstance(bins, list) and _are_numbers(bins):
        return bins
    if isinstance(packed, Mapping) and _are_numbers([packed.get(name) for name in ("min", "size", "count")]):
        least, size, count = packed["min"], packed["size"], packed["count"]
        if 0 < count < _MOST_BINS:
            return [least + number * size for number in range(int(count) + 1)]
    return []


def _are_numbers(values: list[Any]) -> bool:
    return 0 < len(values) <= _MOST_BINS and all(
        isinstance(each, int | float) and not isinstance(each, bool) and math.isfinite(each) for each in values
    )


def _captions(value: Mapping[str, Any], parts: list[Any]) -> list[str]:
    listed = value.get("captions")
    captions = listed if isinstance(listed, list) else [part.get("caption") for part in parts]
    return [caption if isinstance(caption, str) else "" for caption in captions] if any(captions) else []


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _path(path: Any) -> str:
    """Where a file lies, relative to the folder of the log; empty when that is not below it."""
    if not isinstance(path, str) or not path or "\0" in path or "\\" in path:
        return ""
    return "" if path.startswith("/") or ".." in path.split("/") else f"{_FOLDER}/{path}"


def _html(log: Log, path: str) -> str:
    """The source of a page, its path when it is not there."""
    try:
        page = log.source.read(path if log.folder == "." else f"{log.folder}/{path}", 0, _MOST_HTML)
    except OSError:
        return f"`{path}`"
    content = page.decode(errors="replace")
    fence = "```"
    while fence in content:
        fence += "`"
    return f"{fence}html\n{content}\n{fence}"
