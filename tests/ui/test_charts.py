"""The board of custom charts in a real browser."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mindinsight_like import SummaryWriter
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.files.record_file import RecordFile
from tests.ui.conftest import BEGIN, Board, served, watched_page

LAYOUT = {
    "Progress": {
        "losses": ["Multiline", ["loss/(train|eval)", "loss/missing"]],
        "band": ["Margin", ["mean", "low", "high"]],
    },
    "Broken": {
        "nothing": ["Multiline", ["absent"]],
        "odd": ["Multiline", ["(", "mean", "(a+)+$"]],
        "half": ["Margin", ["mean", "low", "absent"]],
    },
}


def write_run(folder: Path, run: int = 0, *, layout: bool = True, first: int = 0, last: int = 20) -> None:
    with SummaryWriter(str(folder)) as writer:
        if layout:
            writer.add_custom_scalars(LAYOUT)
        for step in range(first, last):
            for place, tag in enumerate(("low", "mean", "high", "loss/train", "loss/eval", "loss/other")):
                writer.add_scalar(tag, step + place + 10 * run, step, walltime=BEGIN + step)
            writer.add_scalar("a" * 40 + "!", 0.0, step, walltime=BEGIN + step)


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A service over runs with layouts: two alike, one that describes charts one by one, damaged ones, and none."""
    base_dir = tmp_path_factory.mktemp("charts") / "runs"
    write_run(base_dir / "first")
    write_run(base_dir / "second", 1)
    write_run(base_dir / "bare", 2, layout=False)
    with SummaryWriter(str(base_dir / "single")) as writer:
        writer.add_custom_scalars_multilinechart(["loss"], category="Own", title="one")
        writer.add_custom_scalars_marginchart(["mean", "low", "high"], category="Own", title="other")
        writer.add_scalar("loss", 1.0, 0)
    damaged = base_dir / "damaged" / "events.out.tfevents.1760000001.tests.1.0"
    with RecordFile(damaged, frame=tensorboard.frame) as log:
        broken = tensorboard.strings("custom_scalars__config__", [b"\xff\xff"], shape=(), plugin="custom_scalars")
        log.write(tensorboard.event([broken], step=0, wall_time=BEGIN))
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, charts: Board) -> Iterator[Page]:
    yield from watched_page(browser, charts)


def card(page: Page, title: str) -> Locator:
    found = page.locator(f'[data-testid="scalar-card"][data-tag="{title}"]').first
    # Not `scroll_into_view_if_needed`: the card of a chart takes the place of its placeholder meanwhile.
    found.evaluate("card => card.scrollIntoView({ block: 'nearest' })")
    return found


def chart(page: Page, title: str) -> Locator:
    """The chart of a card, once it has drawn."""
    found = card(page, title).get_by_test_id("chart")
    expect(found).to_be_visible()
    return found


def open_board(page: Page, board: Board, *names: str, more: str = "") -> None:
    page.goto(f"/charts?{board.runs(*names)}{more}")
    expect(page.get_by_test_id("scalar-card").first).to_be_visible()


def names_at_the_middle(page: Page, title: str) -> list[str]:
    """The lines that are read with the pointer in the middle of a chart."""
    box = chart(page, title).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_test_id("tooltip-row").first).to_be_visible()
    return sorted(name.strip() for name in page.get_by_test_id("tooltip-row").locator("td.name").all_inner_texts())


def save(page: Page, found: Locator, name: str) -> Path:
    found.hover()
    found.get_by_test_id("card-download").click()
    with page.expect_download() as download:
        page.get_by_test_id(name).click()
    return Path(download.value.path())


def test_the_rail_leads_to_it_only_where_there_are_layouts(page: Page, charts: Board) -> None:
    page.goto(f"/runs/{charts.runs('first').removeprefix('run=')}")
    page.get_by_test_id("nav-run-charts").click()
    expect(page.get_by_test_id("tag-group")).to_have_count(2)
    assert page.get_by_test_id("tag-group").nth(0).get_attribute("data-prefix") == "Progress"

    page.goto(f"/runs/{charts.runs('bare').removeprefix('run=')}")
    expect(page.get_by_test_id("nav-run-scalars")).to_be_visible()
    expect(page.get_by_test_id("nav-run-charts")).to_have_count(0)


def test_a_chart_has_every_tag_that_its_patterns_match(page: Page, charts: Board) -> None:
    open_board(page, charts, "first")

    assert names_at_the_middle(page, "losses") == ["loss/eval", "loss/train"]
    card(page, "losses").get_by_test_id("unmatched").click()
    unmatched = card(page, "losses").get_by_test_id("unmatched-list")
    expect(unmatched).to_contain_text("loss/missing")
    expect(unmatched).not_to_contain_text("loss/(train|eval)")


