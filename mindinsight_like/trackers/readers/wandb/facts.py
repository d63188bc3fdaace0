"""What the records of a W&B run say of it as a whole."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas import wandb
from mindinsight_like.logs.protobuf.schemas.wandb import Record
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.trackers import documents
from mindinsight_like.trackers.reader import Log
from mindinsight_like.trackers.record_logs import SEPARATOR
from mindinsight_like.trackers.siblings import Siblings

_MOST_METADATA: Final = 1 << 20
_OWN: Final = "_wandb"
_PLAIN: Final = str, int, float, bool
_DEEPEST: Final = 32  # keys and values; what lies deeper is nobody's configuration
_MOST_ARTIFACTS: Final = 1000


class Facts:
    """Configuration, origin and state, told record by record."""

    def __init__(self, state: dict[str, Any]) -> None:
        self._config: dict[str, Any] = state.get("config", {})
        self._parts: dict[str, dict[str, Any]] = state.get("parts", {})  # code, environment, about
        self._inputs: list[dict[str, Any]] = state.get("inputs", [])
        self._outputs: list[dict[str, Any]] = state.get("outputs", [])
        self._times: dict[str, float] = state.get("times", {})  # started, seen, runtime
        self._exit_code: int | None = state.get("exit_code")
        self._is_preempting: bool = state.get("is_preempting", False)
        self._objects: set[str] = set(state.get("objects", ()))  # media in the summary, by their keys
        self._metrics: dict[str, Any] = {}
        self.display_name: str | None = None
        self.has_news = False

    def to_json(self) -> dict[str, Any]:
        return {
            "config": self._config,
            "parts": self._parts,
            "inputs": self._inputs,
            "outputs": self._outputs,
            "times": self._times,
            "exit_code": self._exit_code,
            "is_preempting": self._is_preempting,
            "objects": sorted(self._objects),
        }

    @property
    def has_ended(self) -> bool:
        return self._exit_code is not None

    @property
    def started(self) -> float:
        return self._times.get("started", math.nan)

    @property
    def last_seen(self) -> float:
        """When something was last written, as far as that is known."""
        return self._times.get("seen", self._times.get("started", math.nan))

    def seen_at(self, wall: float) -> None:
        if not math.isnan(wall):
            self._times["seen"] = max(wall, self._times.get("seen", wall))

    def summarise(self, summary: Mapping[str, bytes]) -> None:
        """Take last values of the summary, JSON by key; those of media are none."""
        ending = f"{SEPARATOR}_type"
        self._objects.update(key.removesuffix(ending) for key in summary if key.endswith(ending))
        for key, content in summary.items():
            value = _value(content) if content and not self._is_of_media(key) else None
            for name, each in _flat(key.replace(SEPARATOR, "."), value):
                self._metrics[name] = each
                self.has_news = True

    def take(self, number: int, message: MessageFields) -> None:
        """Take a record; raises Malformed."""
        self.has_news |= number not in (Record.header, Record.exit)
        if number == Record.run:
            self._take_run(message)
        elif number == Record.config:
            self._configure(message)
        elif number == Record.environment:
            self._take_environment(message)
        elif number == Record.metric:
            name = message.text(wandb.MetricRecord.name) or message.text(wandb.MetricRecord.glob_name)
            if axis := message.text(wandb.MetricRecord.step_metric):
                self._part("about").setdefault("step_metrics", {})[name] = axis
        elif number == Record.artifact:
            fields = wandb.ArtifactRecord
            names = {"name": fields.name, "type": fields.type, "hash": fields.digest}
            _append(self._outputs, _texts(message, names))
        elif number == Record.use_artifact:
            fields_of_use = wandb.UseArtifactRecord
            names = {"name": fields_of_use.name, "type": fields_of_use.type, "path": fields_of_use.id}
            _append(self._inputs, _texts(message, names))
        elif number == Record.preempting:
            self._is_preempting = True
        elif number == Record.exit:
            self._exit_code = message.integer(wandb.RunExitRecord.exit_code)
            self._times["runtime"] = float(message.integer(wandb.RunExitRecord.runtime))

    def read_metadata(self, log: Log, name: str) -> None:
        """Take what older versions keep in a file beside the log."""
        try:
            metadata = json.loads(log.source.read(name, 0, _MOST_METADATA))
        except (OSError, ValueError, RecursionError):
            return
        if not isinstance(metadata, dict):
            return
        self.has_news = True
        git = metadata["git"] if isinstance(metadata.get("git"), dict) else {}
        arguments = metadata["args"] if isinstance(metadata.get("args"), list) else []
        self._describe(
            code={
                **_command(metadata.get("program"), arguments),
                "commit": git.get("commit"),
                "repository": git.get("remote"),
            },
            environment={
                "host": metadata.get("host"),
                "user": metadata.get("username"),
                "python": metadata.get("python"),
                "platform": metadata.get("os"),
                "cpus": metadata.get("cpu_count"),
                "gpu": metadata.get("gpu"),
                "gpus": metadata.get("gpu_count"),
            },
        )

    def state(self) -> WriterState | None:
        started = self._times.get("started")
        if started is None:
            return None
        if self._exit_code is None:
            return WriterState("running", started, word="preempting" if self._is_preempting else "running")
        ended = max(started + self._times["runtime"], self._times.get("seen", started))
        if self._exit_code == 0:
            return WriterState("finished", started, ended, word="finished")
        word = "preempted" if self._is_preempting else "failed"
        return WriterState("failed", started, ended, f"exit code {self._exit_code}", word)

    def lineage(self, own: str, siblings: Siblings) -> dict[str, Any]:
        """What the index keeps; `own` is the name of the run's folder."""
        about = self._part("about")
        return documents.lineage(
            "wandb",
            params=self._config,
            metrics=self._metrics,
            code=self._part("code"),
            environment=self._part("environment"),
            about=about,
            parents=list(_parents(siblings, own, about.get("id", ""), about.get("branch_point"))),
            inputs=self._inputs,
            outputs=self._outputs,
        )

    def _is_of_media(self, key: str) -> bool:
        parts = key.split(SEPARATOR)
        return any(SEPARATOR.join(parts[:count]) in self._objects for count in range(1, min(len(parts), _DEEPEST)))

    def _take_run(self, run: MessageFields) -> None:
        fields = wandb.RunRecord
        for config in run.messages(fields.config):
            self._configure(config)
        self.display_name = run.text(fields.display_name) or None
        branch = None
        for point in run.messages(fields.branch_point):
            branch = {
                "run": point.text(wandb.BranchPoint.run),
                "metric": point.text(wandb.BranchPoint.metric),
                "value": point.double(wandb.BranchPoint.value),
            }
        self._describe(
            about={
                "id": run.text(fields.run_id),
                "project": run.text(fields.project),
                "entity": run.text(fields.entity),
                "group": run.text(fields.run_group),
                "job_type": run.text(fields.job_type),
                "notes": run.text(fields.notes),
                "tags": run.texts(fields.tags),
                "sweep": run.text(fields.sweep_id),
                "branch_point": branch,
            },
            environment={"host": run.text(fields.host)},
            code=_git(run, fields.git),
        )
        for start in run.messages(fields.start_time):
            self._times["started"] = _seconds(start)

    def _take_environment(self, record: MessageFields) -> None:
        fields = wandb.EnvironmentRecord
        self._describe(
            code={**_command(record.text(fields.program), record.texts(fields.args)), **_git(record, fields.git)},
            environment={
                "host": record.text(fields.host),
                "user": record.text(fields.username),
                "python": record.text(fields.python),
                "platform": record.text(fields.os),
                "cpus": record.integer(fields.cpu_count),
                "gpu": record.text(fields.gpu_type),
                "gpus": record.integer(fields.gpu_count),
                "cuda": record.text(fields.cuda_version),
            },
        )

    def _configure(self, config: MessageFields) -> None:
        for item in config.messages(wandb.ConfigRecord.update):
            *outer, last = _path(item)
            if (outer or [last])[0] != _OWN and len(outer) < _DEEPEST:
                place = self._config
                for name in outer:
                    inner = place.get(name)
                    place = place.setdefault(name, {}) if isinstance(inner, dict) else _replaced(place, name)
                place[last] = _value(item.content(wandb.Item.value_json))
        for item in config.messages(wandb.ConfigRecord.remove):
            *outer, last = _path(item)
            values: Any = self._config
            for name in outer:
                values = values.get(name) if isinstance(values, dict) else None
            if isinstance(values, dict):
                values.pop(last, None)

    def _describe(self, **parts: Mapping[str, Any]) -> None:
        for part, values in parts.items():
            self._part(part).update({name: value for name, value in values.items() if value})

    def _part(self, name: str) -> dict[str, Any]:
        return self._parts.setdefault(name, {})


