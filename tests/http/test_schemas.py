"""Schemas of response types that describe their fields without msgspec."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypedDict

from typing_extensions import NotRequired

from mindinsight_like.http.schemas import response_schemas


class Point(TypedDict):
    at: Annotated[float, "Milliseconds."]
    label: NotRequired[Annotated[str, "Absent without one."]]


@dataclass(frozen=True)
class Curve:
    """Some points."""

    name: str
    points: Annotated[list[Point] | None, "In order of time."]


def test_strings_describe_fields_of_nested_types_and_optional_ones() -> None:
    (schema,), components = response_schemas([list[Curve]])

    assert schema == {"type": "array", "items": {"$ref": "#/components/schemas/Curve"}}
    assert components["Curve"]["description"] == "Some points."
    assert _descriptions(components["Curve"]) == {"points": "In order of time."}
    assert _descriptions(components["Point"]) == {"at": "Milliseconds.", "label": "Absent without one."}
    assert components["Point"]["required"] == ["at"]


def _descriptions(component: dict[str, object]) -> dict[str, str]:
    properties = component["properties"]
    assert isinstance(properties, dict)
    return {name: each["description"] for name, each in properties.items() if "description" in each}
