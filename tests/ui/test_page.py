"""Language, colours, live updates and states of the page in a real browser."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable

import numpy as np
from playwright.sync_api import Browser, Page, expect

from mindinsight_like import SummaryWriter
from mindinsight_like.writers.encoding import tensorboard
from tests.ui.conftest import Board, watched_page, write_run


def test_the_page_speaks_english_and_chinese(page: Page, board: Board) -> None:
    page.goto("/")
    expect(page.get_by_test_id("nav-runs")).to_have_accessible_name(re.compile("^Runs"))

    page.get_by_test_id("lang-switch").click()

    expect(page.get_by_test_id("nav-runs")).to_have_accessible_name(re.compile("^运行"))
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    page.reload()
    expect(page.get_by_test_id("nav-runs")).to_have_accessible_name(re.compile("^运行"))
    page.goto("/?lang=en")
    expect(page.get_by_test_id("nav-runs")).to_have_accessible_name(re.compile("^Runs"))


def test_the_page_is_light_or_dark(page: Page, board: Board, eventually: Callable[..., None]) -> None:
    def brightness() -> float:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        numbers = [float(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")[:3]]
        return sum(numbers) / 3

    page.goto("/?theme=light")
    eventually(lambda: brightness() > 200)
    page.goto("/?theme=dark")
    eventually(lambda: brightness() < 60)
    page.goto("/?theme=auto")
    page.emulate_media(color_scheme="dark")
    eventually(lambda: brightness() < 60)
    page.emulate_media(color_scheme="light")
    eventually(lambda: brightness() > 200)


def test_a_flushed_point_is_on_screen_within_two_seconds(page: Page, living_board: Board) -> None:
    log = write_run(living_board.base_dir / "live", 0, last=50)
    page.goto(living_board.address)
    page.get_by_test_id("run-row").get_by_role("link", name="live", exact=True).click()
    page.get_by_test_id("nav-run-scalars").click()
    expect(page.locator('[data-tag="train/loss"][data-last-step="49"]')).to_be_visible()

    late: list[float] = []
    for step in range(50, 55):
        log.write(tensorboard.event([tensorboard.scalar("train/loss", 1.0)], step=step, wall_time=time.time()))
        log.flush()
        flushed = time.monotonic()
        expect(page.locator(f'[data-tag="train/loss"][data-last-step="{step}"]')).to_be_visible()
        late.append(time.monotonic() - flushed)
    log.close()

    assert sorted(late)[2] < 2.0  # the median: this machine may be busy with other things


def test_a_new_run_and_a_removed_one_show_without_reload(page: Page, living_board: Board) -> None:
    page.goto(living_board.address)
    expect(page.get_by_test_id("run-row").filter(has_text="alpha")).to_be_visible()

    write_run(living_board.base_dir / "newcomer", 1, last=5).close()
    expect(page.get_by_test_id("run-row").filter(has_text="newcomer")).to_be_visible()
    shutil.rmtree(living_board.base_dir / "newcomer")
    expect(page.get_by_test_id("run-row").filter(has_text="newcomer")).to_have_count(0)


def test_live_updates_can_be_paused(page: Page, board: Board) -> None:
    page.goto("/")
    expect(page.get_by_test_id("run-row").first).to_be_visible()

    page.get_by_test_id("live-pause").click()
    expect(page.get_by_test_id("live-indicator")).to_have_attribute("data-state", "paused")
    page.get_by_test_id("live-pause").click()
    expect(page.get_by_test_id("live-indicator")).not_to_have_attribute("data-state", "paused")


def test_a_failed_request_says_so_and_can_be_repeated(page: Page, board: Board) -> None:
    broken = {"error": {"code": "internal", "message": "broken", "details": {}}}
    page.route("**/v1/scalars?*", lambda route: route.fulfill(status=500, json=broken))
    page.goto(f"/scalars?{board.runs('alpha')}")

    failed = page.get_by_test_id("state-failed").first
    expect(failed).to_be_visible()
    page.unroute("**/v1/scalars?*")
    failed.get_by_test_id("retry").click()
    expect(page.locator('[data-testid="scalar-card"][data-loaded="true"]').first).to_be_visible()
    expect(page.get_by_test_id("chart").first).to_be_visible()


def test_an_unknown_run_is_explained(page: Page, board: Board) -> None:
    page.goto("/scalars?run=0000000000000000")

    expect(page.get_by_test_id("runs-gone").or_(page.get_by_test_id("state-empty")).first).to_be_visible()


def test_everything_is_found_by_name(page: Page, board: Board) -> None:
    page.goto("/")
    expect(page.get_by_test_id("run-row").first).to_be_visible()

    page.keyboard.press("Control+k")
    page.get_by_test_id("palette-input").fill("gamma")
    page.get_by_test_id("palette-item").filter(has_text="group/gamma").first.click()

    expect(page.get_by_test_id("breadcrumb")).to_contain_text("group/gamma")


def test_the_service_page_tells_what_is_served(page: Page, board: Board) -> None:
    page.goto("/service")

    expect(page.get_by_test_id("service-page")).to_contain_text(str(board.base_dir))
    expect(page.get_by_test_id("service-page")).to_contain_text("SQLite")


def test_the_rail_has_the_boards_that_runs_have_something_for(page: Page, board: Board) -> None:
    page.goto("/runs")
    expect(page.get_by_test_id("nav-scalars")).to_be_visible()
    expect(page.get_by_test_id("nav-histograms")).to_have_count(0)
    expect(page.get_by_test_id("nav-service")).to_be_visible()


def test_in_a_run_its_boards_come_first_and_those_of_several_runs_fold_away(page: Page, board: Board) -> None:
    page.goto(f"/runs/{board.runs('alpha').removeprefix('run=')}/scalars")
    expect(page.get_by_test_id("nav-run-scalars")).to_be_visible()
    expect(page.get_by_test_id("nav-scalars")).to_have_count(0)

    page.get_by_test_id("nav-several").click()
    page.get_by_test_id("nav-scalars").click()

    expect(page.get_by_test_id("run-rules")).to_be_visible()
    expect(page.get_by_test_id("nav-several")).to_have_count(0)


def test_a_board_that_appears_with_its_first_data(browser: Browser, living_board: Board) -> None:
    for page in watched_page(browser, living_board):
        page.goto("/runs")
        expect(page.get_by_test_id("nav-scalars")).to_be_visible()
        expect(page.get_by_test_id("nav-histograms")).to_have_count(0)
        with SummaryWriter(str(living_board.base_dir / "beta")) as writer:
            writer.add_histogram("weight", np.arange(10.0), 0)
        expect(page.get_by_test_id("nav-histograms")).to_be_visible()


def test_a_phone_shows_charts_of_useful_size_and_scrolls_only_down(browser: Browser, board: Board) -> None:
    for page in watched_page(browser, board):
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(f"/scalars?{board.runs('alpha', 'gamma')}")
        chart = page.get_by_test_id("chart").first
        expect(chart).to_be_visible()

        box = chart.bounding_box()
        assert box is not None
        assert box["width"] > 250
        assert box["height"] > 120
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.get_by_test_id("toggle-lists").click()
        expect(page.get_by_test_id("run-rules")).to_be_visible()
        page.get_by_test_id("phone-tab-results").click()
        page.get_by_test_id("phone-nav-runs").click()
        expect(page).to_have_url(f"{board.address}/runs")


def test_the_rail_says_that_the_service_is_gone_and_opens_the_page_when_it_is_back(
    browser: Browser, board: Board
) -> None:
    for page in watched_page(browser, board):
        page.goto("/service")
        expect(page.get_by_test_id("nav-scalars")).to_be_visible()
        page.route("**/*", lambda route: route.abort())

        page.get_by_test_id("nav-scalars").click()
        expect(page.get_by_test_id("toast")).to_be_visible()
        page.unroute("**/*")

        expect(page.get_by_test_id("run-rules")).to_be_visible()


def test_tags_are_found_on_the_first_page(page: Page, board: Board) -> None:
    page.goto("/")
    expect(page.get_by_test_id("run-row").first).to_be_visible()

    page.keyboard.press("Control+k")
    page.get_by_test_id("palette-input").fill("train/loss")
    page.get_by_test_id("palette-item").filter(has_text="train/loss").first.click()

    expect(page.locator('[data-testid="scalar-card"][data-tag="train/loss"]')).to_be_visible()


def test_keys_open_the_boards_of_the_run_that_is_open(page: Page, board: Board) -> None:
    run = board.runs("alpha").removeprefix("run=")
    page.goto(f"/runs/{run}")
    expect(page.get_by_test_id("nav-run-scalars")).to_be_visible()

    page.keyboard.press("g")
    page.keyboard.press("s")

    expect(page).to_have_url(f"{board.address}/runs/{run}/scalars")


def test_a_board_that_no_run_has_data_for_says_how_to_log_some(page: Page, board: Board) -> None:
    page.goto("/histograms")

    expect(page.get_by_test_id("state-empty")).to_contain_text("add_histogram")
