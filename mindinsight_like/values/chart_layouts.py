"""Layouts of charts that TensorBoard's plugin for custom scalars knows: which scalars share a chart."""

from __future__ import annotations

from dataclasses import dataclass

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.values.records import MOST_FIELDS, BadValue, Record
from mindinsight_like.values.tensor_messages import tensorflow_tensor


@dataclass(frozen=True)
class Margin:
    """A curve and the two that bound the band around it."""

    value: str
    lower: str
    upper: str


@dataclass(frozen=True)
class Chart:
    title: str
    tags: list[str]  # patterns of tags whose curves are drawn together
    margins: list[Margin]


@dataclass(frozen=True)
class Category:
    title: str
    is_closed: bool  # not opened until somebody asks
    charts: list[Chart]


@dataclass(frozen=True)
class ChartLayout:
    categories: list[Category]


def decode(record: Record) -> ChartLayout:
    """The layout of a record; raises BadValue, Malformed."""
    if record.dialect != Dialect.TENSORBOARD:
        raise BadValue("layouts of charts are not known in logs of this kind")
    strings = tensorflow_tensor(record.inner(8, "layout")).strings
    if len(strings) != 1:
        raise BadValue("the record holds no layout")
    layout = MessageFields(strings[0], most_fields=MOST_FIELDS)
    return ChartLayout(
        [
            Category(category.text(1), bool(category.integer(3)), [_chart(chart) for chart in category.messages(2)])
            for category in layout.messages(2)
        ]
    )


def _chart(chart: MessageFields) -> Chart:
    return Chart(
        chart.text(1),
        [tag for lines in chart.messages(2) for tag in lines.texts(1)],
        [
            Margin(series.text(1), series.text(2), series.text(3))
            for band in chart.messages(3)
            for series in band.messages(1)
        ],
    )
