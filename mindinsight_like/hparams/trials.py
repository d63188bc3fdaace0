"""The table of hyper-parameters: one row per session with its settings and the metrics it reached."""

from __future__ import annotations

import math
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Literal

from mindinsight_like.errors import Rebuilding, RunNotFound
from mindinsight_like.hparams.run_tree import RunTree
from mindinsight_like.hparams.session_parts import RunParts, session_parts
from mindinsight_like.logs.kinds import Kind
from mindinsight_like.store.intact import Intact, read_part
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import Run, ScalarTagSummary
from mindinsight_like.tables.timestamps import time_column
from mindinsight_like.values.hparams import (
    UNKNOWN,
    Experiment,
    Metric,
    Parameter,
    Part,
    SessionEnd,
    SessionStart,
    SessionStatus,
    Setting,
)

if TYPE_CHECKING:
    import pandas as pd

REDUCTIONS = ("last", "min", "max")
ColumnGroup = Literal["hparam", "metric"]
ColumnType = Literal["int", "float", "text", "bool", "mixed"]
_MOST_METRICS = 500
_FIXED = {"run", "status", "started_at", "ended_at"}  # columns of the pandas table that are always there


@dataclass(frozen=True)
class Column:
    """A hyper-parameter or a metric."""

    name: str  # unique in the table
    label: str
    group: ColumnGroup
    type: ColumnType
    choices: list[Setting] | None = None
    interval: tuple[float, float] | None = None
    description: str = ""
    is_declared: bool = True  # the experiment names it; else it was found in the logs


@dataclass(frozen=True)
class Trial:
    """One session of an experiment."""

    run: str
    session: str  # the name of the run
    runs: list[str]  # all runs with data of this session, that of the session first
    group: str
    status: SessionStatus
    started_at: float
    ended_at: float | None
    values: dict[str, Setting]  # by column


@dataclass(frozen=True)
class TrialTable:
    columns: list[Column]
    rows: list[Trial]
    errors: dict[str, str]  # why the records of a run cannot be read
    rebuilding: list[str] = field(default_factory=list)  # runs that are missing, or whose metrics are

    def refuse_partial(self) -> None:
        """Raise Rebuilding where runs are missing: for tables that have no place to say so."""
        if self.rebuilding:
            raise Rebuilding("Some of the runs are damaged in the index and are being rebuilt from their logs.")


@dataclass
class _Session:
    run: Run
    start: SessionStart | None = None
    started_at: float = 0.0
    end: SessionEnd | None = None
    ended_at: float | None = None
    experiment: Experiment | None = None
    metric_runs: dict[str, str] = field(default_factory=dict)  # run by group


def read_trials(reader: IndexReader, runs: Sequence[str] | None = None, *, reduction: str = "last") -> TrialTable:
    """The sessions of the runs (None: of all), metrics by their last, smallest or largest value.

    Raises RunNotFound, and Rebuilding when no session is intact.
    """
    if reduction not in REDUCTIONS:
        raise ValueError(f"a metric is its {', '.join(REDUCTIONS)} value, not {reduction!r}")
    every = reader.runs.find()[1]
    tree = RunTree(every)
    chosen = every if runs is None else _find_runs(every, runs)
    chosen_ids = {run.id for run in chosen}
    read = {run.id: run for each in chosen for run in (each, *tree.above(each.name)) if run.counts.get("hparams")}
    parts = session_parts(reader, list(read.values()))
    sessions, errors = _sessions(read, parts.answer)
    trials = [each for each in sessions.values() if each.start is not None and each.run.id in chosen_ids]
    experiments = {each.run.name: each.experiment for each in sessions.values() if each.experiment is not None}
    declared = [_find_experiment(trial, experiments) for trial in trials]
    for trial, experiment in zip(trials, declared, strict=True):
        trial.metric_runs = _metric_runs(trial.run, experiment, tree)
    scalars = _scalars(reader, trials, declared)
    summaries = scalars.answer
    metrics = [
        [Metric(tag, group) for group, run in trial.metric_runs.items() for tag in summaries.get(run, {})]
        if experiment is None or not experiment.metrics
        else experiment.metrics
        for trial, experiment in zip(trials, declared, strict=True)
    ]
    rows = [
        _row(trial, measured, summaries, reduction, _parent_curve_runs(trial.run, tree))
        for trial, measured in zip(trials, metrics, strict=True)
    ]
    columns = [*_parameter_columns(trials, declared), *_metric_columns(declared, metrics)]
    rebuilding = list(dict.fromkeys([*parts.rebuilding, *scalars.rebuilding]))
    if rebuilding and not rows:
        raise Rebuilding("The sessions are damaged in the index and are being rebuilt from their logs; ask again soon.")
    return TrialTable([_typed(column, rows) for column in columns], rows, errors, rebuilding)


