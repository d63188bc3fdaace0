"""Encode MindSpore lineage events: how a model was trained and evaluated, on which data, with what of the user's own.

Every kind is given as a mapping, as one of the dataclasses here, as a protobuf message of MindSpore's own classes,
or as such a message's bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from mindinsight_like.writers import wire
from mindinsight_like.writers.messages import message_bytes

__all__ = ["EvalInfo", "TrainInfo", "custom", "dataset_graph", "evaluation", "event", "train"]

_EVENT_FIELDS = {"train_lineage": 6, "eval_lineage": 7, "dataset_graph": 9, "custom_lineage_data": 10}


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
    return wire.double(1, wall_time) + wire.blob(_EVENT_FIELDS[plugin], content)


def train(value: object) -> bytes:
    """The message TrainLineage of a TrainInfo or a mapping with its field names."""
    if (ready := message_bytes(value, "TrainLineage")) is not None:
        return ready
    info = _dataclass(TrainInfo, value, "train_lineage")
    hyper_parameters = (
        _text(1, info.optimizer, "optimizer")
        + _single(2, info.learning_rate, "learning_rate")
        + _text(3, info.loss_function, "loss_function")
        + _int32(4, info.epoch, "epoch")
        + _text(5, info.parallel_mode, "parallel_mode")
        + _int32(6, info.device_num, "device_num")
        + _int32(8, info.batch_size, "batch_size")
    )
    dataset = _text(1, info.train_dataset_path, "train_dataset_path") + _int32(
        2, info.train_dataset_size, "train_dataset_size"
    )
    algorithm = _text(1, info.network, "network") + _single(2, info.loss, "loss")
    model = wire.text(3, _checkpoint(info.model_path)) + wire.integer(4, _whole(info.model_size or 0, "model_size"))
    parts = ((1, hyper_parameters), (2, dataset), (3, algorithm), (4, model))
    return b"".join(wire.blob(field, part) for field, part in parts if part)


def evaluation(value: object) -> bytes:
    """The message EvaluationLineage of an EvalInfo or a mapping with its field names."""
    if (ready := message_bytes(value, "EvaluationLineage")) is not None:
        return ready
    info = _dataclass(EvalInfo, value, "eval_lineage")
    dataset = _text(1, info.valid_dataset_path, "valid_dataset_path") + _int32(
        2, info.valid_dataset_size, "valid_dataset_size"
    )
    metric = b"" if info.metrics is None else wire.text(2, json.dumps(info.metrics, default=_metric))
    return metric + (wire.blob(3, dataset) if dataset else b"")


def custom(value: object) -> bytes:
    """The message UserDefinedInfo of a mapping from names to texts, whole numbers or real numbers.

    A whole number that 32 bits cannot hold is kept as a real number.
    """
    if (ready := message_bytes(value, "UserDefinedInfo")) is not None:
        return ready
    if not isinstance(value, Mapping):
        raise TypeError(f"custom_lineage_data: expected a mapping of names to values, not {type(value).__name__}")
    return b"".join(wire.blob(1, _custom_entry(key, _plain(entry))) for key, entry in value.items())


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
            children = b"".join(wire.blob(1, dataset_graph(child)) for child in entry or () if child)
        elif key == "operations" and entry:
            operations = b"".join(wire.blob(3, _operation(operation)) for operation in entry if operation)
        elif key == "sampler" and entry:
            sampler = wire.blob(4, _operation(entry))
        else:
            parameters[key] = entry
    return children + wire.blob(2, _parameters(parameters)) + operations + sampler


def _operation(operation: Mapping[str, Any]) -> bytes:
    parameters: dict[str, Any] = {}
    sizes = weights = b""
    for key, value in operation.items():
        plain = _plain(value)
        # The format has no place for the names of lists of numbers.
        if isinstance(plain, list | tuple) and plain and all(_fits_int32(number) for number in plain):
            sizes += b"".join(wire.integer(2, number) for number in plain)
        elif isinstance(plain, list | tuple) and plain and all(_is_number(number) for number in plain):
            weights += b"".join(wire.single(3, number) for number in plain)
        else:
            parameters[key] = plain
    return wire.blob(1, _parameters(parameters)) + sizes + weights


def _parameters(values: Mapping[str, Any]) -> bytes:
    return b"".join(_parameter(str(key), _plain(value)) for key, value in values.items())


def _parameter(key: str, value: object) -> bytes:
    if value is None:
        return _entry(1, key, wire.text(2, "None"))
    if isinstance(value, str):
        return _entry(1, key, wire.text(2, value))
    if isinstance(value, bool):
        return _entry(3, key, wire.integer(2, value))
    if isinstance(value, int) and _fits_int32(value):
        return _entry(4, key, wire.integer(2, value))
    if isinstance(value, int | float):
        return _entry(5, key, wire.double(2, value))
    if isinstance(value, list | tuple):
        texts = _texts(value)
        return _entry(2, key, wire.blob(2, b"".join(wire.text(1, text) for text in texts))) if texts else b""
    if isinstance(value, Mapping):
        return _entry(1, key, wire.text(2, json.dumps(value, default=str)))
    return b""


def _texts(values: Iterable[object]) -> list[str]:
    return ["" if value is None else json.dumps(value, default=str) for value in values]


def _entry(field: int, key: str, value: bytes) -> bytes:
    """One entry of a map field; `value` is field 2 of the entry."""
    return wire.blob(field, wire.text(1, key) + value)


def _custom_entry(key: object, value: object) -> bytes:
    if not isinstance(key, str):
        raise TypeError(f"custom_lineage_data: names must be texts, not {type(key).__name__}")
    if isinstance(value, str):
        return _entry(4, key, wire.text(2, value))
    if _fits_int32(value):
        return _entry(3, key, wire.integer(2, value))  # type: ignore[arg-type]  # an int, as was just checked
    if _is_number(value):
        return _entry(5, key, wire.double(2, value))  # type: ignore[arg-type]  # a number, as was just checked
    raise TypeError(f"custom_lineage_data[{key!r}]: expected a text or a number, not {type(value).__name__}")


def _dataclass(kind: type[Any], value: object, plugin: str) -> Any:
    if isinstance(value, kind):
        return value
    names = [field.name for field in fields(kind)]
    if not isinstance(value, Mapping):
        raise TypeError(f"{plugin}: expected a mapping with some of {names}, not {type(value).__name__}")
    if unknown := set(value) - set(names):
        raise ValueError(f"{plugin}: unknown fields {sorted(map(str, unknown))}; known are {names}")
    return kind(**value)


def _plain(value: object) -> object:
    """Numpy numbers and arrays as Python's own; everything else as it is."""
    to_list = getattr(value, "tolist", None)
    return to_list() if callable(to_list) else value


def _metric(value: object) -> object:
    plain = _plain(value)
    if plain is value:
        raise TypeError(f"metrics: numbers, texts, lists and mappings were expected, not {type(value).__name__}")
    return plain


def _checkpoint(path: object) -> str:
    if isinstance(path, str) and path.startswith("{"):  # already in the form below
        return path
    return json.dumps({"ckpt": None if path is None else str(path)})


def _text(field: int, value: object, name: str) -> bytes:
    if value is None:
        return b""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a text, not {type(value).__name__}")
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
        raise TypeError(f"{name}: expected a whole number, not {type(value).__name__}")
    return plain


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _fits_int32(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(1 << 31) <= value < 1 << 31
