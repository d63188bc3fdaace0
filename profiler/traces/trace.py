"""`Trace`: one recording of one rank as columns, independent of the profiler that made it.

Times are integer nanoseconds after `Trace.origin`, so that nothing is rounded. All columns of a table have the same
length. A reader fills what its format has and leaves the rest empty.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]
Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]

NOTHING: Final = -1  # in columns of indices: there is none
NOT_GIVEN: Final = -1  # in columns of times, counts and bytes that are never negative: the profiler does not say

# What became of records in the files; the page has a name for each of them in every language.
Count = Literal[
    "slices",
    "other_events",
    "flow_events",
    "launch_arrows",  # that say the same as correlations
    "memory_events",
    "timeline_events",  # of all files of one recording
    "blocks",
    "task_records",
    "step_records",
    "operator_executions",
    "task_executions",  # that belong to no operator
    "begins_without_end",
    "ends_without_begin",
    "flow_begins_alone",  # no end follows
    "flow_ends_alone",  # nothing begins before
    "unpaired_tasks",
    "sums_without_times",
    "overlapping",
    "drawn_over_others",
    "repeated_operators",
    "absurd_time",
    "negative_duration",
    "absurd_duration",
]


class Activity(IntEnum):
    """What a slice is, the same words for all frameworks; the numbers are stored with results."""

    OTHER = 0
    OPERATOR = 1  # an operator of the framework, on the host or (MindSpore, XLA) wherever it runs
    KERNEL = 2  # computing on a device
    COMMUNICATION = 3  # a collective or a transfer between ranks, on host or device
    COPY = 4  # memory copies to, from and on a device
    FILL = 5  # memory sets
    LAUNCH = 6  # calls of the device's runtime or driver
    DATA = 7  # loading and preparing data
    PYTHON = 8  # frames of Python
    ANNOTATION = 9  # named by the user, on the host
    STEP = 10  # one training step
    WAIT = 11  # calls and marks that wait for a device or an event
    PHASE = 12  # forward, backward, optimizer
    OVERHEAD = 13  # of the profiler itself
    DEVICE_ANNOTATION = 14  # a user's name, projected on the device
    AI_CPU = 15  # operators on the helper processors of an Ascend device


class Place(IntEnum):
    """What a track is."""

    HOST = 0  # a thread
    DEVICE = 1  # a stream, or a queue of a device
    LAYER = 2  # a row that a tool made of other rows; its slices repeat others and are left out of sums


@dataclass(frozen=True)
class Track:
    """A thread or a stream."""

    name: str
    process: str
    place: Place = Place.HOST
    order: int = 0  # the profiler's own, for showing
    device: int = NOTHING
    is_helper: bool = False  # of a process beside the training, such as one that loads data: no part of its steps


@dataclass(frozen=True)
class Slices:
    """Everything that has a beginning and a duration, in any order."""

    start: Longs
    duration: Longs
    track: Ints  # index into Trace.tracks
    name: Ints  # index into Trace.texts
    type: Ints  # index into Trace.texts: of the operator, the same as the name where the format has no types
    activity: Bytes
    correlation: Longs  # equal for a launch and the device work it launched, 0 for none
    shape: Ints  # index into Trace.texts: shapes of the inputs as written in the file, NOTHING for none
    place: Longs  # where in Trace.file its record begins, for its arguments on demand, NOTHING for none
    # Index into Trace.texts: data types of the inputs as written in the file, NOTHING for none; empty without any.
    dtype: Ints = field(default_factory=lambda: np.empty(0, np.int32))


@dataclass(frozen=True)
class Flows:
    """Arrows between slices; begin and end are times on tracks."""

    begin: Longs
    begin_track: Ints
    end: Longs
    end_track: Ints
    name: Ints  # index into Trace.texts


@dataclass(frozen=True)
class Counter:
    """A measure over time, such as the load of a processor."""

    name: str
    unit: str
    time: Longs
    value: Floats


@dataclass(frozen=True)
class Memory:
    """Totals of one allocator over time, in bytes."""

    device: str  # such as "CPU", "GPU 0", "NPU 0"
    time: Longs
    allocated: Longs
    reserved: Longs  # NOT_GIVEN where unknown


@dataclass(frozen=True)
class Allocations:
    """Single allocations and frees, in the order of the file."""

    time: Longs
    bytes: Longs  # negative for a free
    address: NDArray[np.uint64]
    device: Ints  # index into Trace.texts
    track: Ints
    name: Ints  # index into Trace.texts of the owner, NOTHING where only the enclosing slice tells


@dataclass(frozen=True)
class Steps:
    """Training steps where the format gives them apart from slices; times as in slices."""

    number: Longs
    begin: Longs
    end: Longs
    forward_begin: Longs  # NOTHING where unknown
    backward_end: Longs
    # Computed by the tool itself, nanoseconds, NOT_GIVEN where it does not say.
    computing: Longs
    communication: Longs  # all of it
    exposed_communication: Longs  # not hidden behind computing
    idle: Longs
    is_of_host: bool = field(default=False, kw_only=True)  # a thread marked them; else they are those of the device
    # Tracks on which loading data holds the steps up; None where any does.
    waiting_tracks: tuple[int, ...] | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Collectives:
    """Communication per step that a format gives without times on a track."""

    step: Longs
    name: list[str]
    begin: Longs
    end: Longs
    stream: list[str]


@dataclass(frozen=True)
class OperatorSums:
    """Sums over executions where a format left no single ones; nanoseconds."""

    name: list[str]
    full_name: list[str]
    type: list[str]
    side: list[str]  # "AI Core", "AI CPU", "Host CPU", "GPU", "CUDA activity" ...
    count: Longs
    total: Floats  # tools write rounded decimals
    shortest: Floats  # NOT_GIVEN
    longest: Floats
    details: list[dict[str, Any]]  # shapes, formats, FLOPs: as the tool names them


@dataclass(frozen=True)
class TypeSums:
    """Sums by operator type, as the tool itself printed them."""

    type: list[str]
    side: list[str]
    count: Longs
    total: Floats
    share: Floats  # of 1


@dataclass(frozen=True)
class PipelineOperator:
    """One operator of the input pipeline."""

    number: int
    type: str
    workers: int
    capacity: int  # of its output queue, NOT_GIVEN where it has none
    sizes: Longs  # of its queue, one for each sample
    parent: int
    children: list[int]
    cost: float = NOT_GIVEN  # milliseconds per batch, where measured


@dataclass(frozen=True)
class InputPipeline:
    """How data reached the device."""

    operators: list[PipelineOperator]
    sample_milliseconds: float  # NOT_GIVEN
    # For every batch: what the queue held before it was taken, and the wait for it in milliseconds.
    queue: str = ""  # "host", "device", "iterator" ...
    queue_capacity: int = NOT_GIVEN
    batch: Longs = field(default_factory=lambda: np.empty(0, np.int64))
    queue_size: Longs = field(default_factory=lambda: np.empty(0, np.int64))
    wait: Floats = field(default_factory=lambda: np.empty(0, np.float64))
    push: Floats = field(default_factory=lambda: np.empty(0, np.float64))


@dataclass(frozen=True)
class Links:
    """Traffic between ranks."""

    step: Longs  # NOTHING for the average
    source: Ints
    target: Ints
    kind: list[str]  # "HCCS", "RDMA", "PCIE" ...
    milliseconds: Floats
    megabytes: Floats
    gigabytes_per_second: Floats


@dataclass(frozen=True)
class Loss:
    """Something that could not be read, in one sentence, and what it cost."""

    message: str
    count: int = 1
    file: str = ""


@dataclass
class Trace:
    """What one profiler recorded of one rank."""

    tool: str  # "torch", "mindspore", "ascend", "jax", "tensorflow", "paddle", "chrome", "mindinsight_like"
    file: str = ""  # the one that `Slices.place` points into
    rank: int = NOTHING
    ranks: int = NOTHING  # of the whole training
    device: str = ""  # as a person would call it: "CPU", "NVIDIA H100", "Ascend 910"
    host: str = ""
    origin: int = 0  # unix nanoseconds of time 0, 0 where only differences are known
    texts: list[str] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    slices: Slices | None = None
    flows: Flows | None = None
    counters: list[Counter] = field(default_factory=list)
    memory: list[Memory] = field(default_factory=list)
    allocations: Allocations | None = None
    steps: Steps | None = None
    collectives: Collectives | None = None
    operator_sums: OperatorSums | None = None
    type_sums: TypeSums | None = None
    pipelines: list[InputPipeline] = field(default_factory=list)
    links: Links | None = None
    # Values of inputs that have no shape, such as strides, by name and shapes: "aten::convolution [[8, 1, ...".
    values: dict[str, list[str]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)  # versions, settings, device properties, totals of the tool
    counts: dict[Count, int] = field(default_factory=dict)
    losses: list[Loss] = field(default_factory=list)
