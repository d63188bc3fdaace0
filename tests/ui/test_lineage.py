"""Model and data lineage as column sets of the runs table, in a real browser."""

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
    page.goto(f"/runs?set=models&show=table{more}")
    expect(page.get_by_test_id("run-total")).to_contain_text("run")


def names(page: Page) -> list[str]:
    return [str(row.get_attribute("data-name")) for row in page.get_by_test_id("run-row").all()]


def search(page: Page, query: str) -> None:
    page.get_by_test_id("lineage-query").fill(query)
    page.get_by_test_id("lineage-query").press("Escape")
    page.get_by_test_id("lineage-query").press("Enter")


def test_every_run_stands_in_the_table_with_what_is_known_of_it(page: Page) -> None:
    open_models(page)
    row = page.locator('[data-testid="run-row"][data-name="run03"]')
    expect(row.locator('[data-key="learning_rate"]')).to_have_text("0.04")
    expect(row.locator('[data-key="accuracy"]')).to_have_text("0.85")
    expect(page.get_by_test_id("head-groups")).to_contain_text("Hyperparameters")


def test_a_query_filters_and_is_in_the_address(page: Page) -> None:
    open_models(page)
    search(page, "accuracy > 0.7 and optimizer = Adam")
    expect(page.get_by_test_id("run-total")).to_have_text("3 of 15 runs")
    assert names(page) == ["run01", "run03", "run05"]
    expect(page).to_have_url(re.compile("query=accuracy"))
    page.reload()
    expect(page.get_by_test_id("run-total")).to_have_text("3 of 15 runs")
    page.get_by_test_id("query-clear").click()
    expect(page.get_by_test_id("run-total")).to_have_text("15 runs")


def test_a_wrong_query_is_pointed_at_and_the_table_stays(page: Page) -> None:
    open_models(page)
    search(page, "accuracy > 0.7 and optimizr = Adam")
    complaint = page.get_by_test_id("query-complaint")
    expect(complaint).to_contain_text("Unknown column 'optimizr'")
    expect(complaint.locator("mark")).to_have_text("optimizr")
    assert len(names(page)) == 15


def test_a_wrong_query_is_explained_in_chinese(page: Page) -> None:
    page.goto("/lineage/models?lang=zh")
    expect(page.get_by_test_id("run-total")).to_have_text("15 个运行")
    search(page, "accuracy > 0.7 and optimizr = Adam")
    expect(page.get_by_test_id("query-complaint")).to_contain_text("没有名为“optimizr”的列，相近的有 optimizer")


def test_comparing_in_vain_is_said_beside_the_result(page: Page) -> None:
    open_models(page)
    search(page, "optimizer > 3 or accuracy > 0.7")
    said = page.get_by_test_id("type-mismatches")
    expect(said).to_have_text("“optimizer” contains text, so comparing it with a number (3) never matches.")
    assert names(page)
    page.get_by_test_id("lang-switch").click()
    expect(said).to_have_text("“optimizer”列的值是文本，却在与数值 3 比较，永远不会匹配。")
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
    expect(page.get_by_test_id("run-total")).to_have_text("6 of 15 runs")


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
    row = page.locator('[data-testid="run-row"][data-name="run07"]')
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
    expect(page.get_by_test_id("run-total")).to_have_text("1 of 15 runs")


def test_sorting_both_ways_and_columns(page: Page) -> None:
    open_models(page, "&query=lr%20%3E%200")
    expect(page.get_by_test_id("run-row").first).to_have_attribute("data-name", "run00")
    page.get_by_test_id("sort-accuracy").click()
    expect(page.get_by_test_id("run-row").first).to_have_attribute("data-name", "run11")
    page.get_by_test_id("open-columns").click()
    page.locator('[data-testid="column-choice"][data-key="learning_rate"]').get_by_test_id("column-show").uncheck()
    expect(page.locator('[data-key="learning_rate"][role="cell"]')).to_have_count(0)


