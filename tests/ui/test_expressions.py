"""Charts that people make from expressions, in a real browser."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mindinsight_like import SummaryWriter
from tests.ui.conftest import Board, served, watched_page

RUNS = 12  # more than are drawn from their full curves


def log(base_dir: Path, name: str, scale: float, steps: range) -> None:
    with SummaryWriter(str(base_dir / name)) as writer:
        for step in steps:
            writer.add_scalar("train/loss", scale * math.exp(-step / 20), step)
            if step % 2 == 0:
                writer.add_scalar("eval/loss", 2 * scale * math.exp(-step / 20), step)


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    for number in range(RUNS):
        log(tmp_path / "runs", f"run{number}", 1 + number, range(40))
    with served(tmp_path / "runs") as board:
        yield board


@pytest.fixture
def page(browser: Browser, board: Board) -> Iterator[Page]:
    yield from watched_page(browser, board)


def card(page: Page, title: str) -> Locator:
    return page.locator(f'article[data-tag="{title}"]')


def add(page: Page, expression: str, name: str = "") -> None:
    page.get_by_test_id("add-chart").click()
    page.get_by_test_id("chart-expression").fill(expression)
    page.get_by_test_id("chart-name").fill(name)
    page.get_by_test_id("chart-save").click()


def test_a_chart_of_an_expression_is_drawn_linked_and_removed(page: Page, board: Board) -> None:
    page.goto(f"/scalars?{board.runs('run0', 'run1')}")

    add(page, "train/loss / eval/loss", "ratio")

    ratio = card(page, "ratio")
    expect(ratio).to_have_attribute("data-curves", "2")
    expect(ratio).to_have_attribute("data-points", "40")  # the 20 steps that both tags have, of two runs
    expect(ratio.get_by_test_id("card-legend")).to_contain_text("0.5")
    expect(page).to_have_url(re.compile("metric=ratio"))

    page.reload()
    expect(ratio).to_have_attribute("data-curves", "2")

    page.get_by_test_id("add-chart").click()
    page.get_by_test_id("chart-remove").click()
    expect(ratio).to_have_count(0)


def test_it_follows_a_training(page: Page, board: Board) -> None:
    page.goto(f"/scalars?{board.runs('run0')}&metric=sum+=+train/loss+%2B+eval/loss")
    expect(card(page, "sum")).to_have_attribute("data-last-step", "38")

    log(board.base_dir, "run0", 1.0, range(40, 60))

    expect(card(page, "sum")).to_have_attribute("data-last-step", "58")


def test_many_runs_have_it_too_also_as_a_band(page: Page) -> None:
    page.goto("/scalars?all=1&metric=double+=+train/loss+*+2")
    expect(card(page, "double")).to_have_attribute("data-curves", str(RUNS))

    page.goto("/scalars?all=1&draw=band&metric=double+=+train/loss+*+2")
    expect(card(page, "double")).to_be_visible()
    expect(card(page, "double").get_by_test_id("chart")).to_be_visible()


def test_a_difference_is_to_the_baseline(page: Page, board: Board) -> None:
    page.goto(f"/scalars?{board.runs('run0', 'run1')}&metric=gap+=+delta(train/loss)")
    expect(card(page, "gap")).to_contain_text("baseline")

    baseline = board.runs("run0").replace("run=", "base=")
    page.goto(f"/scalars?{board.runs('run0', 'run1')}&{baseline}&s=0&metric=gap+=+delta(train/loss)")

    expect(card(page, "gap")).to_have_attribute("data-curves", "2")
    expect(card(page, "gap").get_by_test_id("card-legend")).to_contain_text("0.14")  # 2 - 1 times exp(-39 / 20)


def test_division_by_zero_is_counted(page: Page, board: Board) -> None:
    page.goto(f"/scalars?{board.runs('run0')}&metric=odd+=+train/loss+/+0")

    expect(card(page, "odd").get_by_test_id("card-nonfinite")).to_contain_text("40")


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [
        ("train/loss - eval/los", "eval/los"),
        ("(" * 300 + "train/loss", "Nested too deeply"),
        ("train/loss + " * 1000, "too long"),
        ("sin(train/loss)", "Unknown function"),
        ("train/loss +", "ends too early"),
    ],
)
def test_what_is_wrong_is_said_while_typing(page: Page, board: Board, expression: str, complaint: str) -> None:
    page.goto(f"/scalars?{board.runs('run0')}")
    page.get_by_test_id("add-chart").click()

    page.get_by_test_id("chart-expression").fill(expression)

    expect(page.get_by_test_id("chart-complaint")).to_contain_text(complaint)
    expect(page.get_by_test_id("chart-save")).to_be_disabled()
