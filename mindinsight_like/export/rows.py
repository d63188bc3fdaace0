"""Convert values of each kind to table rows: Arrow columns, a batch of items at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa

from mindinsight_like.export.job import Logged
from mindinsight_like.values.histograms import Histogram
from mindinsight_like.values.pr_curves import PrCurve, RocCurve
from mindinsight_like.values.tensors.tensor_statistics import Statistics

Items = Sequence[Logged]

_NUMBERS = pa.list_(pa.float64())
_MOMENT = [("step", pa.int64()), ("wall_time", pa.float64())]
SCALARS = pa.schema([*_MOMENT, ("value", pa.float64())])


@dataclass(frozen=True)
class Rows:
    """The columns of a kind's table, and how items fill them."""

    schema: Any
    columns: Callable[[Items], list[Any]]

    def of(self, items: Items) -> dict[str, Any]:
        columns = zip(self.schema.names, self.schema.types, self.columns(items), strict=True)
        return {name: _as(column, kind) for name, kind, column in columns}


def _as(column: Any, kind: Any) -> Any:
    return column if isinstance(column, pa.Array) else pa.array(column, kind, from_pandas=False)


def _moments(items: Items, lengths: Sequence[int] | None = None) -> list[Any]:
    """Steps and wall times, repeated for items that have several rows."""
    steps, times = np.array([item.step for item in items], np.int64), np.array([item.wall_time for item in items])
    return [steps, times] if lengths is None else [np.repeat(steps, lengths), np.repeat(times, lengths)]


def _attributes(items: Items, *names: str) -> list[Any]:
    return [[getattr(item.value, name) for item in items] for name in names]


def _texts(items: Items) -> list[Any]:
    return [*_moments(items), [item.index for item in items], *_attributes(items, "text")]


TEXTS = Rows(pa.schema([*_MOMENT, ("index", pa.int64()), ("text", pa.string())]), _texts)

_OF_HISTOGRAM = [field.name for field in fields(Histogram) if field.name not in ("edges", "counts")]
_HISTOGRAM_TYPES = [(name, pa.int64() if "inf" in name or name == "nan" else pa.float64()) for name in _OF_HISTOGRAM]


def _histograms(items: Items) -> list[Any]:
    return [*_moments(items), *_attributes(items, *_OF_HISTOGRAM, "edges", "counts")]


def _buckets(items: Items) -> list[Any]:
    """A row per bucket; one without edges for a histogram that has none, so that it is not lost."""
    lengths = [max(1, len(item.value.counts)) for item in items]
    places = np.repeat(np.arange(len(items)), lengths)
    attributes = zip(_attributes(items, *_OF_HISTOGRAM), _HISTOGRAM_TYPES, strict=True)
    whole = [pa.array(values, kind) for values, (_, kind) in attributes]
    parts: list[list[Any]] = [[], [], []]
    for item in items:
        edges, counts = item.value.edges, item.value.counts
        for column, values in zip(parts, (edges[:-1], edges[1:], counts), strict=True):
            column.append(values if len(counts) else [np.nan])
    buckets = [pa.array(np.concatenate(column), from_pandas=True) for column in parts]  # decoded edges are never NaN
    return [*_moments(items, lengths), *buckets, *(column.take(pa.array(places)) for column in whole)]


HISTOGRAMS = Rows(pa.schema([*_MOMENT, *_HISTOGRAM_TYPES, ("edges", _NUMBERS), ("counts", _NUMBERS)]), _histograms)
BUCKETS = Rows(
    pa.schema(
        [
            *_MOMENT,
            *((name, pa.float64()) for name in ("left", "right", "bucket_count")),
            *_HISTOGRAM_TYPES,
        ]
    ),
    _buckets,
)

_STATISTICS = [field.name for field in fields(Statistics)]


def _tensors(items: Items) -> list[Any]:
    per_item = [item.value.statistics for item in items]
    statistics = [[getattr(each, name) if each else None for each in per_item] for name in _STATISTICS]
    shapes = [" x ".join(map(str, item.value.shape)) for item in items]
    return [*_moments(items), *_attributes(items, "dtype"), shapes, *statistics]


TENSORS = Rows(
    pa.schema(
        [
            *_MOMENT,
            ("dtype", pa.string()),
            ("shape", pa.string()),
            *((name, pa.int64() if "inf" in name or name == "nan" else pa.float64()) for name in _STATISTICS),
        ]
    ),
    _tensors,
)


def _curves(kind: type[PrCurve | RocCurve]) -> Rows:
    """A row per threshold."""
    names = [field.name for field in fields(kind)]

    def columns(items: Items) -> list[Any]:
        lengths = [len(item.value.thresholds) for item in items]
        return [*_moments(items, lengths), *(np.concatenate(values) for values in _attributes(items, *names))]

    titles = ["threshold" if name == "thresholds" else name for name in names]
    return Rows(pa.schema([*_MOMENT, *((name, pa.float64()) for name in titles)]), columns)


PR_CURVES = _curves(PrCurve)
ROC_CURVES = _curves(RocCurve)


def _points(items: Items) -> list[Any]:
    lengths = [len(item.value.labels) for item in items]
    labels = [labels for item in items for labels in item.value.labels]
    vectors = [vector for item in items for vector in item.value.vectors]
    return [*_moments(items, lengths), labels, vectors]


POINTS = Rows(pa.schema([*_MOMENT, ("labels", pa.list_(pa.string())), ("vector", pa.list_(pa.float32()))]), _points)
