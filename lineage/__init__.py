"""Lineage of runs: the data, parameters and code behind each result.

Importing this loads nothing else: the names below are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindinsight_like.lazy import lazy_names

if TYPE_CHECKING:
    from mindinsight_like.dataframes.mindinsight_api import filter_summary_lineage, get_summary_lineage
    from mindinsight_like.writers.mindspore.mindspore_callbacks import EvalLineage, TrainLineage

__all__ = ["EvalLineage", "TrainLineage", "filter_summary_lineage", "get_summary_lineage"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "EvalLineage": "mindinsight_like.writers.mindspore.mindspore_callbacks",
            "TrainLineage": "mindinsight_like.writers.mindspore.mindspore_callbacks",
            "filter_summary_lineage": "mindinsight_like.dataframes.mindinsight_api",
            "get_summary_lineage": "mindinsight_like.dataframes.mindinsight_api",
        },
    )
