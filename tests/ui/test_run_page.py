"""The page of a run in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from mindinsight_like import SummaryWriter
from mindinsight_like.store.database.location import run_id
from tests.ui.conftest import Board, served, wait_in_page

STEPS = 20


def write_everything(folder: Path) -> None:
    random = np.random.default_rng(0)
    with SummaryWriter(str(folder)) as writer:
        for step in range(STEPS):
            for tag in ("train/loss", "train/accuracy", "lr", "time", "memory"):
                writer.add_scalar(tag, 1 / (step + 1), step)
            writer.add_histogram("weights", random.normal(size=100), step)
        for step in (0, 7):
            writer.add_image("samples", np.full((8, 8, 3), 20 * step, np.uint8), step, dataformats="HWC")
            writer.add_text("notes", f"**Step {step}** was fine", step)
            writer.add_audio("tone", np.sin(np.arange(800) / 5).astype(np.float32), step, sample_rate=8000)
            writer.add_pr_curve("answers", np.arange(50) % 2, random.random(50), step)
        writer.add_embedding(random.normal(size=(30, 8)), tag="words", global_step=3)
        writer.add_mesh("shape", random.random((1, 10, 3)), global_step=0)
        writer.add_custom_scalars({"train": {"both": ["Multiline", ["train/.*"]]}})
        writer.add_tensor("matrix", np.arange(6.0).reshape(2, 3), 5)


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A service over one run with nearly everything, a poor one, and a damaged one."""
    base_dir = tmp_path_factory.mktemp("run-page") / "runs"
    write_everything(base_dir / "rich")
    for name in ("poor", "damaged"):
        with SummaryWriter(str(base_dir / name)) as writer:
            for step in range(100):
                writer.add_scalar("loss", 1.0, step)
    log = next((base_dir / "damaged").glob("events.*"))
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 0xFF
    log.write_bytes(content)
    with served(base_dir) as board:
        yield board


def tile(page: Page, name: str) -> Locator:
    found = page.locator(f'[data-testid="tile"][data-board="{name}"]')
    found.scroll_into_view_if_needed()
    return found


def open_run(page: Page, name: str) -> None:
    page.goto(f"/runs/{run_id(name)}")
    expect(page.get_by_test_id("run-facts")).to_be_visible()


def test_a_run_opens_on_its_page(page: Page, board: Board) -> None:
    page.goto("/runs")
    page.locator('[data-testid="run-row"][data-name="rich"] a').first.click()

    expect(page).to_have_url(re.compile(rf"/runs/{run_id('rich')}$"))
    expect(page.get_by_test_id("breadcrumb")).to_contain_text("Dashboard")
    expect(page.get_by_test_id("nav-run-dashboard")).to_be_visible()


def test_facts_of_the_run(page: Page, board: Board) -> None:
    open_run(page, "rich")
    facts = page.get_by_test_id("run-facts")

    expect(facts).to_contain_text("rich")
    expect(facts).to_contain_text("tensorboard")
    expect(facts).to_contain_text(f"Last step {STEPS - 1}")
    expect(page.get_by_test_id("run-state")).to_have_text("finished")
    expect(page.get_by_test_id("run-warnings")).to_have_count(0)


def test_old_addresses_of_the_dashboard_open_the_page(page: Page, board: Board) -> None:
    page.goto(f"/runs/{run_id('rich')}/dashboard")

    expect(page).to_have_url(re.compile(rf"/runs/{run_id('rich')}$"))
    expect(page.get_by_test_id("run-facts")).to_contain_text("rich")


def test_results_come_with_canonical_names(page: Page, board: Board) -> None:
    open_run(page, "rich")
    results = page.get_by_test_id("run-results")

    expect(results.locator('[data-name="loss"]')).to_have_text(re.compile(r"0\.05\s*Train loss"))
    expect(results.locator('[data-name="loss"] span')).to_have_attribute("title", re.compile("scalar/train/loss/last"))


