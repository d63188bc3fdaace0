"""What clients may ask: parameters that read themselves, from a URL or a JSON body, and describe themselves."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import orjson
from flask import request

from mindinsight_like.errors import BadParameter
from mindinsight_like.web.schemas import STRING, Schema, listed

T = TypeVar("T")
D = TypeVar("D")


@dataclass(frozen=True)
class Parameter(ABC, Generic[T]):
    name: str
    help: str

    @abstractmethod
    def read(self, texts: Sequence[str] | None) -> T:
        """The value for what the client gave, None when it gave nothing. Raises BadParameter."""

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """What is allowed, as JSON Schema."""

    @property
    def is_required(self) -> bool:
        return False


@dataclass(frozen=True)
class Single(Parameter[T]):
    """A parameter given at most once."""

    allowed: str  # as it continues "must be ..."
    parse: Callable[[str], T]  # raises ValueError
    default: T
    described: Schema

    def read(self, texts: Sequence[str] | None) -> T:
        if not texts:
            return self.default
        if len(texts) > 1:
            raise BadParameter(f"{self.name} may be given only once.", parameter=self.name)
        try:
            return self.parse(texts[0])
        except ValueError as error:
            message = f"{self.name} must be {self.allowed}, not {texts[0][:100]!r}."
            raise BadParameter(message, parameter=self.name, allowed=self.allowed) from error

    @property
    def schema(self) -> Schema:
        return self.described if self.default is None else self.described | {"default": self.default}


@dataclass(frozen=True)
class Repeated(Parameter[list[str]]):
    """A parameter given any number of times; a value given twice counts once."""

    required: bool = False

    def read(self, texts: Sequence[str] | None) -> list[str]:
        if texts is None and self.required:
            raise BadParameter(f"{self.name} is needed, once or more often.", parameter=self.name)
        return list(dict.fromkeys(texts or ()))

    @property
    def schema(self) -> Schema:
        return listed(STRING)

    @property
    def is_required(self) -> bool:
        return self.required


def text(name: str, help: str) -> Single[str]:
    return Single(name, help, "text", str, "", STRING)


def choice(name: str, help: str, values: Sequence[str], *, default: str) -> Single[str]:
    def parse(given: str) -> str:
        if given not in values:
            raise ValueError(given)
        return given

    return Single(name, help, f"one of {', '.join(values)}", parse, default, {"type": "string", "enum": list(values)})


@dataclass(frozen=True)
class Structured(Single[Any]):
    """A parameter of JSON: an object in a body, its text in a URL."""


def structured(name: str, help: str, described: Schema) -> Structured:
    """A parameter of JSON; None when it is not given."""
    return Structured(name, help, "JSON", orjson.loads, None, described)


_LARGEST = 2**63 - 1  # what the store's columns hold


def whole(name: str, help: str, *, default: D, lowest: int = -_LARGEST - 1, highest: int = _LARGEST) -> Single[int | D]:
    def parse(given: str) -> int:
        value = _whole(given)
        if not lowest <= value <= highest:
            raise ValueError(given)
        return value

    bounds: Schema = {"minimum": lowest} if lowest > -_LARGEST - 1 else {}
    allowed = f"a whole number from {lowest} on" if bounds else "a whole number"
    if highest < _LARGEST:
        bounds, allowed = bounds | {"maximum": highest}, f"a whole number from {lowest} to {highest}"
    return Single(name, help, allowed, parse, default, {"type": "integer"} | bounds)


def whole_or_all(name: str, help: str, *, default: int, lowest: int) -> Single[int | None]:
    """A whole number, or None for `all`."""

    def parse(given: str) -> int | None:
        if given == "all":
            return None
        value = _whole(given)
        if not lowest <= value <= _LARGEST:
            raise ValueError(given)
        return value

    described: Schema = {"anyOf": [{"type": "integer", "minimum": lowest}, {"const": "all"}]}
    return Single(name, help, f"a whole number from {lowest} on, or all", parse, default, described)


def fraction(name: str, help: str, *, highest: float) -> Single[float]:
    return real(name, help, default=0.0, lowest=0, highest=highest)


def real(name: str, help: str, *, default: float, lowest: float, highest: float) -> Single[float]:
    def parse(given: str) -> float:
        value = float(given)
        if not lowest <= value <= highest:  # false for NaN too
            raise ValueError(given)
        return value

    described: Schema = {"type": "number", "minimum": lowest, "maximum": highest}
    return Single(name, help, f"a number from {lowest} to {highest}", parse, default, described)


def _whole(given: str) -> int:
    # int() alone would also take "1_000" and digits of other scripts.
    if not re.fullmatch(r"-?[0-9]{1,19}", given):
        raise ValueError(given)
    return int(given)


class Given:
    """The parameters of one request; `given[PARAMETER]` is its checked value."""

    def __init__(self, texts: Mapping[str, Sequence[str]], known: Iterable[Parameter[Any]]) -> None:
        names = [parameter.name for parameter in known]
        for name in texts:
            if name not in names:
                allowed = ", ".join(names) or "none"
                raise BadParameter(f"There is no parameter {name[:100]!r} here; there is: {allowed}.", parameter=name)
        self._texts = texts

    def __getitem__(self, parameter: Parameter[T]) -> T:
        return parameter.read(self._texts.get(parameter.name))

    def has(self, parameter: Parameter[Any]) -> bool:
        return parameter.name in self._texts


def received(known: Sequence[Parameter[Any]]) -> Given:
    """The parameters of the current request: from the body where there is one, else from the URL."""
    if request.method in ("POST", "PATCH", "PUT"):
        structured_ones = {each.name for each in known if isinstance(each, Structured)}
        return Given(_from_body(request.get_data(cache=False), structured_ones), known)
    return Given(request.args.to_dict(flat=False), known)


def _from_body(body: bytes, structured_ones: set[str]) -> dict[str, list[str]]:
    try:
        fields = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadParameter(f"The body is not JSON: {error}.") from error
    if not isinstance(fields, dict):
        raise BadParameter("The body must be a JSON object of parameters.")
    return {
        name: [orjson.dumps(value).decode()] if name in structured_ones else _texts(name, value)
        for name, value in fields.items()
        if value is not None
    }


def _texts(name: str, value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    for item in items:
        if isinstance(item, bool) or not isinstance(item, str | int | float):
            raise BadParameter(f"{name[:100]} must hold text or numbers.", parameter=name)
    return [str(item) for item in items]
