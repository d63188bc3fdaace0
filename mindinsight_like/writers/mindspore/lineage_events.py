"""Encode MindSpore lineage events: training, evaluation, dataset and user-defined information.

Every kind is given as a mapping, as one of the dataclasses here, as a protobuf message of MindSpore's own classes,
or as such a message's bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from mindinsight_like.logs.protobuf.schemas.mindspore_lineage import (
    DatasetGraph,
    EvaluationLineage,
    LineageEvent,
    Operation,
    OperationParameter,
    StrList,
    TrainLineage,
    UserDefinedInfo,
)
from mindinsight_like.writers.encoding import wire
from mindinsight_like.writers.encoding.messages import message_bytes

__all__ = ["EvalInfo", "TrainInfo", "custom", "dataset_graph", "evaluation", "event", "train"]

_EVENT_FIELDS = {
    "train_lineage": LineageEvent.train_lineage,
    "eval_lineage": LineageEvent.evaluation_lineage,
    "dataset_graph": LineageEvent.dataset_graph,
    "custom_lineage_data": LineageEvent.user_defined_info,
}
_KEY, _VALUE = OperationParameter.MapStrEntry.key, OperationParameter.MapStrEntry.value  # as in every map


@dataclass(frozen=True)
class TrainInfo:
    """How a model was trained; what is None is left out."""

    network: str | None = None
    optimizer: str | None = None
    learning_rate: float | None = None
    loss_function: str | None = None
    loss: float | None = None  # the last one
    epoch: int | None = None
    batch_size: int | None = None
    parallel_mode: str | None = None
    device_num: int | None = None
    train_dataset_path: str | None = None
    train_dataset_size: int | None = None  # samples, not batches
    model_path: str | None = None  # of the checkpoint
    model_size: int | None = None  # bytes


@dataclass(frozen=True)
class EvalInfo:
    """How a model was evaluated; what is None is left out."""

    metrics: Mapping[str, Any] | None = None
    valid_dataset_path: str | None = None
    valid_dataset_size: int | None = None  # samples, not batches


def event(plugin: str, content: bytes, wall_time: float) -> bytes:
    """The event that holds a message made by the function of that plugin."""
    return wire.double(LineageEvent.wall_time, wall_time) + wire.blob(_EVENT_FIELDS[plugin], content)


def train(value: object) -> bytes:
    """The message TrainLineage of a TrainInfo or a mapping with its field names."""
    if (ready := message_bytes(value, "TrainLineage")) is not None:
        return ready
    info = _dataclass(TrainInfo, value, "train_lineage")
    proto = TrainLineage.HyperParameters
    hyper_parameters = (
        _text(proto.optimizer, info.optimizer, "optimizer")
        + _single(proto.learning_rate, info.learning_rate, "learning_rate")
        + _text(proto.loss_function, info.loss_function, "loss_function")
        + _int32(proto.epoch, info.epoch, "epoch")
        + _text(proto.parallel_mode, info.parallel_mode, "parallel_mode")
        + _int32(proto.device_num, info.device_num, "device_num")
        + _int32(proto.batch_size, info.batch_size, "batch_size")
    )
    dataset = _text(TrainLineage.TrainDataset.train_dataset_path, info.train_dataset_path, "train_dataset_path")
    dataset += _int32(TrainLineage.TrainDataset.train_dataset_size, info.train_dataset_size, "train_dataset_size")
    algorithm = _text(TrainLineage.Algorithm.network, info.network, "network")
    algorithm += _single(TrainLineage.Algorithm.loss, info.loss, "loss")
    model = wire.text(TrainLineage.Model.path, _checkpoint(info.model_path))
    model += wire.integer(TrainLineage.Model.size, _whole(info.model_size or 0, "model_size"))
    parts = (
        (TrainLineage.hyper_parameters, hyper_parameters),
        (TrainLineage.train_dataset, dataset),
        (TrainLineage.algorithm, algorithm),
        (TrainLineage.model, model),
    )
    return b"".join(wire.blob(field, part) for field, part in parts if part)


def evaluation(value: object) -> bytes:
    """The message EvaluationLineage of an EvalInfo or a mapping with its field names."""
    if (ready := message_bytes(value, "EvaluationLineage")) is not None:
        return ready
    info = _dataclass(EvalInfo, value, "eval_lineage")
    proto = EvaluationLineage.ValidDataset
    dataset = _text(proto.valid_dataset_path, info.valid_dataset_path, "valid_dataset_path")
    dataset += _int32(proto.valid_dataset_size, info.valid_dataset_size, "valid_dataset_size")
    metric = b""
    if info.metrics is not None:
        metric = wire.text(EvaluationLineage.metric, json.dumps(info.metrics, default=_metric))
    return metric + (wire.blob(EvaluationLineage.valid_dataset, dataset) if dataset else b"")


def custom(value: object) -> bytes:
    """The message UserDefinedInfo of a mapping from names to texts, whole numbers or real numbers.

    A whole number that 32 bits cannot hold is kept as a real number.
    """
    if (ready := message_bytes(value, "UserDefinedInfo")) is not None:
        return ready
    if not isinstance(value, Mapping):
        raise TypeError(f"custom_lineage_data: expected a mapping of names to values, not {type(value).__name__}")
    entries = (_custom_entry(key, _plain(entry)) for key, entry in value.items())
    return b"".join(wire.blob(UserDefinedInfo.user_info, entry) for entry in entries)


def dataset_graph(value: object) -> bytes:
    """The message DatasetGraph of nested mappings, as `mindspore.dataset.serialize` gives them.

    A mapping holds its operator's parameters (`op_type` names it), `children` (the operators that feed it),
    `operations` (what a map applies) and `sampler`. Parameters that are neither texts, numbers, lists nor mappings
    are left out.
    """
    if (ready := message_bytes(value, "DatasetGraph")) is not None:
        return ready
    if not isinstance(value, Mapping):
        raise TypeError(f"dataset_graph: expected nested mappings, not {type(value).__name__}")
    parameters: dict[str, Any] = {}
    children = operations = sampler = b""
    for key, entry in value.items():
        if key == "children":
            children = b"".join(
                wire.blob(DatasetGraph.children, dataset_graph(child)) for child in entry or () if child
            )
        elif key == "operations" and entry:
            operations = b"".join(
                wire.blob(DatasetGraph.operations, _operation(operation)) for operation in entry if operation
            )
        elif key == "sampler" and entry:
            sampler = wire.blob(DatasetGraph.sampler, _operation(entry))
        else:
            parameters[key] = entry
    return children + wire.blob(DatasetGraph.parameter, _parameters(parameters)) + operations + sampler


def _operation(operation: Mapping[str, Any]) -> bytes:
    parameters: dict[str, Any] = {}
    sizes = weights = b""
    for key, value in operation.items():
        plain = _plain(value)
        # The format has no place for the names of lists of numbers.
        if isinstance(plain, list | tuple) and plain and all(_fits_int32(number) for number in plain):
            sizes += b"".join(wire.integer(Operation.size, number) for number in plain)
        elif isinstance(plain, list | tuple) and plain and all(_is_number(number) for number in plain):
            weights += b"".join(wire.single(Operation.weights, number) for number in plain)
        else:
            parameters[key] = plain
    return wire.blob(Operation.operationParam, _parameters(parameters)) + sizes + weights


def _parameters(values: Mapping[str, Any]) -> bytes:
    return b"".join(_parameter(str(key), _plain(value)) for key, value in values.items())


def _parameter(key: str, value: object) -> bytes:
    if value is None:
        return _entry(OperationParameter.mapStr, key, wire.text(_VALUE, "None"))
    if isinstance(value, str):
        return _entry(OperationParameter.mapStr, key, wire.text(_VALUE, value))
    if isinstance(value, bool):
        return _entry(OperationParameter.mapBool, key, wire.integer(_VALUE, value))
    if isinstance(value, int) and _fits_int32(value):
        return _entry(OperationParameter.mapInt, key, wire.integer(_VALUE, value))
    if isinstance(value, int | float):
        return _entry(OperationParameter.mapDouble, key, wire.double(_VALUE, value))
    if isinstance(value, list | tuple):
        texts = b"".join(wire.text(StrList.strValue, text) for text in _texts(value))
        return _entry(OperationParameter.mapStrList, key, wire.blob(_VALUE, texts)) if texts else b""
    if isinstance(value, Mapping):
        return _entry(OperationParameter.mapStr, key, wire.text(_VALUE, json.dumps(value, default=str)))
    return b""


def _texts(values: Iterable[object]) -> list[str]:
    return ["" if value is None else json.dumps(value, default=str) for value in values]


def _entry(field: int, key: str, value: bytes) -> bytes:
    """One entry of a map field; `value` is the encoded field _VALUE of the entry."""
    return wire.blob(field, wire.text(_KEY, key) + value)


def _custom_entry(key: object, value: object) -> bytes:
    if not isinstance(key, str):
        raise TypeError(f"custom_lineage_data: names must be strings, not {type(key).__name__}")
    if isinstance(value, str):
        return _entry(UserDefinedInfo.map_str, key, wire.text(_VALUE, value))
    if _fits_int32(value):
        number = wire.integer(_VALUE, value)  # type: ignore[arg-type]  # an int, as was just checked
        return _entry(UserDefinedInfo.map_int32, key, number)
    if _is_number(value):
        number = wire.double(_VALUE, value)  # type: ignore[arg-type]  # a number, as was just checked
        return _entry(UserDefinedInfo.map_double, key, number)
    raise TypeError(f"custom_lineage_data[{key!r}]: expected a string or a number, not {type(value).__name__}")


def _dataclass(kind: type[Any], value: object, plugin: str) -> Any:
    if isinstance(value, kind):
        return value
    names = [field.name for field in fields(kind)]
    if not isinstance(value, Mapping):
        raise TypeError(f"{plugin}: expected a mapping with some of {names}, not {type(value).__name__}")
    if unknown := set(value) - set(names):
        raise ValueError(f"{plugin}: unknown fields {sorted(map(str, unknown))}; expected some of {names}")
    return kind(**value)


def _plain(value: object) -> object:
    """Numpy numbers and arrays as Python's own; everything else as it is."""
    to_list = getattr(value, "tolist", None)
    return to_list() if callable(to_list) else value