def test_labels_and_notes_are_edited_in_place(page: Page, board: Board) -> None:
    open_run(page, "poor")
    page.get_by_test_id("cell-labels").click()
    page.get_by_test_id("edit-labels").fill("weak, first")
    page.get_by_test_id("edit-labels").press("Enter")
    expect(page.get_by_test_id("cell-labels").locator(".chip")).to_have_text(["weak", "first"])
    page.get_by_test_id("cell-note").click()
    page.get_by_test_id("edit-note").fill("too short")
    page.get_by_test_id("edit-note").press("Enter")
    expect(page.get_by_test_id("cell-note")).to_have_text("too short")

    page.reload()
    expect(page.get_by_test_id("cell-labels").locator(".chip")).to_have_count(2)
    expect(page.get_by_test_id("cell-note")).to_have_text("too short")


def test_files_are_listed_with_how_far_they_are_read(page: Page, board: Board) -> None:
    open_run(page, "rich")

    expect(page.get_by_test_id("file-row").filter(has_text="events.out.tfevents")).to_contain_text("100 %")


def test_cards_are_as_high_as_what_they_show(page: Page, board: Board) -> None:
    open_run(page, "rich")
    for name in ("tensors", "charts"):
        expect(tile(page, name).get_by_test_id("tile-fact").first).to_be_visible()
        empty = tile(page, name).evaluate(
            """card => {
                const rows = [...card.querySelectorAll('tr')]
                return card.getBoundingClientRect().bottom - rows.at(-1).getBoundingClientRect().bottom
            }"""
        )
        assert 0 < empty < 30


def test_a_tile_for_each_kind_with_what_is_newest(page: Page, board: Board) -> None:
    open_run(page, "rich")

    scalars = tile(page, "scalars")
    expect(scalars).to_contain_text("5 tags")
    # Those that people look at first, of five that are equally new.
    expect(scalars.get_by_test_id("tile-chart")).to_have_count(4)
    expect(scalars.get_by_test_id("tile-chart").first).to_have_attribute("data-tag", "train/loss")
    expect(scalars.get_by_test_id("tile-chart").first).to_contain_text("0.05")
    expect(tile(page, "images").get_by_test_id("tile-picture")).to_contain_text("Step 7")
    expect(tile(page, "images").locator("img")).to_have_js_property("naturalWidth", 8)
    expect(tile(page, "histograms").locator("canvas").first).to_be_visible()
    expect(tile(page, "texts").locator("strong")).to_have_text("Step 7")
    expect(tile(page, "audio").get_by_test_id("sound")).to_have_attribute("data-ready", "true")
    expect(tile(page, "curves")).to_contain_text("answers")
    expect(tile(page, "curves").locator("canvas").first).to_be_visible()
    expect(tile(page, "charts").get_by_test_id("tile-fact")).to_contain_text("train / both")
    expect(tile(page, "embeddings").get_by_test_id("tile-fact")).to_have_text(re.compile(r"30\s*8"))
    expect(tile(page, "embeddings").locator("canvas")).to_have_attribute("data-shown", "true", timeout=40_000)
    expect(tile(page, "meshes")).to_contain_text("10 points")
    expect(tile(page, "tensors").get_by_test_id("tile-fact")).to_contain_text("2 × 3")


def test_each_tile_leads_to_its_board(page: Page, board: Board) -> None:
    open_run(page, "rich")
    names = page.get_by_test_id("tile").evaluate_all("tiles => tiles.map(tile => tile.dataset.board)")
    assert {"scalars", "images", "histograms", "texts", "audio", "curves", "embeddings", "meshes"} <= {*names}

    for name in names:
        open_run(page, "rich")
        # Anywhere in the tile, also on its preview.
        tile(page, name).click(position={"x": 40, "y": 48})
        expect(page).to_have_url(re.compile(rf"/runs/{run_id('rich')}/{name}(\?|$)"))


def test_what_is_not_there_is_listed_with_what_would_log_it(page: Page, board: Board) -> None:
    open_run(page, "poor")

    expect(page.get_by_test_id("tile")).to_have_count(1)
    missing = page.get_by_test_id("missing-kinds")
    missing.locator("summary").click()
    expect(missing.locator('[data-board="images"]')).to_contain_text("add_image")
    expect(missing.locator('[data-board="scalars"]')).to_have_count(0)


