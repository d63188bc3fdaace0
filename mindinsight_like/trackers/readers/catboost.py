"""CatBoost: the folder catboost_info, whose learn_error.tsv and test_error.tsv are one training.

catboost_training.json and the TensorBoard files in learn/ and test/ hold the same points once more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.files.csv_rows import NewRows, parse_header, points_of, read_rows
from mindinsight_like.trackers.reader import Folder, Log, Points, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.source import Source

_ERRORS: Final = re.compile(r"(learn|test(?:_\d+)?)_error\.tsv")
_COPIES: Final = re.compile(r"learn|test(?:_\d+)?")
_STEP: Final = "iter"
_BESIDE: Final = frozenset({"catboost_training.json", "time_left.tsv"})


class CatBoostReader:
    """Reads the folders of trainings."""

    dialect = Dialect.CATBOOST
    is_store = False

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        files = frozenset(name for name in folder.files if _ERRORS.fullmatch(name))
        headers = [parse_header(folder.head(name)) for name in sorted(files)]
        if any(header is not None and header.separator == "\t" and header.names[0] == _STEP for header in headers):
            copies = frozenset(name for name in folder.folders if _COPIES.fullmatch(name))
            yield RecognisedLog(folder.name, folder.name, files | (_BESIDE & folder.files), copies)

    def members(self, source: Source, name: str) -> Sequence[str]:
        top = "" if name == "." else f"{name}/"
        files = [each.name for each in source.list(name) if not each.is_folder and _ERRORS.fullmatch(each.name)]
        return [f"{top}{each}" for each in files]

    def read(self, log: Log) -> Slice:
        before: Mapping[str, Any] = cursors.unpack(log.cursor).get("places", {})
        new = {name: read_rows(log, name, before.get(_short(name))) for name in log.versions}
        is_other = not before.keys() <= {_short(name) for name in new}
        starts_over = bool(before) and (is_other or any(rows.starts_over for rows in new.values()))
        if starts_over:  # what was read of one file is not told apart from the rest
            new = {name: read_rows(log, name, None) for name in log.versions}
        run = RunSlice(starts_over=starts_over)
        run.points = _joined([each for name, rows in new.items() if (each := _points(name, rows)) is not None])
        for name, rows in new.items():
            run.damage += [Damage(each.offset, each.kind, f"{_short(name)}: {each.message}") for each in rows.damage]
        if not log.cursor or starts_over:
            run.lineage = documents.lineage("catboost", about={"source": "learn_error.tsv, test_error.tsv"})
        return Slice(
            cursors.pack(places={_short(name): rows.place for name, rows in new.items() if rows.place}),
            sum(rows.place.get("position", 0) for rows in new.values()),
            is_partial=not all(rows.is_at_end for rows in new.values()),
            runs=[run],
        )


def _short(name: str) -> str:
    return name.rpartition("/")[2]


def _points(name: str, rows: NewRows) -> Points | None:
    if rows.cells is None or _STEP not in rows.cells.header.names:
        return None
    steps, there = rows.cells.column(_STEP)
    points = points_of(rows, steps, there, skipped=(_STEP,))
    series = _short(name).removesuffix("_error.tsv")
    return None if points is None else points._replace(tags=[f"{series}/{tag}" for tag in points.tags])


def _joined(parts: Sequence[Points]) -> Points | None:
    if not parts:
        return None
    tags: list[str] = []
    numbers = []
    for part in parts:
        numbers.append(part.numbers + len(tags))
        tags += part.tags
    columns = ([getattr(part, name) for part in parts] for name in ("steps", "walls", "values"))
    return Points(tags, np.concatenate(numbers), *(np.concatenate(each) for each in columns))
