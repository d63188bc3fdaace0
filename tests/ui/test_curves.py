"""The board of PR and ROC curves in a real browser."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mindinsight_like import LogWriter, SummaryWriter
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.files.record_file import RecordFile
from tests.ui.conftest import BEGIN, Board, served, wait_in_page, watched_page, withhold_frames

STEPS = (0, 10, 20)
TAGS = ("eval/cat", "eval/dog", "test/cat")
# At the thresholds 0, 0.25, 0.5, 0.75 and 1.
TP, FP, TN, FN = [4, 3, 2, 1, 0], [6, 3, 1, 0, 0], [0, 3, 5, 6, 6], [0, 1, 2, 3, 4]
PRECISION, RECALL = [0.4, 0.5, 2 / 3, 1, 0], [1, 0.75, 0.5, 0.25, 0]


def write_run(folder: Path, times: int = 1, *, steps: tuple[int, ...] = STEPS, tags: tuple[str, ...] = TAGS) -> None:
    """Curves whose counts are the above, `times` as many, and more with every step."""
    with SummaryWriter(str(folder)) as writer:
        for step in steps:
            counts: list[Any] = [[times * (step + 1) * count for count in row] for row in (TP, FP, TN, FN)]
            for tag in tags:
                tp, fp, tn, fn = counts
                writer.add_pr_curve_raw(tag, tp, fp, tn, fn, PRECISION, RECALL, step, 5, walltime=BEGIN + step)


@pytest.fixture(scope="module")
def curves(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A service over runs with curves: two alike, one of VisualDL, one damaged, one with many tags, one without."""
    base_dir = tmp_path_factory.mktemp("curves") / "runs"
    write_run(base_dir / "first")
    write_run(base_dir / "second", 3)
    with LogWriter(logdir=str(base_dir / "paddle")) as writer:
        for step in (0, 1):
            writer.add_roc_curve("roc/sure", np.array([1, 1, 0, 0]), np.array([0.9, 0.6, 0.4, 0.1]), step)
            writer.add_pr_curve("roc/sure", np.array([1, 1, 0, 0]), np.array([0.9, 0.6, 0.4, 0.1]), step)
    write_run(base_dir / "damaged", tags=("eval/cat",), steps=(0,))
    with RecordFile(base_dir / "damaged" / "events.out.tfevents.1760000001.tests.1.0", frame=tensorboard.frame) as log:
        broken = tensorboard.tensor("eval/dog", np.zeros((5, 3), np.float32), plugin="pr_curves")
        log.write(tensorboard.event([broken], step=0, wall_time=BEGIN))
    write_run(base_dir / "many", tags=tuple(f"class{number}/pr" for number in range(120)), steps=(0,))
    with SummaryWriter(str(base_dir / "plain")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, curves: Board) -> Iterator[Page]:
    yield from watched_page(browser, curves)


def card(page: Page, tag: str) -> Locator:
    """The card of a tag, once it has drawn."""
    found = page.locator(f'[data-testid="curve-card"][data-tag="{tag}"]').first
    found.scroll_into_view_if_needed()
    expect(found.get_by_test_id("chart")).to_be_visible()
    return found


def open_board(page: Page, board: Board, *names: str, more: str = "") -> None:
    page.goto(f"/curves?{board.runs(*names)}{more}")
    expect(page.get_by_test_id("curve-card").first).to_be_visible()


def cells(row: Locator) -> list[str]:
    return row.locator("td").all_inner_texts()


def test_the_rail_leads_to_it_only_where_there_are_curves(page: Page, curves: Board) -> None:
    page.goto(f"/runs/{curves.runs('first').removeprefix('run=')}")
    page.get_by_test_id("nav-run-curves").click()
    expect(page.get_by_test_id("curve-card")).to_have_count(3)

    page.goto(f"/runs/{curves.runs('plain').removeprefix('run=')}")
    expect(page.get_by_test_id("nav-run-scalars")).to_be_visible()
    expect(page.get_by_test_id("nav-run-curves")).to_have_count(0)
    page.goto("/runs")
    expect(page.get_by_test_id("nav-curves")).to_be_visible()
    expect(page.get_by_test_id("nav-images")).to_have_count(0)