def test_a_layout_arranges_the_scalars_of_all_chosen_runs(page: Page, charts: Board) -> None:
    open_board(page, charts, "first", "bare")

    expect(page.get_by_test_id("scalar-card")).to_have_count(5)
    names = names_at_the_middle(page, "losses")
    assert names == ["bare · loss/eval", "bare · loss/train", "first · loss/eval", "first · loss/train"]


def test_a_margin_chart_has_a_band(page: Page, charts: Board) -> None:
    open_board(page, charts, "first", "second")
    assert names_at_the_middle(page, "band") == ["first", "second"]
    header = page.get_by_test_id("tooltip").locator("th").all_inner_texts()
    row = page.get_by_test_id("tooltip-row").filter(has_text="second").locator("td").all_inner_texts()
    value, lower, upper = (float(row[header.index(name)]) for name in ("Smoothed", "Lower", "Upper"))
    assert (lower, upper) == pytest.approx((value - 1, value + 1), abs=1e-3)

    page.mouse.move(0, 0)
    root = ElementTree.parse(save(page, card(page, "band"), "card-svg")).getroot()
    bands = [path for path in root.iter() if path.get("d", "").endswith("Z") and path.get("fill") not in (None, "none")]
    assert len(bands) == 2
    with save(page, card(page, "band"), "card-csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["tag"] for row in rows} == {"mean", "low", "high"}


def test_what_matches_nothing_or_is_no_pattern_says_so_and_hurts_no_other(page: Page, charts: Board) -> None:
    open_board(page, charts, "first")

    expect(card(page, "nothing").get_by_test_id("state-empty")).to_contain_text("absent")
    assert names_at_the_middle(page, "odd") == ["first"]
    card(page, "odd").get_by_test_id("unmatched").click()
    odd = card(page, "odd").get_by_test_id("unmatched-list").locator("li")
    expect(odd.filter(has_text="invalid regular expression")).to_have_count(1)
    # Trying it out would take longer than the universe is old.
    expect(odd.filter(has_text="takes too long")).to_have_text(re.compile(re.escape("(a+)+$")))
    page.keyboard.press("Escape")
    assert names_at_the_middle(page, "half") == ["first"]


def test_charts_described_one_by_one_are_all_there(page: Page, charts: Board) -> None:
    open_board(page, charts, "single")

    expect(chart(page, "one")).to_be_visible()
    expect(card(page, "other").get_by_test_id("state-empty")).to_contain_text("mean")
    expect(page.get_by_test_id("tags-shown")).to_have_text("2 of 2 charts")


def test_a_layout_that_cannot_be_read_says_why(page: Page, charts: Board) -> None:
    open_board(page, charts, "damaged", "first")

    expect(page.get_by_test_id("damaged-layouts")).to_contain_text("1 layout unreadable")
    expect(chart(page, "band")).to_be_visible()


def test_settings_are_in_the_address(page: Page, charts: Board) -> None:
    open_board(page, charts, "first")
    page.get_by_test_id("axis-relative").click()
    page.get_by_test_id("tag-filter").fill("band")
    expect(page.get_by_test_id("scalar-card")).to_have_count(1)
    expect(page).to_have_url(re.compile("x=relative.*q=band|q=band.*x=relative"))

    card(page, "band").hover()
    card(page, "band").get_by_test_id("card-fullscreen").click()
    expect(page).to_have_url(re.compile("full=Progress/band"))
    expect(page.get_by_test_id("chart-board")).to_have_attribute("inert", "")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("chart-board")).not_to_have_attribute("inert", "")


def test_new_points_appear(page: Page, charts: Board) -> None:
    write_run(charts.base_dir / "living", last=5)
    page.goto("/runs")
    expect(page.get_by_text("living")).to_be_visible()
    open_board(page, charts, "living")
    chart(page, "band")
    expect(card(page, "band")).to_have_attribute("data-last-step", "4")

    write_run(charts.base_dir / "living", layout=False, first=5, last=9)

    expect(card(page, "band")).to_have_attribute("data-last-step", "8")


def test_a_run_without_layouts_says_how_to_describe_one(page: Page, charts: Board) -> None:
    page.goto(f"/charts?{charts.runs('bare')}")
    expect(page.get_by_test_id("state-empty")).to_contain_text("add_custom_scalars")


def test_the_board_speaks_chinese(page: Page, charts: Board) -> None:
    open_board(page, charts, "first", more="&lang=zh")
    expect(card(page, "losses").get_by_test_id("unmatched")).to_have_text("1 个标签未找到")
