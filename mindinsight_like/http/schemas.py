"""JSON Schemas, derived from response types."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import is_dataclass
from typing import Annotated, Any, get_args, get_origin

import msgspec
from typing_extensions import NotRequired, get_type_hints, is_typeddict

Schema = dict[str, object]

STRING: Schema = {"type": "string"}


def response_schemas(types: Iterable[Any]) -> tuple[list[Schema], dict[str, Schema]]:
    """A schema for each response type, and the components that these refer to, by name of their class.

    Types of packages that do not know of msgspec describe their fields with strings: `Annotated[float, "Seconds."]`.
    """
    types = list(types)
    schemas, components = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    for component in components.values():
        if "description" in component:  # a docstring, still indented
            component["description"] = inspect.cleandoc(component["description"])
    for each in _classes(types):
        hints = get_type_hints(each, include_extras=True)
        component = components[each.__name__]
        properties = component["properties"]
        for name, text in _descriptions(hints):
            properties[name]["description"] = text
        component["properties"] = {name: properties[name] for name in hints}  # msgspec sorts those of TypedDicts
        component["required"] = [name for name in hints if name in component["required"]]
    _mark_open(components)
    return list(schemas), components


def _classes(types: Iterable[Any]) -> set[type]:
    """All dataclasses and TypedDicts that the types are made of."""
    classes: set[type] = set()
    pending = list(types)
    while pending:
        each = pending.pop()
        if not is_dataclass(each) and not is_typeddict(each):
            pending += get_args(each)
        elif isinstance(each, type) and each not in classes:
            classes.add(each)
            pending += get_type_hints(each, include_extras=True).values()
    return classes


def _descriptions(hints: dict[str, Any]) -> Iterable[tuple[str, str]]:
    for name, hint in hints.items():
        origin: Any = get_origin(hint)
        field_type = get_args(hint)[0] if origin is NotRequired else hint
        if get_origin(field_type) is Annotated:
            yield from ((name, text) for text in field_type.__metadata__ if isinstance(text, str))


def _mark_open(schema: Any) -> None:
    """Say of each `dict[str, Any]` that it may hold anything, which a schema without fields leaves open."""
    if isinstance(schema, list):
        for each in schema:
            _mark_open(each)
    elif isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" not in schema:
            schema.setdefault("additionalProperties", True)
        for each in schema.values():
            _mark_open(each)
