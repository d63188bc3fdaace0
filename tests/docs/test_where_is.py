"""The answers of docs/where-is.md exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _answers(section: str) -> list[str]:
    text = (ROOT / "docs" / "where-is.md").read_text().partition(f"## {section}\n")[2].partition("\n## ")[0]
    return re.findall(r"\| `([^`]+)` \|$", text, re.MULTILINE)


def test_every_answer_is_a_file() -> None:
    python, page = _answers("Python"), _answers("Page")

    assert (len(python), len(page)) == (10, 10)
    assert [path for path in (*python, *page) if not (ROOT / path).is_file()] == []
