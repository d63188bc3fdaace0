"""A matplotlib figure (confusion matrix), where matplotlib is installed."""

from __future__ import annotations

from typing import Any

from mindinsight_like.demo.content.views import View


def confusion(view: View) -> Any | None:
    """Which arms were taken for which; None without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    figure = Figure(figsize=(3, 3), dpi=80, layout="tight")
    axes = figure.add_subplot(xlabel="taken for", ylabel="arm")
    axes.imshow(view.confusion, cmap="Blues")
    for (row, column), count in _counts(view):
        axes.text(column, row, str(count), ha="center", va="center")
    return figure


def _counts(view: View) -> list[tuple[tuple[int, int], int]]:
    rows = view.confusion.tolist()
    return [((row, column), count) for row, counts in enumerate(rows) for column, count in enumerate(counts)]
