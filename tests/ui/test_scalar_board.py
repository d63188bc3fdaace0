"""Each control of the scalar board in a real browser."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.ui.conftest import STEPS, Board, value, wait_in_page, withhold_frames


def card(page: Page, tag: str) -> Locator:
    """The card of a tag, once it has drawn."""
    found = page.locator(f'[data-testid="scalar-card"][data-tag="{tag}"]').first
    found.scroll_into_view_if_needed()
    expect(found).to_have_attribute("data-loaded", "true")
    return found


def open_board(page: Page, board: Board, *names: str, more: str = "") -> None:
    page.goto(f"/scalars?{board.runs(*names)}{more}")
    expect(page.get_by_test_id("scalar-card").first).to_be_visible()


def drag(page: Page, chart: Locator, begin: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag between two places given as shares of the chart's width and height."""
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + begin[0] * box["width"], box["y"] + begin[1] * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + end[0] * box["width"], box["y"] + end[1] * box["height"], steps=4)
    page.mouse.up()


def hover(page: Page, chart: Locator, x: float) -> None:
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + x * box["width"], box["y"] + 0.5 * box["height"])


def tool(found: Locator, name: str) -> Locator:
    found.hover()
    return found.get_by_test_id(name)


def zooms(page: Page) -> int:
    return len(re.findall(r"[?&]z=", page.url))


def test_cards_are_grouped_by_the_prefix_of_their_tags(page: Page, board: Board) -> None:
    open_board(page, board, "alpha", "beta")

    groups = page.get_by_test_id("tag-group")
    expect(groups).to_have_count(2)
    expect(groups.nth(0)).to_have_attribute("data-prefix", "eval")
    expect(groups.nth(1).get_by_test_id("scalar-card")).to_have_count(2)


def test_a_folded_group_stays_folded(page: Page, board: Board) -> None:
    open_board(page, board, "alpha")

    page.get_by_test_id("tag-group").first.get_by_test_id("group-fold").click()
    expect(page.get_by_test_id("scalar-card")).to_have_count(2)
    page.reload()
    expect(page.get_by_test_id("scalar-card")).to_have_count(2)


def test_the_tooltip_tells_value_step_and_time_of_every_curve(page: Page, board: Board) -> None:
    open_board(page, board, "alpha", "beta", more="&s=0")
    hover(page, card(page, "train/loss").get_by_test_id("chart"), 0.5)

    rows = page.get_by_test_id("tooltip-row")
    expect(rows).to_have_count(2)
    step = int(re.search(r"Step\s*([\d,]+)", page.get_by_test_id("tooltip").inner_text()).group(1))
    shown = float(re.search(r"\d\.\d+", rows.filter(has_text="alpha").inner_text()).group())
    assert shown == pytest.approx(value(0, "train/loss", step), rel=1e-3)


def test_a_chart_that_changes_below_a_resting_pointer_is_read_again(page: Page, board: Board) -> None:
    open_board(page, board, "alpha")
    hover(page, card(page, "train/loss").get_by_test_id("chart"), 0.5)
    row = page.get_by_test_id("tooltip-row")
    expect(row).to_have_count(1)
    before = row.inner_text()

    page.get_by_test_id("smoothing").fill("0.95")  # the pointer stays where it is

    expect(row).not_to_have_text(before, use_inner_text=True)


def test_hovering_one_chart_reads_all(page: Page, board: Board, eventually: Callable[..., None]) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    open_board(page, board, "alpha")
    charts = page.get_by_test_id("chart")
    expect(charts).to_have_count(3)

    def drawn_over(chart: Locator) -> bool:
        return bool(
            chart.evaluate(
                "chart => { const over = chart.querySelectorAll('canvas')[1];"
                " const pen = over.getContext('2d');"
                " return pen.getImageData(0, 0, over.width, over.height).data.some(part => part > 0) }"
            )
        )

    assert not drawn_over(charts.nth(2))
    hover(page, charts.nth(0), 0.5)

    eventually(lambda: drawn_over(charts.nth(2)))


def test_full_screen_is_the_same_card_larger_and_back(page: Page, board: Board) -> None:
    open_board(page, board, "alpha")
    loss = card(page, "train/loss")
    small = loss.get_by_test_id("chart").bounding_box()

    tool(loss, "card-fullscreen").click()
    expect(loss).to_have_class(re.compile("full"))
    large = loss.get_by_test_id("chart").bounding_box()
    page.keyboard.press("Escape")
    expect(loss).not_to_have_class(re.compile("full"))

    assert small is not None
    assert large is not None
    assert large["width"] > 2 * small["width"]


