"""Hyperparameters as a column set of the runs table, in a real browser."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mindinsight_like import SummaryWriter
from mindinsight_like.store.database.location import run_id
from tests.ui.conftest import Board, served, watched_page

TRIALS = (
    ("sweep/a", {"lr": 0.1, "opt": "sgd", "units": 8, "bn": True}, {"accuracy": 0.5, "loss": 2.0}),
    ("sweep/b", {"lr": 0.01, "opt": "adam", "units": 16, "bn": False}, {"accuracy": 0.7, "loss": 1.0}),
    ("sweep/c", {"lr": 0.001, "opt": "adam", "units": 32, "bn": True}, {"accuracy": 0.9, "loss": 0.5}),
    ("sweep/d", {"lr": 0.0001, "opt": "lamb", "units": 8}, {"accuracy": 0.6}),
)
LR, OPT, UNITS, ACCURACY = "learning_rate", "optimizer", "hparam/units", "accuracy"


def write_trials(base_dir: Path) -> None:
    for name, parameters, metrics in TRIALS:
        with SummaryWriter(str(base_dir / name)) as writer:
            writer.add_scalar("curve", 1.0, 0)
            writer.add_hparams(parameters, metrics, name="hp")


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("hparams") / "runs"
    write_trials(base_dir)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, trials: Board) -> Iterator[Page]:
    yield from watched_page(browser, trials)


def open_set(page: Page, more: str = "") -> None:
    page.goto(f"/runs?set=hparams&show=table{more}")
    expect(page.get_by_test_id("run-total")).to_contain_text("run")


def rows(page: Page) -> Locator:
    return page.get_by_test_id("run-row")


def names(page: Page) -> list[str]:
    return [str(row.get_attribute("data-name")) for row in rows(page).all()]


def entry(page: Page, key: str) -> Locator:
    return page.locator(f'[data-testid="column-choice"][data-key="{key}"]')


def test_the_table_has_every_session_with_settings_and_metrics(page: Page) -> None:
    open_set(page)
    row = page.locator('[data-name="sweep/b"]')
    values = {LR: "0.01", OPT: "adam", UNITS: "16", "hparam/bn": "false", ACCURACY: "0.7", "val_loss": "1"}
    for column, text in values.items():
        expect(row.locator(f'[data-key="{column}"]')).to_contain_text(text)
    expect(page.locator('[data-name="sweep/d"] [data-key="hparam/bn"]')).to_have_text("–")
    expect(page.get_by_test_id("head-groups")).to_contain_text("Metrics")
    expect(page.get_by_test_id("head-groups")).to_contain_text("Hyperparameters")


def test_sorting(page: Page) -> None:
    open_set(page)
    assert names(page) == [f"sweep/{name}" for name in "cbda"]

    page.get_by_test_id(f"sort-{ACCURACY}").click()
    expect(rows(page).first).to_have_attribute("data-name", "sweep/a")
    expect(page).to_have_url(re.compile(r"sort=accuracy"))
    page.get_by_test_id("sort-val_loss").click()
    expect(rows(page).last).to_have_attribute("data-name", "sweep/d")

    page.reload()
    expect(rows(page).last).to_have_attribute("data-name", "sweep/d")


def test_filters_by_range_and_by_value(page: Page) -> None:
    open_set(page)
    page.get_by_test_id("open-columns").click()
    entry(page, LR).get_by_test_id("column-open").click()
    page.get_by_test_id("filter-from").fill("0.005")
    page.get_by_test_id("filter-from").press("Enter")
    expect(rows(page)).to_have_count(2)
    entry(page, OPT).get_by_test_id("column-open").click()
    page.locator('[data-value="sgd"]').uncheck()
    expect(rows(page)).to_have_count(1)
    assert names(page) == ["sweep/b"]

    page.reload()
    expect(rows(page)).to_have_count(1)
    page.get_by_test_id("open-columns").click()
    entry(page, LR).get_by_test_id("column-open").click()
    page.get_by_test_id("column-clear").click()
    expect(rows(page)).to_have_count(3)


def test_truth_values_are_filtered_too(page: Page) -> None:
    open_set(page)
    page.get_by_test_id("open-columns").click()
    entry(page, "hparam/bn").get_by_test_id("column-open").click()
    page.locator('[data-value="true"]').uncheck()
    expect(rows(page)).to_have_count(1)
    expect(page.get_by_test_id("type-mismatches")).to_have_count(0)


def test_columns_are_hidden_and_shown(page: Page) -> None:
    open_set(page)
    page.get_by_test_id("open-columns").click()
    entry(page, UNITS).get_by_test_id("column-show").uncheck()

    expect(page.get_by_test_id(f"sort-{UNITS}")).to_have_count(0)
    expect(page.get_by_test_id(f"sort-{LR}")).to_be_visible()
    page.reload()
    expect(page.get_by_test_id(f"sort-{LR}")).to_be_visible()
    expect(page.get_by_test_id(f"sort-{UNITS}")).to_have_count(0)


def test_any_value_of_a_curve_becomes_a_column(page: Page) -> None:
    open_set(page)
    page.get_by_test_id("open-columns").click()
    page.get_by_test_id("scalar-tag").fill("curve")
    page.get_by_test_id("scalar-how").select_option("max")
    page.get_by_test_id("scalar-add").click()
    expect(page.locator('[data-name="sweep/b"] [data-key="scalar/curve/max"]')).to_have_text("1")


def test_selected_sessions_bring_their_curves_to_other_boards(page: Page) -> None:
    open_set(page)
    page.get_by_test_id("draw-none").click()
    for name in ("sweep/b", "sweep/c"):
        page.locator(f'[data-name="{name}"]').get_by_test_id("run-select").click()
    page.get_by_test_id("compare-selected").click()

    # Also the runs with the curves, which add_hparams has written beside.
    for name in ("sweep/b", "sweep/b/hp", "sweep/c", "sweep/c/hp"):
        expect(page).to_have_url(re.compile(run_id(name)))
    expect(page.locator('[data-tag="curve"]').first).to_be_visible()


def axis_middle(page: Page, key: str) -> tuple[float, float, float]:
    """The place of an axis: x, and y of its top and bottom."""
    title = page.locator(f'[data-testid="axis-title"][data-key="{key}"]').bounding_box()
    chart = page.get_by_test_id("parallel-axes").bounding_box()
    assert title is not None and chart is not None
    return title["x"] + title["width"] / 2, chart["y"] + 40, chart["y"] + chart["height"] - 18


def test_brushing_parallel_axes_filters_the_rows(page: Page) -> None:
    open_set(page, "&tab=parallel")
    chart = page.get_by_test_id("parallel-axes")
    expect(chart).to_have_attribute("data-rows", "4")

    x, top, bottom = axis_middle(page, ACCURACY)
    page.mouse.move(x, top - 4)
    page.mouse.down()
    page.mouse.move(x, top + (bottom - top) * 0.6, steps=4)
    page.mouse.up()
    expect(chart).to_have_attribute("data-rows", "2")
    expect(page).to_have_url(re.compile("keep="))
    expect(page.get_by_test_id("run-total")).to_have_text("2 of 4 runs")
    page.get_by_test_id("tab-table").click()
    expect(rows(page)).to_have_count(2)
    page.get_by_test_id("tab-parallel").click()

    x, top, bottom = axis_middle(page, ACCURACY)
    page.mouse.click(x, bottom - 5)
    expect(chart).to_have_attribute("data-rows", "4")


def test_axes_are_reordered_by_dragging_and_by_keys(page: Page) -> None:
    open_set(page, f"&tab=parallel&axis={LR}")
    titles = page.get_by_test_id("axis-title")
    expect(titles.first).to_have_attribute("data-key", LR)

    source, target = titles.nth(0).locator(".name").bounding_box(), titles.nth(2).bounding_box()
    assert source is not None and target is not None
    page.mouse.move(source["x"] + 5, source["y"] + 5)
    page.mouse.down()
    page.mouse.move(target["x"] + target["width"] / 2 + 10, source["y"] + 5, steps=5)
    page.mouse.up()
    expect(titles.nth(2)).to_have_attribute("data-key", LR)
    titles.nth(2).locator(".name").press("ArrowLeft")
    expect(titles.nth(1)).to_have_attribute("data-key", LR)
    page.reload()
    expect(titles.nth(1)).to_have_attribute("data-key", LR)


def test_axes_of_very_different_numbers_are_logarithmic_until_told_otherwise(page: Page) -> None:
    open_set(page, "&tab=parallel")
    scale = page.locator(f'[data-testid="axis-title"][data-key="{LR}"]').get_by_test_id("axis-scale")

    expect(scale).to_have_attribute("data-scale", "log")
    scale.click()
    expect(scale).to_have_attribute("data-scale", "quantile")
    expect(page).to_have_url(re.compile(rf"scale=quantile@{LR}"))
    scale.click()
    expect(scale).to_have_attribute("data-scale", "linear")


def test_pointing_at_a_line_tells_the_run_and_enter_draws_it(page: Page) -> None:
    open_set(page, "&tab=parallel&sort=run&run=none")
    chart = page.get_by_test_id("parallel-axes")

    chart.focus()
    chart.press("ArrowDown")
    expect(page.get_by_test_id("row-tooltip")).to_contain_text("sweep/a")
    expect(page.get_by_test_id("row-tooltip")).to_contain_text("sgd")
    chart.press("Enter")
    expect(page.get_by_test_id("drawn")).to_contain_text("2 of 8")


def test_colours_by_a_column(page: Page) -> None:
    open_set(page, "&tab=parallel")
    expect(page.get_by_test_id("colour-legend")).to_contain_text("Accuracy")

    page.get_by_test_id("colour-select").select_option(OPT)

    for name in ("adam", "lamb", "sgd"):
        expect(page.get_by_test_id("colour-legend")).to_contain_text(name)
    page.get_by_test_id("colour-select").select_option("")
    expect(page.get_by_test_id("colour-legend")).to_have_count(0)


def test_dragging_in_the_scatter_matrix_filters(page: Page) -> None:
    open_set(page, f"&tab=scatter&col={LR}&col={UNITS}&col={ACCURACY}")
    chart = page.get_by_test_id("scatter-matrix")
    expect(chart).to_have_attribute("data-rows", "4")
    box = chart.bounding_box()
    assert box is not None

    # The left part of the first column: the runs with the smallest learning rates.
    page.mouse.move(box["x"] + 90, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 220, box["y"] + 400, steps=4)
    page.mouse.up()

    expect(page).to_have_url(re.compile("keep="))
    shown = int(chart.get_attribute("data-rows") or 0)
    assert 0 < shown < 4
    page.get_by_test_id("clear-filters").click()
    expect(chart).to_have_attribute("data-rows", "4")


def test_v_goes_through_the_views(page: Page) -> None:
    open_set(page)
    expect(page.get_by_test_id("run-list")).to_be_visible()

    page.keyboard.press("v")
    expect(page.get_by_test_id("parallel-axes")).to_be_visible()
    page.keyboard.press("v")
    expect(page.get_by_test_id("scatter-matrix")).to_be_visible()


@pytest.mark.parametrize("tab", ["parallel", "scatter"])
def test_charts_are_saved_as_svg(page: Page, tmp_path: Path, tab: str) -> None:
    open_set(page, f"&tab={tab}")
    expect(page.get_by_test_id("colour-legend")).to_be_visible()

    page.get_by_test_id("card-download").click()
    with page.expect_download() as waiting:
        page.get_by_test_id("card-svg").click()
    waiting.value.save_as(tmp_path / "saved.svg")

    text = (tmp_path / "saved.svg").read_text("utf-8")
    for name in ("Learning rate", "Optimizer", "units", "Accuracy"):
        assert f">{name}</text>" in text


def test_the_table_is_saved_as_shown(page: Page, tmp_path: Path) -> None:
    open_set(page, "&sort=-accuracy&query=optimizer%20%3D%20adam")
    expect(rows(page)).to_have_count(2)

    page.get_by_test_id("card-download").click()
    with page.expect_download() as waiting:
        page.get_by_test_id("card-csv").click()
    waiting.value.save_as(tmp_path / "saved.csv")

    with (tmp_path / "saved.csv").open() as saved:
        table = list(csv.DictReader(saved))
    assert [row["run"] for row in table] == ["sweep/c", "sweep/b"]
    assert [float(row[LR]) for row in table] == [0.001, 0.01]


def test_old_addresses_open_the_same_runs_and_columns(page: Page) -> None:
    page.goto("/hparams?sort=-metric.accuracy&col=hparam.units&col=metric.accuracy&keep=0.005~1@hparam.lr")
    expect(page).to_have_url(re.compile(r"/runs\?set=hparams"))
    expect(rows(page)).to_have_count(2)
    assert names(page) == ["sweep/b", "sweep/a"]
    expect(page.locator('[data-name="sweep/b"] [data-key="hparam/units"]')).to_have_text("16")

    page.goto(f"/runs/{run_id('sweep/b')}/hparams")
    expect(page.get_by_test_id("drawn")).to_contain_text("1 of 8")


def test_a_set_is_saved_updated_and_deleted_for_everybody(browser: Browser, page: Page, trials: Board) -> None:
    open_set(page)
    page.get_by_test_id("open-columns").click()
    entry(page, UNITS).get_by_test_id("column-show").uncheck()
    page.get_by_test_id("set-name").fill("my sweep")
    page.get_by_test_id("set-save").click()
    expect(page).to_have_url(re.compile(r"set=my\+sweep"))
    expect(page).not_to_have_url(re.compile("col="))

    for other in watched_page(browser, trials):
        other.goto("/")
        other.get_by_test_id("open-columns").click()
        other.get_by_test_id("set-my sweep").click()
        expect(other.get_by_test_id(f"sort-{LR}")).to_be_visible()
        expect(other.get_by_test_id(f"sort-{UNITS}")).to_have_count(0)
        entry(other, UNITS).get_by_test_id("column-show").check()
        other.get_by_test_id("set-update").click()
        expect(other).not_to_have_url(re.compile("col="))
    expect(page.get_by_test_id(f"sort-{UNITS}")).to_be_visible()

    page.get_by_test_id("set-delete").click()
    page.get_by_test_id("set-really-delete").click()
    expect(page.get_by_test_id("set-my sweep")).to_have_count(0)
    expect(page.get_by_test_id("columns-reset")).to_have_attribute("aria-pressed", "true")


def test_new_sessions_appear_by_themselves(browser: Browser, tmp_path: Path) -> None:
    write_trials(tmp_path / "runs")
    with served(tmp_path / "runs") as board:
        for page in watched_page(browser, board):
            open_set(page)
            expect(rows(page)).to_have_count(4)

            with SummaryWriter(str(tmp_path / "runs" / "sweep" / "e")) as writer:
                writer.add_hparams({"lr": 1.0, "opt": "sgd"}, {"accuracy": 0.1}, name="hp")

            expect(page.locator('[data-name^="sweep/e"]')).to_have_count(1)


def test_a_folder_without_hyper_parameters_says_how_to_log_them(browser: Browser, tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "runs" / "plain")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    with served(tmp_path / "runs") as board:
        for page in watched_page(browser, board):
            page.goto("/hparams")
            expect(page.get_by_test_id("set-empty")).to_contain_text("add_hparams")


def test_the_rail_opens_the_set_on_parallel_axes_in_chinese(page: Page) -> None:
    page.goto("/?lang=zh")
    page.get_by_test_id("nav-hparams").click()

    expect(page.get_by_test_id("parallel-axes")).to_be_visible()
    expect(page.get_by_test_id("nav-hparams")).to_have_attribute("aria-current", "page")
    expect(page.get_by_test_id("nav-runs")).not_to_have_attribute("aria-current", "page")
    expect(page.get_by_test_id("breadcrumb")).to_contain_text("超参数")
    expect(page.get_by_test_id("tab-parallel")).to_have_text("平行坐标")


def test_sessions_of_the_real_frameworks(corpus_page: Page) -> None:
    corpus_page.goto("/runs?set=hparams&show=table&query=visualdl-2.5/sweep")

    row = corpus_page.locator('[data-name="visualdl-2.5/sweep/exp_1"]')
    expect(row).to_be_visible()
    for column, text in {LR: "0.2", OPT: "SGD", "batch_size": "64", ACCURACY: "0.32422", "val_loss": "2.0211"}.items():
        expect(row.locator(f'[data-key="{column}"]')).to_contain_text(text)
