"""Groups of equal slices and their sums: native, or the Python twin where there was no compiler."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .grouping_twin import add_up, agreed, call_tree, group, look_up, outermost, postings, sum_groups
else:
    try:
        if os.environ.get("MINDINSIGHT_TWIN") == "1":
            raise ImportError("the Python twin was asked for")
        from ._grouping import add_up, agreed, call_tree, group, look_up, outermost, postings, sum_groups
    except ImportError:
        from .grouping_twin import add_up, agreed, call_tree, group, look_up, outermost, postings, sum_groups

__all__ = ["add_up", "agreed", "call_tree", "group", "look_up", "outermost", "postings", "sum_groups"]
