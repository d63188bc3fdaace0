"""Text logs by patterns: torchtitan, Megatron, DeepSpeed, nanotron, and patterns that users write themselves."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Final

import regex

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers.texts import own_patterns
from mindinsight_like.trackers.texts.line_patterns import ENDINGS, LinePattern, LineReader

_VALUE: Final = r"[+-]?(?:\d+(?:,\d{3})*\.?\d*(?:[eE][+-]?\d+)?|nan|inf)"

PATTERNS: Final = (
    LinePattern(
        "torchtitan",
        regex.compile(r"^(?!\[rank[1-9]).*?\bstep:[ \t]*(?P<step>\d[\d,]*)[ \t]+(?=loss:)", regex.MULTILINE),
        regex.compile(rf"([A-Za-z_][\w()]*):[ \t]*({_VALUE})"),
        sign="step:",
        marks=("[titan] ", "torchtitan"),
    ),
    LinePattern(
        "megatron",
        regex.compile(r"\biteration[ \t]+(?P<step>\d+)(?:/[ \t]*\d+)?[ \t]*\|"),
        regex.compile(rf"([^|:\n]+):[ \t]*({_VALUE})[ \t]*(?=\|)", regex.IGNORECASE),
        sign="iteration",
        marks=("using world size: ",),
    ),
    LinePattern(
        "deepspeed",
        regex.compile(
            r"(?:\[Rank 0\] step=|\bglobal_step=|\bsteps: )(?P<step>\d+)(?=, (?:skipped|RunningAvg)| loss: )"
        ),
        regex.compile(rf"([A-Za-z][\w /()]*?)(?:=|: )\[*({_VALUE})"),
        sign="step",
        marks=("DeepSpeed info: version=",),
    ),
    LinePattern(
        "nanotron",
        regex.compile(r"\biteration: (?P<step>\d+) / \d+ \|"),
        regex.compile(rf"([^|:\n]+):[ \t]*({_VALUE}[KMBGT]?)[ \t]*(?=\||$|\n)"),
        sign="iteration: ",
        marks=("[INFO|DP=",),
        units={"K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12},
    ),
)


class TextLogReader(LineReader):
    """Reads text logs by the first pattern that fits; those of users come first."""

    dialect = Dialect.TEXT_LOG

    def patterns_for(self, name: str) -> Sequence[LinePattern]:
        own = [each for each in own_patterns.in_use() if fnmatchcase(name, each.files)]
        return [*own, *PATTERNS] if name.endswith(ENDINGS) else own
