"""What the index answers: runs, tags and curves as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mindinsight_like.store.segments import Floats, Ints


@dataclass(frozen=True)
class Loading:
    state: str  # "loading", or "idle" when all that is there has been read
    runs_done: int = 0
    runs_total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0


@dataclass(frozen=True)
class ServiceState:
    store: str  # "sqlite" or "postgresql"
    loading: Loading
    kinds: list[str] = field(default_factory=list)  # that at least one run has, in the order of the boards


@dataclass(frozen=True)
class Changes:
    cursor: int
    runs: list[str]
    removed: list[str]


@dataclass(frozen=True)
class Warning:
    """Something in a log file that could not be read."""

    file: str
    offset: int
    kind: str
    message: str


@dataclass(frozen=True)
class Run:
    id: str
    name: str
    dialects: list[str]
    created_at: float
    updated_at: float
    bytes: int
    counts: dict[str, int]  # tags of each kind
    warnings: list[Warning]  # the first ones of each file
    warning_count: int
    version: int

    @property
    def has_lineage(self) -> bool:
        return bool(self.counts.get("lineage") or self.counts.get("hparams"))

    @property
    def has_profile(self) -> bool:
        return bool(self.counts.get("profiles"))


class ProfileFile(NamedTuple):
    """A file of a profiler, which readers of its format look into."""

    run: str
    run_name: str
    name: str  # path below the base dir
    size: int
    mtime_ns: int


class RunFacts(NamedTuple):
    """What tables of all runs show of each."""

    id: str
    name: str
    created_at: float
    updated_at: float
    bytes: int
    dialects: str  # joined by commas


@dataclass(frozen=True)
class LogFile:
    name: str
    bytes: int
    offset: int  # how far it has been read
    dialect: str


@dataclass(frozen=True)
class TagSummary:
    tag: str
    count: int
    first_step: int
    last_step: int


@dataclass(frozen=True)
class ScalarTagSummary(TagSummary):
    """min, max, last_value are None when no value is a finite number or the last one is NaN."""

    min: float | None
    max: float | None
    last_value: float
    non_finite: int
    sources: list[str] = field(default_factory=lambda: [""])


@dataclass(frozen=True)
class ScalarTagOverRuns:
    tag: str
    runs: list[str]
    count: int
    first_step: int
    last_step: int
    min: float | None
    max: float | None
    non_finite: int


@dataclass(frozen=True)
class Curve:
    """Points of one tag of one run, as one writer logged them."""

    run: str
    tag: str
    source: str  # empty, or what tells several curves of the run and tag apart
    total_points: int  # in the asked range of steps, before thinning
    thinned: bool
    steps: Ints
    wall_times: Floats
    values: Floats
    smoothed: Floats | None
    segments: list[int]  # where in the columns each stretch of growing steps begins
    start_time: float  # wall time of the curve's first point, whatever range was asked for
