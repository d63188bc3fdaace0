"""Where a run comes from and why two runs differ, in a real browser: over the demo and the logs of real frameworks."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from mindinsight_like.demo.folder import DemoFolder, Recipe
from mindinsight_like.demo.recording import record
from mindinsight_like.store.database.location import run_id
from tests.ui.conftest import Board, served, watched_page

FIRST = "tensorboard/adam-lr0.01-hidden64-seed0"
TUNED = "tensorboard/sgd-lr0.05-hidden64-seed2-tuned"
STEADY = "mindspore/momentum-lr0.05-hidden64-seed0"
WILD = "mindspore/sgd-lr60-hidden48-seed1"
SWEEPS = ("mindspore-2.10/sweep", "tensorboard-torch/sweep", "visualdl-2.5/sweep")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("demo") / "runs"
    record(DemoFolder(base_dir), Recipe(runs=7, seed=0), now=time.time())
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, demo: Board) -> Iterator[Page]:
    yield from watched_page(browser, demo)


@pytest.fixture
def sweeps(browser: Browser, corpus: Path, tmp_path: Path) -> Iterator[Page]:
    """A page over the runs with parameters that MindSpore, torch and VisualDL have logged."""
    for sweep in SWEEPS:
        shutil.copytree(corpus / sweep, tmp_path / "corpus" / sweep)
    with served(tmp_path / "corpus") as board:
        yield from watched_page(browser, board)


def open_graph(page: Page, run: str, more: str = "") -> None:
    page.goto(f"/runs/{run_id(run)}/lineage{more}")
    expect(page.get_by_test_id("graph-stage")).to_have_attribute("data-drawn", "true")


def test_a_run_stands_between_what_it_was_made_of_and_what_came_of_it(page: Page) -> None:
    open_graph(page, TUNED)
    panel = page.get_by_test_id("lineage-node")
    expect(page.get_by_test_id("lineage-counted")).to_have_text("8 nodes, 2 runs")
    expect(panel.get_by_test_id("lineage-node-name")).to_have_text(TUNED)
    expect(panel.locator('[data-part="parameters"]')).to_contain_text("Learning rate0.05")
    expect(panel.get_by_test_id("record-command")).to_contain_text(f"--from {FIRST}")

    page.get_by_test_id("tab-list").click()
    rows = page.get_by_test_id("lineage-row")
    kinds = [row.get_attribute("data-kind") for row in rows.all()]
    assert sorted(map(str, kinds)) == sorted(["run", "checkpoint", "evaluation", "data"] * 2)
    tuned = rows.filter(has=page.get_by_role("button", name=TUNED, exact=True))
    expect(tuned.locator("td").first).to_contain_text(f"{FIRST} fine-tuned")
    expect(tuned.locator("td").first).to_contain_text("checkpoint.npz input")

    page.get_by_test_id("lineage-depth").select_option("0")
    expect(page.get_by_test_id("lineage-counted")).to_have_text("6 nodes, 1 run")
    expect(page).to_have_url(re.compile(r"depth=0"))


def test_one_goes_from_run_to_run_and_comes_back_by_the_address(page: Page) -> None:
    open_graph(page, TUNED)
    panel = page.get_by_test_id("lineage-node")
    panel.get_by_test_id("lineage-jump").filter(has_text=FIRST).click()
    expect(panel.get_by_test_id("lineage-node-name")).to_have_text(FIRST)
    expect(page).to_have_url(re.compile(rf"node={run_id(FIRST)}"))
    why = f"/lineage/why?a={run_id(TUNED)}&b={run_id(FIRST)}"
    expect(panel.get_by_test_id("why-other")).to_have_attribute("href", why)
    page.reload()
    expect(panel.get_by_test_id("lineage-node-name")).to_have_text(FIRST)

    expect(page.get_by_test_id("graph-stage")).to_have_attribute("data-drawn", "true")
    page.get_by_test_id("graph-stage").press("Enter")
    expect(page).to_have_url(re.compile(rf"/runs/{run_id(FIRST)}/lineage$"))
    expect(page.get_by_test_id("graph-stage")).to_have_attribute("data-drawn", "true")
    page.get_by_test_id("graph-stage").press("ArrowDown")  # along a wire, to what came of it
    expect(panel).to_have_attribute("data-kind", re.compile("checkpoint|run"))
    page.go_back()
    expect(page).to_have_url(re.compile(rf"/runs/{run_id(TUNED)}/lineage"))


def test_the_graph_is_downloaded_and_the_page_of_the_run_leads_to_it(page: Page) -> None:
    page.goto(f"/runs/{run_id(TUNED)}")
    page.locator('[data-testid="tile"][data-board="lineage"]').get_by_role("link").first.click()
    expect(page.get_by_test_id("graph-stage")).to_have_attribute("data-drawn", "true")
    files = {}
    for name in ("lineage-json", "lineage-openlineage", "graph-svg"):
        page.get_by_test_id("graph-download").click()
        with page.expect_download() as caught:
            page.get_by_test_id(name).click()
        files[name] = Path(caught.value.path()).read_text(encoding="utf-8")
    graph = json.loads(files["lineage-json"])
    assert {node["label"] for node in graph["nodes"] if node["kind"] == "run"} == {TUNED, FIRST}
    events = json.loads(files["lineage-openlineage"])
    assert {event["job"]["name"] for event in events} == {TUNED, FIRST}
    assert "fine-tuned" in files["graph-svg"] and "checkpoint.npz" in files["graph-svg"]


def test_why_one_run_did_better(page: Page) -> None:
    page.goto(f"/lineage/why?a={run_id(WILD)}&b={run_id(STEADY)}")
    expect(page.get_by_test_id("parting-step")).to_have_text("The curves diverge at step 30")
    rate = page.locator('[data-testid="difference"][data-name="hparam/learning_rate"]')
    expect(rate.locator("td").nth(0)).to_have_text("60")
    expect(rate.locator("td").nth(1)).to_have_text("0.05")
    groups = page.get_by_test_id("difference-group")
    expect(groups.nth(0)).to_have_attribute("data-kind", "result")
    expect(groups.nth(1)).to_have_attribute("data-kind", "parameter")
    changes = page.get_by_test_id("why-code")
    expect(changes.get_by_test_id("patch")).to_have_count(1)
    expect(changes).to_contain_text("+WARM_UP = 1")

    page.get_by_test_id("why-swap").click()
    expect(rate.locator("td").nth(0)).to_have_text("0.05")
    expect(page).to_have_url(re.compile(rf"a={run_id(STEADY)}&b={run_id(WILD)}"))
    page.get_by_test_id("why-tag").select_option("optim/lr")
    expect(page.get_by_test_id("parting")).to_have_attribute("data-step", "4")
    expect(page.get_by_test_id("why-compare")).to_have_attribute("href", re.compile(r"/scalars\?run=.*&tag=optim/lr"))

    # Another run by its name.
    page.get_by_test_id("why-b").get_by_test_id("run-choice").click()
    page.get_by_test_id("run-choice-filter").fill("tuned")
    page.get_by_test_id("run-option").click()
    expect(page.locator('[data-name="environment/host"]').locator("td").nth(1)).to_have_text("node-1")


def test_two_runs_are_asked_for(page: Page) -> None:
    page.goto(f"/lineage/why?a={run_id(WILD)}&b={run_id(WILD)}")
    expect(page.get_by_test_id("why-page")).to_contain_text("A and B are the same run")
    page.goto("/lineage/why?a=nobody")
    expect(page.get_by_test_id("why-page")).to_contain_text("Select two runs")
    page.goto("/runs/nobody/lineage")
    expect(page.get_by_test_id("lineage-graph").get_by_test_id("state-failed")).to_be_visible()


def test_runs_of_all_frameworks_stand_in_one_table(sweeps: Page) -> None:
    sweeps.goto("/lineage/models?q=not%20(learning_rate%20is%20missing)%20and%20sweep")
    rows = sweeps.get_by_test_id("run-row")
    expect(rows.first).to_be_visible()
    shown = {str(row.get_attribute("data-name")).split("/")[0] for row in rows.all()}
    assert shown == {"mindspore-2.10", "tensorboard-torch", "visualdl-2.5"}
    values = {
        "mindspore-2.10/sweep/run_a": ("learning_rate", "0.05"),
        "tensorboard-torch/sweep/trial_0": ("learning_rate", "0.05"),
    }
    for name, (column, value) in values.items():
        expect(sweeps.locator(f'[data-name="{name}"] [data-key="{column}"]')).to_have_text(value)

    open_graph(sweeps, "mindspore-2.10/sweep/run_a")
    sweeps.get_by_test_id("tab-list").click()
    kinds = [row.get_attribute("data-kind") for row in sweeps.get_by_test_id("lineage-row").all()]
    assert sorted(map(str, kinds)) == ["checkpoint", "data", "evaluation", "run"]
    sweeps.goto(f"/lineage/why?a={run_id('mindspore-2.10/sweep/run_a')}&b={run_id('mindspore-2.10/sweep/run_b')}")
    batches = sweeps.locator('[data-testid="difference"][data-name="Batch.batch_size"] td')
    expect(batches).to_have_text(["32", "64"])
