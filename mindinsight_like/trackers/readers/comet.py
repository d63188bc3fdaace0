"""Comet's offline experiments: a zip archive with the messages that would have gone to the server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.files.archives import MAGIC, first_member, read_members
from mindinsight_like.trackers.files.event_points import EventPoints, number, unix_seconds, whole
from mindinsight_like.trackers.files.json_documents import JsonUnreadable, parsed_object
from mindinsight_like.trackers.reader import Folder, Log, LogUnreadable, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.source import Source

_EXPERIMENT, _MESSAGES = _FILES = ("experiment.json", "messages.json")
_OWN_PARAMS: Final = frozenset({"cli", "auto-logged"})  # what Comet adds by itself: arguments, the current step
_OWN_METRICS: Final = {"process duration": "duration"}
_OWN_OTHERS: Final = frozenset({"Name", "offline_experiment", "hasNestedParams"})


class CometReader:
    """Reads archives of offline experiments."""

    dialect = Dialect.COMET
    is_store = False

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        for name in sorted(folder.files):
            if name.endswith(".zip"):
                head = folder.head(name)
                if head.startswith(MAGIC) and first_member(head) in _FILES:
                    yield RecognisedLog(folder.path(name), folder.path(name.removesuffix(".zip")), frozenset({name}))

    def members(self, source: Source, name: str) -> Sequence[str]:
        return (name,)

    def read(self, log: Log) -> Slice:
        version = log.versions[log.name]
        files = read_members(log.source, log.name, version.size, _FILES)
        if _EXPERIMENT not in files or _MESSAGES not in files:
            raise LogUnreadable("the archive is none of Comet: it has no experiment.json and messages.json")
        run = RunSlice(starts_over=bool(log.cursor))
        try:
            experiment = parsed_object(files[_EXPERIMENT])
        except JsonUnreadable as error:
            run.damage.append(Damage(0, "unparsable", f"{_EXPERIMENT}: {error}"))
            experiment = {}
        _Messages(run).read(files[_MESSAGES], experiment)
        return Slice(cursors.pack(read=True), version.size, runs=[run])


class _Messages:
    def __init__(self, run: RunSlice) -> None:
        self._run = run
        self._points = EventPoints()
        self._counts: dict[str, int] = {}  # of metrics that were logged without steps
        self._params: dict[str, Any] = {}
        self._others: dict[str, Any] = {}

    def read(self, data: bytes, experiment: dict[str, Any]) -> None:
        offset = 0
        for line in data.split(b"\n"):
            if line and not line.isspace():
                try:
                    message = parsed_object(line)
                except JsonUnreadable:
                    excerpt = line[:60].decode(errors="replace")
                    warning = f"{_MESSAGES}: a line is no message: {excerpt}"
                    self._run.damage.append(Damage(offset, "unparsable", warning))
                else:
                    payload = message.get("payload")
                    if isinstance(payload, dict):
                        self._add(message.get("type"), payload)
            offset += len(line) + 1
        self._run.points = self._points.points()
        self._say(experiment)

    def _add(self, kind: Any, payload: dict[str, Any]) -> None:
        if kind == "metric_msg":
            self._add_metric(payload.get("metric"), payload.get("local_timestamp"))
        elif kind == "parameter_msg":
            param = payload.get("param")
            if isinstance(param, dict) and param.get("source") not in _OWN_PARAMS:
                self._params[str(param.get("paramName"))] = param.get("paramValue")
        elif kind == "log_other":
            self._others[str(payload.get("key"))] = payload.get("value")

    def _add_metric(self, metric: Any, time: Any) -> None:
        value = number(metric.get("metricValue")) if isinstance(metric, dict) else None
        if value is None:
            return
        tag = str(metric.get("metricName"))
        if tag in _OWN_METRICS:
            self._others[_OWN_METRICS[tag]] = value
            return
        step = whole(metric.get("step"))
        if step is None:
            step = self._counts.get(tag, -1) + 1
        self._counts[tag] = step
        self._points.add(tag, step, unix_seconds(time), value)

    def _say(self, experiment: dict[str, Any]) -> None:
        name = self._others.get("Name")
        self._run.display_name = str(name) if name else None
        tags = experiment.get("tags")
        about = {
            "id": experiment.get("offline_id"),
            "project": experiment.get("project_name"),
            "workspace": experiment.get("workspace"),
            "tags": tags if isinstance(tags, list) else None,
            "started": _time(experiment.get("start_time")),
            "ended": _time(experiment.get("stop_time")),
            "others": {key: value for key, value in self._others.items() if key not in _OWN_OTHERS} or None,
        }
        self._run.lineage = documents.lineage(
            "comet", params=self._params, about={key: value for key, value in about.items() if value is not None}
        )


def _time(value: Any) -> float | None:
    seconds = number(value)
    return None if seconds is None else seconds / 1000
