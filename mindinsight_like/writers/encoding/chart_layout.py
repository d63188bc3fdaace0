"""Encode which scalars share a chart, as TensorBoard's plugin for custom scalars reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mindinsight_like.logs.protobuf.schemas.tensorboard import (
    Category,
    Chart,
    MarginChartContent,
    MultilineChartContent,
)
from mindinsight_like.logs.protobuf.schemas.tensorboard import Layout as LayoutProto
from mindinsight_like.writers.encoding import tensorboard, wire

Layout = Mapping[str, Mapping[str, Sequence[object]]]  # category -> title -> [Multiline or Margin, tags]


def chart_layout(layout: Layout) -> bytes:
    """The value that holds the layout; raises ValueError for a chart that is not as described."""
    categories = b"".join(wire.blob(LayoutProto.category, _category(*category)) for category in layout.items())
    return tensorboard.strings("custom_scalars__config__", [categories], shape=(), plugin="custom_scalars")


def _category(title: str, charts: Mapping[str, Sequence[object]]) -> bytes:
    content = b"".join(wire.blob(Category.chart, _chart(*chart)) for chart in charts.items())
    return wire.text(Category.title, title) + content


def _chart(title: str, content: Sequence[object]) -> bytes:
    if len(content) != 2 or content[0] not in ("Multiline", "Margin") or not isinstance(content[1], (list, tuple)):
        raise ValueError(f"chart {title!r} must be ['Multiline', tags] or ['Margin', 3 tags], not {content!r}")
    tags = [str(tag) for tag in content[1]]
    if content[0] == "Multiline":
        lines = b"".join(wire.text(MultilineChartContent.tag, tag) for tag in tags)
        return wire.text(Chart.title, title) + wire.blob(Chart.multiline, lines)
    if len(tags) != 3:
        raise ValueError(f"margin chart {title!r} needs 3 tags: value, lower bound, upper bound; got {len(tags)}")
    value, lower, upper = tags
    series = (
        wire.text(MarginChartContent.Series.value, value)
        + wire.text(MarginChartContent.Series.lower, lower)
        + wire.text(MarginChartContent.Series.upper, upper)
    )
    return wire.text(Chart.title, title) + wire.blob(Chart.margin, wire.blob(MarginChartContent.series, series))
