"""Read summary folders with MindSpore's own message classes."""

import io
import struct
from collections import defaultdict
from pathlib import Path

import numpy as np
from google.protobuf.json_format import MessageToDict
from mindspore.train import lineage_pb2, summary_pb2
from PIL import Image


def payloads(path):
    """Every record of a file."""
    data = path.read_bytes()
    position = 0
    while position < len(data):
        (length,) = struct.unpack_from("<Q", data, position)
        payload = data[position + 12 : position + 12 + length]
        assert len(payload) == length, f"{path} ends inside of a record"
        yield payload
        position += length + 16


def events(folder):
    """The events of the summary files in the order of their names; the first of each file must be the version."""
    found = []
    for path in sorted(Path(folder).glob("*_MS")):
        file_events = [summary_pb2.Event.FromString(payload) for payload in payloads(path)]
        assert file_events[0].version == "MindSpore.Event:1"
        found += file_events[1:]
    return found


def lineage(folder):
    """The lineage events in the order of the files' names."""
    paths = sorted(Path(folder).glob("*_lineage"))
    return [lineage_pb2.LineageEvent.FromString(payload) for path in paths for payload in payloads(path)]


def values(folder):
    """Tag and kind -> step -> value in a form that can be compared; of several for one step the last."""
    found = defaultdict(dict)
    for event in events(folder):
        if event.HasField("graph_def"):
            found["graph"][0] = event.graph_def
        for value in event.summary.value:
            kind = value.WhichOneof("value")
            found[value.tag, kind][event.step] = comparable(value, kind)
    return dict(found)


def comparable(value, kind):
    """A picture as its pixels, everything else as plain numbers."""
    if kind == "image":
        pixels = np.asarray(Image.open(io.BytesIO(value.image.encoded_image)))
        assert (value.image.height, value.image.width, value.image.colorspace) == pixels.shape
        return pixels.tolist()
    if kind == "scalar_value":
        return value.scalar_value
    return MessageToDict(getattr(value, kind))
