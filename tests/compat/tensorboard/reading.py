"""Read what a writer has left behind, with TensorBoard's own classes, into plain values that can be compared."""

import io
import re
from pathlib import Path

import numpy as np
from google.protobuf import text_format
from google.protobuf.json_format import MessageToDict
from PIL import Image, ImageSequence
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData
from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData
from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig
from tensorboard.util.tensor_util import make_ndarray

SETTINGS = {"pr_curves": PrCurvePluginData, "mesh": MeshPluginData, "hparams": HParamsPluginData}


def everything(folder):
    """{(sub-folder, tag): [(step, wall time, content), ..]} of every event file below the folder, plus other files."""
    found = {}
    for path in sorted(Path(folder).rglob("*tfevents*")):
        below = str(path.parent.relative_to(folder))
        for event in LegacyEventFileLoader(str(path)).Load():
            for tag, content in _contents(event):
                found.setdefault((below, tag), []).append((event.step, event.wall_time, content))
    for path in sorted(Path(folder).rglob("*.tsv")):
        found[str(path.parent.relative_to(folder)), path.name] = path.read_text()
    for path in sorted(Path(folder).rglob("*.png")):
        found[str(path.parent.relative_to(folder)), path.name] = pixels(path.read_bytes())
    config = Path(folder, "projector_config.pbtxt")
    if config.exists():
        parsed = MessageToDict(text_format.Parse(config.read_text(), ProjectorConfig()))
        found[".", config.name] = sorted(parsed["embeddings"], key=str)
    return found


def accumulated(folder):
    """What EventAccumulator, the reader behind TensorBoard's data, finds: kinds and their tags."""
    accumulator = EventAccumulator(str(folder), size_guidance={"images": 0, "scalars": 0, "histograms": 0}).Reload()
    return {kind: sorted(tags) if isinstance(tags, list) else tags for kind, tags in accumulator.Tags().items()}


def graphs(folder):
    """The graphs of a folder's event files."""
    return [
        GraphDef.FromString(event.graph_def)
        for path in Path(folder).glob("*tfevents*")
        for event in LegacyEventFileLoader(str(path)).Load()
        if event.HasField("graph_def")
    ]


def pixels(content):
    """Every frame of a picture, as lists of bytes."""
    with Image.open(io.BytesIO(content)) as picture:
        return [np.asarray(frame.convert("RGBA")).tolist() for frame in ImageSequence.Iterator(picture)]


def _contents(event):
    which = event.WhichOneof("what")
    if which == "graph_def":
        yield "graph", _graph(GraphDef.FromString(event.graph_def))
    elif which == "summary":
        for value in event.summary.value:
            yield value.tag, (_value(value), _metadata(value.metadata))
    elif which == "tagged_run_metadata":
        yield "run metadata", event.tagged_run_metadata.run_metadata
    elif which == "session_log":
        yield "session", event.session_log.status


def _value(value):
    which = value.WhichOneof("value")
    if which == "simple_value":
        return repr(value.simple_value)
    if which == "histo":
        histo = value.histo
        return [histo.min, histo.max, histo.num, histo.sum, histo.sum_squares, *histo.bucket_limit, *histo.bucket]
    if which == "image":
        image = value.image
        return [image.width, image.height, image.colorspace, pixels(image.encoded_image_string)]
    if which == "audio":
        audio = value.audio
        samples = np.frombuffer(audio.encoded_audio_string[44:], "<i2").astype(int).tolist()
        return [audio.sample_rate, audio.num_channels, audio.length_frames, audio.content_type, samples]
    if which == "tensor":
        array = make_ndarray(value.tensor)
        if value.tag == "custom_scalars__config__":
            return MessageToDict(layout_pb2.Layout.FromString(array.item()))
        return [str(array.dtype), array.shape, [repr(item) for item in array.reshape(-1).tolist()]]
    return None


def _metadata(metadata):
    plugin = metadata.plugin_data.plugin_name
    settings = SETTINGS[plugin].FromString(metadata.plugin_data.content) if plugin in SETTINGS else None
    return [
        plugin,
        MessageToDict(settings) if settings is not None else metadata.plugin_data.content.hex(),
        metadata.display_name,
        metadata.summary_description,
    ]


def _graph(graph):
    """Nodes by name, without inputs that are no nodes (torch names modules there)."""
    names = {node.name for node in graph.node}
    return {
        # numbers in names of values depend on what was traced before
        _plain(node.name): (
            node.op,
            sorted(_plain(name) for name in node.input if name in names),
            MessageToDict(node)["attr"].get("_output_shapes"),
        )
        for node in graph.node
    }


def _plain(name):
    return re.sub(r"\.?\d+$", "", name)
