"""Operation decorator of routes: checks requests, and provides the entries of `openapi.json`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec

from flask.wrappers import Response

from mindinsight_like.errors import BadParameter, ServiceError
from mindinsight_like.http.parameters import Parameter, Params, received

P = ParamSpec("P")


@dataclass(frozen=True)
class Operation:
    """What a route takes and gives. The docstring of its function says what it is for."""

    answer: Any  # the type of the response, see response_types.py; None: no JSON
    parameters: Sequence[Parameter[Any]] = ()
    errors: Sequence[type[ServiceError]] = ()
    other_formats: Mapping[str, str] = field(default_factory=dict)  # content type -> what it holds
    waiting: Any = None  # the type of what comes with 202 as long as there is no answer yet
    embedded: Sequence[Any] = ()  # types of JSON inside other formats
    only_reads: bool = False  # although it is POSTed: nothing that others see is changed by it

    def __call__(self, view: Callable[Concatenate[Params, P], Response]) -> Callable[P, Response]:
        """Decorate a route: its function gets the checked parameters first."""

        @functools.wraps(view)
        def checked(*args: P.args, **kwargs: P.kwargs) -> Response:
            return view(received(self.parameters), *args, **kwargs)

        checked.operation = self  # type: ignore[attr-defined]
        return checked

    @property
    def types(self) -> list[Any]:
        """Types of all JSON responses but errors."""
        return [each for each in (self.answer, self.waiting, *self.embedded) if each is not None]

    @property
    def all_errors(self) -> list[type[ServiceError]]:
        return [BadParameter, *self.errors]


def operation_of(view: Callable[..., Any]) -> Operation | None:
    operation = getattr(view, "operation", None)
    return operation if isinstance(operation, Operation) else None
