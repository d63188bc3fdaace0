"""JSON documents in which the index keeps values and lineage of trackers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mindinsight_like.logs.kinds import Kind
from mindinsight_like.trackers.reader import Item

LINEAGE_FORMAT = "mindinsight-like lineage"


def text(tag: str, step: int, wall: float, content: str) -> Item:
    """A text, shown as Markdown."""
    return Item(Kind.TEXT, tag, step, wall, _encoded({"text": content}))


def histogram(tag: str, step: int, wall: float, edges: Sequence[float], counts: Sequence[float]) -> Item:
    """Counts of values between edges, of which there is one more."""
    return Item(Kind.HISTOGRAM, tag, step, wall, _encoded({"edges": list(edges), "counts": list(counts)}))


def files(kind: Kind, tag: str, step: int, wall: float, paths: Sequence[str], captions: Sequence[str] = ()) -> Item:
    """Images, videos or sounds in files of their own; paths are relative to the folder of the log."""
    return Item(kind, tag, step, wall, _encoded({"files": list(paths), "captions": list(captions)}))


def table(tag: str, step: int, wall: float, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Item:
    """A table in the log itself; cells are JSON values, or {"file": path} for media."""
    return Item(Kind.TABLE, tag, step, wall, _encoded({"columns": list(columns), "rows": list(rows)}))


def table_file(tag: str, step: int, wall: float, path: str) -> Item:
    """A table in a JSON file of its own ({"columns": [...], "data": [...]}), relative to the folder of the log."""
    return Item(Kind.TABLE, tag, step, wall, _encoded({"file": path}))


def console(first_line: int, wall: float, lines: Sequence[str], times: Sequence[float] = ()) -> Item:
    """Consecutive lines of output, numbered from 0, with the unix time of each where it is known."""
    return Item(Kind.CONSOLE, "output", first_line, wall, _encoded({"lines": list(lines), "times": list(times)}))


def lineage(
    tracker: str,
    *,
    params: Mapping[str, Any] | None = None,
    metrics: Mapping[str, Any] | None = None,  # results that the tracker itself names
    data: Mapping[str, Any] | None = None,
    model: Mapping[str, Any] | None = None,
    code: Mapping[str, Any] | None = None,  # git commit, branch, remote, diff, command ...
    environment: Mapping[str, Any] | None = None,  # host, user, python, packages ...
    about: Mapping[str, Any] | None = None,  # what the tracker says of the run: id, group, job_type, tags, notes ...
    parents: Sequence[Mapping[str, str]] = (),  # {"relation": ..., "run": path relative to this run's folder}
    inputs: Sequence[Mapping[str, Any]] = (),  # {"name": ..., "type": ..., "hash": ..., "path": ...}
    outputs: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """What a tracker says of a run, in the form that `mi.log_lineage` writes."""
    parts: dict[str, Any] = {
        "params": params,
        "metrics": metrics,
        "data": data,
        "model": model,
        "code": code,
        "environment": environment,
        "tracker": {"name": tracker, **(about or {})},
        "parents": list(parents),
        "inputs": list(inputs),
        "outputs": list(outputs),
    }
    return {"format": LINEAGE_FORMAT, **{name: part for name, part in parts.items() if part}}


def merged_lineage(before: bytes, document: Mapping[str, Any]) -> bytes:
    """What is said of a run in all: objects and lists are added to, of everything else the last word counts."""
    merged: dict[str, Any] = json.loads(before) if before else {}
    for name, value in document.items():
        known = merged.get(name)
        if isinstance(value, Mapping) and isinstance(known, dict):
            merged[name] = known | dict(value)
        elif isinstance(value, list | tuple) and isinstance(known, list):
            merged[name] = known + [each for each in value if each not in known]
        else:
            merged[name] = value
    return encoded_lineage(merged)


def encoded_lineage(document: Mapping[str, Any]) -> bytes:
    """A lineage document as it is kept."""
    return _encoded(document)


def _encoded(document: Mapping[str, Any]) -> bytes:
    # Halves of surrogate pairs, which no database takes, become question marks.
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), default=str)
    return text.encode("utf-8", "replace")