def _metric(value: object) -> object:
    plain = _plain(value)
    if plain is value:
        raise TypeError(f"metrics: expected numbers, strings, lists and mappings, not {type(value).__name__}")
    return plain


def _checkpoint(path: object) -> str:
    if isinstance(path, str) and path.startswith("{"):  # already in the form below
        return path
    return json.dumps({"ckpt": None if path is None else str(path)})


def _text(field: int, value: object, name: str) -> bytes:
    if value is None:
        return b""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a string, not {type(value).__name__}")
    return wire.text(field, value)


def _single(field: int, value: object, name: str) -> bytes:
    if value is None:
        return b""
    plain = _plain(value)
    if not _is_number(plain):
        raise TypeError(f"{name}: expected a number, not {type(value).__name__}")
    return wire.single(field, plain)  # type: ignore[arg-type]  # a number, as was just checked


def _int32(field: int, value: object, name: str) -> bytes:
    if value is None:
        return b""
    number = _whole(value, name)
    if not _fits_int32(number):
        raise ValueError(f"{name}: {number} does not fit into 32 bits")
    return wire.integer(field, number)


def _whole(value: object, name: str) -> int:
    plain = _plain(value)
    if isinstance(plain, bool) or not isinstance(plain, int):
        raise TypeError(f"{name}: expected an integer, not {type(value).__name__}")
    return plain


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _fits_int32(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(1 << 31) <= value < 1 << 31
