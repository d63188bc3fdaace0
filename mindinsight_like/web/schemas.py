"""JSON Schemas of what the service answers, put together from small pieces."""

from __future__ import annotations

from mindinsight_like.web.numbers import NON_FINITE

Schema = dict[str, object]

STRING: Schema = {"type": "string"}
BOOLEAN: Schema = {"type": "boolean"}
WHOLE: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
TIME: Schema = {"type": "number", "description": "Seconds since 1970."}
NUMBER: Schema = {"anyOf": [{"type": "number"}, {"enum": list(NON_FINITE)}]}


def listed(item: Schema) -> Schema:
    return {"type": "array", "items": item}


def choice(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def record(**fields: Schema) -> Schema:
    """An object with all of these fields. More may be added in later versions."""
    return {"type": "object", "properties": fields, "required": list(fields)}


def with_optional(schema: Schema, **fields: Schema) -> Schema:
    """The object with more fields that it may have."""
    properties = schema["properties"]
    assert isinstance(properties, dict)
    return schema | {"properties": properties | fields}


ERROR = record(error=record(code=STRING, message=STRING, details={"type": "object"})) | {
    "description": "What went wrong: `code` for programs, `message` for people."
}
