"""Decode chart layouts of TensorBoard's custom scalars plugin: which scalars share a chart."""

from __future__ import annotations

from dataclasses import dataclass

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas import tensorboard
from mindinsight_like.logs.protobuf.schemas.tensorboard import (
    Layout,
    MarginChartContent,
    MultilineChartContent,
    Summary,
)
from mindinsight_like.values.records import MOST_FIELDS, BadValue, Record
from mindinsight_like.values.tensors.tensor_messages import tensorflow_tensor


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
        raise BadValue("chart layouts are not supported in this log format")
    strings = tensorflow_tensor(record.inner(Summary.Value.tensor, "layout")).strings
    if len(strings) != 1:
        raise BadValue("the record contains no layout")
    layout = MessageFields(strings[0], most_fields=MOST_FIELDS)
    return ChartLayout(
        [
            Category(
                category.text(tensorboard.Category.title),
                bool(category.integer(tensorboard.Category.closed)),
                [_chart(chart) for chart in category.messages(tensorboard.Category.chart)],
            )
            for category in layout.messages(Layout.category)
        ]
    )


def _chart(chart: MessageFields) -> Chart:
    return Chart(
        chart.text(tensorboard.Chart.title),
        [
            tag
            for lines in chart.messages(tensorboard.Chart.multiline)
            for tag in lines.texts(MultilineChartContent.tag)
        ],
        [
            Margin(
                series.text(MarginChartContent.Series.value),
                series.text(MarginChartContent.Series.lower),
                series.text(MarginChartContent.Series.upper),
            )
            for band in chart.messages(tensorboard.Chart.margin)
            for series in band.messages(MarginChartContent.series)
        ],
    )
