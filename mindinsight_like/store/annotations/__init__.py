"""User data: notes and labels of runs, saved views. Kept apart from the index, as nothing can rebuild it."""

from mindinsight_like.store.annotations.annotations import (
    MOST_LABEL,
    MOST_LABELS,
    MOST_NOTE,
    Annotations,
    SavedView,
)
from mindinsight_like.store.annotations.run_rows import Annotation, Changed
from mindinsight_like.store.annotations.run_settings import MOST_OWNER, MOST_RUN_NAME, LeftOut, RunSettings

__all__ = [
    "MOST_LABEL",
    "MOST_LABELS",
    "MOST_NOTE",
    "MOST_OWNER",
    "MOST_RUN_NAME",
    "Annotation",
    "Annotations",
    "Changed",
    "LeftOut",
    "RunSettings",
    "SavedView",
]
