"""The demo has every kind of data; MindSpore's message classes and our reader find the same in it.

Run in an environment with mindspore and mindinsight_like.
"""

import sys
import tempfile
from pathlib import Path

import mindspore
from messages import payloads
from mindspore.train import anf_ir_pb2, lineage_pb2, summary_pb2

sys.path.insert(0, str(Path(__file__).parents[1]))

import demo

LINEAGE = {
    "train_lineage": "train",
    "evaluation_lineage": "evaluation",
    "dataset_graph": "dataset_graph",
    "user_defined_info": "user_defined",
}


def parsed(kind, content):
    """Our content as the message it is."""
    if isinstance(content, float):
        return content
    classes = {"GRAPH": anf_ir_pb2.GraphProto, "LINEAGE": lineage_pb2.LineageEvent}
    return classes.get(kind.name, summary_pb2.Summary.Value).FromString(content)


def summary(log):
    """{tag: [(step, wall time, number or message), ..]} of a summary file."""
    found = {}
    for event in map(summary_pb2.Event.FromString, payloads(log)):
        if event.HasField("graph_def"):
            found.setdefault("graph", []).append((event.step, event.wall_time, event.graph_def))
        for value in event.summary.value:
            content = value.scalar_value if value.WhichOneof("value") == "scalar_value" else value
            found.setdefault(value.tag, []).append((event.step, event.wall_time, content))
    return found


def lineage(log):
    """The same of a lineage file, whose events have no steps."""
    events = map(lineage_pb2.LineageEvent.FromString, payloads(log))
    return {LINEAGE[event.WhichOneof("what")]: [(0, event.wall_time, event)] for event in events}


with tempfile.TemporaryDirectory() as folder:
    logs = demo.make(folder, "mindspore")
    ours = {log: demo.read(log) for log in logs}
    for log in logs:
        mine = {}
        for (kind, tag, _), values in ours[log].items():
            mine.setdefault(tag, []).extend((*at, parsed(kind, one)) for *at, one in values)
        theirs = lineage(log) if log.name.endswith("_lineage") else summary(log)
        assert mine.keys() == theirs.keys(), mine.keys() ^ theirs.keys()
        for tag, values in mine.items():
            assert repr(sorted(values, key=repr)) == repr(sorted(theirs[tag], key=repr)), tag
    print("the same:", demo.told([item for found in ours.values() for item in found.items()]))
print("mindspore", mindspore.__version__)
