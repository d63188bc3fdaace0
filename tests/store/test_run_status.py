"""The state of a run by what its logs, its writers and its lineage say."""

from __future__ import annotations

from typing import Any

import pytest

from mindinsight_like.logs.run_states import WriterState, parse
from mindinsight_like.store.run_status import Growth, LineageMarks, RunStatus, Writer, evaluate

NOW = 1_000_000.0
NO_MARKS = LineageMarks()


def evaluated(
    growth: Growth, *writers: Writer, marks: LineageMarks = NO_MARKS, now: float = NOW
) -> tuple[RunStatus, float | None]:
    return evaluate(growth, writers, marks, now=now, stalled_after=300.0)


def growth(*, silent_for: float, interval: float | None = 1.0, **values: Any) -> Growth:
    """Logs that began an hour ago, of which the last point was written so many seconds ago."""
    wall = NOW - silent_for
    reach: dict[str, Any] = {"first_wall": NOW - 3600, "last_wall": wall, "first_step": 0, "last_step": 100}
    return Growth(NOW - 3600, wall, interval=interval, **(reach | values))


def writer(state: str, *, started: float, ended: float | None = None, alive: float = 0.0, **values: Any) -> Writer:
    """What a process says that began and ended so many seconds ago, and was alive so many seconds ago."""
    writer_state = WriterState(state, NOW - started, None if ended is None else NOW - ended, **values)
    return Writer(writer_state, NOW - alive)


def test_logs_that_say_nothing_run_while_they_grow() -> None:
    assert evaluated(growth(silent_for=10))[0].state == "running"
    assert evaluated(growth(silent_for=299))[0].state == "running"
    assert evaluated(growth(silent_for=301))[0].state == "unknown"
    assert evaluated(growth(silent_for=-301))[0].state == "unknown"  # a time in the future says nothing


def test_a_slow_log_is_given_ten_of_its_intervals() -> None:
    status, until = evaluated(growth(silent_for=5000, interval=600))

    assert (status.state, until) == ("running", NOW + 1000)
    assert evaluated(growth(silent_for=6001, interval=600)) == (
        status._replace(state="unknown", active_at=NOW - 6001, seconds_per_step=None),
        None,
    )


def test_a_writer_that_says_nothing_any_more_is_stalled() -> None:
    started = writer("running", started=3600, alive=5)

    assert evaluated(growth(silent_for=10), started)[0].state == "running"
    status, until = evaluated(growth(silent_for=10), started)
    assert until == NOW + 290
    # Its process lives, but nothing is logged: a deadlock looks like this.
    status, until = evaluated(growth(silent_for=301), started)
    assert (status.state, until) == ("stalled", None)


def test_a_process_that_has_not_logged_twice_is_at_work_while_it_lives() -> None:
    young = growth(silent_for=1000, interval=None)

    assert evaluated(young, writer("running", started=3600, alive=20))[0].state == "running"
    assert evaluated(young, writer("running", started=3600, alive=20))[1] == NOW + 280
    assert evaluated(young, writer("running", started=3600, alive=301))[0].state == "stalled"


def test_the_end_is_the_writers_own() -> None:
    done, _ = evaluated(growth(silent_for=1), writer("finished", started=3600, ended=1))
    assert (done.state, done.started_at, done.ended_at, done.duration) == ("finished", NOW - 3600, NOW - 1, 3599)

    failed, until = evaluated(growth(silent_for=1), writer("failed", started=3600, ended=1, reason="KeyError: 'x'"))
    assert (failed.state, failed.exit_reason, until) == ("failed", "KeyError: 'x'", None)


def test_one_rank_that_fails_fails_the_run() -> None:
    ranks = [writer("running", started=3600, alive=1), writer("failed", started=3590, ended=60, reason="OOM")]

    assert evaluated(growth(silent_for=1), *ranks)[0][:3] == ("failed", "", "OOM")


def test_a_resumed_run_is_judged_by_its_last_attempt() -> None:
    killed = writer("running", started=3600, alive=1800)
    failed = writer("failed", started=1700, ended=1500, reason="OOM")

    status, _ = evaluated(growth(silent_for=1), killed, failed, writer("running", started=1000, alive=1))
    assert (status.state, status.exit_reason, status.started_at) == ("running", "", NOW - 1000)
    assert (
        evaluated(growth(silent_for=1), killed, failed, writer("finished", started=900, ended=1))[0].state == "finished"
    )


def test_data_behind_an_end_means_that_somebody_goes_on() -> None:
    ended = writer("finished", started=3600, ended=200)

    assert evaluated(growth(silent_for=1), ended)[0].state == "running"
    assert evaluated(growth(silent_for=190), ended)[0].state == "finished"


@pytest.mark.parametrize(
    ("word", "state"), [("success", "finished"), ("failure", "failed"), ("", "finished"), ("unknown", "running")]
)
def test_the_status_of_a_session_is_the_state_of_its_run(word: str, state: str) -> None:
    marks = LineageMarks(word, NOW - 3000, NOW - 20)

    status, _ = evaluated(growth(silent_for=19), marks=marks)
    assert status.state == state
    if state != "running":
        assert (status.word, status.started_at, status.ended_at) == (word, NOW - 3000, NOW - 20)


def test_a_session_that_was_ended_at_its_start_goes_on_while_it_grows() -> None:
    """As loggers do that write the whole session with the first hyper-parameters."""
    marks = LineageMarks("success", NOW - 3600, NOW - 3600)

    assert evaluated(growth(silent_for=10), marks=marks)[0].state == "running"
    assert evaluated(growth(silent_for=1000), marks=marks)[0].state == "unknown"


def test_a_session_that_says_running_is_stalled_when_nothing_grows() -> None:
    marks = LineageMarks("running", NOW - 3600)

    assert evaluated(growth(silent_for=10), marks=marks)[0][:2] == ("running", "running")
    assert evaluated(growth(silent_for=1000), marks=marks)[0][:2] == ("stalled", "running")


def test_progress_needs_the_number_of_steps() -> None:
    going = growth(silent_for=0, first_wall=NOW - 1000, first_step=50, last_step=250)

    assert evaluated(going)[0].fraction is None
    status, _ = evaluated(going, marks=LineageMarks(total_steps=1000))
    assert (status.step, status.total_steps, status.fraction) == (250, 1000, 0.25)
    assert status.eta_seconds == 750 * 1000 / 200
    assert evaluated(going, writer("finished", started=1, ended=0, total_steps=200))[0].fraction == 1.0
    assert evaluated(going, writer("finished", started=1, ended=0, total_steps=200))[0].eta_seconds is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[" * 100_000,
        b"[1]",
        b'{"format": "other"}',
        b'{"format": "mindinsight-like run state", "state": "dancing", "started": 1}',
        b'{"format": "mindinsight-like run state", "state": "running"}',
        b'{"format": "mindinsight-like run state", "state": "running", "started": 1e400}',
        b'{"format": "mindinsight-like run state", "state": "running", "started": true}',
    ],
)
def test_what_is_no_state_is_none(content: bytes) -> None:
    assert parse(content) is None


def test_odd_values_in_a_state_are_left_out() -> None:
    head = b'{"format": "mindinsight-like run state", "started": 1, '

    assert parse(head + b'"state": "failed", "reason": "a\\u0000\\ud800", "total_steps": -1}') == WriterState(
        "failed", 1.0, reason="a?"
    )
    assert parse(head + b'"state": "running", "ended": 5, "reason": "x", "total_steps": 7}') == WriterState(
        "running", 1.0, total_steps=7
    )
