"""Each control of the board of hyper-parameters in a real browser."""

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


def open_board(page: Page, more: str = "") -> None:
    page.goto(f"/hparams{more}")
    expect(page.get_by_test_id("sessions-shown")).to_contain_text("session")


def sessions(page: Page) -> list[str]:
    return [str(row.get_attribute("data-name")) for row in page.get_by_test_id("sheet-row").all()]


def entry(page: Page, key: str) -> Locator:
    return page.locator(f'[data-testid="column-entry"][data-key="{key}"]')


def test_the_table_has_every_session_with_settings_and_metrics(page: Page) -> None:
    open_board(page)

    row = page.locator('[data-name="sweep/b/hp"]')
    cells = row.get_by_role("cell").all_text_contents()
    assert cells[3:] == ["0.01", "adam", "16", "false", "0.7", "1"]
    expect(page.locator('[data-name="sweep/d/hp"]')).to_contain_text("–")
    expect(page.get_by_test_id("sheet-table")).to_contain_text("Hyperparameters")
    expect(page.get_by_test_id("sheet-table")).to_contain_text("Metrics")


def test_sorting(page: Page) -> None:
    open_board(page)
    assert sessions(page) == [f"sweep/{name}/hp" for name in "abcd"]

    page.get_by_test_id("sort-metric.accuracy").click()
    expect(page.get_by_test_id("sheet-row").first).to_have_attribute("data-name", "sweep/a/hp")
    page.get_by_test_id("sort-metric.accuracy").click()
    expect(page.get_by_test_id("sheet-row").first).to_have_attribute("data-name", "sweep/c/hp")
    expect(page).to_have_url(re.compile(r"sort=-metric\.accuracy"))
    page.get_by_test_id("sort-metric.loss").click()
    page.get_by_test_id("sort-metric.loss").click()
    expect(page.get_by_test_id("sheet-row").last).to_have_attribute("data-name", "sweep/d/hp")

    page.reload()
    expect(page.get_by_test_id("sheet-row").last).to_have_attribute("data-name", "sweep/d/hp")


def test_searching(page: Page) -> None:
    open_board(page)

    page.get_by_test_id("trial-search").fill("adam false")

    expect(page.get_by_test_id("sheet-row")).to_have_count(1)
    expect(page.get_by_test_id("sessions-shown")).to_have_text("1 of 4 sessions")
    page.get_by_test_id("trial-search").fill("nothing")
    expect(page.get_by_test_id("state-empty")).to_contain_text("No matching sessions")
    page.get_by_test_id("clear-filters").click()
    expect(page.get_by_test_id("sheet-row")).to_have_count(4)


def test_filters_by_range_and_by_value(page: Page) -> None:
    open_board(page)

    entry(page, "hparam.lr").get_by_test_id("column-open").click()
    entry(page, "hparam.lr").get_by_test_id("filter-from").fill("0.005")
    entry(page, "hparam.lr").get_by_test_id("filter-from").press("Enter")
    expect(page.get_by_test_id("sheet-row")).to_have_count(2)
    entry(page, "hparam.opt").get_by_test_id("column-open").click()
    entry(page, "hparam.opt").locator('[data-value="sgd"]').uncheck()
    expect(page.get_by_test_id("sheet-row")).to_have_count(1)
    assert sessions(page) == ["sweep/b/hp"]

    page.reload()
    expect(page.get_by_test_id("sheet-row")).to_have_count(1)
    entry(page, "hparam.lr").get_by_test_id("column-clear").click()
    expect(page.get_by_test_id("sheet-row")).to_have_count(3)


def test_columns_are_hidden_and_shown(page: Page) -> None:
    open_board(page)

    entry(page, "hparam.units").get_by_test_id("column-show").uncheck()

    expect(page.get_by_test_id("sort-hparam.units")).to_have_count(0)
    expect(page.get_by_test_id("sort-hparam.lr")).to_be_visible()
    page.reload()
    expect(page.get_by_test_id("sort-hparam.lr")).to_be_visible()
    expect(page.get_by_test_id("sort-hparam.units")).to_have_count(0)


def test_ticked_sessions_are_the_chosen_runs_of_other_boards(page: Page) -> None:
    open_board(page)

    page.locator('[data-name="sweep/b/hp"]').get_by_test_id("row-tick").check()
    page.locator('[data-name="sweep/c/hp"]').get_by_test_id("row-tick").check()
    page.get_by_test_id("open-scalars").click()

    # Also the runs with the curves, which add_hparams has written beside.
    for name in ("sweep/b", "sweep/b/hp", "sweep/c", "sweep/c/hp"):
        expect(page).to_have_url(re.compile(run_id(name)))
    expect(page.locator('[data-tag="curve"]').first).to_be_visible()
    page.goto(f"/scalars?run={run_id('sweep/a')}")
    expect(page.locator('[data-tag="curve"]').first).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("p")
    expect(page.locator('[data-name="sweep/a/hp"]').get_by_test_id("row-tick")).to_be_checked()
    expect(page.locator('[data-name="sweep/b/hp"]').get_by_test_id("row-tick")).not_to_be_checked()


