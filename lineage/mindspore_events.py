"""Decode MindSpore's lineage events: how a model was trained and evaluated, and what the user added.

The pipeline of an event (`dataset_graph`) has a module of its own.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import Any

from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.values.records import MOST_FIELDS

from .columns import Value
from .plain_values import flattened, plain

TRAIN, EVALUATION, DATASET_GRAPH, USER_DEFINED = 6, 7, 9, 10  # fields of a LineageEvent


@dataclass
class Training:
    """What a train event says; its parts are named as MindInsight's Python API names them."""

    hyper_parameters: dict[str, Value] = field(default_factory=dict)
    train_dataset: dict[str, Value] = field(default_factory=dict)
    algorithm: dict[str, Value] = field(default_factory=dict)
    model: dict[str, Any] = field(default_factory=dict)


@dataclass
class Evaluation:
    metric: dict[str, Any] = field(default_factory=dict)
    valid_dataset: dict[str, Value] = field(default_factory=dict)


def event_fields(data: bytes) -> MessageFields:
    """The fields of a lineage event; raises Malformed."""
    return MessageFields(data, most_fields=MOST_FIELDS)


def training(event: MessageFields) -> Training | None:
    """The training an event tells of."""
    for message in event.messages(TRAIN)[-1:]:
        found = Training()
        for part in message.messages(1)[-1:]:
            found.hyper_parameters = _present(
                part,
                optimizer=(1, _text),
                learning_rate=(2, _shortest),
                loss_function=(3, _text),
                epoch=(4, _int32),
                parallel_mode=(5, _text),
                device_num=(6, _int32),
                batch_size=(8, _int32),
            )
        for part in message.messages(2)[-1:]:
            found.train_dataset = _present(part, train_dataset_path=(1, _text), train_dataset_size=(2, _int32))
        for part in message.messages(3)[-1:]:
            found.algorithm = _present(part, network=(1, _text), loss=(2, _shortest))
        for part in message.messages(4)[-1:]:
            found.model = _present(part, path=(3, _text), size=(4, MessageFields.integer))
            if "path" in found.model:
                found.model["path"] = _parsed(found.model["path"])
        return found
    return None


def evaluation(event: MessageFields) -> Evaluation | None:
    """The evaluation an event tells of."""
    for message in event.messages(EVALUATION)[-1:]:
        metric = _parsed(message.text(2)) if 2 in message else {}
        found = Evaluation(metric=metric if isinstance(metric, dict) else {"": metric})
        for part in message.messages(3)[-1:]:
            found.valid_dataset = _present(part, valid_dataset_path=(1, _text), valid_dataset_size=(2, _int32))
        return found
    return None


def user_defined(event: MessageFields) -> dict[str, Value]:
    """What the user added, nested names joined by slashes."""
    found: dict[str, Value] = {}
    for message in event.messages(USER_DEFINED):
        found |= flattened(_info(message, 0))
    return found


def _info(message: MessageFields, depth: int) -> dict[str, Any]:
    """A UserDefinedInfo: entries of its own, entries of those in its list, and nested ones by name."""
    found: dict[str, Any] = {}
    if depth > 20:
        return found
    for entry in message.messages(1):
        found |= _info(entry, depth + 1)
    for entry in message.messages(2):
        for nested in entry.messages(2)[-1:]:
            found[entry.text(1)] = _info(nested, depth + 1)
    for entry in message.messages(3):
        found[entry.text(1)] = _int32(entry, 2)
    for entry in message.messages(4):
        found[entry.text(1)] = entry.text(2)
    for entry in message.messages(5):
        found[entry.text(1)] = entry.double(2)
    return found


def _present(message: MessageFields, **fields: tuple[int, Any]) -> dict[str, Any]:
    return {name: read(message, number) for name, (number, read) in fields.items() if number in message}


def _text(message: MessageFields, number: int) -> str:
    return message.text(number)


def _int32(message: MessageFields, number: int) -> int:
    return message.integer(number)


def _shortest(message: MessageFields, number: int) -> float:
    """A float32 as the shortest number that stands for it: 0.05, not 0.05000000074505806."""
    return shortest_float32(message.single(number))


def shortest_float32(value: float) -> float:
    if value != value or value in (float("inf"), float("-inf")):
        return value
    packed = struct.pack("<f", value)
    for digits in range(6, 10):
        short = float(f"{value:.{digits}g}")
        if struct.pack("<f", short) == packed:
            return short
    return value


def _parsed(text: str) -> Any:
    """JSON, or the text itself where it is none."""
    try:
        return plain(json.loads(text))
    except (ValueError, RecursionError):
        return text
