"""The console of a run in a real browser: followed, searched, filtered by level, and addresses that lead to lines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from mindinsight_like.store.database.location import run_id
from tests.ui.conftest import BEGIN, Board, served

LINES = 100_000


def append(base_dir: Path, first: int, lines: list[str]) -> None:
    folder = base_dir / "a"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "mindinsight_like.console.1.1").open("ab") as log:
        if not log.tell():
            log.write(b"mindinsight-like console 1\n")
        log.write(b"".join(f"{BEGIN + n:.6f} {line}\n".encode() for n, line in enumerate(lines, first)))


def line(number: int) -> str:
    if number % 10_000 == 77:
        return f"2026-01-01 10:00:00 WARNING slow batch {number}"
    if number == 50_000:
        return "RuntimeError: CUDA out of memory"
    return f"2026-01-01 10:00:00 INFO step {number} loss {1 / (number + 1):.6f}"


@pytest.fixture
def console_board(tmp_path: Path) -> Iterator[Board]:
    append(tmp_path / "runs", 0, [line(number) for number in range(LINES)])
    with served(tmp_path / "runs") as board:
        yield board


def shot(page: Page, name: str) -> None:
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=f"{folder}/{name}.png")


def test_lines_are_followed_searched_filtered_and_linked_to(page: Page, console_board: Board) -> None:
    address = f"{console_board.address}/runs/{run_id('a')}/console"
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(address)
    rows = page.get_by_test_id("console-line")
    expect(rows.get_by_text(f"step {LINES - 1} ")).to_be_visible()
    assert rows.count() < 150
    shot(page, "console-en")

    append(console_board.base_dir, LINES, ["the newest line"])
    expect(rows.get_by_text("the newest line")).to_be_in_viewport()

    page.get_by_test_id("console-find").fill("cuda OUT")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("console-chosen")).to_contain_text("RuntimeError: CUDA out of memory")
    expect(rows.locator("mark")).to_have_text("CUDA out")
    expect(page).to_have_url(f"{address}?find=cuda+OUT&line=50000")
    page.get_by_test_id("console-next").click()
    expect(page.get_by_test_id("console-note")).to_have_text("No further match")
    shot(page, "console-found")

    page.get_by_test_id("console-find").fill("")
    page.get_by_test_id("level-warning").click()
    expect(rows).to_have_count(11)
    expect(rows.last).to_contain_text("slow batch 90077")
    page.get_by_test_id("level-any").click()

    page.goto(f"{address}?at={BEGIN + 1234.5}")
    expect(page.get_by_test_id("console-chosen")).to_contain_text("step 1234 ")
    page.get_by_test_id("console-lines").press("ArrowDown")
    expect(page.get_by_test_id("console-chosen")).to_contain_text("step 1235 ")


def test_a_run_without_output_says_how_to_record_it(page: Page, board: Board) -> None:
    page.goto(f"{board.address}/runs/{run_id('alpha')}/console")
    expect(page.get_by_test_id("state-empty")).to_contain_text("capture_console=True")
    page.route("**/console?**", lambda route: route.abort())
    page.reload()
    expect(page.get_by_test_id("state-failed")).to_be_visible()
