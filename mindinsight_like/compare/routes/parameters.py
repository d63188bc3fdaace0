"""Request parameters of comparisons, other than the selection of runs."""

from __future__ import annotations

from mindinsight_like.compare.aggregation import BANDS, CENTRES
from mindinsight_like.compare.comparison import FEWEST_POINTS
from mindinsight_like.http.parameters import Repeated, choice, finite, fraction, text, whole

TAGS = Repeated(
    "tags",
    "Scalar tags. `=` and an expression, as in `=loss / 2`, stands for what it gives for each run (docs/scalars.md).",
    required=True,
)
BASELINE_RUN = text("baseline_run", "ID of the run that `delta()` in expressions subtracts.")
AXIS = text("x", "Horizontal axis: `step` (the default), `relative`, `absolute`, or the tag of another scalar.")
GROUP_BY = text("group_by", "Lineage column: runs with the same value become one curve with a band.")
GROUP_PATTERN = text(
    "group_pattern",
    "A regular expression: runs whose names match with the same first group become one curve with a band.",
)
COLOUR_BY = text("colour_by", "Lineage column that determines the colour.")
DASH_BY = text("dash_by", "Lineage column that determines the dash pattern.")
FACET_BY = text("facet_by", "Lineage column; one chart for each value.")
CENTRE = choice("centre", "Average of a group.", CENTRES, default="mean")
BAND = choice(
    "band",
    "Band around it: standard deviation, standard error, 95 % confidence interval of the mean, 10th to 90th "
    "percentile, or minimum to maximum.",
    BANDS,
    default="sd",
)
MAX_POINTS = whole(
    "max_points", "Approximate number of points of each curve; extremes are kept.", default=500, lowest=4
)
MOST_POINTS = whole(
    "most_points",
    f"Approximate number of points of all curves of a tag; each curve has at least {FEWEST_POINTS}.",
    default=None,
    lowest=4,
)
RESUME = choice(
    "resume",
    "`latest`: the newest value of each step. `all`: every point in the order of writing, superseded ones included; "
    "in a group, a run counts with the mean of its points at a place. Of another scalar as axis, the newest values "
    "count.",
    ("latest", "all"),
    default="latest",
)
FORMAT = choice("format", "`binary`: the same columns as bytes, for many curves.", ("json", "binary"), default="json")
SMOOTHING = fraction(
    "smoothing", "Weight of the past in a moving average. Runs are smoothed before they are grouped.", highest=0.999999
)
OUTERMOST = whole(
    "outermost", "Name this many runs of each group that end lowest, and that end highest.", default=0, lowest=0
)
FROM = finite("from_x", "Start of the visible part of the horizontal axis.")
TO = finite("to_x", "End of the visible part of the horizontal axis.")
