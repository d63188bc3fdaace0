"""Figures of the code that are kept: sizes of folders and modules, names, requests and casts of the page."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.plan.__main__ import MAPPED_FOLDERS, ROOT

_PAGE = ROOT / "ui" / "src"
_PARTICIPLES = {
    *("asked", "found", "given", "held", "kept", "known", "made", "meant"),
    *("noted", "said", "seen", "shown", "taken", "told", "wanted"),
}
_CAST = re.compile(r"\bas (?!const)[A-Z{(]")


def _modules() -> Iterator[Path]:
    for top in ("mindinsight_like", *MAPPED_FOLDERS):
        yield from (path for path in (ROOT / top).rglob("*.py*") if path.suffix in (".py", ".pyx"))


def _page_files() -> list[Path]:
    return [path for path in _PAGE.rglob("*") if path.suffix in (".ts", ".vue") and ".test." not in path.name]


def test_folders_have_at_most_20_files() -> None:
    sizes = Counter(str(path.parent.relative_to(ROOT)) for path in (*_modules(), *_page_files()))

    # One reader per format.
    readers = {"profiler/traces/readers", "mindinsight_like/trackers/readers"}
    assert {folder for folder, size in sizes.items() if size > 20} == readers


def test_modules_over_400_lines_say_why() -> None:
    long = [path for path in _modules() if len(path.read_text().splitlines()) > 400]
    reason = re.compile(r"Over 400 lines, |Longer than other modules: ")

    assert [str(path.relative_to(ROOT)) for path in long if not reason.search(path.read_text()[:2000])] == []


def test_names_are_nouns() -> None:
    names: Counter[str] = Counter()
    for path in _modules():
        if path.suffix == ".py":
            names.update(_variables(ast.parse(path.read_text())))

    assert sum(count for name, count in names.items() if name in _PARTICIPLES) <= 80


def _variables(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def test_requests_of_the_page_are_cancelled_in_one_place() -> None:
    assert sum("new AbortController" in path.read_text() for path in _page_files()) <= 3


def test_responses_of_the_page_are_typed_by_their_paths() -> None:
    api = [path for path in _page_files() if "api" in str(path.relative_to(_PAGE))]

    assert sum(len(_CAST.findall(path.read_text())) for path in api) <= 5


def test_lines_of_the_page_have_at_most_140_characters() -> None:
    long = [path for path in _page_files() if any(len(line) > 140 for line in path.read_text().splitlines())]

    assert [str(path.relative_to(ROOT)) for path in long] == []