def test_logarithmic_y_per_card_and_for_all(page: Page, board: Board) -> None:
    open_board(page, board, "alpha")
    loss = card(page, "train/loss")

    tool(loss, "card-log").click()
    expect(loss.get_by_test_id("card-log")).to_have_attribute("aria-pressed", "true")
    assert "log=train/loss" in page.url
    page.get_by_test_id("log-all").check()
    expect(card(page, "eval/accuracy").get_by_test_id("card-log")).to_have_attribute("aria-pressed", "true")
    assert "ylog=1" in page.url


def test_box_zoom_steps_back_one_at_a_time_and_restores(page: Page, board: Board) -> None:
    open_board(page, board, "alpha")
    loss = card(page, "train/loss")
    chart = loss.get_by_test_id("chart")
    expect(tool(loss, "card-zoom-back")).to_be_disabled()

    drag(page, chart, (0.3, 0.2), (0.8, 0.7))
    expect(loss.get_by_test_id("card-restore")).to_be_enabled()
    first = page.url
    drag(page, chart, (0.4, 0.3), (0.6, 0.6))
    page.wait_for_url(lambda url: url != first and "z=" in url)
    tool(loss, "card-zoom-back").click()
    page.wait_for_url(first)
    tool(loss, "card-zoom-back").click()
    page.wait_for_url(lambda url: "z=" not in url)

    drag(page, chart, (0.3, 0.2), (0.8, 0.7))
    drag(page, chart, (0.3, 0.2), (0.8, 0.7))
    tool(loss, "card-restore").click()
    page.wait_for_url(lambda url: "z=" not in url)
    expect(loss.get_by_test_id("card-restore")).to_be_disabled()


def test_box_zoom_can_be_switched_off(page: Page, board: Board) -> None:
    open_board(page, board, "alpha")
    loss = card(page, "train/loss")

    tool(loss, "card-zoom-toggle").click()
    drag(page, loss.get_by_test_id("chart"), (0.3, 0.2), (0.8, 0.7))
    wait_in_page(page, 200)

    assert zooms(page) == 0


def test_zooming_asks_for_the_points_of_that_range(page: Page, board: Board) -> None:
    open_board(page, board, "long")
    wave = card(page, "wave")

    with page.expect_request(lambda request: "from_step" in (request.url + (request.post_data or ""))):
        drag(page, wave.get_by_test_id("chart"), (0.5, 0.5), (0.52, 0.5))


def test_tags_are_chosen_by_ticks_and_by_pattern(page: Page, board: Board) -> None:
    open_board(page, board, "alpha")

    page.get_by_test_id("tag-filter").fill("acc.*y$")
    expect(page.get_by_test_id("scalar-card")).to_have_count(2)
    page.get_by_test_id("tag-filter").fill("")
    page.locator('[data-testid="picker-tag"][data-tag="train/loss"] input').uncheck()
    expect(page.get_by_test_id("scalar-card")).to_have_count(2)
    page.get_by_test_id("tags-select-none").click()
    expect(page.get_by_test_id("scalar-card")).to_have_count(0)
    page.get_by_test_id("tags-select-shown").click()
    expect(page.get_by_test_id("scalar-card")).to_have_count(3)


def test_runs_are_chosen_in_the_picker(page: Page, board: Board) -> None:
    open_board(page, board, "alpha", "beta")
    runs = page.get_by_test_id("picker-run")

    page.get_by_test_id("rule-re").click()
    page.get_by_test_id("rule-re").last.fill("gamma$")
    expect(runs).to_have_count(1)
    runs.first.locator("input").check()
    page.wait_for_url(lambda url: board.runs("group/gamma").removeprefix("run=") in url)
    runs.first.dblclick()
    page.wait_for_url(lambda url: board.runs("alpha").removeprefix("run=") not in url)

    hover(page, card(page, "eval/accuracy").get_by_test_id("chart"), 0.5)
    expect(page.get_by_test_id("tooltip-row")).to_have_count(1)


@pytest.mark.parametrize("axis", ["relative", "absolute"])
def test_the_horizontal_axis_is_step_or_time(page: Page, board: Board, axis: str) -> None:
    open_board(page, board, "alpha")

    page.get_by_test_id(f"axis-{axis}").click()

    expect(page.get_by_test_id(f"axis-{axis}")).to_have_attribute("aria-checked", "true")
    assert f"x={axis}" in page.url
    label = "Relative time" if axis == "relative" else "Absolute time"
    assert label in _svg_text(page, card(page, "train/loss"))


