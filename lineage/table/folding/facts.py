"""What is known of a row of sub-runs: the state of the one that is most alive, and times that span all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from mindinsight_like.store.result_types import RunFacts
from mindinsight_like.store.run_status import RunStatus, State

_BY_LIFE: tuple[State, ...] = ("running", "stalled", "failed", "finished", "unknown")

_Number = TypeVar("_Number", int, float)


def joined_facts(name: str, members: Sequence[RunFacts], newest: Sequence[RunFacts]) -> RunFacts:
    """The facts of a row; `newest`: the members that tell its state when none is running, the last version."""
    lead = members[0]
    return RunFacts(
        id=lead.id,
        name=name,
        created_at=min(each.created_at for each in members),
        updated_at=max(each.updated_at for each in members),
        bytes=sum(each.bytes for each in members),
        dialects=",".join(sorted({dialect for each in members for dialect in each.dialects.split(",") if dialect})),
        status=_joined_status([each.status for each in members], [each.status for each in newest]),
        display_name=lead.display_name,
        warnings=sum(each.warnings for each in members),
    )


def _joined_status(members: Sequence[RunStatus], newest: Sequence[RunStatus]) -> RunStatus:
    running = [each for each in members if each.state == "running"]
    alive = min(running or newest, key=lambda each: _BY_LIFE.index(each.state))
    is_over = alive.state in ("failed", "finished")
    return alive._replace(
        started_at=_of_any(min, (each.started_at for each in members)),
        ended_at=_of_any(max, (each.ended_at for each in members)) if is_over else None,
        active_at=_of_any(max, (each.active_at for each in members)),
        step=_of_any(max, (each.step for each in members)),
        total_steps=_of_any(max, (each.total_steps for each in members)),
    )


def _of_any(choose: Callable[[list[_Number]], _Number], numbers: Iterable[_Number | None]) -> _Number | None:
    some = [number for number in numbers if number is not None]
    return choose(some) if some else None
