"""Read the data pipelines of a run as trees of operators, from the last operator down to the sources."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mindinsight_like.errors import Unreadable
from mindinsight_like.lineage.plain_values import plain
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.store.blobs import StoredRecord
from mindinsight_like.store.reader import IndexReader

from .dataset_graphs import pipeline_of
from .mindspore_events import event_fields
from .record import LineageRecord

_TAG, _TRAIN, _EVALUATION = "dataset_graph", "train", "evaluation"
_NAMES = ("op_type", "tensor_op_name", "sampler_name", "sampler_type")
_ENCODED = "tensor_op_params"  # parameters that MindSpore writes as one text
_CHILD = "child_sampler"
_MOST_SAMPLERS = 20  # one inside the other


@dataclass(frozen=True)
class PipelineOperator:
    """An operator of datasets, an augmentation, or a sampler."""

    operator: str
    name: str  # with a number, unlike that of any other in its pipeline
    parameters: list[tuple[str, Any]]
    sampler: PipelineOperator | None = None
    operations: list[PipelineOperator] = field(default_factory=list)
    children: list[PipelineOperator] = field(default_factory=list)  # those that it takes its data from


@dataclass(frozen=True)
class Pipeline:
    file: str  # path below the base dir; empty when a record of several files tells it
    wall_time: float
    phase: str  # train, evaluation, or empty
    root: PipelineOperator


def read_pipelines(reader: IndexReader, run: str) -> list[Pipeline]:
    """The pipelines of a run in the order of time; raises RunNotFound, Unreadable, BlobGone, TooLarge."""
    records = reader.records(run, [Kind.LINEAGE])
    pipelines = [
        _read_pipeline(reader, record, _phase(record, records))
        for record in records
        if record.tag == _TAG and record.dialect == Dialect.MINDSPORE_LINEAGE
    ]
    if not pipelines and (stored := reader.runs.lineage_record(run)):
        record = LineageRecord.from_json(json.loads(stored))
        if record.pipeline is not None:
            pipelines = [Pipeline("", reader.runs.get(run).updated_at, "", draw(record.pipeline))]
    return sorted(pipelines, key=lambda each: each.wall_time)


def _read_pipeline(reader: IndexReader, record: StoredRecord, phase: str) -> Pipeline:
    with reader.blob_bytes([record.file]) as content:
        data = content.read(record.file, record.offset, record.length)
    try:
        pipeline = pipeline_of(event_fields(data))
    except (Malformed, RecursionError) as error:
        raise Unreadable(f"Cannot read the data pipeline: {error}.", file=record.file_name) from error
    return Pipeline(record.file_name, record.wall_time, phase, draw(pipeline or {}))


def _phase(record: StoredRecord, records: Iterable[StoredRecord]) -> str:
    """What the pipeline was for: the next event of its file that tells, or the last before it."""
    beside = [each for each in records if each.file == record.file and each.tag in (_TRAIN, _EVALUATION)]
    after = [each for each in beside if each.offset > record.offset]
    before = [each for each in beside if each.offset < record.offset]
    chosen = min(after, key=lambda each: each.offset, default=None)
    if chosen is None:
        # Pipelines are written with the training; only a file without one belongs to an evaluation.
        chosen = next((each for each in before if each.tag == _TRAIN), before[-1] if before else None)
    return "" if chosen is None else chosen.tag


def draw(pipeline: Mapping[str, Any]) -> PipelineOperator:
    """The operators of a pipeline as MindInsight gives it."""
    return _operator(pipeline, Counter())


def _operator(node: Mapping[str, Any], counts: Counter[str]) -> PipelineOperator:
    operator, name, parameters = _parse_node(node, counts, without=("children", "operations", "sampler"))
    sampler = node.get("sampler")
    return PipelineOperator(
        operator,
        name,
        parameters,
        sampler=_sampler(sampler, counts, 0) if isinstance(sampler, Mapping) else None,
        operations=[PipelineOperator(*_parse_node(each, counts)) for each in _mappings(node.get("operations"))],
        children=[_operator(each, counts) for each in _mappings(node.get("children"))],
    )


def _sampler(node: Mapping[str, Any], counts: Counter[str], depth: int) -> PipelineOperator:
    """A sampler, with the one that it takes its numbers from."""
    own = _parse_node(node, counts, without=(_CHILD,))
    child = node.get(_CHILD)
    inner = _mappings(child if isinstance(child, list) else [child])
    if not inner or depth >= _MOST_SAMPLERS:
        return PipelineOperator(*own)
    return PipelineOperator(*own, sampler=_sampler(inner[0], counts, depth + 1))


def _parse_node(
    node: Mapping[str, Any], counts: Counter[str], without: tuple[str, ...] = ()
) -> tuple[str, str, list[tuple[str, Any]]]:
    """What an operator is, what it is called, and its parameters."""
    key = next((key for key in _NAMES if isinstance(node.get(key), str)), "")
    operator = node[key] if key else "?"
    counts[operator] += 1
    name = operator if counts[operator] == 1 else f"{operator} {counts[operator]}"
    parameters: list[tuple[str, Any]] = []
    for parameter, value in node.items():
        if parameter == key or parameter in without:
            continue
        if parameter == _ENCODED and isinstance(value, str) and isinstance(decoded := _decode(value), dict):
            parameters += decoded.items()
        elif parameter != _ENCODED or value is not None:
            parameters.append((parameter, value))
    return operator, name, parameters


def _decode(text: str) -> Any:
    try:
        return plain(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
