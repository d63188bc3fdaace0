"""Request parameters, from the URL or a JSON body: parsing, validation and their OpenAPI schemas."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import orjson
from flask import request

from mindinsight_like.errors import BadParameter
from mindinsight_like.http.schemas import STRING, Schema

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
            raise BadParameter(f"parameter {self.name!r} may occur only once", parameter=self.name)
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
            raise BadParameter(f"missing required parameter {self.name!r}", parameter=self.name)
        return list(dict.fromkeys(texts or ()))

    @property
    def schema(self) -> Schema:
        return {"type": "array", "items": STRING}

    @property
    def is_required(self) -> bool:
        return self.required


def text(name: str, help: str) -> Single[str]:
    return Single(name, help, "text", str, "", STRING)


_MOST_WORDS = 50
_MOST_SEARCHED = 500  # characters


def words(name: str, help: str) -> Single[str]:
    """Text of which each word is searched for, so there is a limit."""

    def parse(raw: str) -> str:
        if len(raw) > _MOST_SEARCHED or len(raw.split()) > _MOST_WORDS:
            raise ValueError(raw)
        return raw

    allowed = f"at most {_MOST_WORDS} words and {_MOST_SEARCHED} characters"
    return Single(name, help, allowed, parse, "", STRING | {"maxLength": _MOST_SEARCHED})


def choice(name: str, help: str, values: Sequence[str], *, default: str) -> Single[str]:
    def parse(raw: str) -> str:
        if raw not in values:
            raise ValueError(raw)
        return raw

    return Single(name, help, f"one of {', '.join(values)}", parse, default, {"type": "string", "enum": list(values)})


@dataclass(frozen=True)
class Structured(Single[Any]):
    """A parameter of JSON: an object in a body, its text in a URL."""


def structured(name: str, help: str, described: Schema) -> Structured:
    """A parameter of JSON; None when it is not given."""
    return Structured(name, help, "JSON", orjson.loads, None, described)


@dataclass(frozen=True)
class Flag(Single[bool]):
    """A boolean: true or false, in a body also as JSON has them."""


def flag(name: str, help: str) -> Flag:
    """True or false; false when it is not given."""
    values = {"true": True, "false": False}

    def parse(raw: str) -> bool:
        if raw not in values:
            raise ValueError(raw)
        return values[raw]

    return Flag(name, help, "true or false", parse, False, {"type": "boolean"})


_LARGEST = 2**63 - 1  # what the store's columns hold


def whole(name: str, help: str, *, default: D, lowest: int = -_LARGEST - 1, highest: int = _LARGEST) -> Single[int | D]:
    def parse(raw: str) -> int:
        value = _whole(raw)
        if not lowest <= value <= highest:
            raise ValueError(raw)
        return value

    allowed = f"an integer >= {lowest}" if lowest > -_LARGEST - 1 else "an integer"
    if highest < _LARGEST:
        allowed = f"an integer from {lowest} to {highest}"
    described: Schema = {"type": "integer", "format": "int64", "minimum": lowest, "maximum": highest}
    return Single(name, help, allowed, parse, default, described)


def whole_or_all(name: str, help: str, *, default: int, lowest: int) -> Single[int | None]:
    """A whole number, or None for `all`."""

    def parse(raw: str) -> int | None:
        if raw == "all":
            return None
        value = _whole(raw)
        if not lowest <= value <= _LARGEST:
            raise ValueError(raw)
        return value

    described: Schema = {"anyOf": [{"type": "integer", "minimum": lowest}, {"const": "all"}]}
    return Single(name, help, f"an integer >= {lowest}, or 'all'", parse, default, described)


def version(name: str, help: str) -> Single[int | None]:
    """The version an edit is based on: 0 without one, None for `any`."""

    def parse(raw: str) -> int | None:
        if raw == "any":
            return None
        value = _whole(raw)
        if value < 0 or value > _LARGEST:
            raise ValueError(raw)
        return value

    described: Schema = {"anyOf": [{"type": "integer", "minimum": 0}, {"const": "any"}]}
    help = f"{help} 0: there was none; `any`: overwrite. A different version returns 409."
    return Single(name, help, "a version (an integer) or 'any'", parse, 0, described)


def fraction(name: str, help: str, *, highest: float) -> Single[float]:
    return real(name, help, default=0.0, lowest=0, highest=highest)


def real(name: str, help: str, *, default: float, lowest: float, highest: float) -> Single[float]:
    def parse(raw: str) -> float:
        value = float(raw)
        if not lowest <= value <= highest:  # false for NaN too
            raise ValueError(raw)
        return value

    described: Schema = {"type": "number", "minimum": lowest, "maximum": highest}
    return Single(name, help, f"a number from {lowest} to {highest}", parse, default, described)


def finite(name: str, help: str) -> Single[float | None]:
    """Any number but NaN and infinities; None when it is not given."""

    def parse(raw: str) -> float:
        value = float(raw)
        if not math.isfinite(value):
            raise ValueError(raw)
        return value

    return Single(name, help, "a number", parse, None, {"type": "number"})


def _whole(raw: str) -> int:
    # int() alone would also take "1_000" and digits of other scripts.
    if not re.fullmatch(r"-?[0-9]{1,19}", raw):
        raise ValueError(raw)
    return int(raw)


class Params:
    """The parameters of one request; `given[PARAMETER]` is its checked value."""

    def __init__(self, texts: Mapping[str, Sequence[str]], parameters: Sequence[Parameter[Any]]) -> None:
        names = [parameter.name for parameter in parameters]
        for name in texts:
            if name not in names:
                allowed = ", ".join(names) or "none"
                raise BadParameter(f"unknown parameter {name[:100]!r}; expected: {allowed}", parameter=name)
        self._texts = texts
        # All of them at once: a mistake is told whether or not the parameter is looked at.
        self._values = {parameter.name: parameter.read(texts.get(parameter.name)) for parameter in parameters}

    def __getitem__(self, parameter: Parameter[T]) -> T:
        if parameter.name not in self._values:
            return parameter.read(None)  # one that this operation does not take
        value: T = self._values[parameter.name]
        return value

    def has(self, parameter: Parameter[Any]) -> bool:
        return parameter.name in self._texts


def received(parameters: Sequence[Parameter[Any]]) -> Params:
    """The parameters of the current request: from the body where there is one, else from the URL."""
    if request.method in ("POST", "PATCH", "PUT"):
        structured_ones = {each.name for each in parameters if isinstance(each, Structured)}
        flags = {each.name for each in parameters if isinstance(each, Flag)}
        return Params(_from_body(request.get_data(cache=False), structured_ones, flags), parameters)
    return Params(request.args.to_dict(flat=False), parameters)


def _from_body(body: bytes, structured_ones: set[str], flags: set[str]) -> dict[str, list[str]]:
    try:
        fields = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadParameter(f"request body is not valid JSON: {error}") from error
    if not isinstance(fields, dict):
        raise BadParameter("request body must be a JSON object of parameters")
    return {
        name: [_json_text(name, value)]
        if name in structured_ones or (name in flags and isinstance(value, bool))
        else _texts(name, value)
        for name, value in fields.items()
        if value is not None
    }


def _json_text(name: str, value: object) -> str:
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError as error:  # it reads more levels than it writes
        raise BadParameter(f"{name} is nested too deeply", parameter=name) from error


def _texts(name: str, value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    for item in items:
        if isinstance(item, bool) or not isinstance(item, str | int | float):
            raise BadParameter(f"{name[:100]} must contain strings or numbers", parameter=name)
    return [str(item) for item in items]
