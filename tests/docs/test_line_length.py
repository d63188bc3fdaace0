"""Lines of the documentation fit beside code."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
UNBREAKABLE = ("|", "- [", "[")  # tables and links


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_lines_have_at_most_120_characters(page: Path) -> None:
    lines = page.read_text().splitlines()

    assert [line for line in lines if len(line) > 120 and not line.lstrip().startswith(UNBREAKABLE)] == []
