"""Contact sheets: all pictures of a state and a size on one page, to be looked at by people."""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from .looking import Found, Look

_STYLE = """
body { margin: 16px; font: 13px/1.4 system-ui, sans-serif; background: #f5f6f8; color: #1a222d }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(340px, 1fr)); gap: 12px }
figure { margin: 0; padding: 8px; background: #fff; border: 1px solid #dde1e7; border-radius: 6px }
figure.bad { border-color: #c4281c }
img { display: block; width: 100% }
figcaption { overflow-wrap: anywhere }
li { color: #c4281c }
"""


def write_sheets(folder: Path, looks: Sequence[Look], problems: Sequence[Found]) -> list[Path]:
    """One HTML file for each state, size, language and theme, and their list in `index.html`."""
    by_look: dict[Look, list[str]] = defaultdict(list)
    for found in problems:
        by_look[found.look].append(found.problem)
    sheets: dict[str, list[Look]] = defaultdict(list)
    for look in looks:
        sheets[f"{look.state}_{look.width}_{look.language}_{look.theme}"].append(look)
    written = []
    for name, members in sorted(sheets.items()):
        figures = "".join(_figure(look, by_look[look]) for look in members)
        written.append(_write(folder / f"{name}.html", name, f"<main>{figures}</main>"))
    links = "".join(f'<li><a href="{path.name}">{path.stem}</a></li>' for path in written)
    _write(folder / "index.html", "Contact sheets", f"<ul>{links}</ul>")
    return written


def _figure(look: Look, problems: Sequence[str]) -> str:
    items = "".join(f"<li>{html.escape(problem)}</li>" for problem in problems)
    picture = f"pictures/{look.name}.jpg"
    return (
        f'<figure{" class=bad" if problems else ""}><a href="{picture}"><img loading="lazy" src="{picture}"></a>'
        f"<figcaption>{html.escape(look.address)}<ul>{items}</ul></figcaption></figure>"
    )


def _write(path: Path, title: str, body: str) -> Path:
    path.write_text(
        f"<!doctype html><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style><h1>{title}</h1>{body}"
    )
    return path
