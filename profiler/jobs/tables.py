"""Profiles as DataFrames, for scripts and notebooks."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, cast

from mindinsight_like.errors import Unreadable
from mindinsight_like.jobs.folder import RUNNING
from mindinsight_like.profiler.jobs.analysis_folder import ProfileFigures, Status
from mindinsight_like.profiler.jobs.analysis_jobs import Analyses, Opened
from mindinsight_like.profiler.jobs.profile_catalogue import IndexedProfile
from mindinsight_like.store.segments.sealing import BrokenSeal
from mindinsight_like.tables.timestamps import time_column

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

ProfileState = Literal["new", "queued", "analysing", "ready", "failed"]


class ProfileFacts(TypedDict):
    """What lists show of a profile; some of it is known once it is analysed."""

    id: str
    run: Annotated[str, "ID of the run."]
    run_name: str
    session: Annotated[str, "The same for the ranks of a run that were recorded together."]
    rank: int | None
    device: str
    tool: str
    name: str
    bytes: int
    steps: Annotated[int | None, "Known once it is analysed, as are `device` and `started_at`."]
    started_at: Annotated[float | None, "Seconds since 1970."]
    state: ProfileState


def state_of(status: Status | None) -> ProfileState:
    """The state of an analysis as users see it."""
    if status is None:
        return "new"
    return "analysing" if status.state == RUNNING else cast(ProfileState, status.state)


def about(profile: IndexedProfile, status: Status | None) -> ProfileFacts:
    """The entry of a profile in lists."""
    figures: ProfileFigures = {} if status is None else status.figures
    rank = figures.get("rank", -1)
    return {
        "id": profile.id,
        "run": profile.run,
        "run_name": profile.run_name,
        "session": profile.source.session,
        "rank": rank if rank >= 0 else profile.rank,
        "device": figures.get("device", ""),
        "tool": figures.get("tool", profile.tool),
        "name": profile.name,
        "bytes": profile.bytes,
        "steps": figures.get("steps"),
        "started_at": figures.get("started_at"),
        "state": state_of(status),
    }


def profiles_table(analyses: Analyses, runs: Iterable[str]) -> pd.DataFrame:
    """One row per profile of the runs with these ids."""
    import pandas as pd

    columns = ["id", "run", "session", "rank", "device", "tool", "name", "bytes", "steps", "started_at", "state"]
    chosen = set(runs)
    rows = [
        {**about(profile, analyses.status(profile)), "run": profile.run_name}
        for profile in analyses.catalogue.all().values()
        if profile.run in chosen
    ]
    table = pd.DataFrame(rows, columns=columns).astype({"rank": "Int64", "steps": "Int64"})
    return table.assign(started_at=time_column(table["started_at"].to_numpy()))


def _verified(analyses: Analyses, id: str) -> Opened:
    """The analysed profile, all of it verified: a script is not to be stopped half way. Raises Unreadable."""
    while True:
        opened = analyses.open_here(analyses.find(id))
        if isinstance(opened, Status):
            raise Unreadable(opened.message)
        try:
            opened.analysed.verify()
        except BrokenSeal as error:
            analyses.discard([opened], error)  # which fails when it happens again
        else:
            return opened


class Profile:
    """One profile, analysed; times are milliseconds."""

    def __init__(self, analyses: Analyses, id: str) -> None:
        opened = _verified(analyses, id)
        self.analysed = opened.analysed
        self._profile = opened.profile

    def __repr__(self) -> str:
        return f"<profile {self._profile.name} of run {self._profile.run_name}>"

    def summary(self) -> dict[str, Any]:
        """The most important figures, what the profiler noted, and what could not be read."""
        return asdict(self.analysed.summary())

    def operators(self, by: str = "type", *, side: str = "", search: str = "", sort: str = "-self") -> pd.DataFrame:
        """The operators by "type", "name", "shape" (name and shapes of inputs) or "instance" (every execution).

        Annotations, such as marks of steps, only name what others take: by "type", "name" and "shape" they come last.
        """
        import pandas as pd

        table = self.analysed.operators(by, side=side, search=search, sort=sort, limit=None)
        rows = table.rows
        if by != "instance":
            rows = sorted(rows, key=lambda row: row["side"] == "annotation")  # which keeps the order otherwise
        return pd.DataFrame(rows, columns=[column["name"] for column in table.columns])

    def steps(self) -> pd.DataFrame:
        """One row per step: number, begin, duration, is_partial, is_unusual, and a column for each part of its time."""
        import pandas as pd

        answer = self.analysed.steps()
        columns = ["number", "begin", "end", "duration", "is_partial", "is_unusual", "overlapped"]
        optional = [
            name for name in ("interval", "forward_backward", "tail") if any(name in step for step in answer["steps"])
        ]
        rows = [{**step, **step["parts"]} for step in answer["steps"]]
        return pd.DataFrame(rows, columns=[*columns, *optional, *answer["parts"]])
