"""Decode MindSpore's lineage events: how a model was trained and evaluated, and what the user added.

The pipeline of an event (`dataset_graph`) has a module of its own.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import Any

from mindinsight_like.lineage.columns import Value
from mindinsight_like.lineage.plain_values import flattened, plain
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.mindspore_lineage import (
    EvaluationLineage,
    LineageEvent,
    TrainLineage,
    UserDefinedInfo,
)
from mindinsight_like.values.records import MOST_FIELDS


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
    for message in event.messages(LineageEvent.train_lineage)[-1:]:
        result = Training()
        for part in message.messages(TrainLineage.hyper_parameters)[-1:]:
            hyper_parameters = TrainLineage.HyperParameters
            result.hyper_parameters = _present(
                part,
                optimizer=(hyper_parameters.optimizer, _text),
                learning_rate=(hyper_parameters.learning_rate, _shortest),
                loss_function=(hyper_parameters.loss_function, _text),
                epoch=(hyper_parameters.epoch, _int32),
                parallel_mode=(hyper_parameters.parallel_mode, _text),
                device_num=(hyper_parameters.device_num, _int32),
                batch_size=(hyper_parameters.batch_size, _int32),
            )
        for part in message.messages(TrainLineage.train_dataset)[-1:]:
            result.train_dataset = _present(
                part,
                train_dataset_path=(TrainLineage.TrainDataset.train_dataset_path, _text),
                train_dataset_size=(TrainLineage.TrainDataset.train_dataset_size, _int32),
            )
        for part in message.messages(TrainLineage.algorithm)[-1:]:
            result.algorithm = _present(
                part, network=(TrainLineage.Algorithm.network, _text), loss=(TrainLineage.Algorithm.loss, _shortest)
            )
        for part in message.messages(TrainLineage.model)[-1:]:
            result.model = _present(
                part, path=(TrainLineage.Model.path, _text), size=(TrainLineage.Model.size, MessageFields.integer)
            )
            if "path" in result.model:
                result.model["path"] = _parsed(result.model["path"])
        return result
    return None


def evaluation(event: MessageFields) -> Evaluation | None:
    """The evaluation an event tells of."""
    for message in event.messages(LineageEvent.evaluation_lineage)[-1:]:
        metric = _parsed(message.text(EvaluationLineage.metric)) if EvaluationLineage.metric in message else {}
        result = Evaluation(metric=metric if isinstance(metric, dict) else {"": metric})
        for part in message.messages(EvaluationLineage.valid_dataset)[-1:]:
            result.valid_dataset = _present(
                part,
                valid_dataset_path=(EvaluationLineage.ValidDataset.valid_dataset_path, _text),
                valid_dataset_size=(EvaluationLineage.ValidDataset.valid_dataset_size, _int32),
            )
        return result
    return None


def user_defined(event: MessageFields) -> dict[str, Value]:
    """What the user added, nested names joined by slashes."""
    values: dict[str, Value] = {}
    for message in event.messages(LineageEvent.user_defined_info):
        values |= flattened(_info(message, 0))
    return values


def _info(message: MessageFields, depth: int) -> dict[str, Any]:
    """A UserDefinedInfo: entries of its own, entries of those in its list, and nested ones by name."""
    values: dict[str, Any] = {}
    if depth > 20:
        return values
    for entry in message.messages(UserDefinedInfo.user_info):
        values |= _info(entry, depth + 1)
    for entry in message.messages(UserDefinedInfo.map_dict):
        for nested in entry.messages(UserDefinedInfo.MapDictEntry.value)[-1:]:
            values[entry.text(UserDefinedInfo.MapDictEntry.key)] = _info(nested, depth + 1)
    for entry in message.messages(UserDefinedInfo.map_int32):
        values[entry.text(UserDefinedInfo.MapInt32Entry.key)] = _int32(entry, UserDefinedInfo.MapInt32Entry.value)
    for entry in message.messages(UserDefinedInfo.map_str):
        values[entry.text(UserDefinedInfo.MapStrEntry.key)] = entry.text(UserDefinedInfo.MapStrEntry.value)
    for entry in message.messages(UserDefinedInfo.map_double):
        values[entry.text(UserDefinedInfo.MapDoubleEntry.key)] = entry.double(UserDefinedInfo.MapDoubleEntry.value)
    return values


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
