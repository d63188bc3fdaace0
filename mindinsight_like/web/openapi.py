"""The description of the REST interface (OpenAPI 3.1), put together from what the routes say about themselves."""

from __future__ import annotations

import inspect
import re
from typing import Any

from flask import Blueprint, Flask, current_app
from flask.wrappers import Response
from werkzeug.routing import Rule

from mindinsight_like.errors import NotAllowed, ServiceError, TokenNeeded
from mindinsight_like.web.answers import unless_same
from mindinsight_like.web.operations import Operation, operation_of
from mindinsight_like.web.parameters import Given, Parameter
from mindinsight_like.web.schemas import ERROR, STRING, Schema, record

bp = Blueprint("openapi", __name__)

_METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")


@bp.get("/openapi.json")
@Operation(answer=record(openapi=STRING, info={"type": "object"}, paths={"type": "object"}))
def openapi(given: Given) -> Response:
    """This description."""
    return unless_same(describe(current_app))


def describe(app: Flask) -> Schema:
    """Every route below `/v1` as an OpenAPI document."""
    paths: dict[str, dict[str, Schema]] = {}
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        view = app.view_functions[rule.endpoint]
        operation = operation_of(view)
        if operation is None:
            continue
        methods = paths.setdefault(re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule.rule), {})
        summary = inspect.cleandoc(view.__doc__ or "")
        for method in _METHODS:
            if method in (rule.methods or ()):
                methods[method.lower()] = _operation(operation, rule, method, summary)
    return {
        "openapi": "3.1.0",
        "info": {"title": "mindinsight-like", "version": app.extensions["version"]},
        "servers": [{"url": app.extensions["prefix"] or "/"}],
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": {"Error": ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation, rule: Rule, method: str, summary: str) -> Schema:
    first_line, _, rest = summary.partition("\n")
    described: dict[str, Any] = {
        "operationId": f"{method.lower()}_{rule.endpoint.rpartition('.')[2]}",
        "summary": first_line,
        "parameters": [_in_path(name) for name in sorted(rule.arguments)],
        "responses": _responses(operation, method),
    }
    if rest.strip():
        described["description"] = rest.strip()
    if method in ("POST", "PATCH", "PUT"):
        described["requestBody"] = _body(operation)
    else:
        described["parameters"] += [_in_query(parameter) for parameter in operation.parameters]
    return described


def _responses(operation: Operation, method: str) -> Schema:
    content: dict[str, Schema] = {}
    if operation.answer is not None:
        content["application/json"] = {"schema": operation.answer}
    for content_type, holds in operation.other_formats.items():
        content[content_type] = {"schema": {"type": "string", "description": holds}}
    responses: dict[str, Schema] = {"200": {"description": "The answer.", "content": content}}
    if method == "GET":
        tag: Schema = {"description": "Changes with the data.", "schema": STRING}
        responses["200"]["headers"] = {"ETag": tag}
        responses["304"] = {"description": "The client already holds the answer (If-None-Match)."}
    if operation.waiting is not None:
        still: dict[str, Schema] = {"application/json": {"schema": operation.waiting}}
        responses["202"] = {"description": "There is no answer yet, but it is being made.", "content": still}
    by_status: dict[int, list[type[ServiceError]]] = {}
    errors: list[type[ServiceError]] = [*operation.all_errors, TokenNeeded, NotAllowed]
    for error in errors:
        by_status.setdefault(error.status, []).append(error)
    for status, same in sorted(by_status.items()):
        responses[str(status)] = {
            "description": " or ".join(f"`{error.code}`" for error in same),
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
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


def _body(operation: Operation) -> Schema:
    properties = {p.name: p.schema | {"description": p.help} for p in operation.parameters}
    schema: Schema = {
        "type": "object",
        "properties": properties,
        "required": [parameter.name for parameter in operation.parameters if parameter.is_required],
        "additionalProperties": False,
    }
    return {"required": True, "content": {"application/json": {"schema": schema}}}
