"""List the graphs of a run from the index, without reading its logs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from mindinsight_like.errors import NotFound
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.logs.whole_files import WHOLE_FILES
from mindinsight_like.store.blobs import StoredRecord
from mindinsight_like.store.reader import IndexReader

GraphSource = Literal["mindspore", "tensorboard", "tensorflow", "visualdl", "paddle", "onnx"]
_SOURCES: dict[Dialect, GraphSource] = {
    Dialect.MINDSPORE: "mindspore",
    Dialect.MINDSPORE_MODEL: "mindspore",
    Dialect.TENSORBOARD: "tensorboard",
    Dialect.TENSORFLOW_MODEL: "tensorflow",
    Dialect.VISUALDL_GRAPH: "visualdl",
    Dialect.PADDLE_PROGRAM: "paddle",
    Dialect.PADDLE_PIR: "paddle",
    Dialect.ONNX: "onnx",
}
# How MindSpore calls its exports, from the graph as it was written to the one that is run.
_STAGES = (
    (re.compile(r"before_opt"), "before_opt"),
    (re.compile(r"after_opt"), "after_opt"),
    (re.compile(r"hwopt|fusion|fused|kernel_graph|execute"), "fused"),
    (re.compile(r"vm_build"), "vm_build"),
    (re.compile(r"optimize"), "optimized"),
)


@dataclass(frozen=True)
class GraphInfo:
    graph: str  # tells it from others of the run: its file, and for a log where in it
    name: str
    file: str  # path below the base dir
    source: GraphSource
    stage: str
    record: StoredRecord


def list_graphs(reader: IndexReader, run: str) -> list[GraphInfo]:
    """The graphs of a run, file by file; raises RunNotFound."""
    name = reader.runs.get(run).name
    graphs = [_graph_info(record, name) for record in reader.records(run, [Kind.GRAPH]) if record.dialect in _SOURCES]
    # TensorFlow writes the same graph once more, with all that is needed to load it.
    return sorted(graphs, key=lambda each: (each.record.tag == "meta_graph", each.file, each.record.offset))


def find_graph(reader: IndexReader, run: str, graph: str) -> GraphInfo:
    """The graph that a client names; raises RunNotFound, NotFound."""
    for info in list_graphs(reader, run):
        if info.graph == graph:
            return info
    raise NotFound(f"the run has no graph {graph[:200]!r}", graph=graph[:200])


def _graph_info(record: StoredRecord, run: str) -> GraphInfo:
    below = record.file_name if run == "." else record.file_name.removeprefix(f"{run}/")
    is_whole = record.dialect in WHOLE_FILES
    stage = ""
    if record.dialect == Dialect.MINDSPORE_MODEL:
        stage = next((name for pattern, name in _STAGES if pattern.search(record.tag)), "")
    return GraphInfo(
        graph=below if is_whole else f"{below}@{record.offset}",
        name=record.tag,
        file=record.file_name,
        source=_SOURCES[record.dialect],
        stage=stage,
        record=record,
    )
