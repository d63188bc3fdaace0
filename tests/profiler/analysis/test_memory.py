"""Memory: blocks, peaks and owners as a slow and obvious simulation finds them, and as torch itself added them up."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.analysed import Analysed, analyse
from mindinsight_like.profiler.analysis.columns.downsampling import downsample
from mindinsight_like.profiler.analysis.memory.memory import LeakOwner, MemoryLeak
from mindinsight_like.profiler.traces.files import Files
from mindinsight_like.profiler.traces.sources import read, sources_of
from mindinsight_like.profiler.traces.trace import Activity, Allocations, Trace

from .made import Made, trace_of

EVENTS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3), st.integers(-5, 5).filter(bool)), max_size=30)


def with_allocations(trace: Trace, events: list[tuple[int, int, int]]) -> Trace:
    """Adds events of (time, address, bytes) on the first track; everything on one device."""
    trace.texts = [*trace.texts, "GPU 0"]
    count = len(events)
    trace.allocations = Allocations(
        np.array([event[0] for event in events], np.int64),
        np.array([event[2] for event in events], np.int64),
        np.array([event[1] for event in events], np.uint64),
        np.full(count, len(trace.texts) - 1, np.int32),
        np.zeros(count, np.int32),
        np.full(count, -1, np.int32),
    )
    return trace


def simulated(made: list[Made], events: list[tuple[int, int, int]]) -> list[tuple[str, int, int | None, int | None]]:
    """Owner, bytes, and numbers of the events of allocation and free of each block."""
    alive: dict[int, tuple[str, int, int]] = {}
    seen: set[int] = set()
    found: list[tuple[str, int, int | None, int | None]] = []
    for number, (time, address, size) in enumerate(sorted(events, key=lambda event: event[0])):
        if address in alive:
            owner, held, since = alive.pop(address)
            found.append((owner, held, since, number))
        elif size < 0 and address not in seen:
            found.append(("", -size, None, number))
        if size > 0:
            around = [one for one in made if one.start <= time < one.end]
            outermost = min(around, key=lambda one: (one.start, -one.end), default=None)
            alive[address] = (outermost.name if outermost else "", size, number)
        seen.add(address)
    return found + [(owner, held, since, None) for owner, held, since in alive.values()]


@given(EVENTS)
def test_blocks_are_those_of_a_simulation(events: list[tuple[int, int, int]]) -> None:
    made = [Made(2, 20, "outer"), Made(4, 5, "inner"), Made(24, 3, "last")]
    analysed = analyse(with_allocations(trace_of(made), events))
    blocks, texts = analysed._blocks, [*analysed.trace.texts, ""]
    all_events = len(events)
    found = [
        (texts[owner], size, begin if begin >= 0 else None, end if end < all_events else None)
        for owner, size, begin, end in zip(
            blocks.owner.tolist(), blocks.bytes.tolist(), blocks.begin.tolist(), blocks.end.tolist(), strict=True
        )
    ]
    expected = simulated(made, events)
    assert sorted(found, key=str) == sorted(expected, key=str)
    if not events:
        return
    (device,) = analysed.memory().devices
    sizes = [size for _, _, size in sorted(events, key=lambda event: event[0])]
    sums = np.cumsum(sizes) - min(min(np.cumsum(sizes)), 0)
    assert device.allocated == sums.tolist()
    assert device.peak["bytes"] == max(sums)
    rows = analysed.memory_owners("GPU 0").rows
    instant = int(np.argmax(sums))  # the first of equals
    alive = [
        (owner, size)
        for owner, size, begin, end in expected
        if (begin is None or begin <= instant) and (end is None or end > instant)
    ]
    assert sum(row["bytes"] for row in rows) == sum(size for _, size in alive)
    assert {row["owner"]: row["count"] for row in rows} == {
        owner: sum(other == owner for other, _ in alive) for owner, _ in alive
    }


def test_steps_that_leave_memory_behind() -> None:
    made, events = [], []
    for step in range(8):
        made += [Made(100 * step, 100, f"step {step}", activity=Activity.STEP), Made(100 * step + 10, 40, "conv")]
        # A buffer is freed in the next step, a list grows by one tensor each time.
        events += [(100 * step + 20, step, 1000), (100 * step + 120, step, -1000), (100 * step + 30, 50 + step, 64)]
    leak = analyse(with_allocations(trace_of(made), events)).memory().leak
    owners = [LeakOwner(owner="conv", bytes=5 * 64)]
    assert leak == MemoryLeak(is_growing=True, steps=6, mean=64.0, owners=owners)
    tidy = [event for event in events if event[1] < 50]
    leak = analyse(with_allocations(trace_of(made), tidy)).memory().leak
    assert leak == MemoryLeak(is_growing=False, steps=6, mean=0.0, owners=[])


def test_long_curves_keep_their_peaks() -> None:
    random = np.random.default_rng(3)
    place = np.sort(random.integers(0, 10**12, 50_000))
    value = random.integers(0, 10**9, 50_000)
    kept = downsample(place, value, 100)
    assert len(kept) <= 400
    assert {0, 49_999, int(np.argmin(value)), int(np.argmax(value))} <= set(kept.tolist())
    edges = np.linspace(place[0], place[-1], 100, endpoint=False)
    stretch = np.searchsorted(edges, place, "right")
    for part in np.unique(stretch).tolist():
        own = kept[stretch[kept] == part]
        assert value[own].max() == value[stretch == part].max()
        assert value[own].min() == value[stretch == part].min()


@pytest.fixture(scope="module")
def recorded(corpus: Path) -> Analysed:
    folder = corpus / "torch-profiler/ten_steps_stack_gz"
    (source,) = sources_of([path.name for path in folder.glob("*.pt.trace.json*")])
    return analyse(read(source, Files(os.fspath(folder)), lambda share: None))


def test_what_was_alive_at_the_peak_adds_up_to_what_torch_counted(recorded: Analysed) -> None:
    (device,) = recorded.memory().devices
    peak = device.peak
    assert (peak["attributed"], peak["unattributed"]) == (peak["bytes"], 0)
    rows = recorded.memory_owners("CPU").rows
    assert sum(row["bytes"] for row in rows) == peak["bytes"] == max(device.allocated)
    assert rows[0]["owner"] == "autograd::engine::evaluate_function: ConvolutionBackward0"
    span = recorded.columns.span
    everything = recorded.memory_owners("CPU", (span[0] - 1, span[1] + 10**9)).rows
    owners: dict[str, Any] = {row["owner"]: row for row in everything}
    assert owners["aten::conv2d"]["module"] == "nn.Module: Conv2d_0"
    assert sum(row["kept"] for row in everything) == device.last
    (largest,) = recorded.memory_owners("CPU", by="block", limit=1).rows
    assert largest["start"] * 1e6 <= peak["time_ns"] <= (largest["start"] + largest["lifetime"]) * 1e6
    begin, end = peak["time_ns"] - 100_000, peak["time_ns"] + 100_000
    (part,) = recorded.memory((begin, end)).devices
    assert part.peak == peak
    assert [time for time in device.time_ns if begin <= time <= end] == part.time_ns[1:-1]
    with pytest.raises(ValueError, match="no allocations recorded"):
        recorded.memory_owners("GPU 7")
