"""`Profiler`: collect the performance of a training from inside its script, and analyse it."""

from __future__ import annotations

import atexit
import os
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from mindinsight_like.profiler.training import drivers
from mindinsight_like.profiler.training.filters import Filters
from mindinsight_like.profiler.training.processes import this_process
from mindinsight_like.profiler.training.recorder import Listener, Recorder
from mindinsight_like.profiler.training.schedules import Phase, always, as_phases
from mindinsight_like.profiler.training.slices import Slice, Switch
from mindinsight_like.profiler.training.troubles import harmless, tell
from mindinsight_like.profiler.training.window import Window

if TYPE_CHECKING:
    from mindinsight_like.profiler.collector.attached import Attachment


class Profiler:
    """Records operators and steps below `output_path`, and analyses them.

        profiler = Profiler("runs/first")     # before the network is built
        ...                                   # train; profiler.step() after each step
        profiler.analyse()                    # ends the recording, writes tables, prints a summary

    It drives the profiler of the framework that the script has imported: torch, MindSpore, JAX or Paddle; `framework`
    names another, or "none". What is recorded by hand, with `op`, goes to the same recording where the framework takes
    such marks, otherwise to a trace file of our own.

    Collection starts at once; with a `schedule` only the steps that it names are recorded, and with
    `start_profile=False` those between `start` and `stop`, or those that `request` asks for. Nothing here raises into
    the training: problems are told once, as a warning.

    The tables of `analyse` have operators by name only with `is_detail`, with their whole path if `is_show_op_path`;
    only those of a `subgraph` ("all", "Default", "Gradients", ...), and only types that are in `optypes_to_deal`
    (comma-separated; empty: all) and not in `optypes_not_deal`. With a `job_id` nothing is recorded: `analyse` reads
    the raw Ascend profile of this name below `output_path`.

    With a `collector`, the `host:port` of a service's collector, recordings and metrics of this machine are sent there
    as part of a `run` (by default the last folder of `output_path`), and people may ask for recordings of the next
    steps in the page. `token` and `ca` are as for `app collect`; `spool` is where things wait while it is away.

    Further arguments are those of the frameworks' profilers, such as `profile_memory`, `with_stack`, `activities`.
    """

    def __init__(
        self,
        output_path: str | os.PathLike[str] = "./data",
        is_detail: bool = True,
        is_show_op_path: bool = False,
        subgraph: str = "all",
        optypes_to_deal: str = "",
        optypes_not_deal: str = "Variable",
        job_id: str = "",
        *,
        framework: str = "",
        schedule: Callable[[int], Any] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        start_profile: bool = True,
        collector: str = "",
        run: str = "",
        token: str = "",
        ca: str = "",
        spool: str = "",
        **arguments: Any,
    ) -> None:
        if framework not in ("", drivers.NONE, *drivers.FRAMEWORKS):
            raise ValueError(f"framework is one of {', '.join(drivers.FRAMEWORKS)} or none, not {framework!r}")
        if schedule is not None and not callable(schedule):
            raise TypeError("schedule is a function of the step, as schedule(wait=1, warmup=1, active=3) makes it")
        self.output_path = Path(output_path).expanduser()
        self._filters = Filters(is_detail, is_show_op_path, subgraph, optypes_to_deal, optypes_not_deal)
        self._job = job_id
        self._framework = framework
        self._schedule = as_phases(schedule) if schedule else always
        self._on_trace_ready = on_trace_ready
        self._arguments = arguments
        self._process = this_process()
        self._made_at = time.time()
        self._switch = Switch()
        self._listeners: tuple[Listener, ...] = ()
        self._driver: drivers.Driver | None = None
        self._driven = ""  # the framework of the driver
        self._window: Window | None = None
        self._phase = Phase.IDLE
        self._step = 0
        self._requested = 0  # steps that somebody wants recorded
        self._until: int | None = None  # the step before which a requested recording ends
        self._is_started = False
        self._process_id = os.getpid()
        self._attachment: Attachment | None = None
        if collector and not job_id:
            self._attach(server=collector, run=run, token=token, ca=ca, spool=spool)
        atexit.register(_stop_if_alive, weakref.ref(self))
        if start_profile and not job_id:
            self.start()

    # --- collection -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Collect from now on, as far as the schedule says so."""
        if self._is_started or self._job:
            return
        self._is_started = True
        _started.add(self)
        with harmless("the profiler cannot start"):
            self._go(self._phase_of(self._step), ended=None)

    def stop(self) -> None:
        """End collection and write what was recorded; `start` may follow."""
        if os.getpid() != self._process_id:
            if self._window is not None and self._window.recorder is not None:
                self._window.recorder.write()  # of this forked process; the rest is its parent's
            return
        self._is_started = False
        _started.discard(self)
        self._until = None
        with harmless("the profiler cannot stop"):
            self._go(Phase.IDLE, ended=None)

    def step(self) -> None:
        """A training step has ended, the next begins."""
        ended = self._step
        self._step = ended + 1
        try:
            if self._requested and not self._phase:
                self._until = self._step + self._requested
                self._requested = 0
            phase = self._phase_of(self._step)
            if (phase or self._phase) and os.getpid() == self._process_id:
                self._go(phase, ended=ended)
        except Exception as error:
            self._is_started = False
            tell(f"the profiler cannot follow the steps: {type(error).__name__}: {error}. Training goes on.")

    def op(self, name: str, type: str = "", shape: object = "") -> Slice:
        """An operation recorded by hand: `with profiler.op("decode", type="data"): ...`, or as a decorator.

        The types "data", "communication", "copy", "wait", "kernel", "launch", "phase" and "annotation" say what it is;
        any other is the type of an operator, by which tables add up. Costs about a microsecond.
        """
        return Slice(self._switch, name, type, shape)

    def count(self, name: str, value: float, unit: str = "") -> None:
        """A value over time, such as the length of a queue, in recordings by hand."""
        window = self._window
        if window is not None and window.recorder is not None and self._phase.is_recording:
            with harmless("the profiler cannot count"):
                window.recorder.count(name, float(value), unit)

    # --- for those who watch a training from elsewhere ------------------------------------------------------------

    @property
    def current_step(self) -> int:
        """How many steps have ended."""
        return self._step

    @property
    def is_recording(self) -> bool:
        """Whether a recording is being made."""
        return self._phase.is_recording

    @property
    def is_asked(self) -> bool:
        """Whether a recording was asked for that has not begun."""
        return self._requested > 0

    @property
    def framework(self) -> str:
        """Whose profiler is driven, or "none"."""
        return self._framework or drivers.imported_framework()

    def request(self, steps: int) -> bool:
        """Record the next steps, from any thread; False while a recording is being made."""
        if self.is_recording or self._requested or steps < 1:
            return False
        self._requested = steps
        return True

    def on_records(self, listener: Listener) -> None:
        """Give every block that is recorded by hand from now on to a function, in the thread that writes.

        It gets the header and the definitions of a recording first. `traces.own_format` tells what blocks are. The
        function should be quick, and may not raise.
        """
        self._listeners = (*self._listeners, listener)

    # --- results ----------------------------------------------------------------------------------------------------

    def analyse(self, offline_path: str | os.PathLike[str] | None = None, **arguments: Any) -> None:
        """End collection, write the results below `output_path`, and print a summary.

        With an `offline_path`, as in MindSpore, all recordings that lie there are analysed instead. Other arguments of
        MindSpore's (`pretty`, `mode`, `step_list` ...) change nothing: everything is analysed before this returns.
        """
        self.stop()
        from mindinsight_like.profiler.training.results import write_results

        own: dict[str, Any] = {"worker": f"{self._process.host}_{self._process_id}", "since": self._made_at}
        if self._process.ranks > 1:
            own["rank"] = self._process.rank
        with harmless("the profile cannot be analysed"):
            if self._job:
                write_results(self.output_path, self._filters, worker="", since=0.0, job=self._job)
            elif offline_path is None:
                write_results(self.output_path, self._filters, **own, job="")
            else:
                write_results(Path(offline_path).expanduser(), self._filters, worker="", since=0.0, job="")

    def __enter__(self) -> Profiler:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.analyse()
        else:
            self.stop()

    def __reduce__(self) -> tuple[Any, ...]:
        # Data sets that know their profiler are sent to processes that load data: there it records nothing.
        return _elsewhere, (os.fspath(self.output_path),)

    def _attach(self, **told: str) -> None:
        from mindinsight_like.profiler.collector.attached import Attachment

        with harmless("the collector cannot be used"):
            self._attachment = Attachment(self, self._process, **told)
            self.on_records(self._attachment.take)

    # --- phases -----------------------------------------------------------------------------------------------------

    def _phase_of(self, step: int) -> Phase:
        if self._until is not None:
            if step < self._until:
                return Phase.RECORD
            self._until = None
        return self._schedule(step) if self._is_started else Phase.IDLE

    def _go(self, phase: Phase, *, ended: int | None) -> None:
        """From the phase of the step that ended to that of the one that begins."""
        was, self._phase = self._phase, phase
        if was is phase is Phase.IDLE:
            return
        window = self._window
        if was.is_recording and window is not None:
            if phase.is_recording and was is not Phase.RECORD_AND_SAVE and ended is not None:
                window.step(ended)
                return
            self._window = None
            window.end(ended)
            window = None
        if phase is Phase.IDLE:
            if window is not None:
                self._window = None
                window.end(None)
        elif window is None:
            self._window = window = Window(self._switch, self._chosen_driver(), self._new_recorder)
            (window.begin if phase.is_recording else window.prepare)(self._step)
        else:
            (window.begin if phase.is_recording else window.warm_up)(self._step)

    def _new_recorder(self) -> Recorder:
        facts = {"framework": self.framework}
        return Recorder(self.output_path, self._process, facts=facts, listeners=lambda: self._listeners)

    def _chosen_driver(self) -> drivers.Driver | None:
        framework = self.framework
        if self._driver is not None and self._driven == framework:
            return self._driver
        driver: drivers.Driver | None = None
        if framework != drivers.NONE:
            place = f"rank{self._process.rank}" if self._process.ranks > 1 else ""
            wishes = drivers.Wishes(
                self.output_path, self._process.worker, place, self._arguments, self._on_trace_ready
            )
            with harmless(f"the profiler of {framework} cannot be used"):
                driver = drivers.driver_for(framework, wishes)
        known = driver.ARGUMENTS if driver is not None else frozenset()
        unknown = [name for name, value in self._arguments.items() if name not in known and value is not None]
        if unknown:
            whose = f"the profiler of {framework}" if driver is not None else "recording by hand"
            tell(f"{', '.join(sorted(unknown))}: these arguments mean nothing to {whose} and are left out")
        self._driver, self._driven = driver, framework
        return driver


_started: set[Profiler] = set()  # a recording goes on when nobody but the atexit handler knows its profiler any more


def _elsewhere(output_path: str) -> Profiler:
    return Profiler(output_path, framework=drivers.NONE, start_profile=False)


def _stop_if_alive(reference: weakref.ref[Profiler]) -> None:
    profiler = reference()
    if profiler is not None:
        profiler.stop()
        if profiler._attachment is not None and os.getpid() == profiler._process_id:
            profiler._attachment.close()
