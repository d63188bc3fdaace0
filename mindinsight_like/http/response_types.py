"""Vocabulary of response types: the decorator that declares one, and the field types they share.

Each response is declared once, as a class below or beside its route; `schemas.py` derives JSON Schema from it, and
mypy checks that the builder returns it. A field has no default: it is there in every response. An object with fields
that may be absent is a `TypedDict` with `NotRequired`; so are rows of lists that may have thousands of them, since a
dict literal takes a third of the time of a dataclass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import numpy.typing as npt
from msgspec import Meta
from typing_extensions import NotRequired, TypedDict, dataclass_transform

from mindinsight_like.tables.json_numbers import JsonNumber

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def response_type(cls: type[T]) -> type[T]:
    """Declare an object of a response: a dataclass with keyword arguments that the type checker holds to be frozen.

    At run time it is neither frozen nor slotted: orjson writes a dataclass with a `__dict__` as fast as a dict, one
    with slots seven times slower, and making a frozen one takes three times as long.
    """
    return dataclass(kw_only=True)(cls)


if TYPE_CHECKING:
    # Columns stay numpy arrays until orjson writes them.
    Numbers = npt.NDArray[Any] | list[JsonNumber] | list[float]
    Integers = npt.NDArray[Any] | list[int]
    Counts = npt.NDArray[Any] | list[int]
    NumberRows = npt.NDArray[Any] | list[JsonNumber]  # lists of lists
else:
    Numbers = list[JsonNumber]
    Integers = list[int]
    Counts = list[Annotated[int, Meta(ge=0)]]
    NumberRows = list[list[JsonNumber]]

Count = Annotated[int, Meta(ge=0)]
Timestamp = Annotated[float, Meta(description="Seconds since 1970.")]
RunId = Annotated[str, Meta(description="ID of a run.")]
Version = Annotated[int, Meta(ge=0, description="Changes with every edit; 0 where nothing is saved.")]
Superseded = Annotated[int, Meta(ge=0, description="How many points are hidden by default, at any step; see `resume`.")]
JsonScalar = bool | float | str
JsonObject = dict[str, Any]  # any JSON object


@response_type
class Interval:
    min: JsonNumber
    max: JsonNumber


class PartialResponse(TypedDict):
    """A response that leaves out runs which are being rebuilt."""

    rebuilding: NotRequired[
        Annotated[
            list[str],
            Meta(
                description="IDs of the runs that are missing from this response, since the index is damaged there "
                "and being rebuilt from the logs. Absent if the response is complete."
            ),
        ]
    ]


@response_type
class ErrorDetail:
    code: Annotated[str, Meta(description="For programs; stable.")]
    message: Annotated[str, Meta(description="For people.")]
    details: Annotated[JsonObject, Meta(description="What the error is about, such as the name of a parameter.")]


@response_type
class Error:
    """What went wrong: `code` for programs, `message` for people."""

    error: ErrorDetail
