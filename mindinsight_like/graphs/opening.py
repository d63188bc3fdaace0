"""Opening a graph: from memory, from the workspace, or by reading its record."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mindinsight_like.errors import TooLarge, Unreadable
from mindinsight_like.graphs.building import build
from mindinsight_like.graphs.catalogue import KnownGraph, find_graph
from mindinsight_like.graphs.columns import Graph
from mindinsight_like.graphs.costs import Costs, costs_in
from mindinsight_like.graphs.details import Details
from mindinsight_like.graphs.drafts import BadGraph, NodeKind
from mindinsight_like.graphs.formats import read_details, read_draft
from mindinsight_like.graphs.holding import from_held
from mindinsight_like.graphs.keeping import VERSION, KeptGraphs
from mindinsight_like.graphs.sparse import WHOLE_BYTES, can_be_sparse, read_sparse
from mindinsight_like.graphs.views import Views
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.logs.wire import Malformed
from mindinsight_like.store.blobs import StoredRecord
from mindinsight_like.store.reading import IndexReader

_MOST_ELEMENTS = 4_000_000  # nodes and edges in memory, some hundred bytes each
_MOST_DETAIL_BYTES = 2**20  # of one node
_MOST_COST_BYTES = 64 * 2**20  # of one record
_MOST_COSTS = 20  # records of run metadata that are looked into; torch writes one without any times
_SAMPLE_BYTES = 4096  # at both ends of a record, which tell it from others

_lock = threading.Lock()
_turns: dict[str, threading.Lock] = {}  # of graphs that are being opened
_open: OrderedDict[str, tuple[Views, dict[StoredRecord, Costs]]] = (
    OrderedDict()
)  # of this process, the one used last at the end


@dataclass(frozen=True)
class OpenGraph:
    known: KnownGraph
    views: Views
    costs: dict[StoredRecord, Costs]  # that were read, by the record they are from

    @property
    def graph(self) -> Graph:
        return self.views.graph


def open_graph(reader: IndexReader, run: str, graph: str) -> OpenGraph:
    """A graph of a run; raises RunNotFound, NotFound, BlobGone, TooLarge, Unreadable."""
    known = find_graph(reader, run, graph)
    key = _key(reader, known)
    with _lock:
        turn = _turns.setdefault(key, threading.Lock())
    try:
        with turn:  # two questions at once about a large graph should not both read it
            held = _open.get(key) or (Views(_kept_or_read(reader, known, key)), {})
            with _lock:
                _open[key] = held
                _open.move_to_end(key)
                while len(_open) > 1 and sum(_elements(views.graph) for views, _ in _open.values()) > _MOST_ELEMENTS:
                    _open.popitem(last=False)
    finally:
        _turns.pop(key, None)
    return OpenGraph(known, *held)


def _elements(graph: Graph) -> int:
    return len(graph) + len(graph.sources)


def node_details(reader: IndexReader, opened: OpenGraph, node: int) -> Details:
    """What the file says of a node besides the columns; raises BlobGone."""
    return next(each_details(reader, opened, [node]))


def each_details(reader: IndexReader, opened: OpenGraph, nodes: Iterable[int]) -> Iterator[Details]:
    """What the file says of some nodes; raises BlobGone."""
    graph, record = opened.graph, opened.known.record
    with reader.blob_bytes([record.file]) as content:
        for node in nodes:
            begin, end = int(graph.begins[node]), int(graph.ends[node])
            if graph.held:
                yield from_held(graph.held[begin:end])
            elif end - begin > _MOST_DETAIL_BYTES:
                yield Details([("", f"its attributes take {end - begin:,} bytes and are not read")])
            else:
                message = content.read(record.file, record.offset + begin, end - begin) if end > begin else b""
                yield _decoded(record.dialect, message, NodeKind(graph.kinds[node]))


def _decoded(dialect: Dialect, message: bytes, kind: NodeKind) -> Details:
    try:
        return read_details(dialect, message, kind)
    except Malformed as error:
        return Details([("", f"the attributes cannot be read: {error}")])


def traced_costs(reader: IndexReader, run: str, opened: OpenGraph) -> Costs | None:
    """The costs of a graph's nodes in the step that was traced last; None where none was."""
    if opened.known.record.dialect != Dialect.TENSORBOARD:
        return None
    records = sorted(reader.records(run, [Kind.RUN_METADATA]), key=lambda record: (record.wall_time, record.offset))
    for record in records[: -_MOST_COSTS - 1 : -1]:
        if record not in opened.costs and record.length <= _MOST_COST_BYTES:
            with reader.blob_bytes([record.file]) as content:
                metadata = content.read(record.file, record.offset, record.length)
            opened.costs[record] = costs_in(metadata, record.tag, opened.graph)
        if record in opened.costs and opened.costs[record].tells:
            return opened.costs[record]
    return None


def _kept_or_read(reader: IndexReader, known: KnownGraph, key: str) -> Graph:
    kept = KeptGraphs(reader.folder / "graphs")
    graph = kept.get(key)
    if graph is None:
        graph = _read(reader, known)
        kept.put(key, graph)
    return graph


def _read(reader: IndexReader, known: KnownGraph) -> Graph:
    record = known.record
    try:
        with reader.blob_bytes([record.file]) as content:

            def read(begin: int, count: int) -> bytes:
                return content.read(record.file, record.offset + begin, count)

            if record.length <= WHOLE_BYTES:
                data = read(0, record.length)
            elif can_be_sparse(record.dialect):
                data = read_sparse(record.dialect, record.length, read)
            else:
                raise TooLarge(
                    f"The graph takes {record.length:,} bytes; of this kind {WHOLE_BYTES:,} are read at most."
                )
        return build(read_draft(record.dialect, data))
    except (Malformed, BadGraph) as error:
        raise Unreadable(f"The graph cannot be shown: {error}.", graph=known.graph) from error


def _key(reader: IndexReader, known: KnownGraph) -> str:
    """What stays the same as long as the record does."""
    record = known.record
    sample = min(record.length, _SAMPLE_BYTES)
    with reader.blob_bytes([record.file]) as content:
        ends = [content.read(record.file, record.offset + at, sample) for at in (0, record.length - sample)]
    about = (
        VERSION,
        str(reader.base_dir),
        record.file_name,
        record.dialect,
        record.offset,
        record.length,
        record.wall_time,
    )
    return hashlib.sha256(repr(about).encode() + b"".join(ends)).hexdigest()[:32]
