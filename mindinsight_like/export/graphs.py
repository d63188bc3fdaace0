"""Export computation graphs: one row per node with its type, scope and inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from mindinsight_like.export.job import Job
from mindinsight_like.export.tables import table_of_run
from mindinsight_like.graphs.catalogue import list_graphs
from mindinsight_like.tables.graph_tables import nodes_table

if TYPE_CHECKING:
    import pandas as pd

_TEXTS = ("name", "type", "kind", "scope", "dtype", "shape")
_LISTS = ("inputs", "control_inputs")
_LIST = pa.list_(pa.string())
_BETWEEN = ";"  # the inputs of a node, where a cell has to hold them all


def node_table(format: str) -> Callable[[Job], None]:
    """Writes the nodes of all graphs of a run into one CSV or Parquet file; its tags are the graphs."""
    listed = pa.string() if format == "csv" else _LIST
    schema = pa.schema([*((name, pa.string()) for name in _TEXTS), *((name, listed) for name in _LISTS)])
    schema = schema.append(pa.field("attributes", pa.string()))

    def write(job: Job) -> None:
        names = {tag.tag for tag in job.tags}
        with table_of_run(job, format, schema) as (name, table):
            for info in list_graphs(job.reader, job.run.id):
                if info.record.tag not in names:
                    continue
                nodes = nodes_table(job.reader, {job.run.id: job.run.name}, {info.graph}, attributes=True)
                if "error" in nodes:
                    job.note(info.graph, info.source, error=nodes["error"].iloc[0])
                else:
                    table.add(job.run.name, info.graph, info.source, _columns(nodes, is_flat=format == "csv"))
                    job.note(info.graph, info.source, file=name, count=len(nodes))
                job.advance(1)

    return write


def _columns(nodes: pd.DataFrame, *, is_flat: bool) -> dict[str, Any]:
    columns = {name: pa.array(nodes[name].tolist(), pa.string()) for name in _TEXTS}
    for name in _LISTS:
        lists = pa.array(nodes[name].tolist(), _LIST)
        columns[name] = pc.binary_join(lists, _BETWEEN) if is_flat else lists
    texts = [orjson.dumps(each, default=str).decode() for each in nodes["attributes"]]
    return columns | {"attributes": pa.array(texts, pa.string())}