def test_brushing_an_axis_filters_the_table(page: Page) -> None:
    open_models(page, "&tab=parallel&keep=0.05~0.08@hparam/lr")
    expect(page.get_by_test_id("run-total")).to_have_text("4 of 15 runs")
    page.get_by_test_id("tab-table").click()
    assert names(page) == ["run04", "run05", "run06", "run07"]
    page.get_by_test_id("clear-filters").click()
    expect(page.get_by_test_id("run-total")).to_have_text("15 runs")


def test_a_filter_of_a_column_that_is_gone_can_be_cleared(page: Page) -> None:
    page.goto("/runs?set=models&keep=1~2@hparam/gone")
    expect(page.get_by_test_id("state-failed")).to_contain_text("hparam/gone")
    page.get_by_test_id("clear-filters").click()
    expect(page.get_by_test_id("run-row")).to_have_count(15)


def test_old_addresses_and_views_open_the_same_runs_columns_and_order(page: Page) -> None:
    two = f"run={run_id('run00')}&run={run_id('run01')}"
    page.goto(f"/lineage/models?q=lr%20%3C%200.04&sort=-hparam/lr&col=hparam/lr&col=note&{two}")
    expect(page).to_have_url(re.compile(r"/runs\?set=models"))
    expect(page.get_by_test_id("run-row")).to_have_count(3)
    assert names(page) == ["run02", "run01", "run00"]
    assert [head.get_attribute("data-key") for head in page.get_by_role("columnheader").all()][-3:] == [
        "run",
        "hparam/lr",
        "note",
    ]
    expect(page.get_by_test_id("drawn")).to_contain_text("2 of 3")


def test_the_rail_opens_the_sets_and_says_which_is_open(page: Page) -> None:
    page.goto("/")
    for entry, name in (("modelLineage", "models"), ("dataLineage", "data"), ("compare", "compare")):
        page.get_by_test_id(f"nav-{entry}").click()
        expect(page).to_have_url(re.compile(rf"/runs\?set={name}"))
        expect(page.get_by_test_id(f"nav-{entry}")).to_have_attribute("aria-current", "page")
        expect(page.get_by_test_id("nav-runs")).not_to_have_attribute("aria-current", "page")
    page.get_by_test_id("nav-runs").click()
    expect(page.get_by_test_id("nav-runs")).to_have_attribute("aria-current", "page")
    page.keyboard.press("g")
    page.keyboard.press("d")
    expect(page.get_by_test_id("breadcrumb")).to_contain_text("Data lineage")


def test_importance_names_its_method_and_its_runs(page: Page) -> None:
    open_models(page)
    page.get_by_test_id("toggle-importance").click()
    panel = page.get_by_test_id("importance")
    expect(panel).to_contain_text("Based on 12 runs")
    expect(panel).to_contain_text("Spearman")
    expect(panel.get_by_test_id("importance-row").first).to_have_attribute("data-name", "learning_rate")
    search(page, "lr < 0.05")
    expect(panel).to_contain_text("at least 8 runs")


def test_selected_runs_are_compared_and_explained(page: Page) -> None:
    open_models(page, "&query=accuracy%20%3E%200.8")
    page.get_by_test_id("draw-none").click()
    for name in ("run00", "run01"):
        page.locator(f'[data-testid="run-row"][data-name="{name}"]').get_by_test_id("run-select").click()
    two = f"run={run_id('run00')}&run={run_id('run01')}"
    expect(page.get_by_test_id("compare-selected")).to_have_attribute("href", f"/scalars?{two}")
    page.get_by_test_id("why-selected").click()
    expect(page).to_have_url(re.compile("/lineage/why"))
    expect(page.get_by_test_id("why-page")).to_contain_text("lr")


