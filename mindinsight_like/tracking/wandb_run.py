"""A run with the methods that scripts for wandb call."""

from __future__ import annotations

import logging
from typing import Any, ClassVar

from mindinsight_like.tracking.tracked_run import TrackedRun

log = logging.getLogger(__name__)

_ignored: set[str] = set()


class WandbRun(TrackedRun):
    """Recorded like any other; what needs wandb's server does nothing and says so once."""

    separator: ClassVar[str] = "."

    def define_metric(
        self,
        name: str,
        step_metric: Any = None,
        step_sync: bool | None = None,
        hidden: bool | None = None,
        summary: str | None = None,
        goal: str | None = None,
        **options: Any,
    ) -> None:
        """Say which value of a scalar is its result; in the page any scalar can be the X axis, so the rest is free."""
        rule = (summary or "last").split(",")[0]
        if rule == "best":
            rule = "max" if (goal or "").startswith("max") else "min"
        super().define_metric(name, summary={"copy": "last", "first": "last"}.get(rule, rule))

    def alert(self, title: str, text: str = "", level: Any = None, wait_duration: Any = None) -> None:
        """Recorded as a text."""
        self.log({"alert": f"**{title}**\n\n{text}"}, commit=False)

    def watch(self, *arguments: Any, **options: Any) -> None:
        """Not recorded."""
        ignore("watch", "log gradients as Histogram instead")

    def unwatch(self, *arguments: Any, **options: Any) -> None:
        """See `watch`."""

    def save(self, glob_str: Any = None, *arguments: Any, **options: Any) -> bool:
        """Nothing is copied."""
        ignore("save", "files stay where they are")
        return True

    def log_code(self, *arguments: Any, **options: Any) -> None:
        """The git commit with what differs from it is recorded already."""

    def log_artifact(self, *arguments: Any, **options: Any) -> None:
        """Not recorded."""
        ignore("log_artifact", "mindinsight_like.log_lineage(run.dir, outputs=...) records files with their hashes")

    def use_artifact(self, *arguments: Any, **options: Any) -> None:
        """Not recorded."""
        ignore("use_artifact", "mindinsight_like.log_lineage(run.dir, inputs=...) records files with their hashes")


def ignore(call: str, advice: str) -> None:
    """Say once that a call has no effect."""
    if call not in _ignored:
        _ignored.add(call)
        log.warning("wandb.%s does nothing here: %s", call, advice)
