"""Our own trace file: cut, damaged and hostile ones give what they have, and say what they lost."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest

from mindinsight_like.logs.framing import frame
from mindinsight_like.profiler.traces import own_format as form
from mindinsight_like.profiler.traces.files import Unreadable
from mindinsight_like.profiler.traces.trace import NOTHING, Place, Trace

from .traces import names, only_trace

DEFINITIONS = form.definitions(
    {
        "operators": (0, [["MatMul-op1", "MatMul", 1, "[2, 3]"], ["AllReduce", "AllReduce", 3, ""]]),
        "tracks": (0, [["MainThread", "python", 0, 0, -1], ["stream 7", "GPU 0", 1, 1, 0]]),
        "counters": (0, [["load", "%"]]),
        "memories": (0, [["GPU 0"]]),
    }
)
BLOCKS = [
    form.header(origin=10**18, clock=5000, host="node", rank=3, ranks=8, device="CPU", facts={"framework": "none"}),
    DEFINITIONS,
    form.slices(0, [5000, 5200], [5100, 5900], [0, 1]),
    form.slices(1, [5300], [5400], [1], [77]),
    form.steps([(4, 5000, 6000, -1, 5500)]),
    form.flows([(5200, 0, 5300, 1, 1)]),
    form.counter(0, [5000, 6000], [0.5, float("nan")]),
    form.memory(0, [(5000, 10, -1), (5500, 20, 30)]),
    form.pipeline(
        [[0, "Batch", 2, 8, [1, 2], -1, [1], 0.5], [1, "Map", 4, -1, [], 0, [], -1]],
        queue="host",
        queue_size=[3, 0],
        wait=[0.5, 7.5],
        push=[0.1, 0.1],
    ),
    form.links([[1, 0, 1, "HCCS", 2.0, 10.0, 5.0]]),
    form.done({"is_complete": True}, [("records were dropped", 2)]),
]


def written(folder: Path, *blocks: bytes, cut: int | None = None) -> Path:
    path = folder / "node_1.rank3.1794851644105896173.mi-trace"
    path.write_bytes(b"".join(map(frame, blocks))[:cut])
    return path


def read_blocks(folder: Path, *blocks: bytes) -> Trace:
    """The trace of these blocks behind a good header and good definitions."""
    written(folder, *BLOCKS[:2], *blocks)
    return only_trace(folder)


def test_everything_that_is_written_is_read(tmp_path: Path) -> None:
    written(tmp_path, *BLOCKS)

    trace = only_trace(tmp_path)

    assert (trace.tool, trace.host, trace.rank, trace.ranks) == ("mindinsight_like", "node", 3, 8)
    assert (trace.origin, trace.facts) == (10**18, {"framework": "none", "is_complete": True})
    assert trace.slices is not None and trace.steps is not None and trace.flows is not None
    assert trace.slices.start.tolist() == [0, 200, 300]  # after the origin, when the clock was 5000
    assert trace.slices.duration.tolist() == [100, 700, 100]
    assert trace.slices.correlation.tolist() == [0, 0, 77]
    assert [trace.texts[each] for each in trace.slices.type] == ["MatMul", "AllReduce", "AllReduce"]
    assert [trace.texts[each] if each != NOTHING else None for each in trace.slices.shape] == ["[2, 3]", None, None]
    assert [(each.name, each.place, each.device) for each in trace.tracks] == [
        ("MainThread", Place.HOST, NOTHING),
        ("stream 7", Place.DEVICE, 0),
    ]
    steps = trace.steps
    assert (steps.number.tolist(), steps.begin.tolist(), steps.end.tolist()) == ([4], [0], [1000])
    assert (steps.forward_begin.tolist(), steps.backward_end.tolist()) == ([NOTHING], [500])
    assert (trace.flows.begin.tolist(), trace.flows.end_track.tolist()) == ([200], [1])
    assert trace.counters[0].time.tolist() == [0, 1000] and np.isnan(trace.counters[0].value[1])
    assert (trace.memory[0].device, trace.memory[0].allocated.tolist()) == ("GPU 0", [10, 20])
    (pipeline,) = trace.pipelines
    assert [(each.type, each.workers, each.sizes.tolist()) for each in pipeline.operators] == [
        ("Batch", 2, [1, 2]),
        ("Map", 4, []),
    ]
    assert (pipeline.batch.tolist(), pipeline.wait.tolist()) == ([1, 2], [0.5, 7.5])
    assert trace.links is not None and trace.links.gigabytes_per_second.tolist() == [5.0]
    assert [(loss.message, loss.count) for loss in trace.losses] == [("records were dropped", 2)]


def test_a_file_cut_anywhere_gives_its_whole_blocks(tmp_path: Path) -> None:
    ends = np.cumsum([len(frame(block)) for block in BLOCKS])
    slices_by_block = [0, 0, *[2], *[3] * (len(BLOCKS) - 3)]
    near = {int(end) + shift for end in ends for shift in range(-5, 17)}  # also within the next block's head
    for cut in sorted(near | set(range(0, int(ends[-1]), 23))):
        if cut >= ends[-1]:
            continue
        path = written(tmp_path, *BLOCKS, cut=cut)
        whole = int(np.searchsorted(ends, cut, "right"))
        if not whole:
            with pytest.raises(Unreadable, match="header"):
                only_trace(tmp_path)
            continue
        trace = only_trace(tmp_path)
        assert len(names(trace)) == slices_by_block[whole - 1], cut
        is_between = cut == ends[whole - 1]
        assert [loss.message for loss in trace.losses] == ([] if is_between else ["the last block is cut off"]), cut
        path.unlink()


def test_a_damaged_block_costs_only_itself_and_a_damaged_length_what_follows(tmp_path: Path) -> None:
    content = bytearray(written(tmp_path, *BLOCKS).read_bytes())
    third = sum(len(frame(block)) for block in BLOCKS[:2])
    path = tmp_path / "node_1.rank3.1794851644105896173.mi-trace"

    content[third + 30] ^= 1
    path.write_bytes(content)
    trace = only_trace(tmp_path)
    assert names(trace) == ["AllReduce"] and trace.steps is not None
    assert ("blocks have damaged contents", 1) in [(loss.message, loss.count) for loss in trace.losses]

    content[third] ^= 1
    path.write_bytes(content)
    trace = only_trace(tmp_path)
    assert names(trace) == [] and trace.steps is None
    assert [loss.file for loss in trace.losses] == [path.name]


@pytest.mark.parametrize(
    "block",
    [
        form.SLICES + form.NUMBERED.pack(0, 3, 2**61) + bytes(24),  # more than there is
        form.SLICES + form.NUMBERED.pack(0, 2**31, 2**40),
        form.SLICES + form.NUMBERED.pack(0, 3, 1) + bytes(16),
        form.SLICES + b"\0",
        form.STEPS + form.COUNTED.pack(2**63),
        form.slices(9, [1], [2], [0]),  # a track that nobody defined
        form.slices(0, [1], [2], [99]),
        form.slices(0, [5], [2], [0]),  # ends before it begins
        form.slices(0, [-(2**63)], [2**63 - 1], [0]),
        form.counter(7, [1], [1.0]),
        form.memory(1, [(1, 2, 3)]),
        form.flows([(1, 5, 2, 6, 0)]),
        form.pipeline([[0, "Batch", 2, 8, "many", -1, [1], 0.5]]),
        form.pipeline([], wait=[1.0]),
        form.links([[1, 0, 1, "HCCS"]]),
        form.links([[1, 2**40, 1, "HCCS", 1, 1, 1]]),
        form.DEFINITIONS + b"[1, 2]",
        form.DEFINITIONS + b'{"operators": [0, [["a"]]]}',
        form.DEFINITIONS + b'{"operators": [0, [["a", "b", 4711, ""]]]}',
        form.DEFINITIONS + b'{"tracks": 5}',
        form.DEFINITIONS + b'{"a":' * 100_000,
        form.HEADER + json.dumps({"version": 1, "origin": 2**70, "clock": 0}).encode(),
        form.DONE + b"\xff",
        b"LATE" + bytes(8),
        b"",
    ],
)
def test_nonsense_under_a_right_checksum_is_one_loss(block: bytes, tmp_path: Path) -> None:
    trace = read_blocks(tmp_path, block, BLOCKS[2])

    assert names(trace) == ["MatMul-op1", "AllReduce"]
    assert [loss.count for loss in trace.losses] == [1]


def test_what_is_no_trace_of_ours_is_one_sentence(tmp_path: Path) -> None:
    path = written(tmp_path)
    for content in (
        b"",
        os.urandom(1000),
        struct.pack("<QI", 2**63, 5) + b"x" * 50,
        frame(BLOCKS[2]),
        frame(form.HEADER + b'{"version": 99}'),
    ):
        path.write_bytes(content)
        with pytest.raises(Unreadable) as told:
            only_trace(tmp_path)
        assert "\n" not in str(told.value)
    assert "version 99" in str(told.value)
