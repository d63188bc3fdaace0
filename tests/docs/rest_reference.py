"""Write the reference part of docs/rest-api.md from the OpenAPI document: `make rest-reference`."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rest-api.md"
BEGIN = "<!-- reference: written by `make rest-reference`; edit the declarations of the routes instead -->"
END = "<!-- end of the reference -->"
_WIDTH = 120
_NON_FINITE = {"NaN", "Infinity", "-Infinity"}

Schema = dict[str, Any]


def main() -> None:
    PAGE.write_text(with_reference(PAGE.read_text(), reference(printed_document())))


def printed_document() -> dict[str, Any]:
    command = [sys.executable, "-m", "mindinsight_like.app.openapi"]
    document: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return document


def with_reference(page: str, text: str) -> str:
    """The page with the text between its markers."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{text}\n{END}{after}"


def reference(document: dict[str, Any]) -> str:
    """All operations, then all types of responses, as Markdown."""
    lines = ["## Operations", ""]
    everywhere = _common_errors(document)
    for path, methods in document["paths"].items():
        for names, operation in _merged(methods):
            lines += _operation(f"{', '.join(names)} {path}", operation, everywhere)
    lines += ["## Response types", ""]
    lines += _wrapped(
        "A field is there unless it is optional. A number is a JSON number or, where the type says so, one of the "
        'strings `"NaN"`, `"Infinity"`, `"-Infinity"`. Later versions may add fields.'
    )
    lines.append("")
    for name, component in sorted(document["components"]["schemas"].items()):
        lines += _type_section(name, component)
    return "\n".join(lines)


def _merged(methods: dict[str, Any]) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Operations of a path; GET and POST of the same one together."""
    operations = {method.upper(): operation for method, operation in methods.items()}
    get, post = operations.get("GET"), operations.get("POST")
    if get and post and get["summary"] == post["summary"]:
        yield ["GET", "POST"], get
        operations = {method: each for method, each in operations.items() if method not in ("GET", "POST")}
    for method, operation in operations.items():
        yield [method], operation


def _common_errors(document: dict[str, Any]) -> set[str]:
    codes = [_error_codes(each) for methods in document["paths"].values() for each in methods.values()]
    return set.intersection(*codes)


def _error_codes(operation: dict[str, Any]) -> set[str]:
    errors = [each["description"] for status, each in operation["responses"].items() if status >= "400"]
    return {code for text in errors for code in text.split(" or ") if code.startswith("`")}


def _operation(title: str, operation: dict[str, Any], everywhere: set[str]) -> list[str]:
    lines = [f"### {title}", "", *_wrapped(operation["summary"]), ""]
    for paragraph in operation.get("description", "").split("\n\n"):
        if paragraph:
            lines += [*_wrapped(paragraph), ""]
    parameters = [_parameter(each["name"], each) for each in operation["parameters"]] + _body_parameters(operation)
    for parameter in parameters:
        lines += _wrapped(parameter, bullet=True)
    lines += [""] if parameters else []
    lines += [*_wrapped(_response(operation)), ""]
    if codes := sorted(_error_codes(operation) - everywhere):
        lines += [*_wrapped(f"Errors: {', '.join(codes)}."), ""]
    return lines


def _parameter(name: str, parameter: dict[str, Any]) -> str:
    schema = parameter["schema"]
    kind = "string, repeatable" if schema.get("type") == "array" else _type(schema)
    if parameter["in"] == "path":
        return f"`{name}` (in the path): {kind}."
    required = ", required" if parameter["required"] else ""
    default = f", default `{schema['default']}`" if schema.get("default") not in (None, "") else ""
    return f"`{name}` ({kind}{required}{default}): {parameter['description']}"


def _body_parameters(operation: dict[str, Any]) -> list[str]:
    body = operation.get("requestBody")
    if body is None:
        return []
    schema = body["content"]["application/json"]["schema"]
    parameters = []
    for name, described in schema["properties"].items():
        own = described
        while "anyOf" in own:
            own = own["anyOf"][0]
        own = {**own, "type": "string"} if own.get("type") == ["string", "number"] else own
        is_required = name in schema["required"]
        described = {
            "in": "body", "schema": own, "required": is_required, "description": described["description"]
        }  # fmt: skip
        parameters.append(_parameter(name, described))
    return parameters


def _response(operation: dict[str, Any]) -> str:
    sentences = []
    files: dict[str, list[str]] = {}  # content types by what they hold
    for kind, each in operation["responses"]["200"]["content"].items():
        schema = each["schema"]
        if kind == "application/json" and "description" not in schema:
            sentences.append(f"Response: {_type(schema)}.")
        else:
            files.setdefault(schema["description"], []).append(f"`{kind}`")
    sentences += [f"As {', '.join(kinds)}: {description}" for description, kinds in files.items()]
    waiting = operation["responses"].get("202")
    if waiting is not None:
        schema = waiting["content"]["application/json"]["schema"]
        sentences.append(f"Status 202 while the response is being prepared: {_type(schema)}.")
    return " ".join(sentences)


def _type_section(name: str, component: Schema) -> list[str]:
    lines = [f"### {name}", ""]
    for paragraph in component.get("description", "").split("\n\n"):
        if paragraph:
            lines += [*_wrapped(paragraph), ""]
    for field, schema in component["properties"].items():
        optional = "" if field in component["required"] else ", optional"
        text = f"`{field}` ({_type(schema)}{optional})"
        description = schema.get("description", "")
        lines += _wrapped(f"{text}: {description}" if description else text, bullet=True)
    return [*lines, ""]


def _type(schema: Schema) -> str:
    """A type in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return _union(schema["anyOf"])
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if values:
        return ("one of " if len(values) > 1 else "") + ", ".join(f"`{value}`" for value in values)
    kind = schema.get("type", "any JSON")
    if kind == "array":
        return f"list of {_type(schema['items'])}" if "items" in schema else "list"
    if kind == "object":
        inner = schema.get("additionalProperties", True)
        return "object" if inner is True or not inner else f"object of {_type(inner)}"
    return str(kind)


def _union(options: list[Schema]) -> str:
    is_nullable = {"type": "null"} in options
    non_finite = [each for each in options if set(each.get("enum", ())) == _NON_FINITE]
    names = [
        "number or non-finite" if non_finite and each == {"type": "number"} else _type(each)
        for each in options
        if each not in non_finite and each != {"type": "null"}
    ]
    return " or ".join([*names, "null"] if is_nullable else names)


def _wrapped(text: str, *, bullet: bool = False) -> list[str]:
    return textwrap.wrap(
        ("* " if bullet else "") + " ".join(text.split()),
        _WIDTH,
        subsequent_indent="  " if bullet else "",
        break_long_words=False,
        break_on_hyphens=False,
    )


if __name__ == "__main__":
    main()