def _find_runs(every: Sequence[Run], runs: Sequence[str]) -> list[Run]:
    by_id = {run.id: run for run in every}
    for run in runs:
        if run not in by_id:
            raise RunNotFound(f"no run with id {run!r}", run=run)
    return [by_id[run] for run in dict.fromkeys(runs)]


def _sessions(read: Mapping[str, Run], parts: Mapping[str, RunParts]) -> tuple[dict[str, _Session], dict[str, str]]:
    sessions = {id: _Session(run) for id, run in read.items()}
    errors: dict[str, str] = {}
    for id, run_parts in parts.items():
        if run_parts.error is not None:
            errors[id] = run_parts.error
        for part, wall_time in run_parts.parts:
            _apply_part(sessions[id], part, wall_time)
    return sessions, errors


def _apply_part(session: _Session, part: Part, wall_time: float) -> None:
    """Of several parts of one kind the last one counts, as in TensorBoard."""
    if isinstance(part, Experiment):
        session.experiment = part
    elif isinstance(part, SessionStart):
        session.start, session.started_at = part, part.started_at or wall_time
    else:
        session.end, session.ended_at = part, part.ended_at or wall_time


def _find_experiment(trial: _Session, experiments: dict[str, Experiment]) -> Experiment | None:
    """The experiment of a session: its own, else that of the nearest folder above."""
    name = trial.run.name
    while name not in experiments and name != ".":
        name = name.rpartition("/")[0] or "."
    return experiments.get(name)


def _metric_runs(run: Run, experiment: Experiment | None, tree: RunTree) -> dict[str, str]:
    """The runs with metrics of a session by group: those it names, else all below that are no sessions."""
    if experiment is not None and experiment.metrics:
        names = {each.group: posixpath.normpath(posixpath.join(run.name, each.group)) for each in experiment.metrics}
        return {group: target.id for group, name in names.items() if (target := tree.at(name)) is not None}
    return {"": run.id} | {path: each.id for path, each in tree.below(run.name) if not each.counts.get("hparams")}


def _parent_curve_runs(run: Run, tree: RunTree) -> list[str]:
    """The run that wrote a session into a folder below its own, as torch does, so that its curves are elsewhere."""
    above = None if run.name == "." else tree.at(run.name.rpartition("/")[0] or ".")
    if above is None or above.counts.get("hparams") or not above.counts.get("scalars"):
        return []
    sessions = (each for _, each in tree.below(above.name) if each.counts.get("hparams"))
    return [above.id] if len(list(islice(sessions, 2))) == 1 else []


def _scalars(
    reader: IndexReader, trials: Sequence[_Session], declared: Sequence[Experiment | None]
) -> Intact[dict[str, dict[str, ScalarTagSummary]]]:
    """Summaries of the scalars that may be metrics, by run and tag."""
    runs = list(dict.fromkeys(run for trial in trials for run in trial.metric_runs.values()))
    is_named = all(experiment is not None and experiment.metrics for experiment in declared)
    tags = [metric.tag for experiment in declared if experiment for metric in experiment.metrics]
    if not is_named:
        # Without a declaration any scalar may be a metric; nobody reads a table with more columns.
        page = reader.tag_names.page(runs, Kind.SCALAR, limit=_MOST_METRICS) if runs else None
        tags = page.names if page is not None and page.is_cut else []
    wanted = list(dict.fromkeys(tags)) if is_named or tags else None
    return read_part(reader, runs, lambda intact: reader.series.scalar_summaries(intact, wanted), empty={})


