"""Decode MindSpore's dataset graph: the pipeline of data processing, from the last operator down to the sources.

An operator is a mapping of its parameters, `op_type` among them, with `children` (the operators that feed it),
`operations` (what a map applies) and `sampler`, as MindInsight gives it.
"""

from __future__ import annotations

import json
from typing import Any

from mindinsight_like.lineage.plain_values import plain
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.mindspore_lineage import (
    DatasetGraph,
    LineageEvent,
    Operation,
    OperationParameter,
    StrList,
)
from mindinsight_like.logs.protobuf.wire import Malformed

from .mindspore_events import shortest_float32

_MOST_DEEP = 200  # operators one behind the other


def pipeline_of(event: MessageFields) -> dict[str, Any] | None:
    """The pipeline that a lineage event tells of; raises Malformed."""
    for graph in event.messages(LineageEvent.dataset_graph)[-1:]:
        return _operator(graph, 0)
    return None


def _operator(graph: MessageFields, depth: int) -> dict[str, Any]:
    if depth > _MOST_DEEP:
        raise Malformed(f"a pipeline of more than {_MOST_DEEP} operators one behind the other")
    operator: dict[str, Any] = {}
    for parameters in graph.messages(DatasetGraph.parameter)[-1:]:
        operator |= _parameters(parameters)
    if operations := graph.messages(DatasetGraph.operations):
        operator["operations"] = [_operation(each) for each in operations]
    for sampler in graph.messages(DatasetGraph.sampler)[-1:]:
        operator["sampler"] = _operation(sampler)
    operator["children"] = [_operator(child, depth + 1) for child in graph.messages(DatasetGraph.children)]
    return operator


def _operation(operation: MessageFields) -> dict[str, Any]:
    """What a map applies, or a sampler; lists of numbers have lost their names, so that all are `size` or `weights`."""
    params: dict[str, Any] = {}
    for parameters in operation.messages(Operation.operationParam)[-1:]:
        params |= _parameters(parameters)
    if sizes := operation.integers(Operation.size):
        params["size"] = sizes
    if weights := operation.singles(Operation.weights):
        params["weights"] = [shortest_float32(weight) for weight in weights]
    return params


def _parameters(message: MessageFields) -> dict[str, Any]:
    params: dict[str, Any] = {}
    proto = OperationParameter
    for entry in message.messages(proto.mapStr):
        text = entry.text(proto.MapStrEntry.value)
        params[entry.text(proto.MapStrEntry.key)] = None if text in ("None", "") else text
    for entry in message.messages(proto.mapStrList):
        lists = entry.messages(proto.MapStrListEntry.value)[-1:]
        texts = [text for listed in lists for text in listed.texts(StrList.strValue)]
        params[entry.text(proto.MapStrListEntry.key)] = [_parsed(text) for text in texts]
    for entry in message.messages(proto.mapBool):
        params[entry.text(proto.MapBoolEntry.key)] = bool(entry.integer(proto.MapBoolEntry.value))
    for entry in message.messages(proto.mapInt):
        params[entry.text(proto.MapIntEntry.key)] = entry.integer(proto.MapIntEntry.value)
    for entry in message.messages(proto.mapDouble):
        params[entry.text(proto.MapDoubleEntry.key)] = entry.double(proto.MapDoubleEntry.value)
    return params


def _parsed(text: str) -> Any:
    """An element of a list, which is written as JSON; nothing stands for null."""
    if not text:
        return None
    try:
        return plain(json.loads(text))
    except (ValueError, RecursionError):
        return text
