"""Chinese pages have the sections, anchors, tables, links and code of the English pages they translate."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown.extensions.toc import slugify

from tests.conftest import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(page.name for page in (DOCS / "zh").glob("*.md"))
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"(^|\s+)#.*$", re.MULTILINE)


def code(page: Path) -> list[tuple[str, str]]:
    """Language and text of each code block, without what is translated: comments, and blocks that are drawings."""
    blocks = FENCE.findall(page.read_text())
    return [(language, COMMENT.sub("", text) if "──" not in text else "") for _, language, text in blocks]


def headings(page: Path) -> list[tuple[int, str]]:
    """Level and anchor of each heading below the title."""
    lines = re.findall(r"^(##+) (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return [(len(level), anchor(title)) for level, title in lines]


def anchor(title: str) -> str:
    """The anchor that the site gives a heading: the one in `{ #anchor }`, otherwise made from its words."""
    explicit = re.search(r"\{ #([\w-]+) \}$", title)
    return explicit[1] if explicit else slugify(re.sub(r"[`*]", "", title), "-")


def rows_by_section(page: Path) -> list[int]:
    sections = re.split(r"^##+ ", FENCE.sub("", page.read_text()), flags=re.MULTILINE)
    return [len(re.findall(r"^\|", section, re.MULTILINE)) for section in sections]


def links(page: Path) -> list[str]:
    """Targets of links and images, as seen from docs/; sorted, as word order differs."""
    targets = re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", page.read_text()))
    prefix = "../" if page.parent.name == "zh" else ""
    return sorted(target.removeprefix(prefix) for target in targets)


@pytest.mark.parametrize("name", PAGES)
def test_a_translation_has_the_sections_of_the_original(name: str) -> None:
    assert headings(DOCS / "zh" / name) == headings(DOCS / name)
    assert rows_by_section(DOCS / "zh" / name) == rows_by_section(DOCS / name)


@pytest.mark.parametrize("name", PAGES)
def test_a_translation_has_the_code_of_the_original(name: str) -> None:
    assert code(DOCS / "zh" / name) == code(DOCS / name)


@pytest.mark.parametrize("name", PAGES)
def test_a_translation_has_the_links_of_the_original(name: str) -> None:
    assert links(DOCS / "zh" / name) == links(DOCS / name)


@pytest.mark.parametrize("name", PAGES)
def test_a_translation_names_the_same_flags_fields_and_files(name: str) -> None:
    original, translation = (
        set(re.findall(r"`[^`\n]+`", FENCE.sub("", page.read_text()))) for page in (DOCS / name, DOCS / "zh" / name)
    )

    assert translation == original


@pytest.mark.parametrize("name", PAGES)
def test_lines_of_prose_have_at_most_120_characters(name: str) -> None:
    lines = (DOCS / "zh" / name).read_text().splitlines()

    assert [line for line in lines if len(line) > 120 and not line.startswith("|")] == []