def test_a_slider_reads_every_run_at_a_threshold(page: Page, curves: Board) -> None:
    open_board(page, curves, "first", "second")
    slider = card(page, "eval/cat").get_by_test_id("threshold")

    slider.focus()
    expect(page.get_by_test_id("tooltip-row")).to_have_count(2)
    before = cells(page.get_by_test_id("tooltip-row").first)
    slider.press("End")
    expect(page.get_by_test_id("tooltip-row").first).to_be_visible()

    assert cells(page.get_by_test_id("tooltip-row").first) != before


def test_hovering_reads_the_counts_of_every_run_at_a_threshold(page: Page, curves: Board) -> None:
    open_board(page, curves, "first", "second")
    box = card(page, "eval/cat").get_by_test_id("chart").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    rows = page.get_by_test_id("tooltip-row")
    expect(rows).to_have_count(2)
    expect(page.get_by_test_id("tooltip-threshold")).to_have_text("Threshold 0.5")
    assert cells(rows.filter(has_text="first"))[1:] == ["0.6667", "0.5", "42", "21", "105", "42"]
    assert cells(rows.filter(has_text="second"))[1:] == ["0.6667", "0.5", "126", "63", "315", "126"]


def test_arrow_keys_change_threshold_and_step(page: Page, curves: Board) -> None:
    open_board(page, curves, "first")
    chart = card(page, "eval/cat").get_by_test_id("chart")
    chart.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    row = page.get_by_test_id("tooltip-row")
    expect(page.get_by_test_id("tooltip-threshold")).to_have_text("Threshold 0.75")
    assert cells(row)[3:] == ["21", "0", "126", "63"]

    page.keyboard.press("ArrowLeft")

    # The same threshold, one step before; every card goes along.
    expect(row.locator("td").nth(3)).to_have_text("11")
    expect(card(page, "eval/cat")).to_have_attribute("data-step", "10")
    expect(card(page, "eval/dog")).to_have_attribute("data-step", "10")
    expect(page).to_have_url(re.compile("step=10"))


def test_a_key_before_the_first_frame_is_not_lost(page: Page, curves: Board) -> None:
    withhold_frames(page)
    open_board(page, curves, "first")

    card(page, "eval/cat").get_by_test_id("chart").press("ArrowUp")

    expect(page.get_by_test_id("tooltip-threshold")).to_contain_text("Threshold")


def test_steps_can_be_played_dragged_and_unlinked(page: Page, curves: Board) -> None:
    open_board(page, curves, "first", more="&step=0")
    cat = card(page, "eval/cat")
    expect(cat.get_by_test_id("step-place")).to_have_text("1 of 3")
    cat.get_by_test_id("step-play").click()
    expect(cat).to_have_attribute("data-step", "20")
    expect(cat.get_by_test_id("step-place")).to_have_text("3 of 3")

    page.get_by_test_id("link-steps").click()
    cat.get_by_test_id("step-slider").fill("0")
    expect(cat).to_have_attribute("data-step", "0")
    expect(card(page, "eval/dog")).to_have_attribute("data-step", "20")


def test_a_step_that_a_run_lacks_shows_its_last_before(page: Page, curves: Board) -> None:
    open_board(page, curves, "first", "damaged", more="&step=20")
    entries = card(page, "eval/cat").get_by_test_id("card-legend").locator("li")
    expect(entries.filter(has_text="damaged")).to_contain_text("Step 0")
    expect(entries.filter(has_text="first")).not_to_contain_text("Step")


def test_the_area_is_told_where_it_is_known(page: Page, curves: Board) -> None:
    open_board(page, curves, "first", "paddle")
    # Each precision over the recall it adds: a quarter of 1, 2/3, 1/2 and 2/5.
    expect(card(page, "eval/cat").get_by_test_id("card-legend")).to_contain_text("AP 0.6417")
    expect(card(page, "roc/sure (ROC)").get_by_test_id("card-legend")).to_contain_text("AUC 1")
    expect(card(page, "roc/sure (ROC)")).to_have_attribute("data-kind", "roc_curves")
    expect(card(page, "roc/sure (PR)").get_by_test_id("card-legend")).to_contain_text("AP 1")


def test_classes_share_a_chart_when_asked(page: Page, curves: Board) -> None:
    open_board(page, curves, "first", "second")
    page.get_by_test_id("per-group").click()

    expect(page.get_by_test_id("curve-card")).to_have_count(2)
    expect(page).to_have_url(re.compile("per=group"))
    legend = card(page, "eval/* (PR)").get_by_test_id("card-legend").locator("li")
    expect(legend).to_have_count(4)
    expect(legend.nth(0)).to_contain_text("first · cat")
    card(page, "eval/* (PR)").hover()
    card(page, "eval/* (PR)").get_by_test_id("card-fullscreen").click()
    expect(page.get_by_test_id("curve-board")).to_have_attribute("inert", "")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("curve-board")).not_to_have_attribute("inert", "")


