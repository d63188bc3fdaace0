"""Export as JSON: one document per run and kind, streamed value by value."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
import orjson

from mindinsight_like.export.job import Job
from mindinsight_like.items.series import ItemKind
from mindinsight_like.tables.json_numbers import column, number

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY


def scalar_document(job: Job) -> None:
    """Writes the scalars of a run: per tag the columns step, wall_time, value."""
    with _document(job) as (name, add):
        for curve in job.curves():
            columns = {"step": curve.steps, "wall_time": curve.wall_times, "value": curve.values}
            series: dict[str, Any] = {"tag": curve.tag, "source": curve.source}
            series |= {each: column(np.ascontiguousarray(values)) for each, values in columns.items()}
            add(orjson.dumps(series, option=_OPTIONS))
            job.note(curve.tag, curve.source, file=name, count=len(curve.steps))


def item_document(kind: ItemKind[Any]) -> Callable[[Job], None]:
    """Writes the values of a run: per tag a list of items."""

    def write(job: Job) -> None:
        with _document(job) as (name, add):
            for series in job.series(kind):
                start, separator, count = {"tag": series.tag, "source": series.source}, b"\n    ", 0
                add(orjson.dumps(start)[:-1] + b',"items":[')
                for item in series.values():
                    moment = {"step": item.step, "wall_time": number(item.wall_time), "index": item.index}
                    add(separator + orjson.dumps(moment | plain(item.value), option=_OPTIONS), joined=True)
                    separator, count = b",\n    ", count + 1
                add(b"\n  ]}", joined=True)
                job.note(series.tag, series.source, file=name, count=count)

    return write


@contextmanager
def _document(job: Job) -> Iterator[tuple[str, Callable[..., None]]]:
    name = f"{job.folder}/{job.kind}.json"
    with job.output.file(name) as file:
        document = _Document(file, {"run": job.run.name, "kind": job.kind})
        yield name, document.add
        file.write(b"\n]}\n")


class _Document:
    def __init__(self, file: IO[bytes], about: dict[str, Any]) -> None:
        self._file = file
        file.write(orjson.dumps(about)[:-1] + b',"series":[')
        self._separator = b"\n  "

    def add(self, text: bytes, *, joined: bool = False) -> None:
        """Write a series, or the next part of one."""
        if not joined:
            self._file.write(self._separator)
            self._separator = b",\n  "
        self._file.write(text)


def plain(value: Any) -> Any:
    """A value of any kind as what JSON can hold."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, np.ndarray):
        return column(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value
