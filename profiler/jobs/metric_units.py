"""Units of the metrics that collectors log; scalars do not store them."""

from __future__ import annotations

import re
from typing import Final

# What stands at the end of a tag, behind the rank where there are several; see `profiler/collector/*_metrics.py`.
_UNITS: Final = {
    r"cpu/(?:core\d+|percent)|memory/percent|process/cpu": "%",
    r"memory/used|process/memory": "B",
    r"disk/(?:read|written)|network/(?:received|sent)": "B/s",
    r"[gn]pu\d+/(?:memory_)?percent": "%",
    r"[gn]pu\d+/memory_used": "B",
    r"[gn]pu\d+/power": "W",
    r"[gn]pu\d+/temperature": "°C",
    r"[gn]pu\d+/clock_mhz": "MHz",
}
_KNOWN: Final = [(re.compile(rf"/(?:{pattern})$"), unit) for pattern, unit in _UNITS.items()]


def unit_of(tag: str) -> str:
    """The unit of a metric, empty for numbers of things and for what is not ours."""
    return next((unit for pattern, unit in _KNOWN if pattern.search(tag)), "")
