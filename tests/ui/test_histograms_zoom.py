"""Looking closer at histograms: zoom, logarithmic counts, superseded steps, one cursor for all cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mindinsight_like import SummaryWriter
from tests.ui.conftest import BEGIN, Board, served, wait_in_page, watched_page, withhold_frames

STEPS = 400


def write(folder: Path, steps: range, *, tags: tuple[str, ...] = ("a/weight", "b/weight"), late: float = 0.0) -> None:
    with SummaryWriter(str(folder)) as writer:
        for step in steps:
            for tag in tags:
                values = np.concatenate([np.full(1000, 0.5), np.full(3, 9.5), np.linspace(0, 10, 20)])
                writer.add_histogram(tag, values, step, bins=list(range(11)), walltime=BEGIN + step + late)


@pytest.fixture(scope="module")
def histograms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("histogram-zoom") / "runs"
    for run in ("first", "second", "third"):
        write(base_dir / run, range(STEPS))
    write(base_dir / "resumed", range(20))
    write(base_dir / "resumed", range(10, 20), late=1000.0)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, histograms: Board) -> Iterator[Page]:
    yield from watched_page(browser, histograms)


def card(page: Page, tag: str) -> Locator:
    found = page.locator(f'[data-testid="histogram-card"][data-tag="{tag}"]').first
    expect(found).to_have_attribute("data-loaded", "true")
    return found


def drag(page: Page, chart: Locator, start: tuple[float, float], end: tuple[float, float]) -> None:
    """From one place to another, as shares of the chart."""
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + start[0] * box["width"], box["y"] + start[1] * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + end[0] * box["width"], box["y"] + end[1] * box["height"], steps=4)
    page.mouse.up()


def tool(found: Locator, name: str) -> Locator:
    found.hover()
    return found.get_by_test_id(name)


def zoom_in(url: str) -> tuple[list[float], list[float]] | None:
    """Steps and values of the zoom in an address."""
    if "&z=" not in url:
        return None
    ends = url.split("&z=")[1].partition("@")[0].split(",")
    return [float(end) for end in ends[:2] if end], [float(end) for end in ends[2:] if end]


def zoom_of(page: Page) -> tuple[list[float], list[float]]:
    page.wait_for_url(lambda url: zoom_in(url) is not None)
    found = zoom_in(page.url)
    assert found is not None
    return found


def has_mark(found: Locator) -> bool:
    """Whether anything is drawn over the chart of a card."""
    count = """canvas => {
      const { width, height } = canvas
      return canvas.getContext('2d').getImageData(0, 0, width, height).data.some((byte) => byte > 0)
    }"""
    return bool(found.locator("canvas").nth(1).evaluate(count))


def test_dragging_a_box_shows_these_steps_and_values_finer(page: Page, histograms: Board) -> None:
    page.goto(f"/histograms?{histograms.runs('first')}")
    weight = card(page, "a/weight")
    expect(weight).to_have_attribute("data-steps", "50")

    drag(page, weight.get_by_test_id("chart"), (0.2, 0.6), (0.6, 0.8))

    steps, values = zoom_of(page)
    assert 0 < steps[0] < steps[1] < STEPS - 1
    assert 0 < values[0] < values[1] < 10
    span = int(steps[1] - steps[0]) + 1
    expect(weight).to_have_attribute("data-last-step", str(int(steps[1])))
    expect(weight).to_have_attribute("data-steps", str(min(50, span)))
    # The other cards stay as they were.
    expect(card(page, "b/weight")).to_have_attribute("data-last-step", str(STEPS - 1))


def test_zooms_are_undone_one_by_one_or_at_once(page: Page, histograms: Board) -> None:
    page.goto(f"/histograms?{histograms.runs('first')}&look=bands")
    weight = card(page, "a/weight")
    chart = weight.get_by_test_id("chart")
    drag(page, chart, (0.3, 0.5), (0.9, 0.5))
    outer = zoom_of(page)
    wait_in_page(page, 450)  # quicker changes are one step of the history
    drag(page, chart, (0.3, 0.2), (0.9, 0.7))
    page.wait_for_url(lambda url: zoom_in(url) != outer)
    inner = zoom_of(page)
    assert outer[1] == []
    assert len(inner[1]) == 2
    assert outer[0][0] < inner[0][0] < inner[0][1] < outer[0][1]

    tool(weight, "card-zoom-back").click()
    page.wait_for_url(lambda url: zoom_in(url) == outer)
    tool(weight, "card-restore").click()
    page.wait_for_url(lambda url: "z=" not in url)
    expect(weight).to_have_attribute("data-last-step", str(STEPS - 1))
    expect(tool(weight, "card-zoom-back")).to_be_disabled()


def test_a_zoomed_address_opens_as_it_was(page: Page, histograms: Board) -> None:
    page.goto(f"/histograms?{histograms.runs('first')}&x=relative&z=100,120,2,8@a/weight")

    weight = card(page, "a/weight")

    expect(weight).to_have_attribute("data-steps", "21")
    expect(weight).to_have_attribute("data-last-step", "120")
    # Times still count from the first step of all.
    weight.get_by_test_id("chart").focus()
    weight.get_by_test_id("chart").press("ArrowDown")
    expect(page.get_by_test_id("tooltip")).to_contain_text("2 min")
    weight.get_by_test_id("chart").press("0")
    page.wait_for_url(lambda url: "z=" not in url)


def test_keys_zoom_too(page: Page, histograms: Board) -> None:
    page.goto(f"/histograms?{histograms.runs('first')}")
    chart = card(page, "a/weight").get_by_test_id("chart")

    chart.focus()
    chart.press("+")
    page.wait_for_url(lambda url: "z=" in url)
    chart.press("-")
    page.wait_for_url(lambda url: "z=" not in url)


def test_a_key_before_the_first_frame_is_not_lost(page: Page, histograms: Board) -> None:
    withhold_frames(page)
    page.goto(f"/histograms?{histograms.runs('first')}")

    card(page, "a/weight").get_by_test_id("chart").press("+")

    steps, values = zoom_of(page)
    assert steps == []
    assert values == pytest.approx([2.5, 7.5], abs=0.3)


def test_a_box_dragged_before_the_first_frame_is_not_lost(page: Page, histograms: Board) -> None:
    withhold_frames(page)
    page.goto(f"/histograms?{histograms.runs('first')}")

    drag(page, card(page, "a/weight").get_by_test_id("chart"), (0.2, 0.6), (0.6, 0.8))

    steps, values = zoom_of(page)
    assert 0 < steps[0] < steps[1] < STEPS - 1
    assert 0 < values[0] < values[1] < 10


def test_counts_may_be_logarithmic(page: Page, histograms: Board) -> None:
    page.goto(f"/histograms?{histograms.runs('first')}&look=overlay")
    weight = card(page, "a/weight")

    page.get_by_test_id("log-all").check()

    page.wait_for_url(lambda url: "ylog=1" in url)
    expect(weight.locator(".chip", has_text="log")).to_be_visible()
    page.get_by_test_id("look-bands").click()
    expect(page.get_by_test_id("log-all")).to_be_disabled()


def test_superseded_steps_are_shown_on_request(page: Page, histograms: Board) -> None:
    page.goto(f"/histograms?{histograms.runs('resumed')}")
    weight = card(page, "a/weight")
    expect(weight).to_have_attribute("data-steps", "20")

    page.get_by_test_id("superseded-all").check()

    expect(weight).to_have_attribute("data-steps", "30")
    page.wait_for_url(lambda url: "resume=all" in url)
    # Steps that are there twice are read one after the other.
    chart = weight.get_by_test_id("chart")
    chart.focus()
    seen: list[str | None] = []
    for _ in range(4):
        chart.press("ArrowUp" if seen else "ArrowDown")
        seen.append(page.get_by_test_id("tooltip-step").inner_text())
    assert seen == ["19", "19", "18", "18"]


def test_a_step_read_in_one_card_is_marked_in_the_others(
    page: Page, histograms: Board, eventually: Callable[..., None]
) -> None:
    page.goto(f"/histograms?{histograms.runs('first', 'second', 'third')}")
    one, other = card(page, "a/weight"), card(page, "b/weight")
    assert not has_mark(other)

    one.get_by_test_id("chart").hover()

    expect(page.get_by_test_id("tooltip-row")).to_have_count(3)
    eventually(lambda: has_mark(other))
    page.mouse.move(5, 5)
    eventually(lambda: not has_mark(other))
