"""Session starts (`purge_step`) hide in our index what TensorBoard's EventAccumulator purges, wherever they stand.

Random logs of one writer are read by both. EventAccumulator keeps every event that it has not purged, in the order of
reading; of each step the last of those is the newest. Run in an environment with tensorboard and mindinsight_like.
"""

import logging
import random
import tempfile
from pathlib import Path

import tensorboard
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import mindinsight_like as mi
from mindinsight_like.writers.encoding import tensorboard as writer

_BEGIN = 1_700_000_000
_CASES = 150


def write(folder, chance):
    """One to three files; times rise through all of them."""
    wall = float(_BEGIN)
    for place in range(chance.randint(1, 3)):
        records = [writer.version(step=0, wall_time=wall)]
        step = chance.randint(0, 8)
        for _ in range(chance.randint(0, 15)):
            wall += 1.0
            step = step + 1 if chance.random() < 0.6 else chance.randint(0, 12)
            if chance.random() < 0.2:
                records.append(writer.session_start(step=step, wall_time=wall))
            else:
                scalar = writer.scalar(chance.choice("ab"), wall - _BEGIN)
                records.append(writer.event([scalar], step=step, wall_time=wall))
        name = f"events.out.tfevents.{_BEGIN + place}.host.7.{place}"
        (folder / name).write_bytes(b"".join(map(writer.frame, records)))


def theirs(folder):
    """{tag: {step: (wall time, value)}}, with all points of a tag that has one step only."""
    accumulator = EventAccumulator(str(folder), size_guidance={"scalars": 0, "tensors": 0}).Reload()
    found = {}
    for tag in accumulator.Tags()["scalars"]:
        events = accumulator.Scalars(tag)
        newest = {event.step: event for event in events}
        shown = events if len(newest) == 1 else [newest[step] for step in sorted(newest)]
        if shown:
            found[tag] = [(event.step, event.wall_time, event.value) for event in shown]
    return found


def ours(folder, workspace):
    table = mi.open(folder, workspace=workspace).scalars()
    times = table["wall_time"].astype("int64") / 1e9
    rows = zip(table["tag"], table["step"], times, table["value"], strict=True)
    found = {}
    for tag, *point in rows:
        found.setdefault(tag, []).append(tuple(point))
    return found


logging.disable(logging.WARNING)
points = 0
for case in range(_CASES):
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "run")
        folder.mkdir()
        write(folder, random.Random(case))
        expected, found = theirs(folder), ours(folder, Path(scratch, "workspace"))
        assert found == expected, (case, found, expected)
        points += sum(map(len, found.values()))
print(f"{_CASES} logs, {points} points shown by both")
print("tensorboard", tensorboard.__version__)
