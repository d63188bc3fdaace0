"""Schedules: which steps of a training are recorded."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any


class Phase(IntEnum):
    """What happens in a step; the numbers are those of torch's, MindSpore's and Paddle's states."""

    IDLE = 0
    WARM_UP = 1  # the framework's profiler runs already, so that its start is not in the recording
    RECORD = 2
    RECORD_AND_SAVE = 3  # the last step of a recording

    @property
    def is_recording(self) -> bool:
        return self >= Phase.RECORD


def schedule(
    *, wait: int = 0, warmup: int = 0, active: int = 1, repeat: int = 0, skip_first: int = 0
) -> Callable[[int], Phase]:
    """Skip `skip_first` steps, then again and again wait, warm up and record so many; `repeat` times, 0: to the end.

    Raises ValueError for numbers that make no schedule.
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active < 1:
        raise ValueError("a schedule needs at least one active step, and no negative numbers")
    cycle = wait + warmup + active

    def phase(step: int) -> Phase:
        done = step - skip_first
        if done < 0 or (repeat and done >= cycle * repeat):
            return Phase.IDLE
        place = done % cycle
        if place < wait:
            return Phase.IDLE
        if place < wait + warmup:
            return Phase.WARM_UP
        return Phase.RECORD if place < cycle - 1 else Phase.RECORD_AND_SAVE

    return phase


def always(step: int) -> Phase:
    """Every step belongs to one long recording."""
    return Phase.RECORD


def as_phases(schedule_function: Callable[[int], Any]) -> Callable[[int], Phase]:
    """A schedule function of ours, of torch, MindSpore or Paddle, whose states have the same numbers."""

    def phase(step: int) -> Phase:
        state = schedule_function(step)
        return state if isinstance(state, Phase) else Phase(getattr(state, "value", state))

    return phase
