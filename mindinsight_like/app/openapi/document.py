"""OpenAPI 3.1 document of the REST interface, built from the operations of the routes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from typing import Any

from flask import Flask
from werkzeug.routing import Rule

from mindinsight_like.errors import (
    DatabaseUnavailable,
    NotAllowed,
    ReadOnly,
    Rebuilding,
    ServiceError,
    TokenNeeded,
    TooManyAttempts,
)
from mindinsight_like.http.app_state import state_of
from mindinsight_like.http.operations import Operation, operation_of
from mindinsight_like.http.parameters import Parameter
from mindinsight_like.http.response_types import Error, JsonObject, response_type
from mindinsight_like.http.schemas import STRING, Schema, response_schemas

_METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")


@response_type
class OpenApiDocument:
    """An OpenAPI 3.1 document; see https://spec.openapis.org/oas/v3.1.0."""

    openapi: str
    info: JsonObject
    servers: list[JsonObject]
    security: list[JsonObject]
    paths: JsonObject
    components: JsonObject


def describe(app: Flask) -> OpenApiDocument:
    """Every route below `/v1` as an OpenAPI document."""
    state = state_of(app)
    rules = sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule)
    operations = [(rule, each) for rule in rules if (each := operation_of(app.view_functions[rule.endpoint]))]
    schemas = ResponseSchemas(operation for _, operation in operations)
    paths: dict[str, dict[str, Schema]] = {}
    for rule, operation in operations:
        methods = paths.setdefault(re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule.rule), {})
        summary = inspect.cleandoc(app.view_functions[rule.endpoint].__doc__ or "")
        for method in _METHODS:
            if method in (rule.methods or ()):
                methods[method.lower()] = _operation(operation, rule, method, summary, schemas)
    return OpenApiDocument(
        openapi="3.1.0",
        info={"title": "mindinsight-like", "version": state.version},
        servers=[{"url": state.prefix or "/"}],
        security=[{}, {"token": []}],
        paths=paths,
        components={
            "schemas": schemas.components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    )


class ResponseSchemas:
    """Schemas of the response types of all operations."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        types = [each for operation in operations for each in operation.types]
        schemas, self.components = response_schemas([Error, *types])
        self._schemas = dict(zip([Error, *types], schemas, strict=True))

    def of(self, response: Any) -> Schema:
        return self._schemas[response]


def _operation(operation: Operation, rule: Rule, method: str, summary: str, schemas: ResponseSchemas) -> Schema:
    first_line, _, rest = summary.partition("\n")
    described: dict[str, Any] = {
        "operationId": f"{method.lower()}_{rule.endpoint.rpartition('.')[2]}",
        "summary": first_line,
        "parameters": [_in_path(name) for name in sorted(rule.arguments)],
        "responses": _responses(operation, method, schemas),
    }
    if rest.strip():
        described["description"] = rest.strip()
    if method in ("POST", "PATCH", "PUT"):
        described["requestBody"] = _body(operation)
    else:
        described["parameters"] += [_in_query(parameter) for parameter in operation.parameters]
    return described


def _responses(operation: Operation, method: str, schemas: ResponseSchemas) -> Schema:
    content: dict[str, Schema] = {}
    if operation.answer is not None:
        content["application/json"] = {"schema": schemas.of(operation.answer)}
    for content_type, holds in operation.other_formats.items():
        kind: Schema = {} if content_type == "application/json" else {"type": "string"}
        content[content_type] = {"schema": kind | {"description": holds}}
    responses: dict[str, Schema] = {"200": {"description": "The answer.", "content": content}}
    if method == "GET":
        tag: Schema = {"description": "Changes with the data.", "schema": STRING}
        responses["200"]["headers"] = {"ETag": tag}
        responses["304"] = {"description": "The client already holds the answer (If-None-Match)."}
        responses["414"] = {"description": "The address is longer than 8190 bytes; most operations can be POSTed."}
    if operation.waiting is not None:
        still: dict[str, Schema] = {"application/json": {"schema": schemas.of(operation.waiting)}}
        responses["202"] = {"description": "There is no answer yet, but it is being made.", "content": still}
    by_status: dict[int, list[type[ServiceError]]] = {}
    everywhere = (TokenNeeded, NotAllowed, ReadOnly, TooManyAttempts, DatabaseUnavailable, Rebuilding)
    errors: list[type[ServiceError]] = [*operation.all_errors, *everywhere]
    for error in errors:
        by_status.setdefault(error.status, []).append(error)
    for status, same in sorted(by_status.items()):
        responses[str(status)] = {
            "description": " or ".join(f"`{error.code}`" for error in same),
            "content": {"application/json": {"schema": schemas.of(Error)}},
        }
    return dict(responses)


def _in_path(name: str) -> Schema:
    return {"name": name, "in": "path", "required": True, "schema": STRING}


def _in_query(parameter: Parameter[Any]) -> Schema:
    return {
        "name": parameter.name,
        "in": "query",
        "description": parameter.help,
        "required": parameter.is_required,
        "schema": parameter.schema,
    }


def _in_body(parameter: Parameter[Any]) -> Schema:
    """As in a query, where all is text: numbers may stand for texts, and null for what is not given."""
    schema = dict(parameter.schema)
    if schema.get("type") == "string" and "enum" not in schema:
        schema["type"] = ["string", "number"]
    elif schema.get("type") == "array":
        schema["items"] = {"type": ["string", "number"]}
        schema = {"anyOf": [schema, {"type": ["string", "number"]}]}
    if not parameter.is_required:
        schema = {"anyOf": [schema, {"type": "null"}]}
    return schema | {"description": parameter.help}


def _body(operation: Operation) -> Schema:
    properties = {parameter.name: _in_body(parameter) for parameter in operation.parameters}
    schema: Schema = {
        "type": "object",
        "properties": properties,
        "required": [parameter.name for parameter in operation.parameters if parameter.is_required],
        "additionalProperties": False,
    }
    return {"required": True, "content": {"application/json": {"schema": schema}}}
