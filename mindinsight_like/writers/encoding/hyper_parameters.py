"""Encode hyper-parameters and the names of their metrics as TensorBoard's plugin reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mindinsight_like.logs.protobuf.schemas.tensorboard import (
    DataType,
    Experiment,
    HParamInfo,
    HParamsPluginData,
    ListValue,
    MetricInfo,
    MetricName,
    SessionEndInfo,
    SessionStartInfo,
    Status,
    Value,
)
from mindinsight_like.writers.encoding import tensorboard, wire
from mindinsight_like.writers.encoding.values import to_number


def session(
    parameters: Mapping[str, Any], metrics: Iterable[str], choices: Mapping[str, Sequence[Any]] | None = None
) -> list[bytes]:
    """The three values that describe a finished trial: which parameters exist, this trial's, and that it is over.

    Numbers (also in arrays and tensors of one element), texts and booleans keep their kind, functions and classes go by
    their name, everything else is kept as text; None is left out. `choices` lists what a parameter may be. Raises
    TypeError when these are not of the parameter's kind.
    """
    encoded = {name: _value(value) for name, value in parameters.items() if value is not None}
    for name, listed in (choices or {}).items():
        if name not in encoded or any(_value(choice)[0] != encoded[name][0] for choice in listed):
            raise TypeError(f"hparam_domain_discrete[{name!r}] must list values of the kind of that hyper-parameter")
    experiment = b"".join(
        wire.blob(Experiment.hparam_infos, _info(name, kind, choices)) for name, (kind, _) in encoded.items()
    )
    for metric in metrics:
        metric_name = wire.text(MetricName.tag, metric)
        experiment += wire.blob(Experiment.metric_infos, wire.blob(MetricInfo.name, metric_name))
    start = b"".join(_setting(name, value) for name, (_, value) in encoded.items())
    end = wire.integer(SessionEndInfo.status, Status.STATUS_SUCCESS)
    return [
        _value_of("experiment", wire.blob(HParamsPluginData.experiment, experiment)),
        _value_of("session_start_info", wire.blob(HParamsPluginData.session_start_info, start)),
        _value_of("session_end_info", wire.blob(HParamsPluginData.session_end_info, end)),
    ]


def _value_of(name: str, content: bytes) -> bytes:
    return tensorboard.bare(f"_hparams_/{name}", plugin="hparams", settings=content)


def _setting(name: str, value: bytes) -> bytes:
    entry = SessionStartInfo.HparamsEntry
    return wire.blob(SessionStartInfo.hparams, wire.text(entry.key, name) + wire.blob(entry.value, value))


def _info(name: str, kind: int, choices: Mapping[str, Sequence[Any]] | None) -> bytes:
    content = wire.text(HParamInfo.name, name) + wire.integer(HParamInfo.type, kind)
    if choices and name in choices:
        values = b"".join(wire.blob(ListValue.values, _value(choice)[1]) for choice in choices[name])
        content += wire.blob(HParamInfo.domain_discrete, values)
    return content


def _value(value: Any) -> tuple[int, bytes]:
    """The kind, and the value as google.protobuf.Value."""
    if isinstance(value, bool):
        return DataType.DATA_TYPE_BOOL, wire.integer(Value.bool_value, value)
    if isinstance(value, str):
        return DataType.DATA_TYPE_STRING, wire.text(Value.string_value, value)
    if callable(value) and not hasattr(value, "dtype"):
        name = getattr(value, "__name__", str(value))
        return DataType.DATA_TYPE_STRING, wire.text(Value.string_value, name)
    if not isinstance(value, (list, tuple)):
        try:
            return DataType.DATA_TYPE_FLOAT64, wire.double(Value.number_value, to_number(value))
        except (TypeError, ValueError):
            pass
    return DataType.DATA_TYPE_STRING, wire.text(Value.string_value, str(value))
