"""What XGBoost and LightGBM print: a line for each iteration with the metrics of each data set."""

from __future__ import annotations

import re
from typing import Final

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers.line_patterns import LinePattern, LineReader

_VALUE: Final = r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|nan|inf)"

XGBOOST: Final = LinePattern(
    "xgboost",
    re.compile(
        rf"^(?:\[\d\d:\d\d:\d\d\] )?\[(?P<step>\d{{1,15}})\](?=\t[^\t:]+-[^\t:]+:{_VALUE}(?:\+{_VALUE})?(?:\t|\s*$))"
    ),
    re.compile(rf"\t([^\t:]+-[^\t]+):({_VALUE})(?=\+|\t|\s*$)"),
)
LIGHTGBM: Final = LinePattern(
    "lightgbm",
    re.compile(rf"^(?:\[LightGBM\] \[Info\] )?\[(?P<step>\d{{1,15}})\](?=\t[^\t]+'s [^\t:]+: {_VALUE})"),
    re.compile(rf"\t([^\t]+'s [^\t]+): ({_VALUE})(?= \+|\t|\s*$)"),
)


class XGBoostReader(LineReader):
    """Reads text that XGBoost printed, into a file with which it ends in .log or .out."""

    dialect = Dialect.XGBOOST
    patterns = (XGBOOST,)


class LightGBMReader(LineReader):
    """Reads text that LightGBM printed."""

    dialect = Dialect.LIGHTGBM
    patterns = (LIGHTGBM,)
