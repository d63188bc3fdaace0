"""The list of runs in a real browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.ui.conftest import Board


def test_every_run_is_listed_with_what_it_has(page: Page, board: Board) -> None:
    page.goto("/")

    rows = page.get_by_test_id("run-row")
    expect(rows).to_have_count(4)
    expect(page.get_by_test_id("run-total")).to_contain_text("4")
    gamma = rows.filter(has_text="group/gamma")
    expect(gamma).to_contain_text("tensorboard")
    expect(gamma).to_contain_text("3 scalars")


def test_search_takes_words_and_regular_expressions(page: Page, board: Board) -> None:
    page.goto("/")
    search = page.get_by_test_id("run-search")

    search.fill("gam")
    expect(page.get_by_test_id("run-row")).to_have_count(1)
    search.fill("/^(alpha|beta)$/")
    expect(page.get_by_test_id("run-row")).to_have_count(2)
    search.fill("nothing like it")
    expect(page.get_by_test_id("run-row")).to_have_count(0)
    expect(page.get_by_test_id("state-empty")).to_be_visible()


def test_columns_sort_both_ways(page: Page, board: Board) -> None:
    page.goto("/")
    first = page.get_by_test_id("run-row").first

    page.get_by_test_id("sort-name").click()
    expect(first).to_contain_text("alpha")
    page.get_by_test_id("sort-name").click()
    expect(first).to_contain_text("long")


def test_damage_is_shown_with_file_and_byte(page: Page, board: Board) -> None:
    page.goto("/")

    page.get_by_test_id("run-row").filter(has_text="beta").get_by_test_id("run-warnings").click()

    row = page.get_by_test_id("warning-row")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("events.out.tfevents")
    expect(row).to_contain_text("checksum")


def test_selected_runs_open_on_one_board(page: Page, board: Board) -> None:
    page.goto("/")
    page.get_by_test_id("run-row").filter(has_text="alpha").get_by_test_id("run-select").check()
    page.get_by_test_id("run-row").filter(has_text="gamma").get_by_test_id("run-select").check()

    page.get_by_test_id("open-selected").click()

    expect(page.get_by_test_id("scalar-board")).to_be_visible()
    assert board.runs("alpha").removeprefix("run=") in page.url
    assert board.runs("group/gamma").removeprefix("run=") in page.url


def test_a_click_on_a_run_opens_its_dashboard_and_that_its_boards(page: Page, board: Board) -> None:
    page.goto("/")

    page.get_by_test_id("run-row").filter(has_text="alpha").get_by_role("link", name="alpha", exact=True).click()
    expect(page.get_by_test_id("dashboard")).to_be_visible()
    page.get_by_test_id("tile-link").click()

    expect(page.get_by_test_id("scalar-card")).to_have_count(3)
    expect(page.get_by_test_id("breadcrumb")).to_contain_text("alpha")