def test_ticking_all_and_none(page: Page) -> None:
    open_board(page)

    page.get_by_test_id("tick-all").check()
    expect(page.get_by_test_id("open-scalars")).to_contain_text("(4)")
    page.get_by_test_id("untick").click()
    expect(page.get_by_test_id("open-scalars")).to_have_count(0)


def axis_middle(page: Page, key: str) -> tuple[float, float, float]:
    """The place of an axis: x, and y of its top and bottom."""
    title = page.locator(f'[data-testid="axis-title"][data-key="{key}"]').bounding_box()
    chart = page.get_by_test_id("parallel-axes").bounding_box()
    assert title is not None and chart is not None
    return title["x"] + title["width"] / 2, chart["y"] + 40, chart["y"] + chart["height"] - 18


def test_brushing_parallel_axes_filters(page: Page) -> None:
    open_board(page, "?tab=parallel")
    chart = page.get_by_test_id("parallel-axes")
    expect(chart).to_have_attribute("data-rows", "4")

    x, top, bottom = axis_middle(page, "metric.accuracy")
    page.mouse.move(x, top - 4)
    page.mouse.down()
    page.mouse.move(x, top + (bottom - top) * 0.6, steps=4)
    page.mouse.up()
    expect(chart).to_have_attribute("data-rows", "2")
    expect(page).to_have_url(re.compile("keep="))
    page.get_by_test_id("tab-table").click()
    expect(page.get_by_test_id("sheet-row")).to_have_count(2)
    page.get_by_test_id("tab-parallel").click()

    x, top, bottom = axis_middle(page, "metric.accuracy")
    page.mouse.click(x, bottom - 5)
    expect(chart).to_have_attribute("data-rows", "4")


def test_axes_are_reordered_by_dragging_and_by_keys(page: Page) -> None:
    open_board(page, "?tab=parallel")
    titles = page.get_by_test_id("axis-title")
    expect(titles.first).to_have_attribute("data-key", "hparam.lr")

    source, target = titles.nth(0).locator(".name").bounding_box(), titles.nth(2).bounding_box()
    assert source is not None and target is not None
    page.mouse.move(source["x"] + 5, source["y"] + 5)
    page.mouse.down()
    page.mouse.move(target["x"] + target["width"] / 2 + 10, source["y"] + 5, steps=5)
    page.mouse.up()
    expect(titles.nth(2)).to_have_attribute("data-key", "hparam.lr")
    titles.nth(2).locator(".name").press("ArrowLeft")
    expect(titles.nth(1)).to_have_attribute("data-key", "hparam.lr")
    page.reload()
    expect(titles.nth(1)).to_have_attribute("data-key", "hparam.lr")


def test_axes_of_very_different_numbers_are_logarithmic_until_told_otherwise(page: Page) -> None:
    open_board(page, "?tab=parallel")
    lr = page.locator('[data-testid="axis-title"][data-key="hparam.lr"]').get_by_test_id("axis-scale")

    expect(lr).to_have_attribute("data-scale", "log")
    lr.click()
    expect(lr).to_have_attribute("data-scale", "quantile")
    expect(page).to_have_url(re.compile(r"scale=quantile@hparam\.lr"))
    entry(page, "hparam.lr").get_by_test_id("column-open").click()
    entry(page, "hparam.lr").get_by_test_id("column-scale").select_option("linear")
    expect(lr).to_have_attribute("data-scale", "linear")


def test_pointing_at_a_line_tells_the_session_and_enter_ticks_it(page: Page) -> None:
    open_board(page, "?tab=parallel")
    chart = page.get_by_test_id("parallel-axes")

    chart.focus()
    chart.press("ArrowDown")
    expect(page.get_by_test_id("row-tooltip")).to_contain_text("sweep/a/hp")
    expect(page.get_by_test_id("row-tooltip")).to_contain_text("sgd")
    chart.press("Enter")
    expect(page.get_by_test_id("open-scalars")).to_contain_text("(1)")


def test_colours_by_a_column(page: Page) -> None:
    open_board(page, "?tab=parallel")
    expect(page.get_by_test_id("colour-legend")).to_contain_text("accuracy")

    page.get_by_test_id("colour-select").select_option("hparam.opt")

    for name in ("adam", "lamb", "sgd"):
        expect(page.get_by_test_id("colour-legend")).to_contain_text(name)
    page.get_by_test_id("colour-select").select_option("")
    expect(page.get_by_test_id("colour-legend")).to_have_count(0)


