"""Each control of the histogram board in a real browser."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mindinsight_like import SummaryRecord, SummaryWriter
from tests.ui.conftest import BEGIN, Board, served, wait_in_page, watched_page

TAGS = ("conv/bias", "conv/weight", "head/weight")
STEPS = (0, 10, 20, 30, 40)
EDGES = [0.0, 1.0, 2.0, 4.0]


def values(run: int, step: int) -> list[float]:
    """Two values below 1, `step + 1` between 1 and 2, and `run + 3` above; from the first edge to the last."""
    return [0.0] * 2 + [1.5] * (step + 1) + [4.0] * (run + 3)


def write_run(folder: Path, run: int, *, steps: tuple[int, ...] = STEPS) -> None:
    with SummaryWriter(str(folder)) as writer:
        for step in steps:
            for tag in TAGS:
                writer.add_histogram(tag, np.array(values(run, step)), step, bins=EDGES, walltime=BEGIN + step)


@pytest.fixture(scope="module")
def histograms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A service over runs with histograms: two alike, one with NaN, one with many tags, one with scalars only."""
    base_dir = tmp_path_factory.mktemp("histograms") / "runs"
    write_run(base_dir / "first", 0)
    write_run(base_dir / "second", 1)
    with SummaryRecord(str(base_dir / "diverged")) as record:
        for step in (1, 2):
            weights = np.linspace(-1, 1, 100)
            weights[: 7 * (step - 1)] = np.nan
            weights[-1] = np.inf if step == 2 else 1.0
            record.add_value("histogram", "dense/weight", weights)
            record.record(step)
    with SummaryWriter(str(base_dir / "many")) as writer:
        for tag in range(120):
            writer.add_histogram(f"layer{tag}", np.array(values(0, 1)), 0, bins=EDGES, walltime=BEGIN)
        for step in range(300):
            writer.add_histogram("long", np.array(values(0, 1)), step, bins=EDGES, walltime=BEGIN + step)
    with SummaryWriter(str(base_dir / "plain")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, histograms: Board) -> Iterator[Page]:
    yield from watched_page(browser, histograms)


def card(page: Page, tag: str) -> Locator:
    """The card of a tag, once it has drawn."""
    found = page.locator(f'[data-testid="histogram-card"][data-tag="{tag}"]').first
    found.scroll_into_view_if_needed()
    expect(found).to_have_attribute("data-loaded", "true")
    return found


def open_board(page: Page, board: Board, *names: str, more: str = "") -> None:
    page.goto(f"/histograms?{board.runs(*names)}{more}")
    expect(page.get_by_test_id("histogram-card").first).to_be_visible()


def point(page: Page, chart: Locator, x: float, y: float) -> None:
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])


def tool(found: Locator, name: str) -> Locator:
    found.hover()
    return found.get_by_test_id(name)


