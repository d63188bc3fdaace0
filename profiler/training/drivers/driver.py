"""What a driver of a framework's profiler does."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol


@dataclass(frozen=True)
class Wishes:
    """What the user wants of the framework's profiler."""

    folder: Path
    worker: str  # how names of files begin
    place: str = ""  # of this process among several, as in "rank1"
    arguments: dict[str, Any] = field(default_factory=dict)
    on_trace_ready: Callable[[Any], Any] | None = None

    def chosen(self, *names: str, **usual: Any) -> dict[str, Any]:
        """Arguments that were given of those the framework knows, with usual values for those that were not."""
        given = {name: self.arguments[name] for name in (*names, *usual) if self.arguments.get(name) is not None}
        return {**usual, **given}


class Driver(Protocol):
    """One framework's profiler. Recordings follow each other: `prepare`, if wanted, `begin`, `step`s, `end`.

    All methods are called in the training's thread and may raise anything.
    """

    ARGUMENTS: ClassVar[frozenset[str]]  # that the framework's profiler knows
    # A name of the user's in the framework's recording; None where the framework has no such thing.
    mark: Callable[[str, str], AbstractContextManager[Any]] | None

    def prepare(self, step: int) -> None:
        """The profiler is to run, without keeping anything yet; this step begins."""

    def begin(self, step: int) -> None:
        """Recording begins with this step."""

    def step(self, step: int) -> None:
        """This step begins, and the one before it ends."""

    def end(self, *, is_in_step: bool) -> None:
        """Recording ends, in the middle of a step or with it; the files are written."""
