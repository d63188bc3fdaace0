"""Changing many runs at once on the home page in a real browser: labels, owners, names, archiving; and undoing it."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mindinsight_like import SummaryWriter
from mindinsight_like.store.database.location import run_id
from tests.ui.conftest import Board, served, watched_page

RUNS = ("adam", "momentum", "sgd")


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    for number, name in enumerate((*RUNS, "twin/eval", "twin/train")):
        with SummaryWriter(str(tmp_path / "runs" / name)) as writer:
            for step in range(5):
                writer.add_scalar("accuracy", number + step, step)
    with served(tmp_path / "runs") as board:
        yield board


@pytest.fixture
def home(browser: Browser, board: Board) -> Iterator[Page]:
    for page in watched_page(browser, board):
        page.goto("/")
        expect(rows(page)).to_have_count(4)
        yield page


def rows(page: Page) -> Locator:
    return page.get_by_test_id("run-row")


def row(page: Page, name: str) -> Locator:
    return page.locator(f'[data-testid="run-row"][data-name="{name}"]')


def draw_only(page: Page, *names: str) -> None:
    page.get_by_test_id("draw-none").click()
    for name in names:
        row(page, name).get_by_test_id("run-select").click()


def stored(board: Board, name: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{board.address}/v1/runs?run={run_id(name)}") as answer:
        run: dict[str, Any] = json.load(answer)["runs"][0]
    return run


def change_elsewhere(board: Board, name: str, **change: object) -> None:
    request = urllib.request.Request(
        f"{board.address}/v1/runs/{run_id(name)}",
        json.dumps(change).encode(),
        {"Content-Type": "application/json"},
        method="PATCH",
    )
    urllib.request.urlopen(request).close()


def test_drawn_runs_are_archived_counted_and_brought_back(home: Page, board: Board) -> None:
    log_sizes = {path: path.stat().st_mtime_ns for path in board.base_dir.rglob("*") if path.is_file()}
    draw_only(home, "adam", "sgd")

    home.get_by_test_id("bulk-archive").click()
    expect(rows(home)).to_have_count(2)
    expect(home.get_by_test_id("edit-notice")).to_contain_text("2 runs archived")
    expect(home.get_by_test_id("left-out")).to_contain_text("2 archived")

    home.get_by_test_id("left-out").click()
    expect(rows(home)).to_have_count(4)
    expect(row(home, "adam").get_by_test_id("run-left-out")).to_have_text("Archived")
    home.get_by_test_id("left-out").click()

    home.get_by_test_id("edit-undo").click()
    expect(rows(home)).to_have_count(4)
    expect(home.get_by_test_id("drawn")).to_contain_text("2 of 5")
    home.get_by_test_id("edit-undo").click()  # redo
    expect(rows(home)).to_have_count(2)
    assert {path: path.stat().st_mtime_ns for path in log_sizes} == log_sizes


def test_sub_runs_are_archived_with_their_training(home: Page, board: Board) -> None:
    draw_only(home, "twin")

    home.get_by_test_id("bulk-archive").click()

    expect(rows(home)).to_have_count(3)
    assert stored(board, "twin/eval")["archived"] and stored(board, "twin/train")["archived"]


def test_labels_are_added_to_all_and_removed_from_all_by_keyboard(home: Page, board: Board) -> None:
    change_elsewhere(board, "adam", add_labels=["old"])
    draw_only(home, "adam", "sgd")
    home.get_by_test_id("bulk-label").focus()

    home.keyboard.press("Enter")
    expect(home.get_by_test_id("edit-label")).to_contain_text("old 1/2")
    expect(home.get_by_test_id("edit-text")).to_be_focused()
    home.keyboard.type("best, second")
    home.get_by_test_id("edit-label").press("Enter")
    home.get_by_test_id("edit-save").press("Enter")

    expect(home.get_by_test_id("edit-notice")).to_contain_text("Labels of 2 runs changed")
    expect(home.get_by_test_id("bulk-label")).to_be_focused()
    assert stored(board, "adam")["labels"] == ["best", "second"]
    home.get_by_test_id("edit-undo").click()
    expect(home.get_by_test_id("edit-notice")).to_contain_text("Undone")
    assert stored(board, "adam")["labels"] == ["old"]
    assert stored(board, "sgd")["labels"] == []


def test_an_undo_leaves_alone_what_was_changed_since(home: Page, board: Board) -> None:
    draw_only(home, "adam", "sgd")
    home.get_by_test_id("bulk-more").click()
    home.get_by_test_id("bulk-owner").click()
    home.get_by_test_id("edit-text").fill("Ada")
    home.get_by_test_id("edit-save").click()
    expect(home.get_by_test_id("edit-undo")).to_be_visible()
    version = stored(board, "sgd")["settings_version"]
    change_elsewhere(board, "sgd", owner="Bob", settings_version=version)

    home.get_by_test_id("edit-undo").click()

    expect(home.get_by_test_id("edit-notice")).to_contain_text("except for 1 run that somebody has changed since")
    assert (stored(board, "adam")["owner"], stored(board, "sgd")["owner"]) == ("", "Bob")


def test_a_rename_that_somebody_else_was_faster_with_shows_both_names(home: Page, board: Board) -> None:
    row(home, "adam").hover()
    row(home, "adam").get_by_test_id("row-menu").click()
    home.get_by_test_id("row-rename").click()
    home.get_by_test_id("edit-text").fill("mine")
    change_elsewhere(board, "adam", custom_name="theirs")

    home.get_by_test_id("edit-save").click()
    expect(home.get_by_test_id("edit-conflict")).to_contain_text("theirs")
    expect(home.get_by_test_id("edit-text")).to_have_value("mine")
    home.get_by_test_id("edit-save").click()

    expect(row(home, "adam").get_by_test_id("run-name")).to_contain_text("mine")
    home.get_by_test_id("edit-undo").click()
    expect(home.get_by_test_id("edit-notice")).to_contain_text("Undone")
    assert stored(board, "adam")["custom_name"] == "theirs"


def test_a_colour_is_that_of_the_curves(home: Page, board: Board) -> None:
    draw_only(home, "momentum")
    home.get_by_test_id("bulk-more").click()
    home.get_by_test_id("bulk-colour").click()

    home.get_by_test_id("edit-colour").fill("#123456")
    home.get_by_test_id("edit-save").click()

    expect(home.get_by_test_id("edit-notice")).to_contain_text("Colour of 1 run changed")
    assert stored(board, "momentum")["colour"] == "#123456"
    expect(row(home, "momentum")).to_have_attribute("style", re.compile("123456"))


def test_what_was_typed_stays_when_saving_fails(home: Page, board: Board) -> None:
    draw_only(home, "adam", "sgd")
    home.get_by_test_id("bulk-label").click()
    home.get_by_test_id("edit-text").fill("x" * 101)

    home.get_by_test_id("edit-save").click()

    expect(home.get_by_test_id("edit-failure")).to_contain_text("100")
    expect(home.get_by_test_id("edit-text")).to_have_value("x" * 101)
