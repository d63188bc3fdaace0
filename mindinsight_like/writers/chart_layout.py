"""Encode which scalars share a chart, as TensorBoard's plugin for custom scalars reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mindinsight_like.writers import tensorboard, wire

Layout = Mapping[str, Mapping[str, Sequence[object]]]  # category -> title -> [Multiline or Margin, tags]


def chart_layout(layout: Layout) -> bytes:
    """The value that holds the layout; raises ValueError for a chart that is not as described."""
    categories = b"".join(
        wire.blob(2, wire.text(1, category) + b"".join(wire.blob(2, _chart(*chart)) for chart in charts.items()))
        for category, charts in layout.items()
    )
    return tensorboard.strings("custom_scalars__config__", [categories], shape=(), plugin="custom_scalars")


def _chart(title: str, content: Sequence[object]) -> bytes:
    if len(content) != 2 or content[0] not in ("Multiline", "Margin") or not isinstance(content[1], (list, tuple)):
        raise ValueError(f"chart {title!r} must be ['Multiline', tags] or ['Margin', 3 tags], not {content!r}")
    tags = [str(tag) for tag in content[1]]
    if content[0] == "Multiline":
        return wire.text(1, title) + wire.blob(2, b"".join(wire.text(1, tag) for tag in tags))
    if len(tags) != 3:
        raise ValueError(f"margin chart {title!r} needs 3 tags: value, lower bound, upper bound; got {len(tags)}")
    series = b"".join(wire.text(field, tag) for field, tag in enumerate(tags, 1))
    return wire.text(1, title) + wire.blob(3, wire.blob(1, series))