def svg(page: Page, found: Locator) -> Any:
    """The chart as it would be saved."""
    tool(found, "card-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("card-svg").click()
    return ElementTree.parse(download.value.path()).getroot()


def svg_text(page: Page, found: Locator) -> list[str]:
    return [text.strip() for text in svg(page, found).itertext() if text.strip()]


def test_the_rail_leads_to_it_only_where_there_are_histograms(page: Page, histograms: Board) -> None:
    page.goto(f"/runs/{histograms.runs('first').removeprefix('run=')}")
    page.get_by_test_id("nav-run-histograms").click()
    expect(page.get_by_test_id("histogram-card")).to_have_count(3)
    expect(page.get_by_test_id("tag-group")).to_have_count(2)

    page.goto(f"/runs/{histograms.runs('plain').removeprefix('run=')}")
    expect(page.get_by_test_id("nav-run-scalars")).to_be_visible()
    expect(page.get_by_test_id("nav-run-histograms")).to_have_count(0)


def test_hovering_reads_the_bucket_as_it_was_written(page: Page, histograms: Board) -> None:
    open_board(page, histograms, "first")
    point(page, card(page, "conv/weight").get_by_test_id("chart"), 0.4, 0.86)

    expect(page.get_by_test_id("tooltip-row")).to_have_count(1)
    step = int(page.get_by_test_id("tooltip-step").inner_text())
    expect(page.get_by_test_id("tooltip-bucket")).to_have_text("1 … 2")
    expect(page.get_by_test_id("tooltip-count")).to_have_text(str(step + 1))


def test_two_runs_are_read_together(page: Page, histograms: Board) -> None:
    open_board(page, histograms, "first", "second")
    point(page, card(page, "conv/weight").get_by_test_id("chart"), 0.7, 0.9)

    rows = page.get_by_test_id("tooltip-row")
    expect(rows).to_have_count(2)
    for name, count in (("first", "3"), ("second", "4")):
        expect(rows.filter(has_text=name).get_by_test_id("tooltip-bucket")).to_have_text("2 … 4")
        expect(rows.filter(has_text=name).get_by_test_id("tooltip-count")).to_have_text(count)


def test_the_chart_is_read_by_keyboard(page: Page, histograms: Board) -> None:
    open_board(page, histograms, "first")
    chart = card(page, "conv/weight").get_by_test_id("chart")

    chart.focus()
    chart.press("ArrowDown")
    expect(page.get_by_test_id("tooltip-step")).to_have_text("40")
    chart.press("ArrowUp")
    expect(page.get_by_test_id("tooltip-step")).to_have_text("30")
    expect(page.get_by_test_id("tooltip-count")).to_have_text("31")
    chart.press("ArrowRight")
    expect(page.get_by_test_id("tooltip-bucket")).to_have_text("2 … 4")
    chart.press("Escape")
    expect(page.get_by_test_id("tooltip")).to_have_count(0)


def test_the_view_is_offset_overlay_or_distribution(page: Page, histograms: Board) -> None:
    open_board(page, histograms, "first")
    weight = card(page, "conv/weight")
    assert {"Step", "40"} <= set(svg_text(page, weight))

    page.get_by_test_id("look-overlay").click()
    page.wait_for_url(lambda url: "look=overlay" in url)
    assert "Count per bin" in svg_text(page, weight)

    wait_in_page(page, 450)  # quicker clicks are one step of the history
    page.get_by_test_id("look-bands").click()
    page.wait_for_url(lambda url: "look=bands" in url)
    point(page, weight.get_by_test_id("chart"), 0.95, 0.5)
    expect(page.get_by_test_id("tooltip")).to_contain_text("Median")
    page.go_back()
    expect(page.get_by_test_id("look-overlay")).to_have_attribute("aria-checked", "true")


@pytest.mark.parametrize("axis", ["relative", "absolute"])
def test_the_vertical_axis_is_step_or_time(page: Page, histograms: Board, axis: str) -> None:
    open_board(page, histograms, "first")

    page.get_by_test_id(f"axis-{axis}").click()

    expect(page.get_by_test_id(f"axis-{axis}")).to_have_attribute("aria-checked", "true")
    assert f"x={axis}" in page.url
    label = "Relative time" if axis == "relative" else "Absolute time"
    assert label in svg_text(page, card(page, "conv/weight"))


def test_values_that_are_no_numbers_are_counted(page: Page, histograms: Board) -> None:
    open_board(page, histograms, "diverged")
    weight = card(page, "dense/weight")
    expect(weight.get_by_test_id("card-nonfinite")).to_have_text("NaN 7 · ∞ 1")

    weight.get_by_test_id("chart").focus()
    weight.get_by_test_id("chart").press("ArrowDown")

    expect(page.get_by_test_id("tooltip-nonfinite")).to_have_text("NaN 7, ∞ 1")


def test_tags_are_chosen_by_ticks_and_by_pattern(page: Page, histograms: Board) -> None:
    open_board(page, histograms, "first")

    page.get_by_test_id("tag-filter").fill("w.*t$")
    expect(page.get_by_test_id("histogram-card")).to_have_count(2)
    page.get_by_test_id("tag-filter").fill("")
    page.locator('[data-testid="picker-tag"][data-tag="conv/bias"] input').uncheck()
    expect(page.get_by_test_id("histogram-card")).to_have_count(2)
    page.get_by_test_id("tags-select-none").click()
    expect(page.get_by_test_id("histogram-card")).to_have_count(0)


def test_full_screen_is_the_same_card_larger_and_back(page: Page, histograms: Board) -> None:
    open_board(page, histograms, "first")
    weight = card(page, "conv/weight")

    tool(weight, "card-fullscreen").click()
    expect(weight).to_have_class(re.compile("full"))
    assert "full=conv/weight" in page.url
    page.keyboard.press("Escape")
    expect(weight).not_to_have_class(re.compile("full"))


def test_only_what_is_in_view_is_asked_for(page: Page, histograms: Board) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/v1/histograms" in request.url else None)

    open_board(page, histograms, "many")
    card(page, "layer0")
    wait_in_page(page, 500)

    expect(page.get_by_test_id("histogram-card")).to_have_count(121)
    assert 0 < len(asked) < 20


def test_of_many_steps_some_are_drawn_and_all_are_saved(page: Page, histograms: Board, tmp_path: Path) -> None:
    open_board(page, histograms, "many", more="&q=long&full=long")
    long = card(page, "long")
    expect(long).to_have_attribute("data-steps", "200")
    expect(long).to_have_attribute("data-last-step", "299")
    expect(long.get_by_test_id("steps-drawn")).to_contain_text("200 of 300")

    tool(long, "card-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("card-csv").click()
    download.value.save_as(tmp_path / "long.csv")

    with (tmp_path / "long.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["step"]) for row in rows[:: len(EDGES) - 1]] == list(range(300))
    assert [(float(row["left"]), float(row["right"]), float(row["count"])) for row in rows[:3]] == [
        (0, 1, 2),
        (1, 2, 2),
        (2, 4, 3),
    ]


def test_a_chart_downloads_as_picture(page: Page, histograms: Board, tmp_path: Path) -> None:
    open_board(page, histograms, "first", "second")
    weight = card(page, "conv/weight")

    tool(weight, "card-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("card-png").click()
    download.value.save_as(tmp_path / "weight.png")

    assert (tmp_path / "weight.png").read_bytes().startswith(b"\x89PNG")
    assert {"conv/weight", "first", "second"} <= set(svg_text(page, weight))


def test_the_address_holds_the_whole_view(page: Page, histograms: Board, eventually: Callable[..., None]) -> None:
    open_board(page, histograms, "first", "second")
    page.get_by_test_id("look-bands").click()
    page.get_by_test_id("axis-relative").click()
    page.get_by_test_id("tag-filter").fill("conv")
    tool(card(page, "conv/weight"), "card-pin").click()
    eventually(lambda: all(part in page.url for part in ("look=bands", "x=relative", "q=conv", "pin=conv/weight")))

    other = page.context.new_page()
    other.goto(page.url)

    expect(other.get_by_test_id("histogram-card")).to_have_count(2)
    expect(other.get_by_test_id("pinned").get_by_test_id("histogram-card")).to_have_count(1)
    expect(other.get_by_test_id("look-bands")).to_have_attribute("aria-checked", "true")
    expect(other.get_by_test_id("axis-relative")).to_have_attribute("aria-checked", "true")


def test_new_steps_appear_by_themselves(page: Page, histograms: Board) -> None:
    write_run(histograms.base_dir / "living", 0, steps=(0, 1))
    page.goto("/runs")
    expect(page.get_by_text("living")).to_be_visible()
    open_board(page, histograms, "living")
    expect(card(page, "conv/weight")).to_have_attribute("data-last-step", "1")

    write_run(histograms.base_dir / "living", 0, steps=(2, 3))

    expect(card(page, "conv/weight")).to_have_attribute("data-last-step", "3")
    expect(card(page, "conv/weight")).to_have_attribute("data-steps", "4")


def test_a_run_without_histograms_says_how_to_log_one(page: Page, histograms: Board) -> None:
    page.goto(f"/histograms?{histograms.runs('plain')}")

    expect(page.get_by_test_id("state-empty")).to_contain_text("add_histogram")


def test_a_failed_card_can_be_tried_again(page: Page, histograms: Board) -> None:
    page.route("**/v1/histograms*", lambda route: route.abort())
    page.goto(f"/histograms?{histograms.runs('first')}")
    failed = page.get_by_test_id("state-failed")
    expect(failed).to_have_count(3)

    page.unroute("**/v1/histograms*")
    failed.first.get_by_test_id("retry").click()

    expect(failed).to_have_count(2)
    expect(page.get_by_test_id("chart")).to_have_count(1)