def test_warnings_are_said_first(page: Page, board: Board) -> None:
    open_run(page, "damaged")
    warnings = page.get_by_test_id("run-warnings")

    expect(warnings.locator("li").first).to_contain_text("events.out.tfevents")
    warnings.get_by_role("link").click()
    expect(page.get_by_test_id("run-warning-list")).to_be_in_viewport()


def test_a_run_that_is_gone(page: Page, board: Board) -> None:
    page.goto("/runs/0000000000000000")

    expect(page.get_by_test_id("state-failed")).to_be_visible()


def test_a_failing_preview_leaves_the_others_alone(page: Page, board: Board) -> None:
    page.route("**/v1/images?*", lambda route: route.abort())
    open_run(page, "rich")
    expect(tile(page, "images").get_by_test_id("state-failed")).to_be_visible()
    expect(tile(page, "texts").locator("strong")).to_have_text("Step 7")

    page.unroute("**/v1/images?*")
    tile(page, "images").get_by_test_id("retry").click()
    expect(tile(page, "images").locator("img")).to_have_js_property("naturalWidth", 8)


def test_tiles_load_as_they_come_into_view(page: Page, board: Board) -> None:
    page.set_viewport_size({"width": 700, "height": 400})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_run(page, "rich")
    expect(tile(page, "scalars").get_by_test_id("tile-chart").first).to_be_visible()
    wait_in_page(page, 500)
    assert not any("/v1/tensors" in url for url in asked)

    expect(tile(page, "tensors").get_by_test_id("tile-fact")).to_contain_text("2 × 3")
    assert any("/v1/tensors" in url for url in asked)


def test_chinese(page: Page, board: Board) -> None:
    open_run(page, "rich")
    page.get_by_test_id("lang-switch").click()

    expect(page.get_by_test_id("breadcrumb")).to_contain_text("训练看板")
    expect(page.get_by_test_id("run-facts")).to_contain_text("最新步骤")


def test_new_data_appears_by_itself(page: Page, tmp_path: Path) -> None:
    base_dir = tmp_path / "runs"
    with SummaryWriter(str(base_dir / "living")) as writer:
        writer.add_scalar("loss", 1.0, 0)
        writer.flush()
        with served(base_dir) as board:
            page.goto(f"{board.address}/runs/{run_id('living')}")
            expect(tile(page, "scalars").get_by_test_id("tile-chart")).to_contain_text("1")

            writer.add_scalar("loss", 0.125, 1)
            writer.add_text("notes", "a word", 1)
            writer.flush()

            expect(tile(page, "scalars").get_by_test_id("tile-chart")).to_contain_text("0.125")
            expect(tile(page, "texts")).to_contain_text("a word")
            expect(page.get_by_test_id("run-facts")).to_contain_text("Last step 1")


def test_runs_of_the_real_frameworks(corpus_page: Page, corpus_board: Board) -> None:
    page = corpus_page
    for name in (
        "mindspore-2.10/sweep/run_a",
        "tensorboard-torch/everything",
        "tensorflow/v2",
        "visualdl-2.5/everything",
    ):
        open_run(page, name)
        count = page.get_by_test_id("tile").count()
        assert count >= 5, name
        for number in range(count):
            found = page.get_by_test_id("tile").nth(number)
            found.scroll_into_view_if_needed()
            expect(found.get_by_test_id("tile-skeleton")).to_have_count(0)
            expect(found.locator(".body > *").first).to_be_attached()
            expect(found.get_by_test_id("state-failed")).to_have_count(0)
    open_run(page, "mindspore-2.10/sweep/run_a")
    expect(tile(page, "pipeline").get_by_test_id("tile-operator").first).to_be_visible()
    expect(tile(page, "graphs").get_by_test_id("tile-type").first).to_be_visible()
    expect(tile(page, "lineage").get_by_test_id("tile-fact").first).to_be_visible()
