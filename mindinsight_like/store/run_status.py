"""The state of a run: running, finished, failed, stalled or unknown, by what its logs and writers say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple, TypeVar

from mindinsight_like.logs.run_states import WriterState

State = Literal["running", "finished", "failed", "stalled", "unknown"]

STALLED_AFTER_SECONDS: Final = 300.0
_INTERVALS: Final = 10  # without new data, after which a run stands still
_HEARTBEAT_SECONDS: Final = 30.0  # of our writers
_LATE_SECONDS: Final = 10.0  # data behind an end mark: the run goes on
_EVALUATION_SECONDS: Final = 60.0  # what may come behind an end mark without making it void


class LineageMarks(NamedTuple):
    """What the lineage of a run says of its state: that of a hyper-parameter session, or that training has ended."""

    word: str = ""  # success, failure, running or unknown
    begun_at: float | None = None
    ended_at: float | None = None  # of an end mark
    total_steps: int | None = None


NO_MARKS: Final = LineageMarks()


class RunStatus(NamedTuple):
    """The state of a run with its times."""

    state: State = "unknown"
    word: str = ""
    exit_reason: str = ""
    started_at: float | None = None
    ended_at: float | None = None
    active_at: float | None = None
    step: int | None = None
    total_steps: int | None = None
    seconds_per_step: float | None = None

    @property
    def duration(self) -> float | None:
        """Seconds until its end, or until its last data while it has none."""
        end = self.active_at if self.ended_at is None else self.ended_at
        return None if self.started_at is None or end is None else max(0.0, end - self.started_at)

    @property
    def fraction(self) -> float | None:
        """How much of a run with a known number of steps is done."""
        if self.step is None or self.total_steps is None:
            return None
        return min(1.0, max(0, self.step) / self.total_steps)

    @property
    def eta_seconds(self) -> float | None:
        """From the last data to the end, by the average pace; of a run that goes on."""
        if self.state != "running" or self.seconds_per_step is None or self.step is None or self.total_steps is None:
            return None
        return max(0, self.total_steps - self.step) * self.seconds_per_step


class Growth(NamedTuple):
    """How the logs of a run have grown."""

    created_at: float
    active_at: float  # when a log was written to last
    first_wall: float | None = None
    last_wall: float | None = None
    first_step: int | None = None
    last_step: int | None = None
    interval: float | None = None  # seconds between points, None for a single one

    @property
    def seconds_per_step(self) -> float | None:
        if self.first_wall is None or self.last_wall is None or self.first_step is None or self.last_step is None:
            return None
        steps, seconds = self.last_step - self.first_step, self.last_wall - self.first_wall
        return seconds / steps if steps > 0 and seconds > 0 else None

    def joined(self, other: Growth) -> Growth:
        """The growth of a run with that of a folder shown in it."""
        return Growth(
            min(self.created_at, other.created_at),
            max(self.active_at, other.active_at),
            _of_any(min, self.first_wall, other.first_wall),
            _of_any(max, self.last_wall, other.last_wall),
            _of_any(min, self.first_step, other.first_step),
            _of_any(max, self.last_step, other.last_step),
            _of_any(min, self.interval, other.interval),
        )


_Number = TypeVar("_Number", int, float)


def _of_any(choose: Callable[..., _Number], first: _Number | None, second: _Number | None) -> _Number | None:
    if first is None or second is None:
        return second if first is None else first
    return choose(first, second)


class Writer(NamedTuple):
    """The state that one process says, and when it was last alive."""

    writer_state: WriterState
    alive_at: float

    @property
    def last_sign(self) -> float:
        return max(
            self.writer_state.started_at,
            self.alive_at if self.writer_state.ended_at is None else self.writer_state.ended_at,
        )


def evaluate(
    growth: Growth, writers: Sequence[Writer], marks: LineageMarks, *, now: float, stalled_after: float
) -> tuple[RunStatus, float | None]:
    """The state of a run, and when time alone may change it."""
    window = max(stalled_after, _INTERVALS * (growth.interval or 0.0))
    # A time in the future says nothing.
    grows_until = growth.active_at + window if abs(now - growth.active_at) <= window else None
    status = RunStatus(
        started_at=growth.created_at,
        active_at=growth.active_at,
        step=growth.last_step,
        total_steps=marks.total_steps,
        seconds_per_step=growth.seconds_per_step,
    )
    if writers:
        return _by_writers(status, growth, writers, grows_until, now, max(stalled_after, 10 * _HEARTBEAT_SECONDS))
    if marks == NO_MARKS:
        return (status._replace(state="running") if grows_until else status), grows_until
    if marks.begun_at is not None:
        status = status._replace(started_at=marks.begun_at)
    if marks.word == "running":
        status = status._replace(word=marks.word)
        return (status._replace(state="running" if grows_until else "stalled"), grows_until)
    if marks.ended_at is not None:
        late = (growth.last_wall or marks.ended_at) - marks.ended_at
        if grows_until is not None and late > _LATE_SECONDS:
            return status._replace(state="running"), grows_until
        if late <= _EVALUATION_SECONDS and marks.word in ("", "success", "failure"):
            state: State = "failed" if marks.word == "failure" else "finished"
            return status._replace(state=state, word=marks.word, ended_at=marks.ended_at), None
    return status._replace(state="running" if grows_until else "unknown"), grows_until


def _by_writers(
    status: RunStatus,
    growth: Growth,
    writers: Sequence[Writer],
    grows_until: float | None,
    now: float,
    silence: float,
) -> tuple[RunStatus, float | None]:
    # Those that were over when the newest one began are of an earlier attempt.
    begun = max(writer.writer_state.started_at for writer in writers)
    current = [writer for writer in writers if writer.last_sign >= begun]
    writer_states = [writer.writer_state for writer in current]
    totals = [each.total_steps for each in writer_states if each.total_steps is not None]
    status = status._replace(
        started_at=min(each.started_at for each in writer_states),
        word=next((each.word for each in writer_states if each.word), ""),
        total_steps=max(totals) if totals else status.total_steps,
    )
    failed = next((each for each in sorted(writer_states, key=_end) if each.state == "failed"), None)
    if failed is not None:
        return status._replace(state="failed", exit_reason=failed.reason, ended_at=failed.ended_at), None
    alive = [writer.alive_at for writer in current if writer.writer_state.state == "running"]
    if not alive:
        ended_at = max(map(_end, writer_states))
        goes_on = grows_until is not None and growth.last_wall is not None
        if goes_on and growth.last_wall is not None and growth.last_wall > ended_at + _EVALUATION_SECONDS:
            return status._replace(state="running"), grows_until
        return status._replace(state="finished", ended_at=ended_at), None
    if grows_until is not None:
        return status._replace(state="running"), grows_until
    # Before the first points nobody knows how often there are some: a process that lives is at work.
    alive_until = max(alive) + silence if abs(now - max(alive)) <= silence and growth.interval is None else None
    return status._replace(state="running" if alive_until else "stalled"), alive_until


def _end(writer_state: WriterState) -> float:
    return writer_state.started_at if writer_state.ended_at is None else writer_state.ended_at
