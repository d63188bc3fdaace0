"""`Profiler`: record the performance of a training from inside its script, and analyse it.

Longer than other modules: it is the whole public class, whose docstrings are its documentation. What it is made of
(window, recorder, drivers, limits, schedules, results) has modules of its own; the rest is the state they share.
"""

from __future__ import annotations

import atexit
import os
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from mindinsight_like.conf.locations import check_local
from mindinsight_like.profiler.process.identity import this_process
from mindinsight_like.profiler.process.warnings import harmless, tell
from mindinsight_like.profiler.training import packing
from mindinsight_like.profiler.training.driver_choice import DriverChoice
from mindinsight_like.profiler.training.filters import Filters
from mindinsight_like.profiler.training.frameworks import FRAMEWORKS, NONE, training_framework
from mindinsight_like.profiler.training.limits import Limits, Watch
from mindinsight_like.profiler.training.recorder import Listener, Recorder
from mindinsight_like.profiler.training.schedules import Phase, always, as_phases
from mindinsight_like.profiler.training.slices import Slice, Switch
from mindinsight_like.profiler.training.window import Window
from mindinsight_like.profiler.training.worker_processes import Announced, Announcement, Follower, settle

if TYPE_CHECKING:
    from mindinsight_like.profiler.collector.attached import Attachment