def test_smoothing_draws_the_raw_curve_behind(page: Page, board: Board) -> None:
    open_board(page, board, "alpha", more="&s=0")
    loss = card(page, "train/loss")
    before = len(_svg(page, loss).findall(".//{*}path"))

    page.get_by_test_id("smoothing-value").fill("0.9")
    page.get_by_test_id("smoothing-value").press("Enter")
    page.wait_for_url(lambda url: "s=0.9" in url)

    assert len(_svg(page, loss).findall(".//{*}path")) > before
    hover(page, loss.get_by_test_id("chart"), 0.5)
    expect(page.get_by_test_id("tooltip")).to_contain_text("Smoothed")


def test_any_number_of_tags_combine_on_two_axes(page: Page, board: Board) -> None:
    open_board(page, board, "alpha")

    page.get_by_test_id("combine-toggle").click()
    combined = page.get_by_test_id("combined")
    while combined.get_by_test_id("combine-remove").count():  # it proposes what comes first
        combined.get_by_test_id("combine-remove").first.click()
    for tag, side in (("train/loss", "left"), ("train/accuracy", "right"), ("eval/accuracy", "right")):
        entry = page.locator(f'[data-testid="picker-tag"][data-tag="{tag}"]')
        entry.hover()
        entry.get_by_test_id(f"combine-{side}").click()

    expect(combined.get_by_test_id("combine-chip")).to_have_count(3)
    expect(combined.get_by_test_id("card-legend").locator("li")).to_have_count(3)
    combined.get_by_test_id("combine-remove").first.click()
    expect(combined.get_by_test_id("combine-chip")).to_have_count(2)
    assert "combine=1" in page.url
    assert "right=train/accuracy" in page.url


def test_values_that_are_no_numbers_are_counted_and_marked(page: Page, board: Board) -> None:
    open_board(page, board, "group/gamma")

    expect(card(page, "train/loss").get_by_test_id("card-nonfinite")).to_contain_text("5")
    expect(card(page, "eval/accuracy").get_by_test_id("card-nonfinite")).to_have_count(0)


def test_points_beyond_a_threshold_are_counted(page: Page, board: Board) -> None:
    open_board(page, board, "group/gamma")
    loss = card(page, "train/loss")

    tool(loss, "card-limits").click()
    page.get_by_test_id("limit-upper").fill("500")
    page.get_by_test_id("limit-apply").click()

    expect(loss.get_by_test_id("card-beyond")).to_contain_text("100")  # the step of the spike
    assert "limit=" in page.url
    tool(loss, "card-limits").click()
    page.get_by_test_id("limit-remove").click()
    expect(loss.get_by_test_id("card-beyond")).to_have_count(0)


def test_pinned_cards_stand_first_and_stay(page: Page, board: Board) -> None:
    open_board(page, board, "alpha")

    tool(card(page, "train/loss"), "card-pin").click()

    pinned = page.get_by_test_id("pinned").get_by_test_id("scalar-card")
    expect(pinned).to_have_count(1)
    page.reload()
    expect(pinned).to_have_attribute("data-tag", "train/loss")


