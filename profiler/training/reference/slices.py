"""Hot path of recording by hand: the Python reference of `_slices`.

Nothing here waits for a lock: each thread writes to rows of its own, which `Target.flush` takes away.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from threading import local
from time import perf_counter_ns
from typing import Any, Final, TypeVar

from mindinsight_like.profiler.process.warnings import harmless

_F = TypeVar("_F", bound=Callable[..., Any])
Operator = tuple[Any, ...]  # name, type and shape, as they were given
Mark = Callable[[str, str], AbstractContextManager[Any]]
CAPACITY: Final = 2048  # rows of a thread that wait to be taken
ROW: Final = 24
_write_row = struct.Struct("=qqq").pack_into


class Rows:
    """Slices that one thread has ended and nobody has taken yet: start, end and operator each."""

    __slots__ = ("_buffer", "_taken", "count", "track")

    def __init__(self, track: int) -> None:
        self.track = track
        self.count = 0
        self._taken = 0
        self._buffer = bytearray(CAPACITY * ROW)

    def take(self, is_owner: bool) -> bytes:
        """Rows not taken before; the thread that fills them makes room, too. One caller at a time."""
        count = self.count
        content = bytes(memoryview(self._buffer)[self._taken * ROW : count * ROW])
        self._taken = count
        if is_owner:
            self.count = self._taken = 0
        return content


class Target:
    """Where slices are recorded; a recorder is one."""

    def __init__(self) -> None:
        self.due = 0  # on the clock: rows are then taken, full or not
        self.is_closed = False
        self._rows = local()
        self._numbers: dict[Operator, int] = {}

    def define(self, operator: Operator) -> int:
        """The number of an operator, given its name, type and shape, that was not used before."""
        raise NotImplementedError

    def new_rows(self) -> Rows:
        """Rows for the calling thread."""
        raise NotImplementedError

    def flush(self) -> None:
        """Take all rows away."""
        raise NotImplementedError

    def forget(self) -> None:
        """Begin with new rows and numbers, as a forked process does."""
        self._rows = local()
        self._numbers = {}

    def add(self, start: int, end: int, operator: Operator) -> None:
        """Record a slice of the calling thread."""
        if self.is_closed:
            return
        try:
            rows: Rows = self._rows.rows
        except AttributeError:
            rows = self._rows.rows = self.new_rows()
        try:
            number = self._numbers.get(operator)
        except TypeError:  # a list for a shape, and other things that are no keys
            operator = tuple(map(str, operator))
            number = self._numbers.get(operator)
        if number is None:
            number = self._numbers[operator] = self.define(operator)
        count = rows.count
        if count == CAPACITY:
            return  # a signal has come while this very thread was making room
        _write_row(rows._buffer, count * ROW, start, end, number)
        rows.count = count + 1
        if count + 1 == CAPACITY or end > self.due:
            self.flush()


class Switch:
    """Where slices go at present: to a recorder, to marks of a framework's profiler, or nowhere."""

    __slots__ = ("mark", "owner", "target")

    def __init__(self) -> None:
        self.target: Target | None = None
        self.mark: Mark | None = None
        self.owner: Callable[[], Any] | None = None  # gives the profiler, or None once it is gone


class Slice:
    """One operation: as a context it is recorded once, as a decorator at every call.

    An object serves one block at a time; the decorator takes new ones, so functions may recurse.
    """

    __slots__ = ("_mark", "_operator", "_start", "_switch", "_target")

    def __init__(self, switch: Switch, name: str, type: str, shape: object) -> None:
        self._switch = switch
        self._operator = (name, type, shape)
        self._target: Target | None = None
        self._mark: AbstractContextManager[Any] | None = None
        self._start = 0

    def __enter__(self) -> Slice:
        switch = self._switch
        self._target = switch.target
        if self._target is not None:
            self._start = perf_counter_ns()
        elif switch.mark is not None:
            self._mark = entered(switch.mark, self._operator)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self._target is not None:
            self._target.add(self._start, perf_counter_ns(), self._operator)
        elif self._mark is not None:
            mark, self._mark = self._mark, None
            left(mark)

    def __call__(self, function: _F) -> _F:
        return decorated(function, self._again)

    def __reduce__(self) -> tuple[Any, ...]:
        # In another process it records as the profiler does there.
        return elsewhere, (self._switch.owner() if self._switch.owner is not None else None, *self._operator)

    def _again(self) -> Slice:
        return Slice(self._switch, *self._operator)


def elsewhere(profiler: Any, name: str, type: str, shape: object) -> AbstractContextManager[Any]:
    """An operation that was sent here, of its profiler; one that records nothing where that is gone."""
    if profiler is None:
        return Slice(Switch(), name, type, shape)
    operation: AbstractContextManager[Any] = profiler.op(name, type, shape)
    return operation


def entered(mark: Mark, operator: Operator) -> AbstractContextManager[Any] | None:
    """A mark of the framework's, entered; None where that fails, which is no matter of the training."""
    with harmless("the framework's profiler does not take the names of operations"):
        context = mark(str(operator[0]), str(operator[1]))
        context.__enter__()
        return context
    return None


def left(mark: AbstractContextManager[Any]) -> None:
    """Leave what was entered."""
    with harmless("the framework's profiler does not take the names of operations"):
        mark.__exit__(None, None, None)


def decorated(function: _F, again: Callable[[], AbstractContextManager[Any]]) -> _F:
    """The function, each call of which runs in a context; of a generator each piece that it yields does."""
    wrapper: Any
    if isgeneratorfunction(function):

        @wraps(function)
        def wrapper(*arguments: Any, **named: Any) -> Any:
            return _Pieces(function(*arguments, **named), again)

    elif isasyncgenfunction(function):
        return function  # its time is that of whoever iterates: nothing of it is its own
    elif iscoroutinefunction(function):

        @wraps(function)
        async def wrapper(*arguments: Any, **named: Any) -> Any:
            with again():
                return await function(*arguments, **named)

    else:

        @wraps(function)
        def wrapper(*arguments: Any, **named: Any) -> Any:
            with again():
                return function(*arguments, **named)

    result: _F = wrapper
    return result


class _Pieces:
    """A generator whose every piece is recorded."""

    def __init__(self, generator: Any, again: Callable[[], AbstractContextManager[Any]]) -> None:
        self._generator = generator
        self._again = again

    def __iter__(self) -> _Pieces:
        return self

    def __next__(self) -> Any:
        with self._again():
            return next(self._generator)

    def send(self, value: Any) -> Any:
        """As of the generator itself."""
        with self._again():
            return self._generator.send(value)

    def throw(self, *error: Any) -> Any:
        """As of the generator itself."""
        with self._again():
            return self._generator.throw(*error)

    def close(self) -> None:
        """As of the generator itself."""
        self._generator.close()
