"""The page of data pipelines in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from mindinsight_like import SummaryRecord
from mindinsight_like.store.database.location import run_id
from tests.ui.conftest import Board, served, watched_page
from tests.ui.graph_pages import drawn, place_of, row, svg, texts

PIPELINE = {
    "op_type": "Batch",
    "batch_size": 32,
    "drop_remainder": True,
    "children": [
        {
            "op_type": "Map",
            "input_columns": ["image"],
            "operations": [
                {"tensor_op_name": "Decode", "tensor_op_module": "minddata.transforms.c_transforms"},
                {"tensor_op_name": "Resize", "size": [224, 224]},
            ],
            "children": [
                {
                    "op_type": "ImageFolderDataset",
                    "dataset_dir": "/data/pictures",
                    "sampler": {"sampler_name": "RandomSampler", "replacement": False},
                    "children": [],
                }
            ],
        }
    ],
}


@pytest.fixture(scope="module")
def pipelines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("pipelines") / "runs"
    with SummaryRecord(str(base_dir / "first")) as record:
        record.add_value("dataset_graph", "train_dataset", PIPELINE)
        record.record(1)
    with SummaryRecord(str(base_dir / "plain")) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, pipelines: Board) -> Iterator[Page]:
    yield from watched_page(browser, pipelines)


def test_the_rail_leads_to_it_only_where_a_pipeline_was_recorded(page: Page) -> None:
    page.goto(f"/runs/{run_id('first')}")
    page.get_by_test_id("nav-run-pipeline").click()
    drawn(page)

    page.goto(f"/runs/{run_id('plain')}")
    expect(page.get_by_test_id("nav-run-scalars")).to_be_visible()
    expect(page.get_by_test_id("nav-run-pipeline")).to_have_count(0)

    page.goto(f"/runs/{run_id('plain')}/pipeline")
    expect(page.get_by_test_id("state-empty")).to_contain_text("SummaryCollector")


def test_operators_are_drawn_with_what_is_inside_of_them_and_what_matters(page: Page) -> None:
    page.goto(f"/runs/{run_id('first')}/pipeline")
    drawn(page)
    shown = texts(svg(page))

    operators = ("Batch", "Map", "Decode", "Resize", "ImageFolderDataset", "RandomSampler")
    assert [name for name in operators if name not in shown] == []
    assert "batch_size: 32" in shown
    assert "dataset_dir: /data/pictures" in shown


def test_the_panel_has_every_parameter(page: Page) -> None:
    page.goto(f"/runs/{run_id('first')}/pipeline")
    drawn(page)
    page.mouse.click(*place_of(page, "Resize"))

    expect(page.get_by_test_id("operator-name")).to_have_text("Resize")
    expect(page.get_by_test_id("operator-role")).to_have_text("Augmentation operator")
    expect(page.locator('[data-testid="operator-parameter"][data-name="size"]')).to_have_text("[224,224]")

    expect(page).to_have_url(re.compile("node="))
    page.reload()
    drawn(page)
    expect(page.get_by_test_id("operator-name")).to_have_text("Resize")

    page.get_by_test_id("graph-stage").press("ArrowUp")
    expect(page.get_by_test_id("operator-name")).to_have_text("Decode")


def test_what_is_inside_can_be_folded_away(page: Page) -> None:
    page.goto(f"/runs/{run_id('first')}/pipeline")
    drawn(page)
    page.get_by_test_id("tab-outline").click()
    page.get_by_test_id("outline-row").filter(has_text="Map").get_by_test_id("outline-fold").click()

    expect(page.get_by_test_id("outline-row").filter(has_text="Decode")).to_have_count(0)
    expect(page).to_have_url(re.compile("closed="))


def test_pipelines_of_mindspore_itself_are_drawn_root_to_leaf(
    browser: Browser, corpus: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    base_dir = tmp_path_factory.mktemp("corpus") / "runs"
    base_dir.symlink_to(corpus / "mindspore-2.0", target_is_directory=True)
    with served(base_dir) as board:
        for page in watched_page(browser, board):
            page.goto(f"/runs/{run_id('collect')}/pipeline")
            drawn(page)
            page.get_by_test_id("tab-outline").click()
            outermost = page.locator('[data-testid="outline-row"][aria-level="1"] [data-row]')
            flow = ["GeneratorDataset", "Map 2", "Map", "Shuffle", "Batch", "to training"]
            assert [text.replace("\n", "") for text in outermost.all_inner_texts()] == flow
            expect(row(page, "3")).to_have_attribute("aria-expanded", "true")
