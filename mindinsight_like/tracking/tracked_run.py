"""A run that records itself: parameters, code, environment, host metrics, values, results and how it ended."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, NamedTuple

from mindinsight_like.tracking.attributes import Config, Summary
from mindinsight_like.tracking.console_file import ConsoleFile
from mindinsight_like.tracking.host_sampling import HostSampling
from mindinsight_like.tracking.media import Target
from mindinsight_like.tracking.metric_rules import MetricRules
from mindinsight_like.tracking.values import flattened, record
from mindinsight_like.writers.lineage.lineage_file import log_lineage
from mindinsight_like.writers.tensorboard.run_parameters import flattened as flattened_parameters
from mindinsight_like.writers.tensorboard.summary_writer import SummaryWriter

log = logging.getLogger(__name__)

_MOST_REFUSALS = 1000  # names that are remembered, so that each is told of once


class RunFacts(NamedTuple):
    """What a run is known by."""

    name: str
    project: str = ""
    group: str = ""
    job_type: str = ""
    tags: tuple[str, ...] = ()
    notes: str = ""


class TrackedRun:
    """What `mi.init` gives back.

    A call of `log` without a step records at the next one; `commit=False` stays at the same step, for a call that
    follows. Steps may go back: every point is kept. Values are numbers, texts, arrays (as histograms), `Image`,
    `Histogram`, `Audio`, `Video`, `Html`, lists of these, and mappings of all of them.
    """

    separator: ClassVar[str] = "/"  # between the names of nested mappings

    def __init__(
        self,
        folder: Path,
        facts: RunFacts,
        *,
        config: Any = None,
        host_metrics_seconds: float = 0.0,
        total_steps: int | None = None,
        capture_console: bool = False,
        enabled: bool = True,
    ) -> None:
        """0 seconds: no host metrics. What is not `enabled` writes nothing."""
        self.config = Config()
        self.config.update(config)
        self.summary = Summary()
        self._folder = folder
        self._facts = facts
        self._is_enabled = enabled
        self._writer = SummaryWriter(folder, total_steps=total_steps, write_to_disk=enabled)
        self._rules = MetricRules()
        self._step = 0
        self._results: dict[str, float] = {}  # of scalars with a rule
        self._refusals: set[str] = set()
        self._lock = threading.RLock()  # threads of one training log together
        self._is_finished = False
        self._write_lineage(code=True, environment=True)
        self._sampling: HostSampling | None = None
        if host_metrics_seconds and enabled:
            self._sampling = HostSampling(self._writer, seconds=host_metrics_seconds)
        self._console = self._captured_console() if capture_console and enabled else None

    # --- what it is -------------------------------------------------------------------------------------------------

    @property
    def dir(self) -> str:
        """The folder that its files are in."""
        return str(self._folder)

    @property
    def name(self) -> str:
        """Its name, by default made of the time."""
        return self._facts.name

    @property
    def id(self) -> str:
        """The name of its folder, by which it can be resumed."""
        return self._folder.name

    @property
    def project(self) -> str:
        """The project it belongs to; empty without one."""
        return self._facts.project

    @property
    def group(self) -> str:
        """The group it belongs to; empty without one."""
        return self._facts.group

    @property
    def job_type(self) -> str:
        """Its part in the group, such as train or eval."""
        return self._facts.job_type

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""
        return self._facts.tags

    @tags.setter
    def tags(self, tags: Sequence[str]) -> None:
        self._facts = self._facts._replace(tags=tuple(tags))
        self._write_lineage()

    @property
    def notes(self) -> str:
        """What its author says of it."""
        return self._facts.notes

    @notes.setter
    def notes(self, notes: str) -> None:
        self._facts = self._facts._replace(notes=notes)
        self._write_lineage()

    @property
    def step(self) -> int:
        """The step that the next call of `log` records at."""
        return self._step

    # --- recording --------------------------------------------------------------------------------------------------

    def log(self, data: Mapping[str, Any], step: int | None = None, commit: bool | None = None) -> None:
        """Record values at a step."""
        if not isinstance(data, Mapping):
            raise TypeError(f"log: expected a mapping of names to values, not {type(data).__name__}")
        with self._lock:
            if self._is_finished:
                raise ValueError(f"the run {self.name} is finished; call init for another one")
            if step is not None:
                self._step = int(step)
            if self.config.changed:
                self._write_lineage()
            moment = time.time()
            for name, value in flattened(data, self.separator):
                self._record(Target(self._writer, name, self._step, moment), value)
            if commit or (commit is None and step is None):
                self._step += 1

    def define_metric(self, name: str, *, summary: str = "last") -> None:
        """Say which value of a scalar is its result: last, min, max, mean or none; names may be shell patterns."""
        with self._lock:
            self._rules.define(name, summary)

    def set_total_steps(self, total_steps: int) -> None:
        """Say how many steps the run is going to have, for its progress."""
        self._writer.set_total_steps(total_steps)

    def finish(self, exit_code: int | None = None) -> None:
        """End the run, failed when there is an exit code other than 0; nothing happens the second time."""
        with self._lock:
            if self._is_finished:
                return
            self._is_finished = True
            if self._sampling is not None:
                self._sampling.stop()
            self._write_lineage()
            if self._console is not None:
                self._console.close()
            try:
                if exit_code:
                    raise SystemExit(exit_code)
            except SystemExit:
                self._writer.close()  # which takes an error that passes for the end of the run
            else:
                self._writer.close()

    def __enter__(self) -> TrackedRun:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()

    def __repr__(self) -> str:
        return f"<run {self.name} in {self._folder}>"

    def _record(self, target: Target, value: Any) -> None:
        number = record(target, value, refuse=self._refuse)
        if number is None:
            return
        result, is_defined = self._rules.result(target.tag, number)
        if result is None:
            return
        if target.tag not in self.summary.changed:  # what the script itself said stands
            self.summary.note(target.tag, result)
        if is_defined:
            self._results[target.tag] = result

    def _captured_console(self) -> ConsoleFile | None:
        try:
            return ConsoleFile(self._folder)
        except OSError as error:
            log.warning("what %s prints is not recorded: %s", self.name, error)
            return None

    def _refuse(self, tag: str, reason: str) -> None:
        if tag not in self._refusals and len(self._refusals) < _MOST_REFUSALS:
            self._refusals.add(tag)
            log.warning("%s is not recorded: %s", tag, reason)

    def _write_lineage(self, *, code: bool = False, environment: bool = False) -> None:
        """Write what has changed of parameters and results; trouble with the disk must not end a training."""
        if not self._is_enabled:
            return
        about = self._facts._asdict()
        about["run"] = about.pop("name")
        own_results = {name: self.summary[name] for name in self.summary.changed}
        try:
            log_lineage(
                self._folder,
                params=flattened_parameters(self.config.take_changes()),
                metrics={**self._results, **own_results} if self._is_finished else None,
                code=code,
                environment=environment,
                tracker={"name": "mindinsight-like", **{name: value for name, value in about.items() if value}},
            )
        except OSError as error:
            log.warning("parameters and results of %s are not recorded: %s", self.name, error)
