"""XPlane recordings, against the same recording as the profiler wrote it for viewers."""

import gzip
import json
import random
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from mindinsight_like.profiler.traces import planes
from mindinsight_like.profiler.traces.files import Unreadable
from mindinsight_like.profiler.traces.reference import planes as planes_twin
from mindinsight_like.profiler.traces.trace import Activity, Place

from .messages import message
from .recordings import sums_by, trace_in, trace_of

FOLDER = "jax-profiler/mlp"


def test_every_event_is_there_with_its_time(corpus: Path) -> None:
    trace = trace_in(corpus, FOLDER)
    (twin,) = (corpus / FOLDER).rglob("*.trace.json.gz")
    expected: dict[str, list[float]] = defaultdict(lambda: [0, 0.0])
    for event in json.loads(gzip.decompress(twin.read_bytes()))["traceEvents"]:
        if event.get("ph") == "X":
            expected[event["name"]][0] += 1
            expected[event["name"]][1] += event["dur"]

    found = sums_by(trace, "name")

    assert {name: count for name, (count, _) in found.items()} == {name: count for name, (count, _) in expected.items()}
    for name, (count, total) in found.items():
        assert total / 1000 == pytest.approx(expected[name][1], abs=0.001 * count + 1e-6)
    assert trace.losses == []


def test_compiled_operators_steps_and_flows_of_a_cpu_are_told(corpus: Path) -> None:
    trace = trace_in(corpus, FOLDER)
    told = json.loads((corpus / FOLDER / "expected.json").read_text())["profiler"]

    assert trace.steps is not None
    assert trace.steps.number.tolist() == told["steps"]
    assert (trace.tool, trace.host, trace.device) == ("jax", "trainbox", "CPU")
    assert trace.origin > 10**18
    assert trace.slices is not None
    operators = trace.slices.activity == Activity.OPERATOR
    assert operators.sum() == 106
    types = {trace.texts[code] for code in trace.slices.type[operators].tolist()}
    assert {"dot", "wrapped_tanh", "multiply_add_fusion"} <= types
    counts = sums_by(trace, "name")
    assert {name: counts[name][0] for name in told["annotations"]} == told["annotations"]
    assert trace.flows is not None
    assert (trace.flows.end_track != trace.flows.begin_track).any()


def events_of(line: planes_twin.Line) -> list[object]:
    return [part.tolist() if isinstance(part, np.ndarray) else part for part in line]


def test_the_native_scanner_and_its_twin_agree_on_whole_and_damaged_lines(corpus: Path) -> None:
    if not planes.NATIVE:
        pytest.skip("there is no native scanner here")
    from mindinsight_like.profiler.traces import _planes

    (path,) = (corpus / FOLDER).rglob("*.xplane.pb")
    data = path.read_bytes()
    begin, end = 163_000, len(data)
    start = data.index(b"\x1a", begin)  # anywhere: both have to see the same
    wanted = np.array([3, 7, 6, 14, 1], np.int64)
    chance = random.Random(5)
    for _ in range(200):
        damaged = bytearray(data)
        for _ in range(chance.choice([0, 1, 20])):
            damaged[chance.randrange(begin, end)] = chance.randrange(256)
        a = chance.choice([start, chance.randrange(begin, end)])
        b = min(end, a + chance.randrange(3000))
        content = bytes(damaged)

        assert events_of(_planes.scan_line(content, a, b, wanted)) == events_of(
            planes_twin.scan_line(content, a, b, wanted)
        )


def device_recording() -> bytes:
    """A GPU's plane with a stream and a line derived from it, and a host that launched its kernels."""
    names = {1: b"fusion_3", 2: b"MemcpyD2H", 3: b"ncclDevKernel_AllReduce", 4: b"cuLaunchKernel", 5: b"jit_step"}
    metadata = [(4, message([(1, number), (2, [(1, number), (2, name)])])) for number, name in names.items()]
    stats = [(5, message([(1, 1), (2, [(1, 1), (2, b"correlation_id")])]))]

    def event(kind: int, offset_ns: int, duration_ns: int, correlation: int) -> tuple[int, bytes]:
        stat = message([(1, 1), (4, correlation)])
        return 4, message([(1, kind), (2, offset_ns * 1000), (3, duration_ns * 1000), (4, stat)])

    stream = message(
        [(2, b"Stream #7(Compute)"), (3, 1000), event(1, 0, 50, 11), event(2, 60, 5, 12), event(3, 70, 9, 13)]
    )
    derived = message([(2, b"XLA Modules"), (3, 1000), event(5, 0, 80, 0)])
    launches = message([(2, b"python"), (3, 900), event(4, 0, 20, 11)])
    gpu = message([(2, b"/device:GPU:1"), *stats, *metadata, (3, stream), (3, derived)])
    host = message([(2, b"/host:CPU"), *stats, *metadata, (3, launches)])
    return message([(1, gpu), (1, host), (4, b"box")])


def test_streams_of_a_gpu_are_told_from_the_rows_derived_of_them(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, {"run/plugins/profile/t/box.xplane.pb": device_recording()})

    assert trace.slices is not None
    found = {
        trace.texts[name]: (Activity(kind), trace.tracks[track].place, correlation)
        for name, kind, track, correlation in zip(
            trace.slices.name.tolist(),
            trace.slices.activity.tolist(),
            trace.slices.track.tolist(),
            trace.slices.correlation.tolist(),
            strict=True,
        )
    }
    assert found == {
        "fusion_3": (Activity.KERNEL, Place.DEVICE, 11),
        "MemcpyD2H": (Activity.COPY, Place.DEVICE, 12),
        "ncclDevKernel_AllReduce": (Activity.COMMUNICATION, Place.DEVICE, 13),
        "cuLaunchKernel": (Activity.LAUNCH, Place.HOST, 11),
        "jit_step": (Activity.OTHER, Place.LAYER, 0),
    }
    assert trace.slices.start.min() == 0
    assert (trace.device, {track.device for track in trace.tracks}) == ("GPU 1", {1, -1})


def test_cut_and_damaged_recordings_are_read_as_far_as_they_go(corpus: Path, tmp_path: Path) -> None:
    (path,) = (corpus / FOLDER).rglob("*.xplane.pb")
    data = path.read_bytes()
    chance = random.Random(3)
    for attempt in range(30):
        content = bytearray(data)
        if attempt % 2:
            del content[chance.randrange(165_000, len(data) - 200) :]
        for _ in range(chance.choice([0, 10])):
            content[chance.randrange(len(content))] = chance.randrange(256)

        try:
            trace = trace_of(tmp_path / str(attempt), {"box.xplane.pb": bytes(content)})
        except Unreadable as error:
            assert "box.xplane.pb" in str(error)
            continue

        assert bool(trace.losses) >= bool(attempt % 2)
    with pytest.raises(Unreadable, match=r"nothing\.xplane\.pb is not an XPlane profile"):
        trace_of(tmp_path / "nothing", {"nothing.xplane.pb": b"\0" * 1000})
    # Lengths that claim more than there is take no memory.
    with pytest.raises(Unreadable):
        trace_of(tmp_path / "claim", {"claim.xplane.pb": b"\x0a\xff\xff\xff\xff\x7f\x12\x09/host:CPU"})
