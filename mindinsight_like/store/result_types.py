"""Result types of index queries: runs, tags and curves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Literal, NamedTuple, TypeVar

from mindinsight_like.logs.base_dirs import project_of
from mindinsight_like.store.database.database import DatabaseKind
from mindinsight_like.store.run_status import RunStatus
from mindinsight_like.store.segments.segments import Floats, Ints


@dataclass(frozen=True)
class Loading:
    state: Literal["loading", "rebuilding", "idle"]  # rebuilding what is damaged; idle when everything has been read
    runs_done: int = 0
    runs_total: int = 0
    bytes_done: int = 0
    bytes_total: int = 0


@dataclass(frozen=True)
class ServiceState:
    store: DatabaseKind
    loading: Loading
    kinds: list[str] = field(default_factory=list)  # that at least one run has, in the order of the boards
    has_checksums: bool = True  # rows of the index are verified when they are read


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


class Run(NamedTuple):  # quicker to make than a frozen data class, of which there may be ten thousand
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
    display_name: str = ""  # that its writer gave it
    status: RunStatus = RunStatus()

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
    inode: int
    ctime_ns: int  # when anything about the file changed last; nobody can set it


class RunFacts(NamedTuple):
    """What tables of all runs show of each."""

    id: str
    name: str
    created_at: float
    updated_at: float
    bytes: int
    dialects: str  # joined by commas
    status: RunStatus = RunStatus()
    display_name: str = ""  # that its writer gave it
    warnings: int = 0  # damages of its own files

    @property
    def project(self) -> str:
        """The name of its base directory; empty for the first one."""
        return project_of(self.name)


class ScalarReach(NamedTuple):
    """The steps and wall times between which a run has logged scalars, those of a single point left out."""

    first_step: int
    last_step: int
    first_wall: float
    last_wall: float


class ScalarEnds(NamedTuple):
    """Of the points of a scalar that are shown by default: NaN where no value is finite, or the last one is none."""

    last: float
    min: float
    max: float


@dataclass(frozen=True)
class ScalarEndColumns:
    """The ends of one scalar over all runs that have it."""

    runs: list[str]
    ends: Floats  # a row per run: last, min, max
    unclear: list[str]  # runs whose files say different things: their points decide


@dataclass(frozen=True)
class LogFile:
    name: str
    bytes: int
    offset: int  # how far it has been read
    dialect: str


@dataclass(frozen=True)
class TagSummary:
    """Of the points that are shown by default; `superseded` counts the others."""

    tag: str
    count: int
    first_step: int
    last_step: int
    superseded: int = field(default=0, kw_only=True)


@dataclass(frozen=True)
class ScalarTagSummary(TagSummary):
    """min and max are None when no value is a finite number; last_value is that at the largest step."""

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
    superseded: int = field(default=0, kw_only=True)


T = TypeVar("T")


@dataclass(frozen=True)
class TagPage(Generic[T]):
    tags: list[T]
    total: int  # how many there are on all pages
    after: str | None  # what to ask for the next page with; None: this is the last one


@dataclass(frozen=True)
class Curve:
    """Points of one tag of one run, as one writer logged them."""

    run: str
    tag: str
    source: str  # empty, or what tells several curves of the run and tag apart
    total_points: int  # in the asked range of steps, before downsampling
    superseded: int  # points that the default view leaves out, whatever range was asked for
    has_steps: bool  # False: all points have the same step, and wall times order them
    downsampled: bool
    steps: Ints
    wall_times: Floats
    values: Floats
    smoothed: Floats | None
    segments: list[int]  # where in the columns each stretch of growing steps begins; one unless every point is shown
    start_time: float  # wall time at which the curve begins, whatever range was asked for
