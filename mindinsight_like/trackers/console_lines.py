"""Lines of the console as items of an index."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from mindinsight_like.trackers import documents
from mindinsight_like.trackers.reader import Item

_LINES_EACH: Final = 1000


def console_items(first_line: int, lines: Sequence[str], times: Sequence[float]) -> Iterator[Item]:
    """Consecutive lines, numbered from `first_line`; NaN stands for times that nobody wrote."""
    for begin in range(0, len(lines), _LINES_EACH):
        some, when = lines[begin : begin + _LINES_EACH], times[begin : begin + _LINES_EACH]
        known = [] if any(map(math.isnan, when)) else when
        yield documents.console(first_line + begin, when[0], some, known)
