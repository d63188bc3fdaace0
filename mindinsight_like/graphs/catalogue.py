"""Which graphs a run has, told by the index alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mindinsight_like.errors import NotFound
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.logs.whole_files import WHOLE_FILES
from mindinsight_like.store.blobs import StoredRecord
from mindinsight_like.store.reading import IndexReader

_SOURCES = {
    Dialect.MINDSPORE: "mindspore",
    Dialect.MINDSPORE_MODEL: "mindspore",
    Dialect.TENSORBOARD: "tensorboard",
    Dialect.TENSORFLOW_MODEL: "tensorflow",
    Dialect.VISUALDL_GRAPH: "visualdl",
    Dialect.PADDLE_PROGRAM: "paddle",
    Dialect.PADDLE_PIR: "paddle",
    Dialect.ONNX: "onnx",
}
SOURCES = tuple(dict.fromkeys(_SOURCES.values()))
# How MindSpore calls its exports, from the graph as it was written to the one that is run.
_STAGES = (
    (re.compile(r"before_opt"), "before_opt"),
    (re.compile(r"after_opt"), "after_opt"),
    (re.compile(r"hwopt|fusion|fused|kernel_graph|execute"), "fused"),
    (re.compile(r"vm_build"), "vm_build"),
    (re.compile(r"optimize"), "optimized"),
)


@dataclass(frozen=True)
class KnownGraph:
    graph: str  # tells it from others of the run: its file, and for a log where in it
    name: str
    file: str  # path below the base dir
    source: str
    stage: str
    record: StoredRecord


def list_graphs(reader: IndexReader, run: str) -> list[KnownGraph]:
    """The graphs of a run, file by file; raises RunNotFound."""
    name = reader.run(run).name
    found = [_known(record, name) for record in reader.records(run, [Kind.GRAPH]) if record.dialect in _SOURCES]
    # TensorFlow writes the same graph once more, with all that is needed to load it.
    return sorted(found, key=lambda each: (each.record.tag == "meta_graph", each.file, each.record.offset))


def find_graph(reader: IndexReader, run: str, graph: str) -> KnownGraph:
    """The graph that a client names; raises RunNotFound, NotFound."""
    for known in list_graphs(reader, run):
        if known.graph == graph:
            return known
    raise NotFound(f"the run has no graph {graph[:200]!r}", graph=graph[:200])


def _known(record: StoredRecord, run: str) -> KnownGraph:
    below = record.file_name if run == "." else record.file_name.removeprefix(f"{run}/")
    is_whole = record.dialect in WHOLE_FILES
    stage = ""
    if record.dialect == Dialect.MINDSPORE_MODEL:
        stage = next((name for pattern, name in _STAGES if pattern.search(record.tag)), "")
    return KnownGraph(
        graph=below if is_whole else f"{below}@{record.offset}",
        name=record.tag,
        file=record.file_name,
        source=_SOURCES[record.dialect],
        stage=stage,
        record=record,
    )
