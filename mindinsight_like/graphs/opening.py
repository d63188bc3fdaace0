"""Open a graph: from memory, from the cache in the workspace, or by parsing its record."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mindinsight_like.errors import TooLarge, Unreadable
from mindinsight_like.graphs.building import build
from mindinsight_like.graphs.catalogue import GraphInfo, find_graph
from mindinsight_like.graphs.columns import Graph
from mindinsight_like.graphs.costs import Costs, costs_in
from mindinsight_like.graphs.details import Details
from mindinsight_like.graphs.details_json import load_details
from mindinsight_like.graphs.drafts import BadGraph, NodeKind
from mindinsight_like.graphs.formats import read_details, read_draft
from mindinsight_like.graphs.graph_cache import VERSION, GraphCache
from mindinsight_like.graphs.sparse import WHOLE_BYTES, can_be_sparse, read_sparse
from mindinsight_like.graphs.views import Views
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.store.blobs import StoredRecord
from mindinsight_like.store.reader import IndexReader

_MOST_ELEMENTS = 4_000_000  # nodes and edges in memory, some hundred bytes each
_MOST_DETAIL_BYTES = 2**20  # of one node
_MOST_COST_BYTES = 64 * 2**20  # of one record
_MOST_COSTS = 20  # records of run metadata that are looked into; torch writes one without any times
_SAMPLE_BYTES = 4096  # at both ends of a record, which tell it from others

_lock = threading.Lock()
_opening_locks: dict[str, threading.Lock] = {}  # of graphs that are being opened
_open: OrderedDict[str, tuple[Views, dict[StoredRecord, Costs]]] = (
    OrderedDict()
)  # of this process, the one used last at the end


@dataclass(frozen=True)
class OpenGraph:
    info: GraphInfo
    views: Views
    costs: dict[StoredRecord, Costs]  # that were read, by the record they are from

    @property
    def graph(self) -> Graph:
        return self.views.graph


def open_graph(reader: IndexReader, run: str, graph: str) -> OpenGraph:
    """A graph of a run; raises RunNotFound, NotFound, BlobGone, TooLarge, Unreadable."""
    info = find_graph(reader, run, graph)
    key = _key(reader, info)
    with _lock:
        lock = _opening_locks.setdefault(key, threading.Lock())
    try:
        with lock:  # two questions at once about a large graph should not both read it
            entry = _open.get(key) or (Views(_load_graph(reader, info, key)), {})
            with _lock:
                _open[key] = entry
                _open.move_to_end(key)
                while len(_open) > 1 and sum(_elements(views.graph) for views, _ in _open.values()) > _MOST_ELEMENTS:
                    _open.popitem(last=False)
    finally:
        _opening_locks.pop(key, None)
    return OpenGraph(info, *entry)


def _elements(graph: Graph) -> int:
    return len(graph) + len(graph.sources)


def node_details(reader: IndexReader, opened: OpenGraph, node: int) -> Details:
    """What the file says of a node besides the columns; raises BlobGone."""
    return next(each_details(reader, opened, [node]))


def each_details(reader: IndexReader, opened: OpenGraph, nodes: Iterable[int]) -> Iterator[Details]:
    """What the file says of some nodes; raises BlobGone."""
    graph, record = opened.graph, opened.info.record
    with reader.blob_bytes([record.file]) as content:
        for node in nodes:
            begin, end = int(graph.begins[node]), int(graph.ends[node])
            if graph.messages:
                yield load_details(graph.messages[begin:end])
            elif end - begin > _MOST_DETAIL_BYTES:
                yield Details([("", f"its attributes take {end - begin:,} bytes and are not read")])
            else:
                message = content.read(record.file, record.offset + begin, end - begin) if end > begin else b""
                yield _decode_details(record.dialect, message, NodeKind(graph.kinds[node]))


def _decode_details(dialect: Dialect, message: bytes, kind: NodeKind) -> Details:
    try:
        return read_details(dialect, message, kind)
    except Malformed as error:
        return Details([("", f"the attributes cannot be read: {error}")])


def traced_costs(reader: IndexReader, run: str, opened: OpenGraph) -> Costs | None:
    """The costs of a graph's nodes in the step that was traced last; None where none was."""
    if opened.info.record.dialect != Dialect.TENSORBOARD:
        return None
    records = sorted(reader.records(run, [Kind.RUN_METADATA]), key=lambda record: (record.wall_time, record.offset))
    for record in records[: -_MOST_COSTS - 1 : -1]:
        if record not in opened.costs and record.length <= _MOST_COST_BYTES:
            with reader.blob_bytes([record.file]) as content:
                metadata = content.read(record.file, record.offset, record.length)
            opened.costs[record] = costs_in(metadata, record.tag, opened.graph)
        if record in opened.costs and opened.costs[record].has_data:
            return opened.costs[record]
    return None


def _load_graph(reader: IndexReader, info: GraphInfo, key: str) -> Graph:
    cache = GraphCache(reader.folder / "graphs")
    graph = cache.get(key)
    if graph is None:
        graph = _read(reader, info)
        cache.put(key, graph)
    return graph


def _read(reader: IndexReader, info: GraphInfo) -> Graph:
    record = info.record
    try:
        with reader.blob_bytes([record.file]) as content:

            def read(begin: int, count: int) -> bytes:
                return content.read(record.file, record.offset + begin, count)

            if record.length <= WHOLE_BYTES:
                data = read(0, record.length)
            elif can_be_sparse(record.dialect):
                data = read_sparse(record.dialect, record.length, read)
            else:
                raise TooLarge(f"The graph has {record.length:,} bytes; the limit for this format is {WHOLE_BYTES:,}.")
        return build(read_draft(record.dialect, data))
    except (Malformed, BadGraph) as error:
        raise Unreadable(f"Cannot show the graph: {error}.", graph=info.graph) from error


def _key(reader: IndexReader, info: GraphInfo) -> str:
    """What stays the same as long as the record does."""
    record = info.record
    sample = min(record.length, _SAMPLE_BYTES)
    with reader.blob_bytes([record.file]) as content:
        ends = [content.read(record.file, record.offset + at, sample) for at in (0, record.length - sample)]
    about = (
        VERSION,
        reader.location.dirs.top_of(record.file_name),
        record.file_name,
        record.dialect,
        record.offset,
        record.length,
        record.wall_time,
    )
    return hashlib.sha256(repr(about).encode() + b"".join(ends)).hexdigest()[:32]
