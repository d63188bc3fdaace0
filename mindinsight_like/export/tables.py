"""Export as tables: one file per run, or one per tag where a format holds a single table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import pyarrow as pa

from mindinsight_like.export import rows
from mindinsight_like.export.job import Job, Logged, Series
from mindinsight_like.export.rows import Rows
from mindinsight_like.export.table_files import CsvFile, NumpyColumns, ParquetFile, TableFile
from mindinsight_like.items.series import ItemKind
from mindinsight_like.store.result_types import Curve

_POINTS_AT_ONCE = 65_536
_ITEMS_AT_ONCE = 512
_BYTES_AT_ONCE = 16 * 2**20

_FILES: dict[str, Callable[[IO[bytes], Any], TableFile]] = {"csv": CsvFile, "parquet": ParquetFile}


def scalar_table(format: str) -> Callable[[Job], None]:
    """Writes the scalars of a run into one CSV or Parquet file."""

    def write(job: Job) -> None:
        with table_of_run(job, format, rows.SCALARS) as (name, table):
            add_curves(job, table, name)

    return write


def add_curves(job: Job, table: TableFile, file: str) -> None:
    """Fill the table in a file with every point of the chosen scalars."""
    for curve in job.curves():
        for columns in _pieces(curve):
            table.add(job.run.name, curve.tag, curve.source, columns)
        _note_curve(job, curve, file)


def scalar_columns(job: Job) -> None:
    """Writes the scalars of a run into a .npz file per tag."""
    for curve in job.curves():
        name = f"{job.folder}/{job.kind}/{job.name_of(curve.tag, curve.source)}.npz"
        with job.output.file(name) as file:
            table = NumpyColumns(file, job.output.path)
            for columns in _pieces(curve):
                table.add(job.run.name, curve.tag, curve.source, columns)
            table.close()
        _note_curve(job, curve, name)


def item_table(format: str, kind: ItemKind[Any], filled: Rows) -> Callable[[Job], None]:
    """Writes the values of a kind in a run into one CSV or Parquet file."""

    def write(job: Job) -> None:
        with table_of_run(job, format, filled.schema) as (name, table):
            for series in job.series(kind):
                _fill(table, series, filled, name)

    return write


def item_columns(kind: ItemKind[Any], filled: Rows) -> Callable[[Job], None]:
    """Writes the values of a kind in a run into a .npz file per tag."""

    def write(job: Job) -> None:
        for series in job.series(kind):
            name = f"{job.folder}/{job.kind}/{job.name_of(series.tag, series.source)}.npz"
            with job.output.file(name) as file:
                table = NumpyColumns(file, job.output.path)
                _fill(table, series, filled, name)
                table.close()

    return write


@contextmanager
def table_of_run(job: Job, format: str, schema: Any) -> Iterator[tuple[str, TableFile]]:
    """The one table that a run has of a kind, and its name."""
    name = f"{job.folder}/{job.kind}.{format}"
    with job.output.file(name) as file:
        table = _FILES[format](file, schema)
        yield name, table
        table.close()


def _pieces(curve: Curve) -> Iterator[dict[str, Any]]:
    """The columns of a curve, some rows at a time; floats widened, so that they are exact as text."""
    for begin in range(0, max(1, len(curve.steps)), _POINTS_AT_ONCE):
        part = slice(begin, begin + _POINTS_AT_ONCE)
        yield {
            "step": pa.array(curve.steps[part], pa.int64()),
            "wall_time": pa.array(curve.wall_times[part], pa.float64()),
            "value": pa.array(curve.values[part].astype("float64")),
        }


def _note_curve(job: Job, curve: Curve, file: str) -> None:
    extent = (int(curve.steps.min()), int(curve.steps.max())) if len(curve.steps) else (None, None)
    job.note(curve.tag, curve.source, file=file, count=len(curve.steps), first_step=extent[0], last_step=extent[1])


def _fill(table: TableFile, series: Series, filled: Rows, file: str) -> None:
    count, first, last = 0, None, None
    for items in _batches(series):
        table.add(series.job.run.name, series.tag, series.source, filled.of(items))
        count += len(items)
        steps = [item.step for item in items]
        first = min(steps) if first is None else min(first, *steps)
        last = max(steps) if last is None else max(last, *steps)
    series.note(file=file, count=count, first_step=first, last_step=last)


def _batches(series: Series) -> Iterator[list[Logged]]:
    """Items some at a time, fewer when they are large."""
    batch: list[Logged] = []
    size = 0
    for item in series.values():
        batch.append(item)
        size += item.size
        if len(batch) >= _ITEMS_AT_ONCE or size >= _BYTES_AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
