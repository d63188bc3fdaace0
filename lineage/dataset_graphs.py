"""Decode MindSpore's dataset graph: the pipeline of data processing, from the last operator down to the sources.

An operator is a mapping of its parameters, `op_type` among them, with `children` (the operators that feed it),
`operations` (what a map applies) and `sampler`, as MindInsight gives it.
"""

from __future__ import annotations

import json
from typing import Any

from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.logs.wire import Malformed

from .mindspore_events import DATASET_GRAPH, shortest_float32
from .plain_values import plain

_MOST_DEEP = 200  # operators one behind the other


def pipeline_of(event: MessageFields) -> dict[str, Any] | None:
    """The pipeline that a lineage event tells of; raises Malformed."""
    for graph in event.messages(DATASET_GRAPH)[-1:]:
        return _operator(graph, 0)
    return None


def _operator(graph: MessageFields, depth: int) -> dict[str, Any]:
    if depth > _MOST_DEEP:
        raise Malformed(f"a pipeline of more than {_MOST_DEEP} operators one behind the other")
    found: dict[str, Any] = {}
    for parameters in graph.messages(2)[-1:]:
        found |= _parameters(parameters)
    if operations := graph.messages(3):
        found["operations"] = [_operation(each) for each in operations]
    for sampler in graph.messages(4)[-1:]:
        found["sampler"] = _operation(sampler)
    found["children"] = [_operator(child, depth + 1) for child in graph.messages(1)]
    return found


def _operation(operation: MessageFields) -> dict[str, Any]:
    """What a map applies, or a sampler; lists of numbers have lost their names, so that all are `size` or `weights`."""
    found: dict[str, Any] = {}
    for parameters in operation.messages(1)[-1:]:
        found |= _parameters(parameters)
    if sizes := operation.integers(2):
        found["size"] = sizes
    if weights := operation.singles(3):
        found["weights"] = [shortest_float32(weight) for weight in weights]
    return found


def _parameters(message: MessageFields) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for entry in message.messages(1):
        text = entry.text(2)
        found[entry.text(1)] = None if text in ("None", "") else text
    for entry in message.messages(2):
        texts = [text for listed in entry.messages(2)[-1:] for text in listed.texts(1)]
        found[entry.text(1)] = [_parsed(text) for text in texts]
    for entry in message.messages(3):
        found[entry.text(1)] = bool(entry.integer(2))
    for entry in message.messages(4):
        found[entry.text(1)] = entry.integer(2)
    for entry in message.messages(5):
        found[entry.text(1)] = entry.double(2)
    return found


def _parsed(text: str) -> Any:
    """An element of a list, which is written as JSON; nothing stands for null."""
    if not text:
        return None
    try:
        return plain(json.loads(text))
    except (ValueError, RecursionError):
        return text
