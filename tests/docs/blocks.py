"""Code blocks of the documentation: their language, marker and place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"(?:^<!-- (?P<marker>[^\n]*?) -->\n)?^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE
)
_NOT_RUN = "not run: "
_IN_COMPAT = "try in "


@dataclass(frozen=True)
class Block:
    """One fenced block. `marker` is the text of the HTML comment in the line before it, or empty."""

    page: Path
    line: int  # of its first line of code, from 1
    language: str
    marker: str
    code: str

    @property
    def is_skipped(self) -> bool:
        """Whether a marker says why it is not run."""
        return self.marker.startswith(_NOT_RUN)

    @property
    def is_in_compat(self) -> bool:
        """Whether `make compat` runs it, in an environment that has its framework."""
        return self.marker.startswith(_IN_COMPAT)

    @property
    def reason(self) -> str:
        return self.marker.removeprefix(_NOT_RUN)

    @property
    def app_lines(self) -> list[str]:
        """Its calls of the command line, each as one line, without the prompt."""
        text = self.code.replace("\\\n", " ")
        return [line for line in (row.removeprefix("$ ") for row in text.splitlines()) if line.startswith("app ")]


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text()
    return [
        Block(
            page,
            text.count("\n", 0, match.start("code")) + 1,
            match["language"],
            match["marker"] or "",
            match["code"],
        )
        for match in _BLOCK.finditer(text)
    ]
