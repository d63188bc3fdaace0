"""Hyper-parameters: what an experiment varies and measures, and with which values a session of it ran.

TensorBoard's plugin writes these as three records, VisualDL as one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas import tensorboard, visualdl
from mindinsight_like.logs.protobuf.schemas.tensorboard import (
    HParamInfo,
    HParamsPluginData,
    Interval,
    ListValue,
    MetricInfo,
    MetricName,
    SessionEndInfo,
    SessionStartInfo,
    Summary,
    SummaryMetadata,
    Value,
)
from mindinsight_like.values.records import MOST_FIELDS, BadValue, Record

Setting = bool | int | float | str
SessionStatus = Literal["unknown", "success", "failure", "running"]


@dataclass(frozen=True)
class Parameter:
    """One of the things that an experiment varies."""

    name: str
    label: str = ""
    description: str = ""
    choices: list[Setting] | None = None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Metric:
    """A scalar by which sessions are compared."""

    tag: str
    group: str = ""  # folder below that of the session
    label: str = ""
    description: str = ""


@dataclass(frozen=True)
class Experiment:
    parameters: list[Parameter] = field(default_factory=list)
    metrics: list[Metric] = field(default_factory=list)


@dataclass(frozen=True)
class SessionStart:
    settings: dict[str, Setting]
    group: str = ""  # sessions of one name repeat each other
    started_at: float | None = None  # None: when the record was written


@dataclass(frozen=True)
class SessionEnd:
    status: SessionStatus
    ended_at: float | None = None


Part = Experiment | SessionStart | SessionEnd

UNKNOWN: Final = "unknown"
_SMALL = 64 * 1024  # bytes of what is worth remembering
_SMALL_ENTRY = 256
_STATUSES: tuple[SessionStatus, ...] = (UNKNOWN, "success", "failure", "running")


def decode(record: Record) -> list[Part | BadValue]:
    """What a record tells of an experiment or a session; raises BadValue, Malformed."""
    if record.dialect == Dialect.TENSORBOARD:
        return [_plugin_part(record)]
    if record.dialect == Dialect.VISUALDL:
        return _visualdl(record.inner(visualdl.Record.Value.hparam, "hyper-parameters"))
    raise BadValue("hyperparameters are not supported in this log format")


def _plugin_part(record: Record) -> Part:
    """The part that the plugin keeps in the description of a value, which itself is empty."""
    contents = [
        plugin.content(SummaryMetadata.PluginData.content)
        for metadata in record.fields.messages(Summary.Value.metadata)
        for plugin in metadata.messages(SummaryMetadata.plugin_data)
    ]
    if not contents:
        raise BadValue("the record contains no hyperparameters")
    return _small_part(contents[-1]) if len(contents[-1]) <= _SMALL else _part(contents[-1])


def _part(content: bytes) -> Part:
    data = MessageFields(content, most_fields=MOST_FIELDS)
    if HParamsPluginData.experiment in data:
        return _experiment(data.messages(HParamsPluginData.experiment)[-1])
    if HParamsPluginData.session_start_info in data:
        return _session_start(data.messages(HParamsPluginData.session_start_info)[-1])
    if HParamsPluginData.session_end_info in data:
        end = data.messages(HParamsPluginData.session_end_info)[-1]
        status = end.integer(SessionEndInfo.status)
        ended_at = end.double(SessionEndInfo.end_time_secs) or None
        return SessionEnd(_STATUSES[status] if 0 <= status < len(_STATUSES) else UNKNOWN, ended_at)
    raise BadValue("the record contains no hyperparameters")


# All trials of a search say the same of what it varies and measures.
_small_part = lru_cache(maxsize=128)(_part)


def _experiment(message: MessageFields) -> Experiment:
    metrics = [
        Metric(
            name.text(MetricName.tag),
            name.text(MetricName.group),
            info.text(MetricInfo.display_name),
            info.text(MetricInfo.description),
        )
        for info in message.messages(tensorboard.Experiment.metric_infos)
        for name in info.messages(MetricInfo.name)[-1:]
    ]
    return Experiment([_parameter(info) for info in message.messages(tensorboard.Experiment.hparam_infos)], metrics)


def _parameter(info: MessageFields) -> Parameter:
    choices = [
        _setting(value)
        for listed in info.messages(HParamInfo.domain_discrete)[-1:]
        for value in listed.messages(ListValue.values)
    ]
    interval = [
        (each.double(Interval.min_value), each.double(Interval.max_value))
        for each in info.messages(HParamInfo.domain_interval)[-1:]
    ]
    return Parameter(
        info.text(HParamInfo.name),
        info.text(HParamInfo.display_name),
        info.text(HParamInfo.description),
        [choice for choice in choices if choice is not None] or None,
        interval[0] if interval else None,
    )


def _session_start(message: MessageFields) -> SessionStart:
    settings = {}
    for content in message.contents(SessionStartInfo.hparams):
        for name, setting in _small_entry(content) if len(content) <= _SMALL_ENTRY else _entry(content):
            settings[name] = setting
    started_at = message.double(SessionStartInfo.start_time_secs) or None
    return SessionStart(settings, message.text(SessionStartInfo.group_name), started_at)


def _entry(content: bytes) -> tuple[tuple[str, Setting], ...]:
    """The name and value of a parameter; nothing when it has no value."""
    entry = MessageFields(content, most_fields=MOST_FIELDS)
    settings = [_setting(value) for value in entry.messages(SessionStartInfo.HparamsEntry.value)[-1:]]
    name = entry.text(SessionStartInfo.HparamsEntry.key)
    return tuple((name, setting) for setting in settings if setting is not None)


# Most trials of a search share most of their values with others.
_small_entry = lru_cache(maxsize=4096)(_entry)


def _setting(value: MessageFields) -> Setting | None:
    """A google.protobuf.Value; None for lists and the like, which the plugin does not know."""
    if Value.string_value in value:
        return value.text(Value.string_value)
    if Value.bool_value in value:
        return bool(value.integer(Value.bool_value))
    return value.double(Value.number_value) if Value.number_value in value else None


def _visualdl(message: MessageFields) -> list[Part | BadValue]:
    settings: dict[str, Setting] = {}
    proto = visualdl.Record.HParam.HparamInfo
    for info in message.messages(visualdl.Record.HParam.hparamInfos):
        name = info.text(proto.name)
        if proto.string_value in info:
            settings[name] = info.text(proto.string_value)
        elif proto.float_value in info:
            settings[name] = info.double(proto.float_value)
        else:
            settings[name] = info.integer(proto.int_value)
    metrics = [Metric(info.text(proto.name)) for info in message.messages(visualdl.Record.HParam.metricInfos)]
    return [Experiment([Parameter(name) for name in settings], metrics), SessionStart(settings)]
