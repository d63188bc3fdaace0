"""What a comparison may be asked for besides its runs."""

from __future__ import annotations

import math

from mindinsight_like.compare.aggregation import BANDS, CENTRES
from mindinsight_like.compare.comparison import FEWEST_POINTS
from mindinsight_like.web.parameters import Repeated, Single, choice, fraction, text, whole
from mindinsight_like.web.schemas import NUMBER

TAGS = Repeated("tags", "Tags of scalars.", required=True)
AXIS = text("x", "The horizontal axis: `step` (the default), `relative`, `absolute`, or the tag of another scalar.")
GROUP_BY = text("group_by", "A lineage column: runs with the same value become one curve with a band.")
GROUP_PATTERN = text("group_pattern", "A regular expression: runs whose names match with the same first group do.")
COLOUR_BY = text("colour_by", "A lineage column that decides colours.")
DASH_BY = text("dash_by", "A lineage column that decides dashes.")
FACET_BY = text("facet_by", "A lineage column for which there is one chart per value.")
CENTRE = choice("centre", "The middle of a group.", CENTRES, default="mean")
BAND = choice(
    "band",
    "What lies around it: standard deviation, standard error, the 95 % interval of the mean, or all values.",
    BANDS,
    default="sd",
)
MAX_POINTS = whole(
    "max_points", "About how many points of each curve, extremes always among them.", default=500, lowest=4
)
MOST_POINTS = whole(
    "most_points",
    f"About how many points of all curves of a tag: among many, each has fewer than max_points, but {FEWEST_POINTS}.",
    default=None,
    lowest=4,
)
FORMAT = choice("format", "binary: the same columns as bytes, for many curves.", ("json", "binary"), default="json")
SMOOTHING = fraction(
    "smoothing", "Weight of the past in a moving average; runs are smoothed before they are grouped.", highest=0.999999
)


def _place(name: str, help: str) -> Single[float | None]:
    def parse(given: str) -> float:
        value = float(given)
        if not math.isfinite(value):
            raise ValueError(given)
        return value

    return Single(name, help, "a number", parse, None, NUMBER)


FROM = _place("from_x", "Only from this place of the horizontal axis on.")
TO = _place("to_x", "Only up to this place.")
