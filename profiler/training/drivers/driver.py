"""Interface of the drivers of frameworks' profilers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol


@dataclass(frozen=True)
class DriverOptions:
    """What the user wants of the framework's profiler."""

    folder: Path
    place: str = ""  # of this process among several, as in "rank1"
    arguments: dict[str, Any] = field(default_factory=dict)
    on_trace_ready: Callable[[Any], Any] | None = None

    def chosen(self, *names: str, **usual: Any) -> dict[str, Any]:
        """Arguments that were given of those the framework knows, with usual values for those that were not."""
        arguments = {name: self.arguments[name] for name in (*names, *usual) if self.arguments.get(name) is not None}
        return {**usual, **arguments}


class Refused(Exception):
    """The framework's profiler cannot be used now; the message is a sentence for the user."""


class OperationTypes:
    """Types of the user's marks by the names under which a framework records them."""

    def __init__(self) -> None:
        self.by_name: dict[str, str] = {}

    def name_of(self, name: str, type: str) -> str:
        """The name to record an operation under: its own, unless one of another type has it."""
        recorded_type = self.by_name.setdefault(name, type)
        if recorded_type == type:
            return name
        return self.name_of(f"{name} ({type or 'no type'})", type)

    def take_all(self) -> dict[str, str]:
        """What types say of all operations so far; a new recording begins with none."""
        types = {name: type for name, type in self.by_name.items() if type}
        self.by_name = {}
        return types


class Driver(Protocol):
    """One framework's profiler. Recordings follow each other: `prepare`, if wanted, `begin`, `step`s, `end`.

    All methods are called in the training's thread and may raise anything.
    """

    ARGUMENTS: ClassVar[frozenset[str]]  # that the framework's profiler knows
    # How files of the recording are called, set before each: `<worker>.<unix ns>`. Names of what the framework leaves
    # contain the time, by which readers know what belongs together.
    recording: str
    # What is known of the last recording and the framework's files do not keep, by the names of `own_format`.
    facts: dict[str, Any]
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
