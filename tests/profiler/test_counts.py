"""What became of the records of a recording has a name on the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from mindinsight_like.profiler.traces.trace import Count

WORDS = Path(__file__).parents[2] / "ui/src/i18n"


def test_every_count_has_a_name_in_both_languages() -> None:
    words = [(WORDS / language / "profiler/recordCounts.ts").read_text("utf-8") for language in ("en", "zh")]

    names = [dict(re.findall(r"^  (\w+):\s+'(.+)',$", each, re.MULTILINE)) for each in words]

    assert set(names[0]) == set(names[1]) == set(get_args(Count))
    assert all(re.search("[\u4e00-\u9fff]", name) for name in names[1].values())
