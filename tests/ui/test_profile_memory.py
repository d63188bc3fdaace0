"""Memory, input pipeline and advice of recordings of real profilers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest
from playwright.sync_api import Browser, Page, expect

from mindinsight_like.store.database.location import run_id

from .conftest import Board, served, watched_page

TORCH, MINDSPORE, PADDLE = "torch/single", "mindspore/run_2", "paddle/chrome"


@pytest.fixture(scope="module")
def profiles(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("profiles") / "runs"
    copytree(corpus / "torch-profiler/single", base_dir / TORCH)
    copytree(corpus / "paddle-profiler/chrome", base_dir / PADDLE)
    copytree(corpus / "mindinsight-profiles/run_2", base_dir / MINDSPORE)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, profiles: Board) -> Iterator[Page]:
    yield from watched_page(browser, profiles)


def test_memory_has_a_peak_and_owners_and_a_part_of_it_its_own(page: Page) -> None:
    page.goto(f"/runs/{run_id(TORCH)}/profiler?tab=memory")
    tab = page.get_by_test_id("memory-tab")
    expect(tab).to_contain_text(re.compile("Peak 173.KB at 8.6357 ms, in step 2"))
    first = page.get_by_test_id("table-row").first
    expect(first).to_contain_text("ConvolutionBackward0130\N{NARROW NO-BREAK SPACE}KB5")

    chart = page.get_by_test_id("chart")
    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 60 + box["width"] * 0.5, box["y"] + 60)
    expect(page.get_by_test_id("curve-legend")).to_contain_text(re.compile("Allocated .*KB.* ms"))
    page.mouse.down()
    page.mouse.move(box["x"] + 60 + box["width"] * 0.7, box["y"] + 62, steps=4)
    page.mouse.up()
    expect(page.get_by_test_id("memory-what")).to_contain_text("Allocated from")
    expect(page).to_have_url(re.compile("from=[0-9]+&to=[0-9]+"))
    expect(page.get_by_test_id("sort-kept")).to_be_visible()
    page.get_by_test_id("by-block").click()
    page.get_by_test_id("sort-lifetime").click()
    expect(page).to_have_url(re.compile("by=block.*sort=-lifetime"))
    page.reload()
    expect(page.get_by_test_id("sort-lifetime")).to_be_visible()
    page.get_by_test_id("back-to-peak").click()
    expect(page.get_by_test_id("memory-what")).to_have_text("Live at peak")
    page.get_by_test_id("by-owner").click()
    first.get_by_role("button").click()
    expect(page.get_by_test_id("narrowed-name")).to_contain_text("ConvolutionBackward0")


def test_memory_from_before_the_recording_leads_nowhere(page: Page) -> None:
    page.goto(f"/runs/{run_id(PADDLE)}/profiler?tab=memory")
    rows = page.get_by_test_id("table-row")
    earlier = rows.filter(has_text="(allocated before the profile started)")
    expect(earlier).to_have_count(1)
    expect(earlier.get_by_role("button")).to_have_count(0)
    expect(rows.get_by_role("button")).to_have_count(5)


def test_input_pipelines_of_mindspore_and_torch(page: Page) -> None:
    page.goto(f"/runs/{run_id(MINDSPORE)}/profiler?tab=pipeline")
    expect(page.get_by_test_id("light-host")).to_have_attribute("data-state", "warning")
    expect(page.get_by_test_id("light-get_next")).to_have_attribute("data-state", "good")
    rows = page.get_by_test_id("pipeline-operators").locator("tbody tr")
    expect(rows).to_have_count(5)
    expect(rows.first).to_contain_text("EpochCtrlOp")
    expect(rows.last).to_have_attribute("data-rule", "leaf_queue_low")
    expect(rows.last).to_contain_text("slow: reading fills only 0 %")
    page.goto(f"/runs/{run_id(TORCH)}/profiler?tab=pipeline&lang=zh")
    expect(page.get_by_test_id("loading")).to_contain_text("_SingleProcessDataLoaderIter")
    expect(page.get_by_test_id("pipeline-tab")).to_contain_text("占全部迭代时间的 8.04 %")


def test_advice_leads_to_where_its_numbers_are(page: Page) -> None:
    page.goto(f"/runs/{run_id(MINDSPORE)}/profiler")
    advice = page.get_by_test_id("advice").get_by_role("listitem")
    expect(advice).to_have_count(3)
    expect(advice.first).to_contain_text("Host CPU utilisation is 90 %")
    page.get_by_test_id("all-advice").click()
    expect(advice).to_have_count(4)
    expect(page).to_have_url(re.compile("advice=all"))
    last = advice.filter(has_text="MatMul takes 89.3 %")
    last.get_by_role("button", name="Show where").click()
    expect(page.get_by_test_id("narrowed-type")).to_contain_text("MatMul")
