"""Routes that describe themselves: the one place from which requests are checked and `openapi.json` is written."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec

from flask.wrappers import Response

from mindinsight_like.errors import BadParameter, ServiceError
from mindinsight_like.web.parameters import Given, Parameter, received
from mindinsight_like.web.schemas import Schema

P = ParamSpec("P")


@dataclass(frozen=True)
class Operation:
    """What a route takes and gives. The docstring of its function says what it is for."""

    answer: Schema | None  # None: no JSON
    parameters: Sequence[Parameter[Any]] = ()
    errors: Sequence[type[ServiceError]] = ()
    other_formats: Mapping[str, str] = field(default_factory=dict)  # content type -> what it holds
    waiting: Schema | None = None  # what comes with 202 as long as there is no answer yet

    def __call__(self, view: Callable[Concatenate[Given, P], Response]) -> Callable[P, Response]:
        """Decorate a route: its function gets the checked parameters first."""

        @functools.wraps(view)
        def checked(*args: P.args, **kwargs: P.kwargs) -> Response:
            return view(received(self.parameters), *args, **kwargs)

        checked.operation = self  # type: ignore[attr-defined]
        return checked

    @property
    def all_errors(self) -> list[type[ServiceError]]:
        return [BadParameter, *self.errors]


def operation_of(view: Callable[..., Any]) -> Operation | None:
    found = getattr(view, "operation", None)
    return found if isinstance(found, Operation) else None