def test_dragging_in_the_scatter_matrix_filters(page: Page) -> None:
    open_board(page, "?tab=scatter")
    chart = page.get_by_test_id("scatter-matrix")
    expect(chart).to_have_attribute("data-rows", "4")
    box = chart.bounding_box()
    assert box is not None

    # The left part of the first column: the sessions with the smallest learning rates.
    page.mouse.move(box["x"] + 90, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 400, steps=4)
    page.mouse.up()

    expect(page).to_have_url(re.compile("keep="))
    shown = int(chart.get_attribute("data-rows") or 0)
    assert 0 < shown < 4
    page.get_by_test_id("clear-filters").click()
    expect(chart).to_have_attribute("data-rows", "4")


def test_v_goes_through_the_views(page: Page) -> None:
    open_board(page)
    expect(page.get_by_test_id("sheet-table")).to_be_visible()

    page.keyboard.press("v")
    expect(page.get_by_test_id("parallel-axes")).to_be_visible()
    page.keyboard.press("v")
    expect(page.get_by_test_id("scatter-matrix")).to_be_visible()


@pytest.mark.parametrize("tab", ["parallel", "scatter"])
def test_charts_are_saved_as_svg(page: Page, tmp_path: Path, tab: str) -> None:
    open_board(page, f"?tab={tab}")
    expect(page.get_by_test_id("colour-legend")).to_be_visible()

    page.get_by_test_id("card-download").click()
    with page.expect_download() as waiting:
        page.get_by_test_id("card-svg").click()
    waiting.value.save_as(tmp_path / "saved.svg")

    text = (tmp_path / "saved.svg").read_text("utf-8")
    for name in ("lr", "opt", "units", "accuracy"):
        assert f">{name}</text>" in text


def test_the_table_is_saved_as_shown(page: Page, tmp_path: Path) -> None:
    open_board(page, "?sort=-metric.accuracy&q=adam")
    expect(page.get_by_test_id("sheet-row")).to_have_count(2)

    page.get_by_test_id("card-download").click()
    with page.expect_download() as waiting:
        page.get_by_test_id("card-csv").click()
    waiting.value.save_as(tmp_path / "saved.csv")

    with (tmp_path / "saved.csv").open() as saved:
        rows = list(csv.DictReader(saved))
    assert [row["session"] for row in rows] == ["sweep/c/hp", "sweep/b/hp"]
    assert [float(row["hparam.lr"]) for row in rows] == [0.001, 0.01]


def test_one_session_alone(page: Page) -> None:
    page.goto(f"/runs/{run_id('sweep/b/hp')}/hparams")

    sheet = page.get_by_test_id("trial-sheet")
    expect(sheet.locator('[data-key="hparam.opt"]')).to_contain_text("adam")
    expect(sheet.locator('[data-key="metric.accuracy"]')).to_contain_text("0.7")


def test_new_sessions_appear_by_themselves(browser: Browser, tmp_path: Path) -> None:
    write_trials(tmp_path / "runs")
    with served(tmp_path / "runs") as board:
        for page in watched_page(browser, board):
            open_board(page)
            expect(page.get_by_test_id("sheet-row")).to_have_count(4)

            with SummaryWriter(str(tmp_path / "runs" / "sweep" / "e")) as writer:
                writer.add_hparams({"lr": 1.0, "opt": "sgd"}, {"accuracy": 0.1}, name="hp")

            expect(page.locator('[data-name="sweep/e/hp"]')).to_be_visible()


def test_a_folder_without_hyper_parameters_says_how_to_log_them(browser: Browser, tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "runs" / "plain")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    with served(tmp_path / "runs") as board:
        for page in watched_page(browser, board):
            page.goto("/hparams")
            expect(page.get_by_test_id("state-empty")).to_contain_text("add_hparams")


def test_chinese(page: Page) -> None:
    page.goto("/hparams?lang=zh")

    expect(page.get_by_test_id("tab-parallel")).to_have_text("平行坐标图")
    expect(page.get_by_test_id("sessions-shown")).to_have_text("4 个实验")


def test_sessions_of_the_real_frameworks(corpus_page: Page) -> None:
    corpus_page.goto("/hparams?q=visualdl-2.5/sweep")

    row = corpus_page.locator('[data-name="visualdl-2.5/sweep/exp_1"]')
    expect(row).to_be_visible()
    assert row.get_by_role("cell").all_text_contents()[3:] == ["0.2", "SGD", "64", "2.02108", "0.324219"]
