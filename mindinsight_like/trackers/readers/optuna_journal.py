"""Optuna's journal file: one operation a line; each trial of each study is a run."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import numpy as np
import orjson

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.appended_files import read_tail
from mindinsight_like.trackers.reader import Folder, Log, Points, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.source import Source

INTERMEDIATE: Final = "intermediate"  # the tag of intermediate values, which have no name of their own
WORDS: Final = ("RUNNING", "COMPLETE", "PRUNED", "FAIL", "WAITING")  # by the number of the state
_STATES: Final = {"COMPLETE": "finished", "PRUNED": "finished", "FAIL": "failed"}
_BEGINNING: Final = (b'{"op_code":0,', b'{"op_code": 0,')
_ENDINGS: Final = (".log", ".journal", ".jsonl", ".json")
_PIECE = 4 * 1024 * 1024
_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1

_CREATE_STUDY, _DELETE_STUDY, _STUDY_ATTR, _CREATE_TRIAL, _PARAM, _STATE, _VALUE, _TRIAL_ATTR = 0, 1, 2, 4, 5, 6, 7, 8


def optuna_state(word: str, started: float | None, ended: float | None) -> WriterState:
    """The state that Optuna means by a word, with times in unix seconds."""
    state = _STATES.get(word, "running")
    return WriterState(state, started or 0.0, ended if state != "running" else None, word=word)


def trial_lineage(
    study: str,
    number: int,
    *,
    params: dict[str, Any] | None = None,
    values: Sequence[float | None] | None = None,
    attributes: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """What is said of a trial."""
    values = values or ()
    metrics = {"value" if len(values) == 1 else f"value/{place}": value for place, value in enumerate(values)}
    about: dict[str, Any] = {"group": study, "id": str(number)}
    if attributes:
        about["tags"] = attributes
    return documents.lineage("optuna", params=params, metrics=metrics, about=about)


class OptunaJournalReader:
    """Reads journals."""

    dialect = Dialect.OPTUNA_JOURNAL
    is_store = True

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        for name in sorted(folder.files):
            if name.endswith(_ENDINGS) and folder.head(name).startswith(_BEGINNING):
                yield RecognisedLog(folder.path(name), folder.name, frozenset({name}))

    def members(self, source: Source, name: str) -> Sequence[str]:
        return (name,)

    def read(self, log: Log) -> Slice:
        cursor = cursors.unpack(log.cursor)
        version = log.versions[log.name]
        tail = read_tail(log.source, log.name, version, cursor.get("place"), min(log.limits.bytes, _PIECE))
        journal = _Journal({} if tail.starts_over else cursor)
        end = tail.data.rfind(b"\n") + 1
        if not end and not tail.is_at_end:
            end = len(tail.data)
        journal.read(tail.data[:end], tail.offset)
        place = tail.place(log.source, log.name, version, end)
        gone = journal.gone
        if tail.starts_over:
            gone += [key for key in _keys(cursor) if key not in journal.runs]
        return Slice(
            cursors.pack(place=place, **journal.cursor()),
            place["position"],
            is_partial=not tail.is_at_end,
            runs=[run.slice(starts_over=tail.starts_over) for run in journal.runs.values()],
            gone=gone,
            damage=journal.damage,
        )


def _keys(cursor: dict[str, Any]) -> Iterator[str]:
    """The keys of all trials that a cursor knows of."""
    numbers: dict[int, int] = {}
    for study, count in cursor.get("trials", ()):
        for _ in range(count):
            number = numbers[study] = numbers.get(study, -1) + 1
            if (name := cursor["studies"][study]) is not None:
                yield f"{name}/{number}"


@dataclass
class _Trial:
    """What a slice says of one trial."""

    study: str
    number: int
    steps: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    results: list[float | None] | None = None
    state: WriterState | None = None
    is_new: bool = False

    @property
    def key(self) -> str:
        return f"{self.study}/{self.number}"

    def slice(self, *, starts_over: bool) -> RunSlice:
        count = len(self.steps)
        points = None
        if count:
            unknown = np.full(count, math.nan)
            numbers = np.zeros(count, np.int64)
            points = Points((INTERMEDIATE,), numbers, np.array(self.steps), unknown, np.array(self.values))
        has_news = self.is_new or self.params or self.attributes or self.results
        lineage = trial_lineage(
            self.study, self.number, params=self.params, values=self.results, attributes=self.attributes
        )
        return RunSlice(
            self.key,
            points,
            starts_over=starts_over,
            lineage=lineage if has_news else None,
            state=self.state,
        )


class _Journal:
    """Follows the operations of a journal."""

    def __init__(self, cursor: dict[str, Any]) -> None:
        self._studies: list[str | None] = cursor.get("studies", [])  # names; None: deleted
        # Study and number of each trial, whose ids count from 0.
        self._trials: list[tuple[int, int]] = []
        self._counts: dict[int, int] = {}
        for study, count in cursor.get("trials", ()):
            before = self._counts.get(study, 0)
            self._trials += [(study, number) for number in range(before, before + count)]
            self._counts[study] = before + count
        # Of trials that go on: when they began, and their last intermediate value.
        self._open: dict[int, list[Any]] = {int(trial): each for trial, each in cursor.get("open", {}).items()}
        self.runs: dict[str, _Trial] = {}
        self.gone: list[str] = []
        self.damage: list[Damage] = []

    def cursor(self) -> dict[str, Any]:
        trials: list[list[int]] = []
        for study, _ in self._trials:
            if trials and trials[-1][0] == study:
                trials[-1][1] += 1
            else:
                trials.append([study, 1])
        return {"studies": self._studies, "trials": trials, "open": self._open}

    def read(self, data: bytes, offset: int) -> None:
        for line in data.split(b"\n"):
            if line and not line.isspace():
                try:
                    self._apply(_parsed(line))
                except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OverflowError):
                    excerpt = line[:60].decode(errors="replace")
                    self.damage.append(Damage(offset, "unparsable", f"a line is not an operation: {excerpt}"))
            offset += len(line) + 1

    def _apply(self, line: dict[str, Any]) -> None:
        code = line["op_code"]
        if code == _CREATE_STUDY:
            self._studies.append(str(line["study_name"]))
        elif code == _DELETE_STUDY:
            self._delete(line["study_id"])
        elif code == _CREATE_TRIAL:
            self._create(line)
        elif code in (_PARAM, _STATE, _VALUE, _TRIAL_ATTR):
            number = line["trial_id"]
            trial = self._trial(number)
            if trial is None:
                return
            if code == _PARAM:
                trial.params[str(line["param_name"])] = external_param(
                    line["param_value_internal"], line["distribution"]
                )
            elif code == _STATE:
                self._set_state(number, trial, line)
            elif code == _VALUE:
                self._add_value(number, trial, line["step"], line["intermediate_value"])
            else:
                trial.attributes |= dict(line["user_attr"])

    def _create(self, line: dict[str, Any]) -> None:
        study = line["study_id"]
        if not 0 <= study < len(self._studies):
            raise ValueError("the study is unknown")
        number, trial_id = self._counts.get(study, 0), len(self._trials)
        self._counts[study] = number + 1
        self._trials.append((study, number))
        trial = self._trial(trial_id)
        if trial is None:
            return
        trial.is_new = True
        started = unix_seconds(line.get("datetime_start"))
        self._open[trial_id] = [started, None]
        distributions = line.get("distributions") or {}
        for name, value in (line.get("params") or {}).items():
            trial.params[name] = external_param(value, distributions[name]) if name in distributions else value
        trial.attributes |= line.get("user_attrs") or {}
        for step, value in (line.get("intermediate_values") or {}).items():
            self._add_value(trial_id, trial, int(step), value)
        self._set_state(trial_id, trial, {"state": 0, **line})

    def _set_state(self, trial_id: int, trial: _Trial, line: dict[str, Any]) -> None:
        state = line["state"]
        word = WORDS[state] if isinstance(state, int) and 0 <= state < len(WORDS) else str(state)
        started, last = self._open.get(trial_id) or (None, None)
        started = unix_seconds(line.get("datetime_start")) or started
        trial.state = optuna_state(word, started, unix_seconds(line.get("datetime_complete")))
        values = line.get("values")
        if values is None and line.get("value") is not None:
            values = [line["value"]]
        if values is None and word == "PRUNED" and last is not None:
            values = [last]
        if values is not None:
            trial.results = [None if value is None else float(value) for value in values]
        if word in _STATES:
            self._open.pop(trial_id, None)
        else:
            self._open[trial_id] = [started, last]

    def _add_value(self, trial_id: int, trial: _Trial, step: int, value: float | None) -> None:
        if not isinstance(step, int) or not _LOWEST <= step <= _HIGHEST:
            raise ValueError("the step is no whole number")
        number = math.nan if value is None else float(value)
        trial.steps.append(step)
        trial.values.append(number)
        if trial_id in self._open:
            self._open[trial_id][1] = number

    def _trial(self, trial_id: int) -> _Trial | None:
        if not 0 <= trial_id < len(self._trials):
            raise ValueError("the trial is unknown")
        study, number = self._trials[trial_id]
        name = self._studies[study]
        if name is None:
            return None
        return self.runs.setdefault(f"{name}/{number}", _Trial(name, number))

    def _delete(self, study: int) -> None:
        name = self._studies[study]
        self._studies[study] = None
        for number in range(self._counts.get(study, 0)):
            self.gone.append(f"{name}/{number}")
            self.runs.pop(f"{name}/{number}", None)


def external_param(internal: Any, distribution: str) -> Any:
    """A parameter as it was suggested: a choice is kept as its place, whole numbers as real ones."""
    described = json.loads(distribution) if isinstance(distribution, str) else distribution
    attributes = described["attributes"]
    if described["name"] == "CategoricalDistribution":
        return attributes["choices"][int(internal)]
    return int(internal) if described["name"].startswith("Int") else internal


def _parsed(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except ValueError:
        return json.loads(line)  # NaN and infinities stand bare


def unix_seconds(text: str | None) -> float | None:
    """A time that Optuna wrote, which has no zone."""
    if not text:
        return None
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return moment.timestamp()