def _path(item: MessageFields) -> list[str]:
    return item.texts(wandb.Item.nested_key) or [item.text(wandb.Item.key)]


def _replaced(place: dict[str, Any], name: str) -> dict[str, Any]:
    place[name] = {}
    inner: dict[str, Any] = place[name]
    return inner


def _value(content: bytes) -> Any:
    """A value in JSON, which may have NaN; None when it cannot be read."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return value if content.count(b"[") + content.count(b"{") <= _DEEPEST else _cut(value, 0)


def _cut(value: Any, depth: int) -> Any:
    """The value without what lies too deep."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, dict):
        return {key: _cut(each, depth + 1) for key, each in value.items()}
    return [_cut(each, depth + 1) for each in value] if isinstance(value, list) else value


def _flat(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    """Plain values by name; those of objects, unless they are media, by names joined with dots."""
    if isinstance(value, _PLAIN):
        yield name, value
    elif isinstance(value, dict) and "_type" not in value:
        for key, each in value.items():
            yield from _flat(f"{name}.{key}", each)


def _texts(message: MessageFields, names: Mapping[str, int]) -> dict[str, Any]:
    return {name: text for name, number in names.items() if (text := message.text(number))}


def _append(values: list[dict[str, Any]], value: dict[str, Any]) -> None:
    if value and len(values) < _MOST_ARTIFACTS and value not in values:
        values.append(value)


def _git(message: MessageFields, number: int) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for git in message.messages(number):
        facts = {
            "commit": git.text(wandb.GitRepoRecord.commit),
            "repository": git.text(wandb.GitRepoRecord.remote_url),
        }
    return facts


def _command(program: Any, arguments: Iterable[Any]) -> dict[str, Any]:
    if not isinstance(program, str) or not program:
        return {}
    return {"script": program, "command": " ".join([program, *map(str, arguments)])}


def _seconds(time: MessageFields) -> float:
    return time.integer(wandb.Timestamp.seconds) + time.integer(wandb.Timestamp.nanos) / 1e9


def _parents(siblings: Siblings, own: str, own_id: str, branch: Any) -> Iterable[dict[str, str]]:
    """Runs beside this one that it goes on from."""
    same = siblings.folders_of(own_id)
    if own in same[1:]:
        yield {"relation": "resumed from", "run": f"../{same[same.index(own) - 1]}"}
    trunk = str(branch["run"]) if isinstance(branch, dict) else ""
    if trunk != own_id and (folders := siblings.folders_of(trunk)):
        yield {"relation": "forked from", "run": f"../{folders[-1]}", "step": f"{branch['value']:.0f}"}
