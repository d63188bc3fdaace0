"""The home page in a real browser: the table of runs beside the charts of the drawn ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import mindinsight_like as mi
from mindinsight_like import LogWriter, SummaryWriter
from tests.ui.conftest import Board, served, watched_page

RUNS = (("adam-lr0.1", "adam", 0.1, 0.91), ("adam-lr0.01", "adam", 0.01, 0.97), ("sgd-lr0.1", "sgd", 0.1, 0.72))


@pytest.fixture(scope="module")
def ranked_board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """Runs with parameters and an accuracy, and one of scalars alone."""
    base_dir = tmp_path_factory.mktemp("home") / "runs"
    for name, optimizer, rate, accuracy in RUNS:
        with SummaryWriter(str(base_dir / name)) as writer:
            for step in range(20):
                writer.add_scalar("eval/accuracy", accuracy * step / 19, step)
        mi.log_lineage(base_dir / name, params={"optimizer": optimizer, "lr": rate, "width": 64})
    with SummaryWriter(str(base_dir / "plain")) as writer:
        writer.add_scalar("eval/accuracy", 0.5, 0)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def home(browser: Browser, ranked_board: Board) -> Iterator[Page]:
    for page in watched_page(browser, ranked_board):
        page.goto("/")
        expect(rows(page)).to_have_count(4)
        yield page


def rows(page: Page) -> Locator:
    return page.get_by_test_id("run-row")


def names(page: Page) -> list[str | None]:
    return [row.get_attribute("data-name") for row in rows(page).all()]


def cell(row: Locator, column: str) -> Locator:
    return row.locator(f'[data-key="{column}"]')


def test_the_first_screen_ranks_all_runs_and_draws_them(home: Page) -> None:
    assert names(home) == ["adam-lr0.01", "adam-lr0.1", "sgd-lr0.1", "plain"]
    expect(home.get_by_test_id("main-metric")).to_contain_text("higher is better, guessed from the name")
    expect(cell(rows(home).first, "accuracy")).to_contain_text("0.97")
    expect(cell(rows(home).first, "accuracy").get_by_test_id("sparkline")).to_be_visible()
    expect(cell(rows(home).first, "optimizer")).to_have_text("adam")
    expect(home.get_by_test_id("drawn")).to_contain_text("4 of 4")
    expect(home.get_by_test_id("scalar-card").first).to_be_visible()


def test_columns_that_tell_nothing_are_counted_and_one_click_away(home: Page) -> None:
    expect(cell(rows(home).first, "hparam/width")).to_have_count(0)
    expect(home.get_by_test_id("hidden-columns")).to_contain_text("hidden")

    home.get_by_test_id("open-columns").click()
    home.get_by_test_id("column-search").fill("width")
    home.get_by_test_id("column-choice").first.get_by_role("checkbox").check()

    expect(rows(home).first).to_contain_text("64")
    expect(home).to_have_url(re.compile("col="))


def test_a_heading_sorts_its_best_first_then_the_other_way_round(home: Page) -> None:
    home.get_by_test_id("sort-name").click()
    expect(rows(home).first).to_have_attribute("data-name", "adam-lr0.01")
    assert names(home) == sorted(name or "" for name in names(home))

    home.get_by_test_id("sort-name").click()
    expect(rows(home).first).to_have_attribute("data-name", "sgd-lr0.1")

    home.go_back()
    expect(rows(home).first).to_have_attribute("data-name", "adam-lr0.01")


def test_a_query_filters_and_words_search_names(home: Page) -> None:
    query = home.get_by_test_id("lineage-query")

    query.fill("accuracy > 0.8 and optimizer = adam")
    query.press("Enter")
    expect(rows(home)).to_have_count(2)
    expect(home.get_by_test_id("run-total")).to_have_text("2 of 4 runs")

    query.fill("lr0.1")
    query.press("Enter")
    expect(rows(home)).to_have_count(2)

    query.fill("nothing like it")
    query.press("Enter")
    expect(home.get_by_test_id("state-empty")).to_be_visible()


def test_groups_show_mean_and_spread_and_unfold(home: Page) -> None:
    home.get_by_test_id("open-group").click()
    home.get_by_test_id("group-0").select_option("optimizer")
    groups = home.get_by_test_id("group-row")

    expect(groups).to_have_count(3)
    adam = groups.filter(has_text="adam")
    expect(adam).to_contain_text("2 runs")
    expect(cell(adam, "accuracy")).to_contain_text("0.94 ± 0.042")

    adam.get_by_test_id("group-toggle").click()
    expect(rows(home)).to_have_count(2)


def test_a_baseline_stays_on_top_and_others_show_their_difference(home: Page) -> None:
    row = rows(home).filter(has_text="adam-lr0.1")
    row.hover()
    row.get_by_test_id("row-menu").click()
    home.get_by_test_id("row-baseline").click()

    expect(rows(home)).to_have_count(5)
    expect(rows(home).first).to_have_attribute("data-name", "adam-lr0.1")
    best = rows(home).nth(1)
    expect(cell(best, "accuracy").get_by_test_id("difference")).to_have_text("+0.06")


def test_selected_runs_are_drawn_and_open_on_the_boards(home: Page) -> None:
    cards = home.get_by_test_id("scalar-card")
    expect(cards.first).to_contain_text("eval/accuracy")

    home.get_by_test_id("draw-none").click()
    expect(home.get_by_test_id("drawn")).to_contain_text("0 of 4")
    rows(home).nth(0).get_by_test_id("run-select").click()
    rows(home).nth(2).get_by_test_id("run-select").click()
    expect(home.get_by_test_id("drawn")).to_contain_text("2 of 4")

    home.get_by_test_id("compare-selected").click()
    expect(home).to_have_url(re.compile("/(compare|scalars).*run=.*run="))


def test_rows_are_worked_by_keyboard(home: Page) -> None:
    rows(home).first.focus()
    home.keyboard.press("Space")
    expect(home.get_by_test_id("drawn")).to_contain_text("3 of 4")
    home.keyboard.press("ArrowDown")
    home.keyboard.press("p")
    expect(rows(home)).to_have_count(5)


def test_the_table_or_the_charts_have_all_the_room_on_demand(home: Page) -> None:
    home.get_by_test_id("layout-table").click()
    expect(home.get_by_test_id("scalar-card")).to_have_count(0)
    home.get_by_test_id("layout-both").click()
    home.get_by_test_id("layout-charts").click()
    expect(home.get_by_test_id("run-list")).to_be_hidden()
    expect(home.get_by_test_id("scalar-card").first).to_be_visible()


def test_a_name_given_by_the_writer_is_shown_and_searched(page: Page, tmp_path: Path) -> None:
    for name in ("exp1", "exp2"):
        with LogWriter(str(tmp_path / "runs" / name), display_name=f"学习率 {name[-1]}") as writer:
            writer.add_scalar("loss", 1.0, 0)
    with served(tmp_path / "runs") as board:
        page.goto(board.address)
        expect(rows(page).filter(has_text="学习率 1")).to_have_count(1)

        query = page.get_by_test_id("lineage-query")
        query.fill("学习率 2")
        query.press("Enter")
        expect(rows(page)).to_have_count(1)
        rows(page).first.get_by_test_id("run-name").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("学习率 2 (exp2)")


def test_damage_is_shown_with_file_and_byte(page: Page, board: Board) -> None:
    page.goto("/")

    rows(page).filter(has_text="beta").get_by_test_id("run-warnings").click()

    row = page.get_by_test_id("warning-row")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("events.out.tfevents")
    expect(row).to_contain_text("checksum")


def test_a_click_on_a_run_opens_its_page_and_that_its_boards(page: Page, board: Board) -> None:
    page.goto("/")

    rows(page).filter(has_text="alpha").get_by_test_id("run-name").click()
    expect(page.get_by_test_id("run-page")).to_be_visible()
    page.get_by_test_id("tile-link").click()

    expect(page.get_by_test_id("scalar-card")).to_have_count(3)
    expect(page.get_by_test_id("breadcrumb")).to_contain_text("alpha")