def test_the_time_of_each_curve_is_said_as_asked(page: Page, curves: Board) -> None:
    open_board(page, curves, "first")
    legend = card(page, "eval/cat").get_by_test_id("card-legend")
    page.get_by_test_id("time-relative").click()
    expect(legend).to_contain_text("20\u202fs")
    page.get_by_test_id("time-absolute").click()
    expect(legend).to_contain_text(re.compile(r"2025-10-\d\d \d\d:\d\d:\d\d"))


def test_a_part_can_be_enlarged_and_is_in_the_address(page: Page, curves: Board) -> None:
    open_board(page, curves, "first")
    cat = card(page, "eval/cat")
    box = cat.get_by_test_id("chart").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.2 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.6 * box["height"], steps=4)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"z=0\.\d+,0\.\d+,0\.\d+,0\.\d+@eval/cat"))

    cat.hover()
    cat.get_by_test_id("card-restore").click()
    expect(page).not_to_have_url(re.compile("z="))


def test_every_point_can_be_saved_and_the_chart_too(page: Page, curves: Board, tmp_path: Path) -> None:
    open_board(page, curves, "first")
    cat = card(page, "eval/cat")

    def save(name: str) -> Path:
        cat.hover()
        cat.get_by_test_id("card-download").click()
        with page.expect_download() as download:
            page.get_by_test_id(name).click()
        return Path(download.value.path())

    with save("card-csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(STEPS) * 5
    at_half = next(row for row in rows if row["step"] == "10" and row["threshold"] == "0.5")
    assert (at_half["run"], at_half["tp"], at_half["fp"], at_half["recall"]) == ("first", "22", "11", "0.5")
    assert rows[4]["precision"] == ""  # nothing is taken for positive there
    assert "Recall" in save("card-svg").read_text()
    assert save("card-png").read_bytes().startswith(b"\x89PNG")


def test_a_damaged_curve_says_why_and_hurts_no_other(page: Page, curves: Board) -> None:
    page.goto(f"/curves?{curves.runs('damaged')}")
    dog = page.locator('[data-testid="curve-card"][data-tag="eval/dog"]')

    expect(dog.get_by_test_id("state-failed")).to_contain_text("six rows")
    expect(card(page, "eval/cat").get_by_test_id("card-legend")).to_contain_text("AP")


def test_only_what_is_in_view_is_asked_for(page: Page, curves: Board) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/v1/pr-curves" in request.url else None)

    open_board(page, curves, "many")
    card(page, "class0/pr")
    wait_in_page(page, 500)

    expect(page.get_by_test_id("curve-card")).to_have_count(120)
    assert 0 < len(asked) < 20
    # Groups of one card stand side by side.
    first, second = (page.get_by_test_id("tag-group").nth(place).bounding_box() for place in (0, 1))
    assert first is not None
    assert second is not None
    assert first["y"] == second["y"]


def test_new_steps_appear(page: Page, curves: Board) -> None:
    write_run(curves.base_dir / "living", steps=(0,), tags=("eval/cat",))
    page.goto("/runs")
    expect(page.get_by_text("living")).to_be_visible()
    open_board(page, curves, "living")
    expect(card(page, "eval/cat")).to_have_attribute("data-step", "0")

    write_run(curves.base_dir / "living", steps=(7,), tags=("eval/cat",))

    expect(card(page, "eval/cat")).to_have_attribute("data-step", "7")
    expect(page.get_by_test_id("step-place")).to_have_text("2 of 2")


def test_a_run_without_curves_says_how_to_log_one(page: Page, curves: Board) -> None:
    page.goto(f"/curves?{curves.runs('plain')}")
    expect(page.get_by_test_id("state-empty")).to_contain_text("add_pr_curve")


def test_the_board_speaks_chinese(page: Page, curves: Board) -> None:
    page.goto(f"/curves?{curves.runs('first')}&lang=zh")
    card(page, "eval/cat").get_by_test_id("chart").focus()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_test_id("tooltip-threshold")).to_have_text("阈值 0.5")
    expect(page.get_by_test_id("tooltip")).to_contain_text("精确率")
