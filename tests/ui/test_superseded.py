"""Superseded points are counted on cards and shown on request; curves without steps are drawn over time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import mindinsight_like as mi

from .conftest import Board, served
from .test_landscapes import bowl
from .test_report import save_report

BEGIN = 1_760_000_000.0
LANDSCAPE = "landscape_[2, 8]"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("superseded") / "runs"
    with mi.SummaryWriter(base_dir / "run") as writer:
        for place, step in enumerate([*range(50), 7, *range(50, 60)]):
            writer.add_scalar("late", place, step, walltime=BEGIN + place)
            writer.add_scalar("plain", place, place, walltime=BEGIN + place)
            writer.add_scalar("timed", place, 0, walltime=BEGIN + place)
        for place in range(5):
            writer.add_histogram("timed", np.arange(20.0) + place, 0, walltime=BEGIN + place)
    with mi.SummaryWriter(base_dir / "kinds") as writer:
        for place, step in enumerate((0, 1, 1)):
            wall = BEGIN + place
            writer.add_text("value", f"text {place}", step, walltime=wall)
            writer.add_image("value", np.full((3, 4, 4), 80 * place, np.uint8), step, walltime=wall)
            writer.add_audio("value", np.sin(np.arange(800) / (place + 3)), step, 8000, walltime=wall)
            writer.add_histogram("value", np.arange(20.0) + place, step, walltime=wall)
            writer.add_tensor("value", np.full((2, 2), 10.0 + place), step, walltime=wall)
            truth, guess = np.arange(20) % 2, np.linspace(0, 1, 20) ** (place + 1)
            writer.add_pr_curve("value", truth, guess, step, walltime=wall)
            writer.add_mesh("value", np.eye(3)[None] * (place + 1), global_step=step, walltime=wall)
    for place, folder in enumerate(("kinds", "kinds", "kinds")):
        with mi.SummaryRecord(str(base_dir / folder)) as record:
            record.add_value("landscape", LANDSCAPE, bowl(place + 1.0))
            record.record(min(place, 1))
    with served(base_dir) as board:
        yield board


def _card(page: Page, tag: str) -> Locator:
    return page.locator(f'[data-testid="scalar-card"][data-tag="{tag}"]')


def test_a_card_counts_superseded_points_and_shows_them(page: Page, board: Board) -> None:
    page.goto(f"/scalars?{board.runs('run')}")
    late = _card(page, "late")
    chip = late.get_by_test_id("card-superseded")
    expect(chip).to_have_text("1 superseded")
    expect(chip).to_have_attribute("aria-pressed", "false")
    expect(_card(page, "plain").get_by_test_id("card-superseded")).to_have_count(0)

    chip.click()

    expect(chip).to_have_attribute("aria-pressed", "true")
    page.wait_for_url(lambda url: "superseded=late" in url)
    page.reload()
    expect(chip).to_have_attribute("aria-pressed", "true")
    page.get_by_test_id("superseded-all").check()
    expect(chip).to_have_attribute("aria-pressed", "true")
    page.wait_for_url(lambda url: "resume=all" in url and "superseded=" not in url)


BOARDS = {
    "images": ("image", "value", "image-pane"),
    "audio": ("sound", "value", "sound-pane"),
    "texts": ("text", "value", "text-pane"),
    "tensors": ("tensor", "value", "tensor-pane"),
    "meshes": ("mesh", "value", "mesh-pane"),
    "landscapes": ("landscape", LANDSCAPE, "landscape-pane"),
}


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_shows_what_was_superseded_beside_what_replaced_it(page: Page, board: Board, name: str) -> None:
    kind, tag, pane = BOARDS[name]
    page.goto(f"/{name}?{board.runs('kinds')}")
    card = page.locator(f'[data-testid="{kind}-card"][data-tag="{tag}"]')
    card.scroll_into_view_if_needed()
    chip = card.get_by_test_id("card-superseded")
    expect(chip).to_have_text(re.compile(r"^\d+ superseded$"))
    count = chip.inner_text()
    expect(card.get_by_test_id(pane)).to_have_count(1)

    chip.click()

    expect(chip).to_have_attribute("aria-pressed", "true")
    page.wait_for_url(lambda url: "superseded=" in url)
    expect(card.get_by_test_id(pane)).to_have_count(2)
    expect(chip).to_have_text(count)
    expect(card.get_by_test_id(pane).nth(1)).to_contain_text("superseded")
    page.reload()
    expect(card.get_by_test_id(pane)).to_have_count(2)

    page.goto(f"{page.url}&lang=zh")
    expect(chip).to_have_text(re.compile("个被取代"))
    expect(card.get_by_test_id(pane).nth(1)).to_contain_text("被取代")
    chip.click()
    expect(card.get_by_test_id(pane)).to_have_count(1)


def test_the_old_values_are_shown_not_the_new_ones_again(page: Page, board: Board) -> None:
    runs = board.runs("kinds")
    page.goto(f"/texts?{runs}&superseded=value")
    expect(page.get_by_test_id("text-pane").nth(0)).to_contain_text("text 2")
    expect(page.get_by_test_id("text-pane").nth(1)).to_contain_text("text 1")

    page.goto(f"/tensors?{runs}&superseded=value")
    expect(page.get_by_test_id("tensor-pane").nth(0)).to_contain_text("12")
    expect(page.get_by_test_id("tensor-pane").nth(1)).to_contain_text("11")

    page.goto(f"/images?{runs}&superseded=value")
    sources = [page.get_by_test_id("image-pane").nth(place).locator("img") for place in (0, 1)]
    for source in sources:
        expect(source.first).to_be_visible()
    assert sources[0].first.get_attribute("src") != sources[1].first.get_attribute("src")


def test_curves_histograms_and_comparisons_show_them_in_one_chart(page: Page, board: Board) -> None:
    page.goto(f"/curves?{board.runs('kinds')}")
    curve = page.get_by_test_id("curve-card")
    expect(curve).to_have_attribute("data-lines", "1")
    curve.get_by_test_id("card-superseded").click()
    expect(curve).to_have_attribute("data-lines", "2")

    page.goto(f"/histograms?{board.runs('kinds')}")
    histogram = page.get_by_test_id("histogram-card")
    expect(histogram).to_have_attribute("data-steps", "2")
    histogram.get_by_test_id("card-superseded").click()
    expect(histogram).to_have_attribute("data-steps", "3")

    page.goto(f"/compare?{board.runs('run')}&tag=late&tag=timed&facet=run")  # as the service computes curves
    compared = page.get_by_test_id("compare-card")
    expect(compared.nth(1).get_by_test_id("card-no-steps")).to_be_visible()
    chip = compared.nth(0).get_by_test_id("card-superseded")
    expect(chip).to_have_text("1 superseded")
    expect(compared.nth(0)).to_have_attribute("data-points", "60")
    chip.click()
    expect(compared.nth(0)).to_have_attribute("data-points", "61")
    page.wait_for_url(lambda url: "superseded=late" in url)
    page.reload()
    expect(compared.nth(0)).to_have_attribute("data-points", "61")
    expect(chip).to_have_attribute("aria-pressed", "true")


def test_a_curve_without_steps_is_drawn_over_time(page: Page, board: Board) -> None:
    page.goto(f"/scalars?{board.runs('run')}")

    expect(_card(page, "timed").get_by_test_id("card-no-steps")).to_have_text("no steps")
    expect(_card(page, "late").get_by_test_id("card-no-steps")).to_have_count(0)

    page.goto(f"/histograms?{board.runs('run')}")
    histogram = page.get_by_test_id("histogram-card")
    expect(histogram).to_have_attribute("data-steps", "5")
    expect(histogram.get_by_test_id("card-no-steps")).to_have_text("no steps")
    expect(histogram.get_by_test_id("card-superseded")).to_have_count(0)


@pytest.mark.parametrize(("shown", "points"), [("", 60), ("&superseded=late", 61)])
@pytest.mark.parametrize("name", ["", "&facet=run"], ids=["page", "service"])
def test_a_report_has_the_points_of_its_cards(
    page: Page, board: Board, tmp_path: Path, name: str, shown: str, points: int
) -> None:
    page.goto(f"/scalars?{board.runs('run')}&tag=late&s=0{name}{shown}")
    expect(page.get_by_test_id("card-superseded")).to_have_text("1 superseded")

    save_report(page, tmp_path / "report.html")

    data = re.search(r'<script type="application/json">(.*?)</script>', (tmp_path / "report.html").read_text())
    assert data is not None
    assert [len(line["xs"]) for line in json.loads(data[1])["lines"]] == [points]
