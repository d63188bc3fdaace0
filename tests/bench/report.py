"""What was measured, as a table for people and as JSON for programs."""

from __future__ import annotations

import datetime
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

_MACHINE_INDEPENDENT = ("count", "peak MB", "MB")


@dataclass(frozen=True)
class Row:
    """One quantity: all samples of ours, all of the peer's or a yardstick's, and what was promised.

    `ratio_limit` bounds the ratio of the medians, `limit` our median itself, for counts and memory only: a time says as
    much about the machine as about us. Without either the row only informs.
    """

    name: str
    unit: str
    ours: Sequence[float]
    peer: Sequence[float] = field(default_factory=list)
    ratio_limit: float | None = None
    limit: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if self.limit is not None and self.unit not in _MACHINE_INDEPENDENT:
            raise ValueError(f"{self.name}: a target in {self.unit} must be a ratio to a peer or a yardstick")

    @property
    def median(self) -> float:
        return statistics.median(self.ours)

    @property
    def ratio(self) -> float | None:
        return self.median / statistics.median(self.peer) if self.peer else None

    @property
    def is_kept(self) -> bool | None:
        """Whether the promise is kept; None when there is none."""
        if self.ratio_limit is not None and self.ratio is not None:
            return self.ratio <= self.ratio_limit
        if self.limit is not None:
            return self.median <= self.limit
        return None

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "median": self.median, "ratio": self.ratio, "is_kept": self.is_kept}


def table(rows: Sequence[Row]) -> str:
    """Aligned columns that are also a Markdown table."""
    heads = ("measured", "unit", "ours", "peer or yardstick", "ratio", "target", "", "note")
    cells = [heads, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(heads))]
    cells.insert(1, tuple("-" * width for width in widths))
    return "\n".join(f"| {' | '.join(map(str.ljust, line, widths))} |" for line in cells)


def machine() -> dict[str, str]:
    """What the numbers were taken on."""
    model = next(
        (line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.machine(),
    )
    memory = next((int(line.split()[1]) for line in _lines("/proc/meminfo") if line.startswith("MemTotal")), 0)
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": f"{os.cpu_count()} x {model}",
        "memory": f"{memory / 1e6:.0f} GB",
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "load average": f"{os.getloadavg()[0]:.1f}",
    }


def _cells(row: Row) -> tuple[str, ...]:
    ratio = row.ratio
    if row.ratio_limit is not None:
        target = f"<= {_fraction(row.ratio_limit)}"
    elif row.limit is not None:
        target = f"<= {row.limit:.3g}"
    else:
        target = ""
    verdict = {True: "ok", False: "MISSED", None: ""}[row.is_kept]
    peer = _number(statistics.median(row.peer)) if row.peer else ""
    return (row.name, row.unit, _number(row.median), peer, _fraction(ratio) if ratio else "", target, verdict, row.note)


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _fraction(ratio: float) -> str:
    return f"1/{1 / ratio:.3g}" if ratio < 1 else f"{ratio:.3g}"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
