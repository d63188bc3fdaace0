"""Code that reads or writes protobuf messages names their fields; it has no bare numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from .generated import ROOT, SCHEMAS

FOLDERS = ("mindinsight_like", "profiler", "lineage")
ABOUT_MESSAGES = re.compile(
    r"logs\.protobuf\.(?:wire|message_fields|message_columns)|writers\.encoding import .*\bwire\b"
)
# Methods and functions whose first argument is the number of a field.
READERS = {
    *("content", "contents", "text", "texts", "messages", "of", "inner"),
    *("integer", "integers", "integer_column", "single", "singles", "single_column"),
    *("double", "doubles", "double_column", "blob", "key"),
}
NATIVE = tuple(
    f"{folder}{native}"
    for folder in ("mindinsight_like/logs", "mindinsight_like/trackers", "profiler/traces")
    for native in ("", "/native")
)


def test_python_code_names_the_fields_of_messages() -> None:
    sources = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if path.parent != SCHEMAS]
    readers = [path for path in sources if ABOUT_MESSAGES.search(path.read_text(encoding="utf-8"))]

    bare = [place for path in readers for place in bare_numbers(path)]

    assert len(readers) > 40
    assert bare == []


def test_native_code_names_the_fields_of_messages() -> None:
    sources = [path for folder in NATIVE for pattern in ("*.pyx", "*.pxi") for path in (ROOT / folder).glob(pattern)]

    bare = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sources
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\bid (?:[=!]=|<=) [1-9]|[1-9] <= \w+\.id\b", line)
    ]

    assert len(sources) > 3
    assert bare == []


def bare_numbers(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if is_read_by_number(node) or is_compared_with_number(node):
            assert isinstance(node, ast.expr)
            yield f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"


def is_read_by_number(node: ast.AST) -> bool:
    """`message.text(1)`, `wire.blob(2, ...)`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in READERS
        and bool(node.args)
        and is_number(node.args[0])
    )


def is_compared_with_number(node: ast.AST) -> bool:
    """`field.id == 1`, `field.id in (1, 2)`, `1 in message`."""
    if not isinstance(node, ast.Compare):
        return False
    (right, *_), operator = node.comparators, node.ops[0]
    if isinstance(node.left, ast.Attribute) and node.left.attr == "id":
        values = right.elts if isinstance(right, (ast.Tuple, ast.List, ast.Set)) else [right]
        return any(map(is_number, values))
    return isinstance(operator, (ast.In, ast.NotIn)) and is_number(node.left) and isinstance(right, ast.Name)


def is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int
