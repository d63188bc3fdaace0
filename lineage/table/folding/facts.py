"""What is known of a row of sub-runs: the state of the one that is most alive, and times that span all of them."""

from __future__ import annotations

from collections.abc import Sequence

from mindinsight_like.store.result_types import RunFacts
from mindinsight_like.store.run_status import RunStatus, State

_BY_LIFE: tuple[State, ...] = ("running", "stalled", "failed", "finished", "unknown")
_PLACES = {state: place for place, state in enumerate(_BY_LIFE)}


def joined_facts(name: str, members: Sequence[RunFacts], newest: Sequence[RunFacts]) -> RunFacts:
    """The facts of a row; `newest`: the members that tell its state when none is running, the last version."""
    lead = members[0]
    dialects = {each.dialects for each in members}
    return RunFacts(
        lead.id,
        name,
        min([each.created_at for each in members]),
        max([each.updated_at for each in members]),
        sum([each.bytes for each in members]),
        lead.dialects if len(dialects) == 1 else ",".join(sorted(set(",".join(dialects).split(",")) - {""})),
        _joined_status([each.status for each in members], [each.status for each in newest]),
        lead.display_name,
        sum([each.warnings for each in members]),
    )


def _joined_status(members: Sequence[RunStatus], newest: Sequence[RunStatus]) -> RunStatus:
    running = [each for each in members if each.state == "running"]
    alive = min(running or newest, key=_liveliness)
    is_over = alive.state in ("failed", "finished")
    starts = [each.started_at for each in members if each.started_at is not None]
    ends = [each.ended_at for each in members if each.ended_at is not None] if is_over else []
    activities = [each.active_at for each in members if each.active_at is not None]
    steps = [each.step for each in members if each.step is not None]
    totals = [each.total_steps for each in members if each.total_steps is not None]
    return RunStatus(
        alive.state,
        alive.word,
        alive.exit_reason,
        started_at=min(starts, default=None),
        ended_at=max(ends, default=None),
        active_at=max(activities, default=None),
        step=max(steps, default=None),
        total_steps=max(totals, default=None),
        seconds_per_step=alive.seconds_per_step,
    )


def _liveliness(status: RunStatus) -> int:
    return _PLACES[status.state]
