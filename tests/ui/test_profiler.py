"""The pages of profiles on recordings of real profilers: list, overview, operators, step trace."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from mindinsight_like.store.database.location import run_id

from .conftest import Board, served, watched_page

JOB, TORCH, TABLES = "ascend/JOB3", "torch/single", "torch/tables"


@pytest.fixture(scope="module")
def profiles(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("profiles") / "runs"
    copytree(corpus / "ascend/raw/JOB3", base_dir / JOB)
    copytree(corpus / "torch-profiler/single", base_dir / TORCH)
    copytree(corpus / "torch-profiler/tables", base_dir / TABLES)
    (base_dir / "broken").mkdir()
    (base_dir / "broken" / "a.pt.trace.json.gz").write_bytes(gzip.compress(b'{"traceEvents": [')[:-9])
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, profiles: Board) -> Iterator[Page]:
    yield from watched_page(browser, profiles)


def opened(page: Page, run: str, query: str = "") -> None:
    page.goto(f"/runs/{run_id(run)}/profiler{query}")
    expect(page.get_by_test_id("tab-overview")).to_be_visible()


def test_all_profiles_are_listed_and_lead_to_their_pages(page: Page) -> None:
    page.goto("/profiler")
    expect(page.get_by_test_id("profile-row")).to_have_count(5)

    page.get_by_test_id("profile-filter").fill("JOB3")
    expect(page.get_by_test_id("profile-row")).to_have_count(1)
    expect(page).to_have_url(re.compile("search=JOB3"))
    page.get_by_test_id("profile-row").click()

    expect(page.get_by_test_id("figure-operators")).to_contain_text("199")
    expect(page.get_by_test_id("figure-executions")).to_contain_text("2\N{NARROW NO-BREAK SPACE}817")
    expect(page.get_by_test_id("figure-steps")).to_contain_text("322")
    page.go_back()
    expect(page).to_have_url(re.compile("search=JOB3"))


def test_the_list_says_what_profiles_say(page: Page) -> None:
    page.goto("/profiler")
    rows = page.get_by_test_id("profile-row")
    job = rows.filter(has_text="JOB3")

    # Analysed without being opened.
    expect(job).to_have_attribute("data-state", "ready", timeout=60_000)
    expect(job).to_contain_text("322")
    expect(job.get_by_test_id("profile-step")).to_contain_text("ms")
    expect(rows.and_(page.locator('[data-state="failed"]')).get_by_test_id("profile-advice")).to_contain_text(
        "no trace events", timeout=60_000
    )


def test_two_profiles_are_compared_by_two_clicks(page: Page) -> None:
    page.goto("/profiler")
    rows = page.get_by_test_id("profile-row")
    expect(rows).to_have_count(5)
    good = rows.and_(page.locator(':not([data-state="failed"])'))
    good.nth(0).get_by_test_id("profile-compare").click()
    expect(good.nth(0).get_by_test_id("profile-compare")).to_have_attribute("aria-pressed", "true")
    good.nth(1).get_by_test_id("profile-compare").click()

    expect(page).to_have_url(re.compile("tab=compare&with="))
    expect(page.get_by_test_id("compare-result")).to_be_visible(timeout=60_000)


def test_operators_go_from_types_to_single_executions(page: Page) -> None:
    opened(page, JOB, "?tab=operators")
    chart = page.get_by_test_id("type-chart")
    expect(chart.get_by_role("listitem")).to_have_count(20)
    expect(page.get_by_test_id("type-0")).to_contain_text("UnsortedSegmentSum624.51 ms35.3 %")
    page.get_by_test_id("chart-pie").click()
    expect(chart.locator("path")).to_have_count(20)

    page.get_by_test_id("type-5").click()
    expect(page.get_by_test_id("narrowed-type")).to_contain_text("MatMul")
    first = page.get_by_test_id("table-row").first
    expect(first).to_contain_text("MatMul")
    first.get_by_role("button").click()
    expect(page.get_by_test_id("narrowed-name")).to_be_visible()
    expect(page.get_by_test_id("sort-start")).to_be_visible()
    page.get_by_test_id("table-row").first.get_by_role("button").click()
    expect(page.get_by_test_id("slice-details")).to_contain_text("MatMul")
    expect(page).to_have_url(re.compile("chart=pie.*by=instance.*row="))

    page.go_back()
    expect(page.get_by_test_id("slice-details")).to_have_count(0)
    opened(page, JOB, "?tab=operators&by=name")
    page.get_by_test_id("operator-search").fill("op178 matmul")
    expect(page.get_by_test_id("operator-total")).not_to_contain_text("199")
    with page.expect_download() as download:
        page.get_by_test_id("operators-csv").click()
    head, *rows = Path(download.value.path()).read_text().splitlines()
    assert head.startswith("name,type,side,count,total (ms)")
    assert rows
    assert all("op178" in row for row in rows)


def test_operators_have_their_full_scope_name_and_info_as_columns(page: Page) -> None:
    opened(page, JOB, "?tab=operators&by=name&search=GatherV2-op55&lang=zh")
    heads = page.get_by_role("columnheader")
    expect(heads.first).to_have_text("名称")
    expect(heads.filter(has_text="全 scope 名称")).to_be_visible()
    expect(heads.filter(has_text="算子信息")).to_be_visible()
    row = page.get_by_test_id("table-row").first
    expect(row.get_by_role("cell").first).to_have_text("GatherV2-op55")
    expect(row).to_contain_text("Default/network-TrainStepWrap/network-VirtualDatasetCellTriple")
    expect(row).to_contain_text("input_0: float32 [184696,8] DefaultFormat")
    page.get_by_test_id("sort-short_name").click()
    expect(page).to_have_url(re.compile("sort=short_name"))
    row.get_by_role("button").first.click()
    expect(page.get_by_test_id("narrowed-name")).to_contain_text("GatherV2-op55")
    expect(page.get_by_test_id("table-row")).to_have_count(14)


def test_times_of_torch_are_those_torch_prints(page: Page, corpus: Path) -> None:
    printed = {row["name"]: row for row in json.loads((corpus / "torch-profiler/tables/key_averages.json").read_text())}
    answer: Any = page.request.get("/v1/profiles?" + f"run={run_id(TABLES)}").json()["profiles"]
    (profile,) = (one for one in answer if one["name"].endswith("trace.json"))
    opened(page, TABLES, f"?profile={profile['id']}&tab=operators&by=name&sort=-total&search=addmm")

    row = page.get_by_test_id("table-row").filter(has=page.get_by_role("button", name="aten::addmm", exact=True)).first
    expect(row).to_be_visible()
    count, total = row.get_by_role("cell").nth(2).inner_text(), row.get_by_role("cell").nth(3).inner_text()
    assert int(count) == printed["aten::addmm"]["count"]
    assert float(total.replace(",", "")) == pytest.approx(printed["aten::addmm"]["cpu_us"] / 1000, rel=1e-3)


def test_steps_are_drawn_and_told_one_by_one(page: Page) -> None:
    opened(page, JOB, "?tab=steps")
    expect(page.get_by_test_id("mean-step")).to_have_text("205.38 ms")
    expect(page.get_by_test_id("stretches")).to_contain_text("Forward and backward118.05 ms")

    page.get_by_test_id("step-bars").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")

    expect(page.get_by_test_id("step-details")).to_contain_text("Step 2")
    expect(page).to_have_url(re.compile("step=2"))
    page.get_by_test_id("sort-duration").click()
    first = page.get_by_test_id("table-row").first
    expect(first).to_contain_text("284.27")
    expect(first).to_be_in_viewport()


def test_overview_and_tabs_tell_the_same_times(page: Page) -> None:
    opened(page, JOB)
    expect(page.get_by_test_id("figure-step")).to_contain_text("205.38 ms")
    opened(page, TORCH)
    told = page.get_by_test_id("type-0").inner_text()
    page.get_by_test_id("tab-operators").click()
    expect(page.get_by_test_id("operators-tab").get_by_test_id("type-0")).to_have_text(told.replace("\n", ""))


def test_a_view_without_data_says_why_and_what_would_record_it(page: Page) -> None:
    opened(page, TABLES, "?tab=steps")
    expect(page.get_by_test_id("no-data-steps")).to_contain_text("No steps in this profile")
    expect(page.get_by_test_id("no-data-steps").locator("pre")).to_contain_text("prof.step()")
    page.get_by_test_id("tab-cluster").click()
    expect(page.get_by_test_id("no-data-cluster")).to_be_visible()

    page.go_back()
    expect(page.get_by_test_id("no-data-steps")).to_be_visible()


def test_what_became_of_the_records_is_told_in_both_languages(page: Page) -> None:
    opened(page, JOB)
    expect(page.get_by_test_id("record-counts")).to_contain_text("Operator executions2\N{NARROW NO-BREAK SPACE}817")

    opened(page, JOB, "?lang=zh")
    expect(page.get_by_test_id("record-counts")).to_contain_text("算子执行次数2\N{NARROW NO-BREAK SPACE}817")


def test_a_recording_that_cannot_be_read_says_why_in_both_languages(page: Page) -> None:
    page.goto(f"/runs/{run_id('broken')}/profiler")
    expect(page.locator(".note, [data-testid=profile-losses]").first).to_be_visible()

    page.goto(f"/runs/{run_id(TORCH)}/profiler?lang=zh")
    expect(page.get_by_test_id("tab-operators")).to_have_text("算子")
