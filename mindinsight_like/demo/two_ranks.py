"""Synthetic profile of two ranks that train together, the second of which is slow, for the cluster pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from mindinsight_like.logs.framing import frame
from mindinsight_like.profiler.traces import own_format as form
from mindinsight_like.profiler.traces.trace import Activity, Place

RANKS = 2
_STEPS, _LAYERS = 12, 6
_SLOWNESS = (1.0, 1.35)
_STALLED_STEPS = (4, 9)  # in which data come late
_US = 1000  # nanoseconds
_MAIN, _LOADER, _COMPUTE, _COMMUNICATION = range(4)
_TRACKS = (
    ("MainThread", "python", Place.HOST, 0, -1),
    ("loader", "python", Place.HOST, 1, -1),
    ("stream 7: compute", "device 0", Place.DEVICE, 2, 0),
    ("stream 13: communication", "device 0", Place.DEVICE, 3, 0),
)
_SHAPE = "[[64, 1024], [1024, 1024]]"


@dataclass
class _Rank:
    """One rank while it is made up; times are nanoseconds."""

    rank: int
    rng: np.random.Generator
    host: int = 0  # when its main thread is free again
    compute: int = 0
    communication: int = 0
    allocated: int = 900 << 20
    launches: int = 0
    operators: dict[tuple[str, str, int, str], int] = field(default_factory=dict)
    slices: list[list[tuple[int, int, int, int]]] = field(default_factory=lambda: [[] for _ in _TRACKS])
    steps: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    memory: list[tuple[int, int, int]] = field(default_factory=list)

    def add(
        self,
        track: int,
        name: str,
        kind: str,
        activity: Activity,
        times: tuple[int, int],
        link: int = 0,
        shape: str = "",
    ) -> None:
        key = (name, kind, int(activity), shape)
        number = self.operators.setdefault(key, len(self.operators))
        self.slices[track].append((*times, number, link))

    def takes(self, microseconds: float) -> int:
        """About so long, never twice the same."""
        return int(microseconds * _US * self.rng.lognormal(0, 0.06))

    def launch(self, name: str, kind: str, microseconds: float, *, shape: str = "") -> None:
        """An operator on the host, which launches a kernel."""
        self.launches += 1
        begin = self.host
        called = begin + self.takes(9)
        launched = called + self.takes(6)
        self.host = launched + self.takes(5)
        self.add(_MAIN, name, kind, Activity.OPERATOR, (begin, self.host), shape=shape)
        self.add(_MAIN, "LaunchKernel", "LaunchKernel", Activity.LAUNCH, (called, launched), self.launches)
        start = max(self.compute, launched + self.takes(4))
        self.compute = start + self.takes(microseconds * _SLOWNESS[self.rank])
        self.add(_COMPUTE, f"{kind}_kernel", kind, Activity.KERNEL, (start, self.compute), self.launches)

    def use(self, bytes: int) -> None:
        self.allocated += bytes
        self.memory.append((self.host, self.allocated, 2 << 30))


def write_two_ranks(folder: Path, *, seed: int, started: float) -> list[Path]:
    """Write a trace for each rank, recorded at `started`."""
    ranks = [_Rank(rank, np.random.default_rng([seed, 6, rank])) for rank in range(RANKS)]
    for number in range(_STEPS):
        _step(ranks, number)
    folder.mkdir(parents=True, exist_ok=True)
    origin = int(started * 1e9)
    written = []
    for rank in ranks:
        path = folder / f"node-{rank.rank + 1}.rank{rank.rank}.{origin}{form.ENDING}"
        path.write_bytes(b"".join(map(frame, _blocks(rank, origin))))
        written.append(path)
    return written


def _step(ranks: Sequence[_Rank], number: int) -> None:
    begins = [rank.host for rank in ranks]
    forwards = [_forward(rank, number) for rank in ranks]
    for layer in reversed(range(_LAYERS)):
        for rank in ranks:
            for part in ("input", "weight"):
                name = f"Gradients/layer{layer}/MatMul-{part}"
                rank.launch(name, "MatMul", 230, shape=_SHAPE)
            rank.launch(f"Gradients/layer{layer}/GeluGrad", "GeluGrad", 60)
            rank.use(-(48 << 20))
        _all_reduce(ranks, layer)
    for rank, begin, forward in zip(ranks, begins, forwards, strict=True):
        backward_end = rank.compute
        # Weights change when the last gradients have been exchanged.
        rank.compute = max(rank.compute, rank.communication)
        for layer in range(_LAYERS):
            rank.launch(f"layer{layer}/Adam", "Adam", 45)
        waited = rank.host
        rank.host = max(rank.host, rank.compute) + rank.takes(8)
        rank.add(_MAIN, "Synchronize", "Synchronize", Activity.WAIT, (waited, rank.host))
        rank.steps.append((number, begin, rank.host, forward, backward_end))


def _forward(rank: _Rank, number: int) -> int:
    """Until the loss is known; returns when the first kernel began."""
    waits = rank.takes(5200 if number in _STALLED_STEPS else 420)
    rank.add(_MAIN, "wait for a batch", "data", Activity.DATA, (rank.host, rank.host + waits))
    reading = rank.takes(2400)
    begin = max(rank.host + waits - reading, rank.slices[_LOADER][-1][1] if rank.slices[_LOADER] else 0)
    rank.add(_LOADER, "decode and augment", "data", Activity.DATA, (begin, max(begin, rank.host + waits)))
    rank.host += waits
    first = len(rank.slices[_COMPUTE])
    for layer in range(_LAYERS):
        rank.launch(f"Default/layer{layer}/MatMul", "MatMul", 210, shape=_SHAPE)
        rank.launch(f"Default/layer{layer}/BiasAdd", "BiasAdd", 22)
        rank.launch(f"Default/layer{layer}/Gelu", "Gelu", 48)
        rank.use(48 << 20)
    rank.launch("Default/loss/SoftmaxCrossEntropy", "SoftmaxCrossEntropy", 35)
    return rank.slices[_COMPUTE][first][0]


def _all_reduce(ranks: Sequence[_Rank], layer: int) -> None:
    """All begin when they are ready, and end together."""
    starts = [max(rank.compute, rank.communication) + rank.takes(5) for rank in ranks]
    end = max(starts) + ranks[0].takes(260)
    for rank, start in zip(ranks, starts, strict=True):
        rank.launches += 1
        rank.communication = end
        name, activity = f"AllReduce-layer{layer}", Activity.COMMUNICATION
        rank.add(_COMMUNICATION, name, "AllReduce", activity, (start, end), rank.launches)


def _blocks(rank: _Rank, origin: int) -> Iterator[bytes]:
    facts = {"framework": "demo", "note": "made up, to have something to show"}
    yield form.header(
        origin=origin,
        clock=0,
        host=f"node-{rank.rank + 1}",
        rank=rank.rank,
        ranks=RANKS,
        device="Demo accelerator",
        facts=facts,
    )
    yield form.definitions(
        {
            "operators": (0, list(rank.operators)),
            "tracks": (0, _TRACKS),
            "counters": (0, [("device busy", "%")]),
            "memories": (0, [("device 0",)]),
        }
    )
    for track, rows in enumerate(rank.slices):
        yield form.slices(track, *zip(*rows, strict=True))
    yield form.steps(rank.steps)
    yield form.memory(0, rank.memory)
    yield form.counter(0, *zip(*_busy(rank), strict=True))
    yield _pipeline(rank)
    yield form.links(list(_links(rank)))
    yield form.done({"is_complete": True})


def _pipeline(rank: _Rank) -> bytes:
    """Of which the second operator is slow: queues before it are full, those behind it empty, when data come late."""
    waits = [
        (end - begin) / 1e6
        for begin, end, number, _ in rank.slices[_MAIN]
        if list(rank.operators)[number][0] == "wait for a batch"
    ]
    is_late = [number in _STALLED_STEPS for number in range(_STEPS)]
    operators = [
        [0, "Batch", 2, 8, [0 if late else 5 for late in is_late], -1, [1], 0.3],
        [1, "Map", 4, 16, [1 if late else 6 for late in is_late], 0, [2], 2.4],
        [2, "TFRecord", 4, 32, [32 if late else 24 for late in is_late], 1, [], 0.4],
    ]
    return form.pipeline(
        operators,
        queue="host",
        queue_capacity=8,
        sample_milliseconds=10.0,
        queue_size=[0 if late else 5 for late in is_late],
        wait=waits,
        push=[0.05] * _STEPS,
    )


def _links(rank: _Rank) -> Iterator[tuple[int, int, int, str, float, float, float]]:
    """Gradients go round: 4 MB of each layer to the other rank, in every step."""
    other = 1 - rank.rank
    for number in range(_STEPS):
        begin, end = rank.steps[number][1:3]
        inside = [stop - start for start, stop, *_ in rank.slices[_COMMUNICATION] if begin <= start < end]
        seconds, sent = sum(inside) / 1e6, 4.0 * len(inside)
        yield number, rank.rank, other, "HCCS", seconds, sent, sent / seconds


def _busy(rank: _Rank) -> Iterator[tuple[int, float]]:
    """Every millisecond, the share of it in which the device computed."""
    begin, end = (np.array(column) for column in list(zip(*rank.slices[_COMPUTE], strict=True))[:2])
    for moment in range(1000 * _US, int(end.max()), 1000 * _US):
        inside = np.minimum(end, moment) - np.maximum(begin, moment - 1000 * _US)
        yield moment, float(100 * np.maximum(inside, 0).sum() / (1000 * _US))
