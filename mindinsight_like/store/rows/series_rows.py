"""Rows of series: what each new part of a log file adds to the statistics of its series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.batch import STATS
from mindinsight_like.logs.kinds import SeriesName
from mindinsight_like.store.database.database import Connection, Row
from mindinsight_like.store.files import FileUpdate, TrackedFile
from mindinsight_like.store.names import WITHOUT_STEPS, stored_name

_RECORDS = ", ".join(str(int(kind)) for kind in sorted(WITHOUT_STEPS))
_SMALLER = "CASE WHEN series.min IS NULL OR excluded.min < series.min THEN excluded.min ELSE series.min END"
_LARGER = "CASE WHEN series.max IS NULL OR excluded.max > series.max THEN excluded.max ELSE series.max END"
# New points all stand behind those that were there: what these show does not change. A series with several points of
# one step only shows them all, until there is another step.
_CONTINUES = f"""(series.superseded IS NOT NULL AND (series.kind IN ({_RECORDS}) OR (
    excluded.first_step > series.last_step
    AND (series.count = 1 OR series.first_step < series.last_step)
    AND (excluded.count = 1 OR excluded.first_step < excluded.last_step))))"""
_ADD_SERIES = f"""
INSERT INTO series (file, kind, tag, sub, key, number, count, first_step, last_step, first_wall, last_wall,
                    min, max, last_value, non_finite, superseded)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (file, number) DO UPDATE SET
    count = series.count + excluded.count
          + CASE WHEN {_CONTINUES} THEN 0 ELSE COALESCE(series.superseded, 0) + excluded.superseded END,
    superseded = CASE WHEN {_CONTINUES} THEN series.superseded + excluded.superseded ELSE NULL END,
    first_step = CASE WHEN excluded.first_step < series.first_step THEN excluded.first_step ELSE series.first_step END,
    last_step = CASE WHEN excluded.last_step > series.last_step THEN excluded.last_step ELSE series.last_step END,
    last_wall = CASE WHEN excluded.last_wall > series.last_wall THEN excluded.last_wall ELSE series.last_wall END,
    min = CASE WHEN excluded.min IS NULL THEN series.min ELSE {_SMALLER} END,
    max = CASE WHEN excluded.max IS NULL THEN series.max ELSE {_LARGER} END,
    last_value = excluded.last_value,
    non_finite = series.non_finite + excluded.non_finite
"""


def add_series(connection: Connection, updates: Sequence[FileUpdate], files: Sequence[TrackedFile]) -> None:
    """Add the parts that were read of some files (`files`: the same with their ids) to the series of these."""
    connection.execute_many(_ADD_SERIES, _series_rows(updates, files))


def _series_rows(updates: Sequence[FileUpdate], files: Sequence[TrackedFile]) -> list[Row]:
    """Rows of the series in some batches: scalars with their statistics, blobs with their number and reach."""
    batches = [
        (file.id, update.keys, update.batch) for update, file in zip(updates, files, strict=True) if update.batch
    ]
    if not batches:
        return []
    owners: list[tuple[int, SeriesName, bytes | None, int]] = []
    for file, keys, batch in batches:
        for number in (*batch.scalar_numbers.tolist(), *batch.blob_numbers.tolist()):
            owners.append((file, *stored_name(keys[number]), number))
    parts: list[NDArray[Any]] = []
    hidden: list[int] = []
    for _, keys, batch in batches:
        if len(batch.breaks):
            from mindinsight_like.store.series.series_statistics import scalar_statistics

            part, superseded = scalar_statistics(batch)
            parts.append(part)
            hidden += superseded.tolist()
        else:  # nearly all: their steps rise, and thousands of small files are read at once
            parts.append(batch.scalar_stats)
            hidden += [0] * len(batch.scalar_stats)
        if len(batch.blob_numbers):
            from mindinsight_like.store.series.series_statistics import blob_statistics  # many logs have scalars only

            kinds = np.array([keys[number][0] for number in batch.blob_numbers.tolist()], np.uint8)
            part, superseded = blob_statistics(batch, kinds)
            parts.append(part)
            hidden += superseded.tolist()
    # Joined as bytes: numpy would compare the fields of every part with those of the next.
    stats = np.frombuffer(b"".join(part.data for part in parts), STATS)
    columns = [stats[name].tolist() for name in ("count", "first_step", "last_step")]
    columns += [np.where(np.isnan(stats[name]), 0.0, stats[name]).tolist() for name in ("first_wall", "last_wall")]
    columns += [_without_nan(stats[name]) for name in ("min", "max", "last_value")]
    values = zip(*columns, stats["non_finite"].tolist(), hidden, strict=True)
    return [
        (file, int(name.kind), name.tag, name.sub, key, number, *row)
        for (file, name, key, number), row in zip(owners, values, strict=True)
    ]


def _without_nan(column: NDArray[np.float64]) -> list[float | None]:
    """NaN as NULL, which is what one of the two databases would make of it anyway."""
    is_nan = np.isnan(column)
    if not is_nan.any():
        return list(column.tolist())
    values = column.astype(object)
    values[is_nan] = None
    return list(values)