class Profiler:
    """Records operators and steps below `output_path`, and analyses them.

        profiler = Profiler("runs/first")     # before the network is built
        ...                                   # train; profiler.step() after each step
        profiler.analyse()                    # ends the recording, writes tables, prints a summary

    It drives the profiler of the framework that trains: torch, TensorFlow, MindSpore, JAX or Paddle; `framework` names
    another, or "none". What is recorded by hand, with `op`, belongs to the same recording: where the framework takes
    no such marks, it is in a trace file of our own beside the framework's.

    Collection starts at once; with a `schedule` only the steps that it names are recorded, and with
    `start_profile=False` those between `start` and `stop`, or those that `request` asks for. Nothing here raises into
    the training: problems are told once, as a warning.

    Without a schedule a framework's recording ends by itself after `limit_seconds`, or when the process has grown by
    `limit_memory` bytes since its second step; a trace file of our own takes `limit_bytes` at most. What was recorded
    until then is kept, and a warning says so. None is no limit.

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
        limit_seconds: float | None = Limits.seconds,
        limit_memory: int | None = Limits.memory,
        limit_bytes: int | None = Limits.bytes,
        collector: str = "",
        run: str = "",
        token: str = "",
        ca: str = "",
        spool: str = "",
        **arguments: Any,
    ) -> None:
        if framework not in ("", NONE, *FRAMEWORKS):
            raise ValueError(f"framework must be one of {', '.join(FRAMEWORKS)} or None, not {framework!r}")
        if schedule is not None and not callable(schedule):
            raise TypeError("schedule must be a function of the step, such as schedule(wait=1, warmup=1, active=3)")
        for place in (output_path, spool):
            check_local(place)
        self.output_path = Path(output_path).expanduser()
        self._filters = Filters(is_detail, is_show_op_path, subgraph, optypes_to_deal, optypes_not_deal)
        self._job = job_id
        self._framework = framework
        self._schedule = as_phases(schedule) if schedule else always
        self._limits = Limits(limit_seconds, limit_memory, limit_bytes)
        self._process = this_process()
        self._made_at = time.time()
        self._switch = Switch()
        self._switch.owner = weakref.ref(self)
        self._listeners: tuple[Listener, ...] = ()
        self._drivers = DriverChoice(self.output_path, arguments, on_trace_ready)
        self._window: Window | None = None
        self._watch: Watch | None = None
        self._is_cut = False  # a limit has ended the present recording in the middle of a step
        self._announcement: Announcement | None = None
        self._follower: Follower | None = None  # in other processes of the training
        self._last_recording = ""
        self._phase = Phase.IDLE
        self._step = 0
        self._requested = 0  # steps that somebody wants recorded
        self._until: int | None = None  # the step before which a requested recording ends
        self._is_started = False
        self._process_id = os.getpid()
        self._attachment: Attachment | None = None
        if not job_id:
            with harmless("operations of other processes cannot be recorded"):
                self._announcement = Announcement()
        if collector and not job_id:
            self._attach(server=collector, run=run, token=token, ca=ca, spool=spool)
        atexit.register(_stop_if_alive, weakref.ref(self))
        _profilers.add(self)
        if start_profile and not job_id:
            self.start()

    # --- collection -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Collect from now on, as far as the schedule says so."""
        if self._is_started or self._job:
            return
        if self._follower is not None:
            tell("the profiler belongs to another process: make one in the process that trains to record its steps")
            return
        self._is_started = True
        _started.add(self)
        with harmless("the profiler cannot start"):
            self._go(self._phase_of(self._step), ended=None)

    def stop(self) -> None:
        """End collection and write what was recorded; `start` may follow."""
        if self._follower is not None:  # of this process; the rest is the training's
            with harmless("the profiler cannot stop"):
                self._follower.write()
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
            watch = self._watch
            if watch is not None:
                watch.step()
                if watch.reason:
                    phase = self._end_at_limit(watch.reason)
            if (phase or self._phase) and self._follower is None:
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
        if window is not None and self._phase.is_recording:
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
        return self._phase.is_recording and not self._is_cut

    @property
    def is_asked(self) -> bool:
        """Whether a recording was asked for that has not begun."""
        return self._requested > 0

    @property
    def framework(self) -> str:
        """Whose profiler is driven, or "none"."""
        return self._framework or training_framework()

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
        """End collection, write the results to `analysis/` below `output_path`, and print a summary.

        With an `offline_path`, as in MindSpore, all recordings that lie there are analysed instead, and the results are
        written to `analysis/` below that. Other arguments of MindSpore's (`pretty`, `mode`, `step_list` ...) change
        nothing: everything is analysed before this returns.
        """
        self.stop()
        if self._follower is not None:
            return  # the training's own process does that
        with harmless("the profile cannot be analysed"):
            from mindinsight_like.profiler.training.results import write_results

            packing.wait()
            if self._last_recording:
                settle(self.output_path, self._last_recording)
            own: dict[str, Any] = {"process": self._process_id, "host": self._process.host, "since": self._made_at}
            if self._process.ranks > 1:
                own["rank"] = self._process.rank
            if self._job:
                write_results(self.output_path, self._filters, job=self._job)
            elif offline_path is None:
                write_results(self.output_path, self._filters, **own, framework=self.framework)
            else:
                check_local(offline_path)
                write_results(Path(offline_path).expanduser(), self._filters)

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
        # Data sets that know their profiler are sent to processes that load data.
        path = self._announcement.path if self._announcement is not None else ""
        return _elsewhere, (os.fspath(self.output_path), path)

    def _attach(self, **options: str) -> None:
        from mindinsight_like.profiler.collector.attached import Attachment

        with harmless("the collector cannot be used"):
            self._attachment = Attachment(self, self._process, **options)
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
            self._end(window, ended)
            window = None
        if phase is Phase.IDLE:
            if window is not None:
                self._end(window, None)
            return
        if window is None:
            self._process = this_process()  # ranks may have been connected in the meantime
            self._window = window = Window(
                self._switch, self._drivers.driver(self.framework, self._process), self._new_recorder()
            )
            if not phase.is_recording:
                window.prepare(self._step)
        elif not phase.is_recording:
            window.warm_up(self._step)
        if phase.is_recording:
            self._begin(window)

    def _begin(self, window: Window) -> None:
        window.begin(self._step)
        self._last_recording = window.recorder.name
        if window.is_driven:  # what is recorded by hand is on the disk at once
            is_bounded = self._schedule is always and self._until is None
            self._watch = Watch(self._limits if is_bounded else _NO_LIMITS, self._end_between_steps)
        if self._announcement is not None:
            process = self._process
            announced = Announced(
                folder=os.fspath(self.output_path.absolute()),
                recording=window.recorder.name,
                rank=process.rank,
                ranks=process.ranks,
                host=process.host,
                framework=self.framework,
                limit_bytes=self._limits.bytes,
            )
            self._announcement.put(announced)

    def _end(self, window: Window, ended: int | None) -> None:
        self._window, self._is_cut = None, False
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.close()
        if self._announcement is not None:
            self._announcement.put(None)
        window.end(ended)

    def _end_at_limit(self, reason: str) -> Phase:
        self._is_started = False
        _started.discard(self)
        self._until = None
        tell(
            f"the profiler has ended its recording {reason}, so that it does not take all memory. What was recorded is "
            "kept. For a few steps of a long training use schedule=mindinsight_like.schedule(...), or set the limit."
        )
        return Phase.IDLE

    def _end_between_steps(self) -> None:
        """In the middle of whatever the main thread does, so the framework's part only: others may hold locks."""
        window, watch = self._window, self._watch
        if window is not None and watch is not None:
            with harmless("the profiler cannot end its recording"):
                self._is_cut = True
                self._end_at_limit(watch.reason)
                window.end_driver()

    def _new_recorder(self) -> Recorder:
        return Recorder(
            self.output_path,
            self._process,
            facts={"framework": self.framework},
            listeners=lambda: self._listeners,
            limit_bytes=self._limits.bytes,
        )

    def _follow(self, announcement: Announcement | None) -> None:
        """This is another process than the training's: it records what the training announces, by hand."""
        self._window = self._watch = self._attachment = None
        self._drivers.forget()
        self._phase, self._is_started, self._requested, self._until = Phase.IDLE, False, 0, None
        self._switch.target = self._switch.mark = None
        self._listeners = ()
        self._announcement = announcement
        if announcement is not None:
            self._follower = Follower(announcement)
            self._switch.mark = self._follower.mark


_NO_LIMITS = Limits(None, None, None)
_profilers: weakref.WeakSet[Profiler] = weakref.WeakSet()
_started: set[Profiler] = set()  # a recording goes on when nobody but the atexit handler knows its profiler any more


def _elsewhere(output_path: str, announcement: str) -> Profiler:
    """The profiler of a training in another process; what it records there belongs to the training's recording."""
    for profiler in list(_profilers):
        if announcement and profiler._announcement is not None and profiler._announcement.path == announcement:
            return profiler  # a copy within the process
    profiler = Profiler(output_path, framework=NONE, start_profile=False)
    if announcement:
        with suppress(OSError):  # the training has ended
            profiler._follow(Announcement(announcement))
    return profiler


def _follow_in_forks() -> None:
    _started.clear()
    for profiler in list(_profilers):
        profiler._follow(profiler._announcement)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_follow_in_forks)


def _stop_if_alive(reference: weakref.ref[Profiler]) -> None:
    profiler = reference()
    if profiler is not None:
        profiler.stop()
        packing.wait()
        if profiler._attachment is not None and os.getpid() == profiler._process_id:
            profiler._attachment.close()
