"""Profiles as tables, for scripts and notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mindinsight_like.errors import Unreadable
from mindinsight_like.jobs.folder import RUNNING
from mindinsight_like.profiler.results.analyses import Analyses
from mindinsight_like.profiler.results.job import Status
from mindinsight_like.profiler.results.known import KnownProfile

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

STATES = ("new", "queued", "analysing", "ready", "failed")


def state_of(status: Status | None) -> str:
    """One of STATES."""
    if status is None:
        return "new"
    return "analysing" if status.state == RUNNING else status.state


def about(profile: KnownProfile, status: Status | None) -> dict[str, Any]:
    """What lists tell of a profile; some of it is known once it is analysed."""
    figures = {} if status is None else status.figures
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
        about(profile, analyses.status(profile)) | {"run": profile.run_name}
        for profile in analyses.known.all().values()
        if profile.run in chosen
    ]
    table = pd.DataFrame(rows, columns=columns).astype({"rank": "Int64", "steps": "Int64"})
    table["started_at"] = pd.to_datetime(table["started_at"].astype("float64"), unit="s", utc=True)
    return table


class Profile:
    """One profile, analysed; times are milliseconds."""

    def __init__(self, analyses: Analyses, id: str) -> None:
        opened = analyses.open_here(analyses.find(id))
        if isinstance(opened, Status):
            raise Unreadable(opened.message)
        self.analysed = opened.analysed
        self._profile = opened.profile

    def __repr__(self) -> str:
        return f"<profile {self._profile.name} of run {self._profile.run_name}>"

    def summary(self) -> dict[str, Any]:
        """The most important figures, what the profiler noted, and what could not be read."""
        return self.analysed.summary()

    def operators(self, by: str = "type", *, side: str = "", search: str = "", sort: str = "-self") -> pd.DataFrame:
        """The operators by "type", "name", "shape" (name and shapes of inputs) or "instance" (every execution)."""
        import pandas as pd

        table = self.analysed.operators(by, side=side, search=search, sort=sort, limit=None)
        return pd.DataFrame(table["rows"], columns=[column["name"] for column in table["columns"]])

    def steps(self) -> pd.DataFrame:
        """One row per step: number, begin, duration, is_partial, is_unusual, and a column for each part of its time."""
        import pandas as pd

        found = self.analysed.steps()
        columns = ["number", "begin", "end", "duration", "is_partial", "is_unusual", "overlapped"]
        optional = [
            name for name in ("interval", "forward_backward", "tail") if any(name in step for step in found["steps"])
        ]
        rows = [{**step, **step["parts"]} for step in found["steps"]]
        return pd.DataFrame(rows, columns=[*columns, *optional, *found["parts"]])
