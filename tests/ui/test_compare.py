"""The curve workspace with many runs: rules and ticks, charts of runs and groups, baseline, zoom, live updates."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import mindinsight_like as mi
from mindinsight_like.store.database.location import run_id
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.files.record_file import RecordFile

from .conftest import BEGIN, Board, served, watched_page

STEPS = 40
RUNS = ("sweep/a0", "sweep/b1", "sweep/a2", "sweep/b3", "sweep/a4", "other/c5")


def log(folder: Path, number: int, first: int, last: int) -> None:
    """Losses that are the run's number above the step."""
    name = f"events.out.tfevents.{int(BEGIN) + first:010d}.tests.{number}.0"
    with RecordFile(folder / name, frame=tensorboard.frame) as file:
        for step in range(first, last):
            values = [tensorboard.scalar("loss", number + step), tensorboard.scalar("epoch", step // 10)]
            file.write(tensorboard.event(values, step=step, wall_time=BEGIN + step))


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("compare") / "runs"
    for number, name in enumerate(RUNS):
        mi.log_lineage(base_dir / name, params={"net": name[-2], "lr": number}, code=False, environment=False)
        log(base_dir / name, number, 0, STEPS)
    with served(base_dir, "--workers", "1") as board:  # each has a cache of its own
        yield board


@pytest.fixture
def page(browser: Browser, sweep: Board) -> Iterator[Page]:
    yield from watched_page(browser, sweep)


def card(page: Page, tag: str) -> Locator:
    """The card of a tag, whether the page or the service computes its curves."""
    return page.locator(f'[data-curves][data-tag="{tag}"]')


def address(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlparse(page.url).query)


def test_rules_choose_runs_and_groups_are_drawn(page: Page, eventually: Callable[[Callable[[], bool]], None]) -> None:
    page.goto("/compare?run=none&tag=loss")
    expect(page.get_by_text("No runs selected")).to_be_visible()

    # An expression only narrows the list until all that it finds are to be compared.
    page.get_by_test_id("rule-re").click()
    page.get_by_test_id("rule-re").last.fill("sweep/[ab]")
    expect(page.get_by_test_id("picker-run")).to_have_count(5)
    page.get_by_test_id("compare-all").check()
    expect(card(page, "loss")).to_have_attribute("data-curves", "5")
    page.locator(f'[data-run="{run_id("sweep/a4")}"] input').uncheck()
    expect(card(page, "loss")).to_have_attribute("data-curves", "4")
    eventually(lambda: address(page).get("re") == ["sweep/[ab]"] and address(page).get("not") == [run_id("sweep/a4")])
    assert "run" not in address(page) and "list" not in address(page)

    page.get_by_test_id("looks-toggle").click()
    page.get_by_test_id("group-select").select_option("hparam/net")
    page.get_by_test_id("band-select").select_option("minmax")
    expect(card(page, "loss")).to_have_attribute("data-curves", "2")
    expect(card(page, "loss").get_by_test_id("card-legend")).to_contain_text("2 runs")
    chart = card(page, "loss").get_by_test_id("chart")
    chart.hover()
    expect(page.get_by_test_id("tooltip-row")).to_have_count(2)
    expect(page.get_by_test_id("tooltip-n").first).to_have_text("2")
    values = [float(text) for text in page.locator('[data-testid="tooltip-row"] td.strong').all_inner_texts()]
    assert values[0] - values[1] == pytest.approx(1.0)  # the means of 1, 3 and of 0, 2

    # A baseline brings differences, which are in the file too.
    page.locator('[data-testid="sheet-row"][data-name="a"]').get_by_test_id("row-baseline").click()
    cell = page.locator('[data-testid="sheet-row"][data-name="b"] [data-key="Δlast:loss"]')
    expect(cell).to_have_text("+2.50 %")  # 41 beside 40
    page.get_by_test_id("compare-table").get_by_test_id("card-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("compare-table").get_by_test_id("card-csv").click()
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text())))
    assert {row["group"]: float(row["Δlast:loss"]) for row in rows} == {"a": 0.0, "b": pytest.approx(2.5)}

    # The whole view is in the address.
    page.reload()
    expect(card(page, "loss")).to_have_attribute("data-curves", "2")
    expect(cell).to_have_text("+2.50 %")
    expect(page.get_by_test_id("cache-line")).to_contain_text("Cache: ")
    page.get_by_test_id("cache-details").click()
    expect(page.get_by_test_id("cache-run").first).to_be_in_viewport()


def test_queries_charts_by_value_and_complaints(page: Page) -> None:
    page.goto("/compare?q=lr > 1&tag=loss&facet=hparam/net&colour=hparam/lr&x=tag:epoch")
    expect(card(page, "loss")).to_have_attribute("data-curves", "4")
    assert [facet.get_attribute("data-facet") for facet in page.get_by_test_id("facet").all()] == ["a", "b", "c"]
    page.get_by_test_id("lineage-query").fill("lr > ")
    page.get_by_test_id("lineage-query").press("Escape")
    page.get_by_test_id("lineage-query").press("Enter")
    expect(page.get_by_test_id("query-complaint")).to_be_visible()
    expect(card(page, "loss")).to_have_attribute("data-curves", "4")  # what was there stays

    page.goto("/compare?q=`scalar/loss/min` > 3&tag=loss&group=hparam/net")
    expect(card(page, "loss")).to_have_attribute("data-curves", "2")
    page.get_by_test_id("colour-select").select_option("scalar/loss/min")
    expect(card(page, "loss").get_by_test_id("card-legend").locator("li")).to_contain_text(["4.0", "5.0", "a", "c"])

    page.goto("/compare?all=1&tag=loss&groupre=(")
    expect(page.get_by_test_id("look-complaint")).to_contain_text("group_pattern: missing )")


def test_zooms_step_back_and_new_data_arrives(page: Page, sweep: Board) -> None:
    page.goto(f"/scalars?{sweep.runs('other/c5')}")
    page.locator('[data-testid="picker-tag"][data-tag="loss"]').dblclick()
    expect(card(page, "epoch")).to_have_count(0)
    chart = card(page, "loss").get_by_test_id("chart")
    expect(card(page, "loss")).to_have_attribute("data-curves", "1")
    box = chart.bounding_box()
    assert box is not None
    for begin, end in ((0.3, 0.8), (0.4, 0.6)):
        page.mouse.move(box["x"] + begin * box["width"], box["y"] + 100)
        page.mouse.down()
        page.mouse.move(box["x"] + end * box["width"], box["y"] + 105, steps=4)
        page.mouse.up()
        expect(card(page, "loss").get_by_test_id("card-restore")).to_be_enabled()
    inner = address(page)["z"]
    card(page, "loss").get_by_test_id("card-zoom-back").click()
    assert address(page)["z"] != inner
    card(page, "loss").get_by_test_id("card-restore").click()
    expect(card(page, "loss").get_by_test_id("card-restore")).to_be_disabled()

    card(page, "loss").get_by_test_id("card-fullscreen").click()
    expect(card(page, "loss")).to_have_class("card full")
    page.keyboard.press("Escape")
    expect(card(page, "loss")).to_have_class("card")

    last = page.locator('[data-testid="sheet-row"] [data-key="last:loss"]')
    expect(last).to_have_text("44")
    log(sweep.base_dir / "other/c5", 5, STEPS, STEPS + 10)
    expect(last).to_have_text("54")
    chart.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_test_id("tooltip")).to_contain_text("54")