def test_pipelines_are_rows_and_lead_to_their_drawing(page: Page) -> None:
    page.goto("/")
    page.get_by_test_id("nav-dataLineage").click()
    groups = page.get_by_test_id("group-row")
    expect(groups).to_have_count(3)
    first = groups.filter(has_text="Pipeline 1")
    expect(first).to_contain_text("2 runs")
    expect(first.locator('[data-key="Batch.batch_size"]')).to_have_text("32")
    expect(first.locator('[data-key="MnistDataset.sampler"]')).to_have_text("RandomSampler()")
    expect(groups.filter(has_text="Pipeline 2")).to_contain_text("1 run")
    expect(groups.last).to_contain_text("No data pipeline")
    expect(page.get_by_test_id("head-groups")).to_contain_text("MnistDataset")
    first.get_by_test_id("group-toggle").click()
    expect(page.get_by_test_id("run-row")).to_have_count(2)
    assert sorted(names(page)) == ["mindspore0", "mindspore1"]
    first.get_by_test_id("open-pipeline").click()
    expect(page).to_have_url(re.compile(rf"/runs/({run_id('mindspore0')}|{run_id('mindspore1')})/pipeline"))


def test_runs_that_share_a_pipeline_are_found(page: Page) -> None:
    page.goto("/runs?set=data&show=table&by=none&query=not%20(dataset_mark%20is%20missing)")
    expect(page.get_by_test_id("run-total")).to_have_text("3 of 15 runs")
    row = page.locator('[data-testid="run-row"][data-name="mindspore0"]')
    expect(row.get_by_test_id("open-pipeline")).to_have_text("Pipeline 1")
    expect(row.get_by_test_id("shared-pipeline")).to_have_text("2 runs")
    expect(page.locator('[data-name="mindspore2"]').get_by_test_id("shared-pipeline")).to_have_text("1 run")
    row.get_by_test_id("shared-pipeline").click()
    expect(page.get_by_test_id("run-total")).to_have_text("2 of 15 runs")
    assert sorted(names(page)) == ["mindspore0", "mindspore1"]
    row.get_by_test_id("shared-pipeline").click()
    expect(page.get_by_test_id("run-total")).to_have_text("3 of 15 runs")
    row.hover()
    row.get_by_test_id("row-menu").click()
    expect(page.get_by_test_id("row-lineage")).to_have_attribute("href", f"/runs/{run_id('mindspore0')}/lineage")


def test_labels_stand_beside_pipelines_too(page: Page) -> None:
    page.goto("/runs?set=data&show=table&by=none&query=mindspore")
    row = page.locator('[data-testid="run-row"][data-name="mindspore2"]')
    row.get_by_test_id("cell-labels").click()
    page.get_by_test_id("edit-labels").fill("clean")
    page.get_by_test_id("edit-labels").press("Enter")
    expect(row.get_by_test_id("cell-labels")).to_contain_text("clean")
    search(page, "labels contains clean and Batch.batch_size ＞ 32")
    expect(page.get_by_test_id("run-total")).to_have_text("1 of 15 runs")


def test_the_table_is_downloaded(page: Page) -> None:
    open_models(page, "&query=lr%20%3C%200.03")
    page.get_by_test_id("card-download").click()
    with page.expect_download() as caught:
        page.get_by_test_id("card-csv").click()
    text = Path(caught.value.path()).read_text(encoding="utf-8")
    assert text.splitlines()[0].startswith("run,") and "run00" in text and "run05" not in text


def test_exports_keep_to_the_filters(page: Page) -> None:
    open_models(page, "&query=lr%20%3E%200.02&keep=0.05~0.08@hparam/lr")
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


def test_a_scalar_where_another_is_best_becomes_a_column(mixed_page: Page) -> None:
    open_models(mixed_page)
    mixed_page.get_by_test_id("open-columns").click()
    mixed_page.get_by_test_id("scalar-tag").fill("train/loss")
    mixed_page.get_by_test_id("scalar-how").select_option("at:max")
    mixed_page.get_by_test_id("scalar-other").fill("eval/accuracy")
    mixed_page.get_by_test_id("scalar-add").click()
    expect(mixed_page.get_by_test_id("run-row")).to_have_count(3)
    cell = mixed_page.locator('[data-name="trained"] [data-key="scalar/train/loss/at:max:eval/accuracy"]')
    expect(cell).to_have_text(f"{value(1, 'train/loss', STEPS - 1):.5g}")
    mixed_page.get_by_test_id("run-total").click()
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
    expect(growing_page.get_by_test_id("run-row")).to_have_count(2)
    assert sorted(names(growing_page)) == ["a", "b"]
