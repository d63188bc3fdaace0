"""The demo has every kind of data; VisualDL's reader and ours find the same in it.

Run in an environment with visualdl and mindinsight_like.
"""

import sys
import tempfile
from pathlib import Path

import visualdl
from visualdl.proto.record_pb2 import Record
from visualdl.reader.reader import LogReader

sys.path.insert(0, str(Path(__file__).parents[1]))

import demo


def content(value):
    """A number where it is one; the message otherwise."""
    which = value.WhichOneof("one_value")
    if which == "value":
        return value.value
    return value.tag_value.value if which == "tag_value" else value


with tempfile.TemporaryDirectory() as folder:
    (log,) = demo.make(folder, "visualdl")
    ours = demo.read(log)
    reader = LogReader(file_path=str(log))
    theirs = {}
    for component, tags in reader.get_tags().items():
        for tag in tags:
            for value in reader.get_data(component, tag):
                sub = value.tag_value.tag if value.WhichOneof("one_value") == "tag_value" else ""
                theirs.setdefault((component, tag, sub), []).append((value.id, value.timestamp / 1000, content(value)))
    names = {"SCALAR": "scalar", "EMBEDDING": "embeddings", "HPARAMS": "hyper_parameters", "META": "meta_data"}
    mine = {}
    for (kind, tag, sub), values in ours.items():
        component = "scalars" if sub else names.get(kind.name, kind.name.lower())
        mine[component, tag, sub] = [
            (*at, one if isinstance(one, float) else Record.Value.FromString(one)) for *at, one in values
        ]
    assert mine.keys() == theirs.keys(), mine.keys() ^ theirs.keys()
    for name, values in mine.items():
        assert values == theirs[name], name
    print("the same:", demo.told(ours.items()))
print("visualdl", visualdl.__version__)