def test_a_chart_downloads_as_csv_with_every_point(page: Page, board: Board, tmp_path: Path) -> None:
    open_board(page, board, "alpha")
    loss = card(page, "train/loss")

    tool(loss, "card-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("card-csv").click()
    download.value.save_as(tmp_path / "loss.csv")

    with (tmp_path / "loss.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["step"]) for row in rows] == list(range(STEPS))
    assert float(rows[7]["value"]) == pytest.approx(value(0, "train/loss", 7))


def test_a_chart_downloads_as_picture(page: Page, board: Board, tmp_path: Path) -> None:
    open_board(page, board, "alpha")
    loss = card(page, "train/loss")

    tool(loss, "card-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("card-png").click()
    download.value.save_as(tmp_path / "loss.png")

    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")
    assert "train/loss" in _svg_text(page, loss)


def test_the_address_holds_the_whole_view(page: Page, board: Board, eventually: Callable[..., None]) -> None:
    open_board(page, board, "alpha", "group/gamma")
    page.get_by_test_id("axis-relative").click()
    page.get_by_test_id("smoothing-value").fill("0.5")
    page.get_by_test_id("smoothing-value").press("Enter")
    page.get_by_test_id("tag-filter").fill("train")
    drag(page, card(page, "train/loss").get_by_test_id("chart"), (0.3, 0.2), (0.8, 0.7))
    tool(card(page, "train/accuracy"), "card-log").click()
    eventually(lambda: all(part in page.url for part in ("x=relative", "s=0.5", "q=train", "z=", "log=train/accuracy")))

    other = page.context.new_page()
    other.goto(page.url)

    expect(other.get_by_test_id("scalar-card")).to_have_count(2)
    expect(other.get_by_test_id("axis-relative")).to_have_attribute("aria-checked", "true")
    expect(other.get_by_test_id("smoothing-value")).to_have_value("0.5")
    expect(other.get_by_test_id("tag-filter")).to_have_value("train")
    expect(card(other, "train/loss").get_by_test_id("card-restore")).to_be_enabled()
    expect(card(other, "train/accuracy").get_by_test_id("card-log")).to_have_attribute("aria-pressed", "true")
    assert other.url == page.url


def test_back_and_forward_do_what_they_say(page: Page, board: Board) -> None:
    open_board(page, board, "alpha")

    page.get_by_test_id("axis-relative").click()
    page.wait_for_url(lambda url: "x=relative" in url)
    page.go_back()
    expect(page.get_by_test_id("axis-step")).to_have_attribute("aria-checked", "true")
    page.go_forward()
    expect(page.get_by_test_id("axis-relative")).to_have_attribute("aria-checked", "true")


def test_a_key_before_the_first_frame_is_not_lost(page: Page, board: Board) -> None:
    withhold_frames(page)
    open_board(page, board, "alpha")

    card(page, "train/loss").get_by_test_id("chart").press("+")

    page.wait_for_url(lambda url: "z=" in url)


def test_the_chart_is_read_by_keyboard(page: Page, board: Board) -> None:
    open_board(page, board, "alpha")
    chart = card(page, "train/loss").get_by_test_id("chart")

    chart.focus()
    chart.press("ArrowRight")
    expect(page.get_by_test_id("tooltip-row")).to_have_count(1)
    chart.press("+")
    page.wait_for_url(lambda url: "z=" in url)
    chart.press("0")
    page.wait_for_url(lambda url: "z=" not in url)


def _svg(page: Page, found: Locator) -> Any:
    """The chart as it would be saved."""
    tool(found, "card-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("card-svg").click()
    return ElementTree.parse(download.value.path()).getroot()


def _svg_text(page: Page, found: Locator) -> str:
    return " ".join(_svg(page, found).itertext())


def test_a_board_opens_on_all_runs_smoothed_without_outliers(page: Page, board: Board) -> None:
    page.goto("/scalars")
    expect(page.get_by_test_id("smoothing-value")).to_have_value("0.6")
    expect(page.get_by_test_id("outliers")).to_be_checked()
    expect(card(page, "train/loss")).to_have_attribute("data-curves", "3")
    assert "all=1" in page.url

    # One run has a spike: it does not stretch the axis, and the card says so.
    off_scale = card(page, "train/loss").get_by_test_id("card-off-scale")
    expect(off_scale).to_have_text("1 off the scale")
    expect(card(page, "train/accuracy").get_by_test_id("card-off-scale")).to_have_count(0)
    off_scale.click()
    expect(page.get_by_test_id("outliers")).not_to_be_checked()
    expect(off_scale).to_have_count(0)

    page.goto("/scalars?all=1&s=0")
    expect(page.get_by_test_id("smoothing-value")).to_have_value("0")


def test_the_legend_names_curves_by_what_differs_with_their_last_values(page: Page, board: Board) -> None:
    open_board(page, board, "alpha", "beta", more="&s=0")
    legend = card(page, "train/accuracy").get_by_test_id("card-legend").locator("li")

    expect(legend).to_have_count(2)
    last = value(0, "train/accuracy", STEPS - 1)
    expect(legend.filter(has_text="alpha")).to_contain_text(f"{last:.4g}")


def test_many_runs_are_a_band_with_the_outermost_on_top(page: Page, board: Board) -> None:
    page.goto(f"/scalars?{board.runs('alpha', 'beta', 'group/gamma')}&draw=band")
    found = page.locator('[data-testid="compare-card"][data-tag="train/accuracy"]')

    expect(found).to_have_attribute("data-curves", "4")  # the median and three runs
    expect(found.get_by_test_id("card-legend")).to_contain_text("All 3 runs")
    expect(found.get_by_test_id("card-legend")).to_contain_text("median")
