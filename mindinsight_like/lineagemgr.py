"""Lineage under MindInsight's name for it, so that scripts only change `mindinsight` to `mindinsight_like`."""

from __future__ import annotations

from mindinsight_like.lineage import EvalLineage, TrainLineage, filter_summary_lineage, get_summary_lineage

__all__ = ["EvalLineage", "TrainLineage", "filter_summary_lineage", "get_summary_lineage"]
