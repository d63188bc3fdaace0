"""Examples of README and docs run as they are written: Python blocks and `app` lines, page by page.

A page gets a scratch directory with the demo runs in `runs/`. Its Python blocks share one process, in order, as a
reader would try them; then its `app` lines run in a shell. `<!-- try in torch -->` before a block leaves it to
`make compat`; `<!-- not run: reason -->` leaves it out.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.docs.blocks import Block, blocks_of

PAGES = sorted([*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")])
# Blocks that only show code to maintainers: style.md has no programs.
ILLUSTRATIONS = {ROOT / "docs" / "style.md"}
SHELLS = {"sh", "console"}
MOST_SKIPPED = 14  # in English


def blocks() -> list[Block]:
    return [block for page in PAGES if page not in ILLUSTRATIONS for block in blocks_of(page)]


def runs_here(block: Block) -> bool:
    return not block.is_skipped and not block.is_in_compat


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("demo") / "runs"
    subprocess.run([app(), "demo", str(directory)], check=True, capture_output=True, timeout=120)
    return directory


def app() -> str:
    return str(Path(sys.executable).with_name("app"))


@pytest.fixture
def scratch(tmp_path: Path, demo: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """A home directory with demo runs, and the environment of commands in it; its services are stopped."""
    shutil.copytree(demo, tmp_path / "runs")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("MINDINSIGHT_")}
    environ |= {
        "HOME": str(tmp_path),
        "MINDINSIGHT_WORKSPACE": str(tmp_path / "mindinsight-like"),
        "MINDINSIGHT_PORT": str(port),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environ['PATH']}",
    }
    yield tmp_path, environ
    stop = [app(), "stop", "--port", str(port)]
    subprocess.run(stop, env=environ, cwd=tmp_path, capture_output=True, timeout=60)


def pages_with(is_example: Callable[[Block], bool]) -> list[Path]:
    return sorted({block.page for block in blocks() if runs_here(block) and is_example(block)})


@pytest.mark.parametrize(
    "page", pages_with(lambda block: block.language == "python"), ids=lambda page: str(page.relative_to(ROOT))
)
def test_python_blocks_run(page: Path, scratch: tuple[Path, dict[str, str]]) -> None:
    directory, environ = scratch
    programs = [block for block in blocks_of(page) if block.language == "python" and runs_here(block)]
    # Compiled one by one, so that a traceback has the line of the page.
    text = "\n".join(
        f"exec(compile({chr(10) * (block.line - 1) + block.code!r}, {str(page)!r}, 'exec'))" for block in programs
    )

    result = subprocess.run(
        [sys.executable, "-c", text], cwd=directory, env=environ, capture_output=True, text=True, timeout=120
    )

    assert result.returncode == 0, result.stderr[-3000:]


@pytest.mark.parametrize(
    "page",
    pages_with(lambda block: block.language in SHELLS and bool(block.app_lines)),
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_app_lines_run(page: Path, scratch: tuple[Path, dict[str, str]]) -> None:
    directory, environ = scratch
    lines = [
        line for block in blocks_of(page) if block.language in SHELLS and runs_here(block) for line in block.app_lines
    ]

    for line in lines:
        result = subprocess.run(
            ["bash", "-c", line], cwd=directory, env=environ, capture_output=True, text=True, timeout=120
        )
        assert result.returncode == 0, f"{line}\n{result.stdout}{result.stderr}"


def test_blocks_that_are_not_run_are_few_and_say_why() -> None:
    skipped = [block for block in blocks() if block.is_skipped]
    in_english = Counter(block.page.name for block in skipped if block.page.parent.name != "zh")
    in_chinese = Counter(block.page.name for block in skipped if block.page.parent.name == "zh")

    assert all(len(block.reason) >= 10 for block in skipped)
    assert in_english.total() <= MOST_SKIPPED
    assert in_chinese <= in_english


def test_compat_runs_the_pages_whose_blocks_are_left_to_it() -> None:
    source = (ROOT / "tests" / "compat" / "run.py").read_text()
    (pages,) = re.findall(r"^EXAMPLES = (\{.*?\})", source, re.MULTILINE)

    assert {block.page.name for block in blocks() if block.is_in_compat} <= set(ast.literal_eval(pages))


def test_markers_are_known() -> None:
    odd = [(block.page.name, block.line, block.marker) for block in blocks() if block.marker and runs_here(block)]

    assert odd == []
