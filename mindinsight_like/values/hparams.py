"""Hyper-parameters: what an experiment varies and measures, and with which values a session of it ran.

TensorBoard's plugin writes these as three records, VisualDL as one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.values.records import MOST_FIELDS, BadValue, Record

Setting = bool | int | float | str


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
    status: str
    ended_at: float | None = None


Part = Experiment | SessionStart | SessionEnd

UNKNOWN, SUCCESS, FAILURE, RUNNING = "unknown", "success", "failure", "running"
_SMALL = 64 * 1024  # bytes of what is worth remembering
STATUSES = (UNKNOWN, SUCCESS, FAILURE, RUNNING)


def decode(record: Record) -> list[Part | BadValue]:
    """What a record tells of an experiment or a session; raises BadValue, Malformed."""
    if record.dialect == Dialect.TENSORBOARD:
        return [_plugin_part(record)]
    if record.dialect == Dialect.VISUALDL:
        return _visualdl(record.inner(13, "hyper-parameters"))
    raise BadValue("hyper-parameters are not known in logs of this kind")


def _plugin_part(record: Record) -> Part:
    """The part that the plugin keeps in the description of a value, which itself is empty."""
    contents = [plugin.content(2) for metadata in record.fields.messages(9) for plugin in metadata.messages(1)]
    if not contents:
        raise BadValue("the record holds no hyper-parameters")
    return _small_part(contents[-1]) if len(contents[-1]) <= _SMALL else _part(contents[-1])


def _part(content: bytes) -> Part:
    data = MessageFields(content, most_fields=MOST_FIELDS)
    if 2 in data:
        return _experiment(data.messages(2)[-1])
    if 3 in data:
        return _session_start(data.messages(3)[-1])
    if 4 in data:
        end = data.messages(4)[-1]
        status = end.integer(1)
        return SessionEnd(STATUSES[status] if 0 <= status < len(STATUSES) else UNKNOWN, end.double(2) or None)
    raise BadValue("the record holds no hyper-parameters")


# All trials of a search say the same of what it varies and measures.
_small_part = lru_cache(maxsize=128)(_part)


def _experiment(message: MessageFields) -> Experiment:
    metrics = [
        Metric(name.text(2), name.text(1), info.text(3), info.text(4))
        for info in message.messages(5)
        for name in info.messages(1)[-1:]
    ]
    return Experiment([_parameter(info) for info in message.messages(4)], metrics)


def _parameter(info: MessageFields) -> Parameter:
    choices = [_setting(value) for listed in info.messages(5)[-1:] for value in listed.messages(1)]
    interval = [(each.double(1), each.double(2)) for each in info.messages(6)[-1:]]
    return Parameter(
        info.text(1),
        info.text(2),
        info.text(3),
        [choice for choice in choices if choice is not None] or None,
        interval[0] if interval else None,
    )


def _session_start(message: MessageFields) -> SessionStart:
    settings = {}
    for entry in message.messages(1):
        for value in entry.messages(2)[-1:]:
            setting = _setting(value)
            if setting is not None:
                settings[entry.text(1)] = setting
    return SessionStart(settings, message.text(4), message.double(5) or None)


def _setting(value: MessageFields) -> Setting | None:
    """A google.protobuf.Value; None for lists and the like, which the plugin does not know."""
    if 3 in value:
        return value.text(3)
    if 4 in value:
        return bool(value.integer(4))
    return value.double(2) if 2 in value else None


def _visualdl(message: MessageFields) -> list[Part | BadValue]:
    settings: dict[str, Setting] = {}
    for info in message.messages(1):
        if 3 in info:
            settings[info.text(4)] = info.text(3)
        else:
            settings[info.text(4)] = info.double(2) if 2 in info else info.integer(1)
    metrics = [Metric(info.text(4)) for info in message.messages(2)]
    return [Experiment([Parameter(name) for name in settings], metrics), SessionStart(settings)]
