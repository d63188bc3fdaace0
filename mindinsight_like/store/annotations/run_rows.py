"""Annotations of runs in the database: rows, versions, what a change of many runs has replaced."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from mindinsight_like.store.annotations.run_settings import RunSettings, remember, settings_of, store
from mindinsight_like.store.annotations.tables import insert, now_version, select
from mindinsight_like.store.database.database import Connection, Row, in_chunks, marks


class Annotation(NamedTuple):
    """What people said of a run. The versions are 0 where there is nothing, and never used twice."""

    note: str = ""
    labels: tuple[str, ...] = ()
    note_version: int = 0
    labels_version: int = 0
    settings: RunSettings = RunSettings()


class Changed(NamedTuple):
    """What a change of many runs has done."""

    annotations: dict[str, Annotation]  # of all runs that were named, as they are now
    changed: int  # how many of them have changed
    undo: str  # the token to undo it with; empty when nothing has changed


def lock_board(connection: Connection, board: str) -> int:
    """The version that a change of the board gets; nobody else changes the board before the transaction is over."""
    # SQLite has one writer anyway; in PostgreSQL the row keeps others waiting.
    connection.execute(
        "INSERT INTO boards (id, version) VALUES (?, 0) ON CONFLICT (id) DO UPDATE SET version = boards.version",
        (board,),
    )
    rows = connection.execute("SELECT version FROM boards WHERE id = ?", (board,))
    return max(int(rows[0][0]) + 1, now_version())


def set_version(connection: Connection, board: str, version: int) -> None:
    connection.execute("UPDATE boards SET version = ? WHERE id = ?", (version, board))


def annotation_of(row: Row) -> Annotation:
    _, _, note, note_version, labels, labels_version, _ = row
    return Annotation(note, tuple(json.loads(labels)), note_version, labels_version)


def change_all(
    connection: Connection, board: str, changes: Mapping[str, Callable[[Annotation], Annotation]]
) -> Changed:
    """Change the annotations of some runs, and remember what they were."""
    version = lock_board(connection, board)
    before = dict.fromkeys(changes, Annotation()) | _stored_all(connection, board, list(changes))
    after = {run: versioned(change(before[run]), before[run], version) for run, change in changes.items()}
    different = {run: new for run, new in after.items() if new != before[run]}
    if not different:
        return Changed(after, 0, "")
    store_annotations(connection, board, different)
    set_version(connection, board, version)
    undo = remember(connection, board, {run: _differences(before[run], new) for run, new in different.items()})
    return Changed(after, len(different), undo)


def stored_annotation(connection: Connection, board: str, run: str) -> Annotation:
    return _stored_all(connection, board, [run]).get(run, Annotation())


def _stored_all(connection: Connection, board: str, runs: Sequence[str]) -> dict[str, Annotation]:
    rows: list[Row] = []
    for chunk in in_chunks(runs):
        rows += select(connection, "runs", f"WHERE board = ? AND run IN ({marks(chunk)})", (board, *chunk))
    stored = {row[1]: annotation_of(row) for row in rows}
    for run, settings in settings_of(connection, board, runs).items():
        stored[run] = stored.get(run, Annotation())._replace(settings=settings)
    return stored


def versioned(new: Annotation, old: Annotation, version: int) -> Annotation:
    """With the new version for what has changed, and 0 for what there is none of."""
    note_version = old.note_version if new.note == old.note else version
    labels_version = old.labels_version if new.labels == old.labels else version
    old_texts, texts = old.settings[:3], new.settings[:3]
    settings_version = old.settings.version if texts == old_texts else version
    return new._replace(
        note_version=note_version if new.note else 0,
        labels_version=labels_version if new.labels else 0,
        settings=new.settings._replace(version=settings_version if any(texts) else 0),
    )


def store_annotations(connection: Connection, board: str, annotations: Mapping[str, Annotation]) -> None:
    connection.execute_many("DELETE FROM runs WHERE board = ? AND run = ?", [(board, run) for run in annotations])
    now = time.time()
    insert(
        connection,
        "runs",
        [
            (
                board,
                run,
                new.note,
                new.note_version,
                json.dumps(new.labels, ensure_ascii=False),
                new.labels_version,
                now,
            )
            for run, new in annotations.items()
            if new.note or new.labels
        ],
    )
    store(connection, board, {run: new.settings for run, new in annotations.items()})


def _differences(old: Annotation, new: Annotation) -> dict[str, tuple[Any, Any]]:
    """What has changed by field: before and after."""
    before, after = _fields(old), _fields(new)
    return {field: (before[field], after[field]) for field in before if before[field] != after[field]}


def _fields(annotation: Annotation) -> dict[str, Any]:
    settings = annotation.settings._asdict()
    del settings["version"]
    return {"note": annotation.note, "labels": list(annotation.labels), **settings}


def restored(annotation: Annotation, *, fields: Mapping[str, Sequence[Any]]) -> Annotation:
    """With the earlier values of those fields that are still as a change has left them."""
    now = _fields(annotation)
    earlier = {field: before for field, (before, after) in fields.items() if now[field] == after}
    if "note" in earlier:
        annotation = annotation._replace(note=earlier.pop("note"))
    if "labels" in earlier:
        annotation = annotation._replace(labels=tuple(earlier.pop("labels")))
    return annotation._replace(settings=annotation.settings._replace(**earlier))
