"""The demo has every kind of data; TensorBoard's readers and ours find the same in it.

Run in an environment with tensorboard and mindinsight_like.
"""

import sys
import tempfile
from pathlib import Path

import tensorboard
from google.protobuf import text_format
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

sys.path.insert(0, str(Path(__file__).parents[1]))

import demo


def loaded(log):
    """{tag: [(step, wall time, number or message), ..]} as TensorBoard's loader gives them."""
    found = {}
    for event in LegacyEventFileLoader(str(log)).Load():
        if event.HasField("graph_def"):
            found.setdefault("graph", []).append((event.step, event.wall_time, GraphDef.FromString(event.graph_def)))
        for value in event.summary.value:
            content = value.simple_value if value.WhichOneof("value") == "simple_value" else value
            found.setdefault(value.tag, []).append((event.step, event.wall_time, content))
    return found


def parsed(kind, content):
    """Our content as the message it is."""
    if isinstance(content, float):
        return content
    return GraphDef.FromString(content) if kind.name == "GRAPH" else Summary.Value.FromString(content)


with tempfile.TemporaryDirectory() as folder:
    logs = demo.make(folder, "tensorboard")
    ours = {log: demo.read(log) for log in logs}
    for log in logs:
        mine = {tag: [(*at, parsed(kind, one)) for *at, one in values] for (kind, tag, _), values in ours[log].items()}
        assert mine == loaded(log), log.name
    (config,) = Path(folder).rglob("projector_config.pbtxt")
    (embedding,) = text_format.Parse(config.read_text(), ProjectorConfig()).embeddings
    assert len((config.parent / embedding.tensor_path).read_text().splitlines()) == 400
    tags = EventAccumulator(str(config.parent)).Reload().Tags()
    assert tags["graph"] and all(tags[kind] for kind in ("scalars", "histograms", "images", "audio", "tensors"))
    print("the same:", demo.told([item for found in ours.values() for item in found.items()]), "and 1 embedding")
print("tensorboard", tensorboard.__version__)
