"""What XGBoost and LightGBM print: a line for each iteration with the metrics of each data set."""

from __future__ import annotations

from typing import Final

import regex

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers.texts.line_patterns import LinePattern, LineReader

_VALUE: Final = r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|nan|inf)"

XGBOOST: Final = LinePattern(
    "xgboost",
    regex.compile(
        r"^(?:\[\d\d:\d\d:\d\d\] )?\[(?P<step>\d{1,15})\]"
        rf"(?=\t[^\t\n:]+-[^\t\n]+:{_VALUE}(?:\+{_VALUE})?(?:\t|\r?$))",
        regex.MULTILINE,
    ),
    regex.compile(rf"\t([^\t\n:]+-[^\t\n]+):({_VALUE})(?=\+|\t|\r?$)"),
    sign="]\t",
)
LIGHTGBM: Final = LinePattern(
    "lightgbm",
    regex.compile(
        rf"^(?:\[LightGBM\] \[Info\] )?\[(?P<step>\d{{1,15}})\](?=\t[^\t\n]+'s [^\t\n]+: {_VALUE})", regex.MULTILINE
    ),
    regex.compile(rf"\t([^\t\n]+'s [^\t\n]+): ({_VALUE})(?= \+|\t|\r?$)"),
    sign="]\t",
)


class XGBoostReader(LineReader):
    """Reads text that XGBoost printed, into a file with which it ends in .log or .out."""

    dialect = Dialect.XGBOOST
    patterns = (XGBOOST,)


class LightGBMReader(LineReader):
    """Reads text that LightGBM printed."""

    dialect = Dialect.LIGHTGBM
    patterns = (LIGHTGBM,)
