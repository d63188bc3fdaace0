"""Pages about several recordings and about waiting: cluster, comparison, critical path, flame graph."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest
from playwright.sync_api import Browser, Page, expect

from mindinsight_like.demo.two_ranks import write_two_ranks
from mindinsight_like.store.database.location import run_id

from .conftest import Board, served, watched_page


@pytest.fixture(scope="module")
def ranks(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("ranks") / "runs"
    copytree(corpus / "mindinsight-profiles/clu", base_dir / "clu")
    write_two_ranks(base_dir / "two", seed=1, started=1_700_000_000.0)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, ranks: Board) -> Iterator[Page]:
    yield from watched_page(browser, ranks)


def opened(page: Page, run: str, query: str = "") -> None:
    page.goto(f"/runs/{run_id(run)}/profiler{query}")
    expect(page.get_by_test_id("tab-overview")).to_be_visible()


def test_a_real_cluster_in_both_languages(page: Page) -> None:
    opened(page, "clu", "?tab=cluster")
    findings = page.get_by_test_id("cluster-findings")
    expect(findings).to_contain_text("Rank 2 has the longest step interval: 2.4318 ms, 22.2 %")
    expect(findings).to_contain_text("1 link below 80 %")
    expect(findings).to_contain_text("Waiting to receive from other stages takes 25.8 %")
    expect(findings).to_contain_text("Collective communication takes 60.3 % of")
    expect(findings).to_contain_text("Pipeline stage 2 computes 50.9 % more than the average stage")
    expect(page.get_by_test_id("link-matrix").locator("td.slow")).to_have_count(1)
    page.get_by_test_id("sort-compute").click()
    expect(page.get_by_test_id("table-row").first).to_contain_text("123.23")
    page.get_by_test_id("cluster-measure").select_option("compute")
    page.get_by_test_id("cluster-heat").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.get_by_test_id("heat-told")).to_contain_text("Rank 2 · step 2 · 123.27 ms")
    expect(page).to_have_url(re.compile("sort=-compute.*measure=compute"))
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("step-details")).to_contain_text("Step 2")
    expect(page.get_by_test_id("profile-choice").locator("option:checked")).to_contain_text("Rank 2")
    opened(page, "clu", "?tab=cluster&lang=zh")
    expect(page.get_by_test_id("cluster-findings")).to_contain_text("卡 2 的迭代间隙最长")
    expect(page.get_by_test_id("cluster-findings")).to_contain_text("流水线阶段 2 的计算量比各阶段均值高 50.9 %")


def test_the_slow_rank_is_named_with_what_it_does_longer(page: Page) -> None:
    opened(page, "two", "?tab=cluster")
    findings = page.get_by_test_id("cluster-findings")
    expect(findings).to_contain_text("Rank 1 is a straggler")
    expect(findings).to_contain_text("MatMul_kernel")
    page.get_by_test_id("tab-overview").click()
    advice = page.get_by_test_id("advice").get_by_role("listitem").filter(has_text="Rank 1 of 2 is a straggler")
    expect(advice).to_contain_text("more in MatMul_kernel than the other ranks")
    advice.get_by_role("button").click()
    expect(page).to_have_url(re.compile("tab=cluster"))


def test_two_profiles_are_compared(page: Page) -> None:
    opened(page, "two", "?tab=compare")
    choice = page.get_by_test_id("compare-with")
    choice.select_option(label=choice.locator("option", has_text="rank1").inner_text())
    expect(page.get_by_test_id("compare-result")).to_contain_text(
        re.compile(r"Step .* → .*largest operator differences: MatMul_kernel.*within noise")
    )
    row = page.get_by_test_id("table-row").first
    expect(row).to_contain_text("MatMul_kernel")
    expect(row).to_contain_text("Slower")
    expect(page.get_by_test_id("compare-flame").get_by_test_id("flame-node").first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_test_id("compare-csv").click()
    assert Path(download.value.path()).read_text().startswith("name,side,change,a (ms)")
    page.get_by_test_id("compare-swap").click()
    expect(page.get_by_test_id("table-row").first).to_contain_text("Faster")


def test_what_a_step_waited_for(page: Page) -> None:
    opened(page, "two", "?tab=path&step=4")
    expect(page.get_by_test_id("path-kinds")).to_contain_text("Compute")
    owners = page.get_by_test_id("table-row")
    expect(owners.filter(has_text="wait for a batch").first).to_be_visible()
    expect(page.get_by_test_id("idle-host")).to_contain_text("wait for a batch")
    page.get_by_test_id("idle-gaps").get_by_role("button").first.click()
    expect(page).to_have_url(re.compile("tab=timeline.*from=.*to="))


def test_the_flame_graph_is_gone_into_and_searched(page: Page) -> None:
    opened(page, "two", "?tab=flame")
    chart = page.get_by_test_id("flame-chart")
    expect(page.get_by_test_id("flame-node").first).to_be_visible()
    before = page.get_by_test_id("flame-node").count()
    chart.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("node="))
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("node="))
    expect(page.get_by_test_id("flame-node")).to_have_count(before)
    page.get_by_test_id("flame-search").fill("matmul")
    expect(page.get_by_test_id("flame-found")).to_contain_text("highlighted:")
    page.get_by_test_id("flame-step").select_option("3")
    expect(page).to_have_url(re.compile("search=matmul.*step=3"))
