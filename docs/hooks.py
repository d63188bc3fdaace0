"""MkDocs hooks: links to examples/, and line breaks in Chinese text.

On disk examples/ lies beside docs/. In the site it lies below it, by way of the symbolic link docs/examples, so links
lose one level there: `../examples/x.py` of a page becomes `examples/x.py`, `../docs/y.md` of the examples `../y.md`.

A browser shows a line break as a space, which Chinese text does not have: lines are joined.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page

_TO_EXAMPLES = re.compile(r"\]\(\.\./((?:\.\./)*examples/)")
_TO_DOCS = re.compile(r"\]\(\.\./docs/")
_CODE_BLOCK = re.compile(r"(^ *```.*?^ *```$)", re.DOTALL | re.MULTILINE)
# After a full-width sign any word may follow; between two characters only another character.
_CHINESE_BREAK = re.compile(
    r"(?<=[，。；：、！？）])\n *(?!\d+\. )(?=[\w`\[(（“])|(?<=[\u4e00-\u9fff])\n *(?=[\u4e00-\u9fff（“])"
)


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    if page.file.src_uri.startswith("examples/"):
        return _TO_DOCS.sub("](../", markdown)
    return join_chinese_lines(_TO_EXAMPLES.sub(r"](\1", markdown))


def join_chinese_lines(markdown: str) -> str:
    """The text without line breaks in the middle of Chinese sentences; code blocks are left alone."""
    parts = _CODE_BLOCK.split(markdown)
    return "".join(part if index % 2 else _CHINESE_BREAK.sub("", part) for index, part in enumerate(parts))
