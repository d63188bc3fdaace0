"""CSV files with a row for each epoch or step: Keras, fastai, Ultralytics, and plain ones by narrow rules.

A plain one must have a column for steps by a known name, whose numbers are whole and never go back in the first rows,
and at least half of all other cells there must be numbers. The files differ in how they are told apart; all are read
by the same parser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.files.csv_rows import (
    Cells,
    has_columns,
    points_of,
    read_rows,
    read_sample,
    share_of_numbers,
    step_column,
    walls_of,
)
from mindinsight_like.trackers.files.yaml_documents import MOST_BYTES, YamlUnreadable, parse
from mindinsight_like.trackers.reader import Folder, Log, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.readers.json_lines import STEP_KEYS
from mindinsight_like.trackers.source import Source

# Names that stand for the folder's run; a file of another name is a run of its own.
FOLDER_NAMES: Final = (
    "metrics.csv",
    "history.csv",
    "results.csv",
    "progress.csv",
    "training.csv",
    "training.log",
    "train.csv",
    "log.csv",
    "logs.csv",
)


class CsvReader:
    """Reads CSV files with a column for steps."""

    dialect = Dialect.CSV
    is_store = False
    tracker = ""  # says something of the runs when it is known
    endings: tuple[str, ...] = (".csv",)
    steps: Sequence[str] = STEP_KEYS
    settings: str = ""  # a YAML file beside it

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        names = [name for name in folder.files if name.endswith(self.endings)]
        of_folder = True
        for name in sorted(names, key=lambda name: (name not in FOLDER_NAMES, name)):
            cells = read_sample(folder.head(name))
            if cells is None or not self.is_log(folder, name, cells):
                continue
            takes_folder = of_folder and name in FOLDER_NAMES
            of_folder &= not takes_folder
            settings = {self.settings} & folder.files
            yield RecognisedLog(
                folder.path(name), folder.name if takes_folder else folder.path(name), frozenset({name}) | settings
            )

    def is_log(self, folder: Folder, name: str, cells: Cells) -> bool:
        """Whether a file that begins so is one of this reader."""
        step = step_column(cells, self.steps)
        return step is not None and has_other_numbers(cells, step) and share_of_numbers(cells, step) >= 0.5

    def members(self, source: Source, name: str) -> Sequence[str]:
        folder = name.rpartition("/")[0]
        beside = f"{folder}/{self.settings}" if folder else self.settings
        return (name, beside) if self.settings else (name,)

    def read(self, log: Log) -> Slice:
        cursor = cursors.unpack(log.cursor)
        if log.name not in log.versions:
            return Slice(log.cursor, 0)
        rows = read_rows(log, log.name, cursor.get("place"))
        run = RunSlice(starts_over=rows.starts_over)
        step = None if rows.starts_over else cursor.get("step")
        if rows.cells is not None:
            if step not in rows.cells.header.names:
                step = step_column(rows.cells, self.steps) or _known(rows.cells, self.steps)
            if step is not None:
                walls = walls_of(rows.cells)
                steps, there = rows.cells.column(step)
                skipped = (step,) if walls is None else (step, walls[0])
                run.points = points_of(rows, steps, there, skipped=skipped, walls=None if walls is None else walls[1])
        run.damage = rows.damage
        settings = cursor.get("settings") if not rows.starts_over else None
        if self.settings:
            settings = read_settings(log, self.members(log.source, log.name)[1], self.tracker, settings, run)
        elif self.tracker and not log.cursor:
            run.lineage = documents.lineage(self.tracker)
        place = rows.place
        return Slice(
            cursors.pack(place=place or None, step=step, settings=settings),
            place.get("position", 0),
            is_partial=not rows.is_at_end,
            runs=[run],
        )


class KerasReader(CsvReader):
    """Reads what Keras' CSVLogger writes: epochs from 0, then the names of metrics in alphabetical order."""

    dialect = Dialect.KERAS_CSV
    tracker = "keras"
    endings = (".csv", ".log", ".tsv")
    steps = ("epoch",)

    def is_log(self, folder: Folder, name: str, cells: Cells) -> bool:
        first, *metrics = cells.header.names
        validated = [each[4:] for each in metrics if each.startswith("val_")]
        return (
            first == "epoch"
            and "loss" in metrics
            and metrics == sorted(metrics)
            and set(validated) <= set(metrics)
            and step_column(cells, self.steps) == "epoch"
        )


class FastaiReader(CsvReader):
    """Reads what fastai's CSVLogger writes, whose times are texts such as 01:23."""

    dialect = Dialect.FASTAI
    tracker = "fastai"
    endings = (".csv",)
    steps = ("epoch",)

    def is_log(self, folder: Folder, name: str, cells: Cells) -> bool:
        names = cells.header.names
        return (
            names[:2] == ("epoch", "train_loss") and names[-1] == "time" and step_column(cells, self.steps) == "epoch"
        )


class UltralyticsReader(CsvReader):
    """Reads results.csv, in older versions padded with blanks, and args.yaml beside it."""

    dialect = Dialect.ULTRALYTICS
    tracker = "ultralytics"
    endings = ("results.csv",)
    steps = ("epoch",)
    settings = "args.yaml"

    def is_log(self, folder: Folder, name: str, cells: Cells) -> bool:
        rules: tuple[Callable[[str], bool], ...] = (_begins("train/"), _begins("metrics/"), _begins("lr/"))
        return (
            name == "results.csv"
            and cells.header.names[0] == "epoch"
            and has_columns(cells.header, *rules)
            and step_column(cells, self.steps) == "epoch"
        )


def _begins(start: str) -> Callable[[str], bool]:
    return lambda name: name.startswith(start)


def _known(cells: Cells, steps: Sequence[str]) -> str | None:
    by_name = {name.lower(): name for name in reversed(cells.header.names)}
    return next((by_name[each.lower()] for each in steps if each.lower() in by_name), None)


def has_other_numbers(cells: Cells, step: str) -> bool:
    """Whether any cell but those of steps and times is a number."""
    walls = walls_of(cells)
    others = [name for name in cells.header.names if name and name != step and (walls is None or name != walls[0])]
    return any(bool(np.any(cells.column(name)[1])) for name in others)


def read_settings(log: Log, name: str, tracker: str, settings: Any, run: RunSlice) -> Any:
    """Let a run say what a YAML file of its settings holds, if that is news; what tells whether it is next time."""
    version = log.versions.get(name)
    now = None if version is None else [version.size, version.modified_ns, version.number]
    if (settings == now and log.cursor) or version is None:
        if not log.cursor:
            run.lineage = documents.lineage(tracker)
        return now
    params: Mapping[str, Any] | None = None
    try:
        content = log.source.read(name, 0, min(version.size, MOST_BYTES + 1))
        parsed = parse(content)
        if isinstance(parsed, dict):
            params = parsed
        elif parsed is not None:
            run.damage.append(Damage(0, "unparsable", f"{name.rpartition('/')[2]} holds no settings"))
    except (YamlUnreadable, OSError) as error:
        run.damage.append(Damage(0, "unparsable", f"{name.rpartition('/')[2]}: {error}"))
    run.lineage = documents.lineage(tracker, params=params)
    return now