def _row(
    trial: _Session,
    metrics: Sequence[Metric],
    summaries: dict[str, dict[str, ScalarTagSummary]],
    reduction: str,
    beside: Sequence[str],
) -> Trial:
    assert trial.start is not None
    values = {_parameter_name(name): value for name, value in trial.start.settings.items()}
    for metric in metrics:
        summary = summaries.get(trial.metric_runs.get(metric.group, ""), {}).get(metric.tag)
        value = None if summary is None else summary.last_value if reduction == "last" else getattr(summary, reduction)
        if value is not None:
            values[_metric_name(metric)] = value
    runs = list(
        dict.fromkeys([trial.run.id, *(run for run in trial.metric_runs.values() if run in summaries), *beside])
    )
    status = UNKNOWN if trial.end is None else trial.end.status
    return Trial(
        trial.run.id,
        trial.run.name,
        runs,
        trial.start.group,
        status,
        trial.started_at,
        trial.ended_at,
        values,
    )


def _parameter_name(name: str) -> str:
    return f"hparam.{name}"


def _metric_name(metric: Metric) -> str:
    return f"metric.{metric.group}/{metric.tag}" if metric.group else f"metric.{metric.tag}"


def _parameter_columns(trials: Sequence[_Session], declared: Sequence[Experiment | None]) -> list[Column]:
    used = dict.fromkeys(name for trial in trials if trial.start for name in trial.start.settings)
    declared_by_name: dict[str, Parameter] = {}
    for parameter in (each for experiment in declared if experiment for each in experiment.parameters):
        declared_by_name.setdefault(parameter.name, parameter)
    order = [name for name in declared_by_name if name in used] + [
        name for name in used if name not in declared_by_name
    ]
    return [
        Column(
            _parameter_name(name),
            each.label or name,
            "hparam",
            "mixed",
            each.choices,
            each.interval,
            each.description,
            name in declared_by_name,
        )
        for name in order
        for each in (declared_by_name.get(name) or Parameter(name),)
    ]


def _metric_columns(declared: Sequence[Experiment | None], metrics: Sequence[Sequence[Metric]]) -> list[Column]:
    named = {_metric_name(metric) for experiment in declared if experiment for metric in experiment.metrics}
    columns: dict[str, Column] = {}
    for metric in (each for listed in metrics for each in listed):
        name = _metric_name(metric)
        label = metric.label or name.removeprefix("metric.")
        if name not in columns:
            columns[name] = Column(
                name, label, "metric", "float", description=metric.description, is_declared=name in named
            )
    return list(columns.values())


def _typed(column: Column, rows: Sequence[Trial]) -> Column:
    """The column with the type of its values; whole numbers of a metric are no reason to call it whole."""
    if column.group == "metric":
        return column
    values = [row.values[column.name] for row in rows if column.name in row.values]
    return Column(**(vars(column) | {"type": _type(values)}))


def _type(values: Sequence[Setting]) -> ColumnType:
    if all(isinstance(value, bool) for value in values):
        return "bool" if values else "mixed"
    if all(isinstance(value, str) for value in values):
        return "text"
    if any(isinstance(value, bool | str) for value in values):
        return "mixed"
    is_whole = all(math.isfinite(value) and float(value).is_integer() for value in values if not isinstance(value, str))
    return "int" if is_whole else "float"


def trial_table(trials: TrialTable) -> pd.DataFrame:
    """The sessions as a pandas table; a metric called like a hyper-parameter keeps `metric.` before its name."""
    import pandas as pd

    titles = {column.name: column.name.partition(".")[2] for column in trials.columns}
    reserved = {title for name, title in titles.items() if name.startswith("hparam.")} | _FIXED
    titles |= {
        name: name for name, title in titles.items() if title in (reserved if name.startswith("metric.") else _FIXED)
    }
    rows = [
        {
            "run": row.session,
            "status": row.status,
            "started_at": row.started_at,
            "ended_at": row.ended_at,
            **{titles[name]: value for name, value in row.values.items()},
        }
        for row in trials.rows
    ]
    table = pd.DataFrame(rows, columns=["run", "status", "started_at", "ended_at", *titles.values()])
    table = table.assign(**{name: time_column(table[name].to_numpy()) for name in ("started_at", "ended_at")})
    whole = {titles[column.name]: "Int64" for column in trials.columns if column.type == "int"}
    return table.astype(whole)
