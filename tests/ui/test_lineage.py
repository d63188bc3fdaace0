"""Model and data lineage in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

import mindinsight_like as mi
from mindinsight_like.store.database.location import run_id
from tests.ui.conftest import STEPS, Board, served, value, watched_page, withhold_frames, write_run

RUNS = 12


@pytest.fixture(scope="module")
def lineage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """Twelve runs whose accuracy falls with the learning rate, two of them with pipelines of MindSpore."""
    base_dir = tmp_path_factory.mktemp("lineage") / "runs"
    for number in range(RUNS):
        mi.log_lineage(
            base_dir / f"run{number:02}",
            params={"lr": (number + 1) / 100, "optimizer": "Adam" if number % 2 else "SGD"},
            metrics={"accuracy": 1 - number / 20},
            code=False,
            environment=False,
        )
    for number, size in enumerate((32, 32, 64)):
        with mi.SummaryRecord(str(base_dir / f"mindspore{number}")) as record:
            source = {"op_type": "MnistDataset", "children": [], "sampler": {"sampler_name": "RandomSampler"}}
            record.add_value(
                "dataset_graph", "train_dataset", {"op_type": "Batch", "batch_size": size, "children": [source]}
            )
            record.record(1)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, lineage: Board) -> Iterator[Page]:
    yield from watched_page(browser, lineage)


def open_models(page: Page, more: str = "") -> None:
    page.goto(f"/lineage/models{more}")
    expect(page.get_by_test_id("runs-shown")).to_contain_text("run")


def names(page: Page) -> list[str]:
    return [str(row.get_attribute("data-name")) for row in page.get_by_test_id("sheet-row").all()]


def search(page: Page, query: str) -> None:
    page.get_by_test_id("lineage-query").fill(query)
    page.get_by_test_id("lineage-query").press("Escape")
    page.get_by_test_id("lineage-query").press("Enter")


def test_every_run_stands_in_the_table_with_what_is_known_of_it(page: Page) -> None:
    open_models(page)
    row = page.locator('[data-testid="sheet-row"][data-name="run03"]')
    expect(row.locator('[data-key="hparam/lr"]')).to_have_text("0.04")
    expect(row.locator('[data-key="metric/accuracy"]')).to_have_text("0.85")
    expect(page.get_by_test_id("sheet-table")).to_contain_text("Hyperparameters")


def test_a_query_filters_and_is_in_the_address(page: Page) -> None:
    open_models(page)
    search(page, "accuracy > 0.7 and optimizer = Adam")
    expect(page.get_by_test_id("runs-shown")).to_have_text("3 runs")
    assert names(page) == ["run01", "run03", "run05"]
    expect(page).to_have_url(re.compile("q=accuracy"))
    page.reload()
    expect(page.get_by_test_id("runs-shown")).to_have_text("3 runs")
    page.get_by_test_id("query-clear").click()
    expect(page.get_by_test_id("runs-shown")).to_have_text("15 runs")


def test_a_wrong_query_is_pointed_at_and_the_table_stays(page: Page) -> None:
    open_models(page)
    search(page, "accuracy > 0.7 and optimiser = Adam")
    complaint = page.get_by_test_id("query-complaint")
    expect(complaint).to_contain_text("Unknown column 'optimiser'")
    expect(complaint.locator("mark")).to_have_text("optimiser")
    assert len(names(page)) == 15


def test_a_wrong_query_is_explained_in_chinese(page: Page) -> None:
    page.goto("/lineage/models?lang=zh")
    expect(page.get_by_test_id("runs-shown")).to_have_text("15 个运行")
    search(page, "accuracy > 0.7 and optimiser = Adam")
    expect(page.get_by_test_id("query-complaint")).to_contain_text("没有名为“optimiser”的列，相近的有 optimizer")


def test_comparing_in_vain_is_said_beside_the_result(page: Page) -> None:
    open_models(page)
    search(page, "optimizer > 3 or accuracy > 0.7")
    said = page.get_by_test_id("type-mismatches")
    expect(said).to_have_text("“hparam/optimizer” contains text, so comparing it with a number (3) never matches.")
    assert names(page)
    page.get_by_test_id("lang-switch").click()
    expect(said).to_have_text("“hparam/optimizer”列的值是文本，却在与数值 3 比较，永远不会匹配。")
    page.goto("/compare?lang=en&q=" + quote('lr = "abc"'))
    expect(said).to_have_text("“learning_rate” contains numbers, so comparing it with text (abc) never matches.")


def test_queries_are_completed_by_keyboard(page: Page) -> None:
    open_models(page)
    box = page.get_by_test_id("lineage-query")
    box.press_sequentially("hparam/opt")
    expect(page.get_by_test_id("query-suggestions")).to_contain_text("hparam/optimizer")
    box.press("Tab")
    expect(box).to_have_value("hparam/optimizer ")
    box.press_sequentially("= ")
    expect(page.get_by_test_id("query-suggestions")).to_contain_text("SGD")
    box.press("ArrowDown")
    box.press("ArrowDown")
    box.press("Enter")
    expect(box).to_have_value(re.compile(r'hparam/optimizer = "(Adam|SGD)" '))
    box.press("Escape")
    box.press("Enter")
    expect(page.get_by_test_id("runs-shown")).to_have_text("6 runs")


def test_what_is_typed_right_after_a_completion_stays_in_order(page: Page) -> None:
    withhold_frames(page)
    open_models(page)
    box = page.get_by_test_id("lineage-query")
    box.press_sequentially("hparam/opt")
    expect(page.get_by_test_id("query-suggestions")).to_contain_text("hparam/optimizer")

    page.keyboard.press("Tab")
    page.keyboard.type("=")
    page.evaluate("drawFrame()")
    page.keyboard.type(" ")

    expect(box).to_have_value("hparam/optimizer = ")
    expect(page.get_by_test_id("query-suggestions")).to_contain_text("SGD")


def test_suggestions_that_fail_do_not_stop_the_next_ones(page: Page, eventually: Callable[..., None]) -> None:
    # The first question for suggestions fails as soon as something more is typed.
    page.add_init_script("""
      const { fetch } = window
      const failure = () => new Promise((_, fail) => {
        addEventListener('input', () => setTimeout(() => fail(new TypeError('gone'))), { once: true })
      })
      window.fetch = (url, ...options) => {
        if (window.hasAsked || !String(url).includes('lineage/complete')) return fetch(url, ...options)
        window.hasAsked = true
        return failure()
      }
    """)
    open_models(page)
    box = page.get_by_test_id("lineage-query")
    box.press_sequentially("hparam/o")
    eventually(lambda: page.evaluate("window.hasAsked === true"))

    box.press("p")

    expect(page.get_by_test_id("query-suggestions")).to_contain_text("hparam/optimizer")


def test_notes_and_labels_are_edited_in_place_and_kept(page: Page) -> None:
    open_models(page)
    row = page.locator('[data-testid="sheet-row"][data-name="run07"]')
    row.get_by_test_id("cell-labels").click()
    page.get_by_test_id("edit-labels").fill("best, 论文")
    page.get_by_test_id("edit-labels").press("Enter")
    expect(row.get_by_test_id("cell-labels")).to_contain_text("论文")
    row.get_by_test_id("cell-note").click()
    page.get_by_test_id("edit-note").fill("keep this one")
    page.get_by_test_id("edit-note").press("Enter")
    expect(row.get_by_test_id("cell-note")).to_contain_text("keep this one")
    page.reload()
    expect(row.get_by_test_id("cell-note")).to_contain_text("keep this one")
    search(page, "labels contains best")
    expect(page.get_by_test_id("runs-shown")).to_have_text("1 run")


def test_sorting_columns_and_scalars_on_demand(page: Page) -> None:
    open_models(page, "?q=lr%20%3E%200")
    page.get_by_test_id("sort-metric/accuracy").click()
    page.get_by_test_id("sort-metric/accuracy").click()
    expect(page.get_by_test_id("sheet-row").first).to_have_attribute("data-name", "run00")
    page.locator('[data-testid="column-entry"][data-key="hparam/lr"]').get_by_test_id("column-show").uncheck()
    expect(page.locator('[data-key="hparam/lr"][role="cell"]')).to_have_count(0)


def test_brushing_an_axis_filters_the_table(page: Page) -> None:
    open_models(page, "?tab=parallel&keep=0.05~0.08@hparam/lr")
    expect(page.get_by_test_id("runs-shown")).to_have_text("4 of 15 runs")
    page.get_by_test_id("tab-table").click()
    assert names(page) == ["run04", "run05", "run06", "run07"]
    page.get_by_test_id("clear-filters").click()
    expect(page.get_by_test_id("runs-shown")).to_have_text("15 runs")


def test_importance_names_its_method_and_its_runs(page: Page) -> None:
    open_models(page)
    page.get_by_test_id("toggle-importance").click()
    panel = page.get_by_test_id("importance")
    expect(panel).to_contain_text("Based on 12 runs")
    expect(panel).to_contain_text("Spearman")
    expect(panel.get_by_test_id("importance-row").first).to_have_attribute("data-name", "learning_rate")
    search(page, "lr < 0.05")
    expect(panel).to_contain_text("at least 8 runs")


def test_ticked_runs_are_carried_to_the_boards(page: Page) -> None:
    open_models(page, "?q=accuracy%20%3E%200.8")
    expect(page.get_by_test_id("compare-shown")).to_have_attribute("href", re.compile(r"/scalars\?query=accuracy"))
    for name in ("run00", "run01"):
        page.locator(f'[data-testid="sheet-row"][data-name="{name}"]').get_by_test_id("row-tick").click()
    two = f"run={run_id('run00')}&run={run_id('run01')}"
    expect(page.get_by_test_id("compare-ticked")).to_have_attribute("href", f"/scalars?{two}")
    expect(page.get_by_test_id("why-ticked")).to_have_attribute(
        "href", f"/lineage/why?a={run_id('run00')}&b={run_id('run01')}"
    )
    page.locator('[data-testid="sheet-row"][data-name="run02"]').get_by_test_id("row-tick").click()
    expect(page.get_by_test_id("why-ticked")).to_have_count(0)
    page.get_by_test_id("open-scalars").click()
    expect(page).to_have_url(re.compile(rf"/scalars\?{two}&run="))


def test_pipelines_are_columns_and_those_who_share_one_are_found(page: Page) -> None:
    page.goto("/lineage/data")
    expect(page.get_by_test_id("runs-shown")).to_have_text("3 runs")
    row = page.locator('[data-testid="sheet-row"][data-name="mindspore0"]')
    expect(row.locator('[data-key="Batch.batch_size"]')).to_have_text("32")
    expect(page.get_by_test_id("sheet-table")).to_contain_text("MnistDataset")
    expect(row.get_by_test_id("shared-pipeline")).to_have_text("1 · 2 runs")
    expect(page.locator('[data-name="mindspore2"]').get_by_test_id("shared-pipeline")).to_have_text("2 · 1 run")
    row.get_by_test_id("shared-pipeline").click()
    expect(page.get_by_test_id("runs-shown")).to_have_text("2 of 3 runs")
    assert names(page) == ["mindspore0", "mindspore1"]
    row.get_by_test_id("shared-pipeline").click()
    expect(page.get_by_test_id("runs-shown")).to_have_text("3 runs")
    expect(row.get_by_test_id("row-lineage")).to_have_attribute("href", f"/runs/{run_id('mindspore0')}/lineage")
    row.get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(r"/pipeline"))


def test_labels_stand_beside_pipelines_too(page: Page) -> None:
    page.goto("/lineage/data")
    row = page.locator('[data-testid="sheet-row"][data-name="mindspore2"]')
    row.get_by_test_id("cell-labels").click()
    page.get_by_test_id("edit-labels").fill("clean")
    page.get_by_test_id("edit-labels").press("Enter")
    expect(row.get_by_test_id("cell-labels")).to_contain_text("clean")
    search(page, "labels contains clean and Batch.batch_size ＞ 32")
    expect(page.get_by_test_id("runs-shown")).to_have_text("1 run")


def test_the_table_is_downloaded(page: Page) -> None:
    open_models(page, "?q=lr%20%3C%200.03")
    page.get_by_test_id("card-download").click()
    with page.expect_download() as caught:
        page.get_by_test_id("card-csv").click()
    text = Path(caught.value.path()).read_text(encoding="utf-8")
    assert text.splitlines()[0].startswith("run,") and "run00" in text and "run05" not in text


def test_exports_keep_to_the_filters(page: Page) -> None:
    open_models(page, "?q=lr%20%3E%200.02&keep=0.05~0.08@hparam/lr")
    page.get_by_test_id("card-download").click()
    with page.expect_download() as caught:
        page.get_by_test_id("export-json").click()
    found = json.loads(Path(caught.value.path()).read_text(encoding="utf-8"))
    assert sorted(each["run"] for each in found) == ["run04", "run05", "run06", "run07"]


@pytest.fixture
def mixed(tmp_path: Path) -> Iterator[Board]:
    """A run with lineage among two that only have scalars."""
    runs = tmp_path / "runs"
    for number, name in enumerate(("plain", "trained", "other")):
        write_run(runs / name, number).close()
    mi.log_lineage(runs / "trained", params={"lr": 0.1}, code=False, environment=False)
    with served(runs) as board:
        yield board


@pytest.fixture
def mixed_page(browser: Browser, mixed: Board) -> Iterator[Page]:
    yield from watched_page(browser, mixed)


def test_runs_without_lineage_are_shown_when_asked_for(mixed_page: Page) -> None:
    open_models(mixed_page)
    expect(mixed_page.get_by_test_id("runs-shown")).to_have_text("1 run")
    assert names(mixed_page) == ["trained"]
    mixed_page.get_by_test_id("toggle-bare").click()
    expect(mixed_page.get_by_test_id("sheet-row")).to_have_count(3)
    mixed_page.get_by_test_id("toggle-bare").click()
    expect(mixed_page.get_by_test_id("sheet-row")).to_have_count(1)
    search(mixed_page, "plain")
    expect(mixed_page.get_by_test_id("sheet-row")).to_have_attribute("data-name", "plain")


def test_a_scalar_where_another_is_best_becomes_a_column(mixed_page: Page) -> None:
    open_models(mixed_page)
    mixed_page.get_by_test_id("scalar-tag").fill("train/loss")
    mixed_page.get_by_test_id("scalar-how").select_option("at:max")
    mixed_page.get_by_test_id("scalar-other").fill("eval/accuracy")
    mixed_page.get_by_test_id("scalar-add").click()
    expect(mixed_page.get_by_test_id("sheet-row")).to_have_count(3)
    cell = mixed_page.locator('[data-name="trained"] [data-key="scalar/train/loss/at:max:eval/accuracy"]')
    expect(cell).to_have_text(f"{value(1, 'train/loss', STEPS - 1):.6g}")
    mixed_page.get_by_test_id("card-download").click()
    with mixed_page.expect_download() as caught:
        mixed_page.get_by_test_id("export-json").click()
    found = {each["run"]: each for each in json.loads(Path(caught.value.path()).read_text(encoding="utf-8"))}
    exported = found["trained"]["scalar/train/loss/at:max:eval/accuracy"]
    assert exported == pytest.approx(value(1, "train/loss", STEPS - 1), rel=1e-6)


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[Board]:
    mi.log_lineage(tmp_path / "runs" / "a", params={"lr": 0.1}, code=False, environment=False)
    with served(tmp_path / "runs") as board:
        yield board


@pytest.fixture
def growing_page(browser: Browser, growing: Board) -> Iterator[Page]:
    yield from watched_page(browser, growing)


def test_new_records_appear_by_themselves(growing: Board, growing_page: Page) -> None:
    open_models(growing_page)
    mi.log_lineage(growing.base_dir / "b", params={"lr": 0.2}, code=False, environment=False)
    expect(growing_page.get_by_test_id("sheet-row")).to_have_count(2)
    assert names(growing_page) == ["a", "b"]
