"""Each control of the board of tensors in a real browser."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mindinsight_like import SummaryWriter
from mindinsight_like.writers.encoding import tensorboard, wire
from mindinsight_like.writers.files.record_file import RecordFile
from tests.ui.conftest import BEGIN, Board, served, wait_in_page, watched_page, withhold_frames

STEPS = (0, 10, 20, 30)


def weight(run: int, step: int) -> np.ndarray:
    """Numbers that say where they are: row, column, step, and the run as a fraction."""
    return np.add.outer(np.arange(200) * 1000, np.arange(150)).astype(np.float64) + step / 100 + run / 8


def kernel(step: int) -> np.ndarray:
    return np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5) + step


def write_run(folder: Path, run: int, *, steps: tuple[int, ...] = STEPS) -> RecordFile:
    log = RecordFile(folder / f"events.out.tfevents.{int(BEGIN):010d}.tests.{run}.0", frame=tensorboard.frame)
    for step in steps:
        odd = np.array([[1.0, np.nan], [np.inf, -np.inf]])
        values = [
            tensorboard.tensor("dense/weight", weight(run, step), plugin="t"),
            tensorboard.tensor("conv/kernel", kernel(step), plugin="t"),
            tensorboard.tensor("dense/bias", np.linspace(-1, 1, 25, dtype=np.float32) * (step + 1), plugin="t"),
            tensorboard.tensor("odd/values", odd, plugin="t"),
            tensorboard.strings("odd/words", [b"<b>one</b>", b"two"], shape=(1, 2), plugin="t"),
        ]
        log.write(tensorboard.event(values, step=step, wall_time=BEGIN + step))
    log.flush()
    return log


@pytest.fixture(scope="module")
def tensors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("tensors") / "runs"
    write_run(base_dir / "first", 0).close()
    log = write_run(base_dir / "second", 1)
    shape = wire.blob(2, wire.blob(2, wire.integer(1, 7)))
    broken = wire.text(1, "odd/broken") + wire.blob(9, wire.blob(1, wire.text(1, "t")))
    broken += wire.blob(8, wire.integer(1, 1) + shape + wire.blob(4, bytes(8)))
    log.write(tensorboard.event([broken], step=0, wall_time=BEGIN))
    log.close()
    with SummaryWriter(str(base_dir / "plain")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, tensors: Board) -> Iterator[Page]:
    yield from watched_page(browser, tensors)


def open_board(page: Page, board: Board, *names: str, more: str = "") -> None:
    page.goto(f"/tensors?{board.runs(*names)}{more}")
    expect(page.get_by_test_id("tensor-card").first).to_be_visible()


def card(page: Page, tag: str) -> Locator:
    found = page.locator(f'[data-testid="tensor-card"][data-tag="{tag}"]').first
    found.scroll_into_view_if_needed()
    expect(found).to_have_attribute("data-loaded", "true")
    return found


def cell(found: Locator, row: int, column: int) -> Locator:
    return found.locator(f'[data-row="{row}"][data-column="{column}"]').first


def tool(found: Locator, name: str) -> Locator:
    found.hover()
    return found.get_by_test_id(name)


def test_the_table_shows_the_numbers_of_the_newest_step(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", more="&digits=10")
    found = card(page, "dense/weight")

    expect(found.get_by_test_id("tensor-shape")).to_have_text("float64 [200, 150]")
    expect(cell(found, 0, 0)).to_have_text("0.3")
    expect(cell(found, 2, 1)).to_have_text("2001.3")
    expect(found.get_by_test_id("tensor-facts")).to_contain_text("max199149")


def test_only_what_is_in_view_exists_and_is_fetched(page: Page, tensors: Board) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "tensors/slice" in request.url else None)
    open_board(page, tensors, "first", more="&q=dense/weight&digits=10")
    found = card(page, "dense/weight")
    grid = found.get_by_test_id("tensor-grid")
    expect(cell(found, 0, 0)).to_have_text("0.3")
    assert found.locator("[data-row]").count() < 400
    assert len(asked) == 1

    grid.evaluate("grid => grid.scrollTo(grid.scrollWidth, grid.scrollHeight)")

    expect(cell(found, 199, 149)).to_have_text("199149.3")
    assert found.locator("[data-row]").count() < 400
    assert len(asked) <= 5


def test_keys_move_select_and_copy(page: Page, tensors: Board) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_board(page, tensors, "first", more="&q=dense/weight")
    found = card(page, "dense/weight")
    cell(found, 1, 1).click()
    grid = found.get_by_test_id("tensor-grid")
    reading = found.get_by_test_id("tensor-reading")
    page.mouse.move(0, 0)

    grid.press("ArrowDown")
    expect(reading).to_contain_text("[2, 1]")
    expect(reading).to_contain_text("2001.3")
    grid.press("Shift+ArrowRight")
    grid.press("Shift+ArrowDown")
    grid.press("Control+c")
    expect(reading).to_contain_text("copied")
    assert page.evaluate("() => navigator.clipboard.readText()") == "2001.3\t2002.3\n3001.3\t3002.3"

    grid.press("Control+End")
    expect(reading).to_contain_text("[199, 149]")
    expect(cell(found, 199, 149)).to_be_visible()
    grid.press("[")
    expect(found).to_have_attribute("data-step", "20")
    expect(reading).to_contain_text("199149.2")


def test_hovering_reads_the_exact_value(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", more="&q=bias&digits=2")
    found = card(page, "dense/bias")
    expect(cell(found, 0, 1)).to_have_text("−28")

    cell(found, 0, 1).hover()

    expect(found.get_by_test_id("tensor-reading")).to_contain_text("[1]")
    expect(found.get_by_test_id("tensor-reading")).to_contain_text("-28.4166")


def test_the_slider_goes_through_all_steps_and_links_all_cards(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", more="&digits=10")
    found = card(page, "dense/weight")
    expect(cell(found, 0, 0)).to_have_text("0.3")

    found.get_by_test_id("step-previous").click()

    expect(cell(found, 0, 0)).to_have_text("0.2")
    expect(card(page, "conv/kernel")).to_have_attribute("data-step", "20")
    expect(page).to_have_url(re.compile(r"step=20"))
    page.reload()
    expect(cell(card(page, "dense/weight"), 0, 0)).to_have_text("0.2")


def test_any_two_axes_are_rows_and_columns(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", more="&q=kernel&step=0")
    found = card(page, "conv/kernel")
    expect(cell(found, 3, 4)).to_have_text("19")
    expected = kernel(0)

    found.get_by_test_id("axis-place-0").fill("1")
    found.get_by_test_id("axis-place-0").press("Enter")
    expect(cell(found, 3, 4)).to_have_text(f"{expected[1, 0, 3, 4]:g}")
    found.get_by_test_id("axis-rows").select_option("1")
    expect(cell(found, 2, 4)).to_have_text(f"{expected[1, 2, 0, 4]:g}")
    tool(found, "axis-turn").click()
    expect(cell(found, 4, 2)).to_have_text(f"{expected[1, 2, 0, 4]:g}")

    expect(page).to_have_url(re.compile(r"slice=1\.c\.0\.r@conv/kernel"))
    page.reload()
    expect(cell(card(page, "conv/kernel"), 4, 2)).to_have_text(f"{expected[1, 2, 0, 4]:g}")


def test_vectors_are_wrapped(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", more="&q=bias&step=0&digits=8")
    found = card(page, "dense/bias")

    expect(cell(found, 2, 4)).to_have_text("1")
    expect(cell(found, 2, 5)).to_have_text("")
    expect(cell(found, 1, 2)).to_have_text("0")


def test_the_difference_between_steps(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", more="&q=dense/weight")
    found = card(page, "dense/weight")

    page.get_by_test_id("minus-select").select_option("previous")
    expect(found.get_by_test_id("tensor-pane")).to_have_attribute("data-minus", "20")
    expect(cell(found, 5, 5)).to_have_text("0.1")
    page.get_by_test_id("minus-select").select_option("first")
    expect(cell(found, 5, 5)).to_have_text("0.3")
    page.get_by_test_id("minus-select").select_option("step")
    page.get_by_test_id("minus-step").fill("10")
    page.get_by_test_id("minus-step").press("Enter")
    expect(cell(found, 5, 5)).to_have_text("0.2")
    expect(page).to_have_url(re.compile(r"minus=10"))

    page.get_by_test_id("minus-select").select_option("previous")
    found.get_by_test_id("step-value").fill("0")
    found.get_by_test_id("step-value").press("Enter")
    expect(found).to_contain_text("No earlier step")


def test_heat_colours_follow_the_numbers(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", more="&q=bias&step=0")
    found = card(page, "dense/bias")
    expect(found.get_by_test_id("tensor-facts")).to_contain_text("min−1")

    def background(row: int, column: int) -> str:
        return str(cell(found, row, column).evaluate("cell => cell.style.background"))

    expect(cell(found, 0, 0)).to_have_text("−1")
    assert "heat-low" in background(0, 0) and "100" in background(0, 0)
    assert "heat-high" in background(2, 4)
    assert background(1, 2) == ""
    page.get_by_test_id("heat-select").select_option("none")
    expect(page).to_have_url(re.compile("heat=none"))
    assert background(0, 0) == ""


def test_precision(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", more="&q=bias&step=0")
    found = card(page, "dense/bias")
    expect(cell(found, 0, 1)).to_have_text("−0.9167")

    page.get_by_test_id("digits-select").select_option("8")
    expect(cell(found, 0, 1)).to_have_text("−0.91666669")
    page.get_by_test_id("scientific").check()
    expect(cell(found, 0, 1)).to_have_text("−9.1666669e−1")


def test_what_is_not_a_finite_number_is_marked(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", more="&q=odd/values")
    found = card(page, "odd/values")

    expect(cell(found, 0, 1)).to_have_text("NaN")
    expect(cell(found, 1, 0)).to_have_text("∞")
    expect(cell(found, 0, 1)).to_have_class(re.compile("odd"))
    expect(found.get_by_test_id("tensor-facts")).to_contain_text("NaN1")


def test_strings_are_text_and_nothing_else(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", more="&q=words")
    found = card(page, "odd/words")

    expect(cell(found, 0, 0)).to_have_text("<b>one</b>")
    page.get_by_test_id("show-histogram").click()
    expect(found).to_contain_text("Strings have no statistics")


def test_a_tensor_that_does_not_fit_its_shape_says_so(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "second", more="&q=odd|bias")

    expect(card(page, "odd/broken")).to_contain_text("2 numbers do not fit the shape [7]")
    expect(cell(card(page, "dense/bias"), 0, 0)).to_have_text("−31")


def test_runs_side_by_side(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", "second", more="&q=dense/weight&digits=10")
    found = card(page, "dense/weight")
    panes = found.get_by_test_id("tensor-pane")

    expect(panes).to_have_count(2)
    expect(cell(panes.nth(0), 1, 1)).to_have_text("1001.3")
    expect(cell(panes.nth(1), 1, 1)).to_have_text("1001.425")


def test_histogram_and_statistics(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", "second", more="&q=dense/weight")
    found = card(page, "dense/weight")

    page.get_by_test_id("show-histogram").click()
    expect(found.get_by_test_id("tensor-histogram")).to_have_attribute("data-numbers", "30000")
    expect(found.get_by_test_id("chart")).to_be_visible()
    page.keyboard.press("v")
    chart = found.get_by_test_id("statistics-chart")
    expect(chart).to_be_visible()
    box = chart.bounding_box()
    assert box is not None
    for move in range(50):  # the statistics of all steps take a moment to come
        page.mouse.move(box["x"] + box["width"] / 2 + move % 3, box["y"] + 60)
        if page.get_by_test_id("row-tooltip").count():
            break
        wait_in_page(page, 100)
    expect(page.get_by_test_id("row-tooltip")).to_contain_text("mean")
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.click(box["x"] + 60, box["y"] + 60)
    expect(found).to_have_attribute("data-step", "0")


def test_a_key_before_the_first_frame_reads_the_statistics(page: Page, tensors: Board) -> None:
    withhold_frames(page)
    open_board(page, tensors, "first", more="&q=dense")
    card(page, "dense/weight")
    page.keyboard.press("v")
    page.keyboard.press("v")

    page.get_by_test_id("statistics-chart").first.press("ArrowLeft")

    expect(page.get_by_test_id("row-tooltip")).to_contain_text("mean")


def test_full_screen_shows_everything_and_escape_leaves(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", more="&full=dense/weight")
    found = page.locator('[data-testid="tensor-card"].full')

    expect(found.get_by_test_id("tensor-grid")).to_be_visible()
    expect(found.get_by_test_id("statistics-chart")).to_be_visible()
    expect(page.get_by_test_id("tensor-histogram")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator('[data-testid="tensor-card"].full')).to_have_count(0)


def test_downloads(page: Page, tensors: Board, tmp_path: Path) -> None:
    open_board(page, tensors, "first", more="&q=dense/weight&step=10")
    found = card(page, "dense/weight")
    expect(cell(found, 0, 0)).to_have_text("0.1")

    tool(found, "card-download").click()
    with page.expect_download() as waiting:
        found.get_by_test_id("download-npy").click()
    waiting.value.save_as(tmp_path / "saved.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "saved.npy"), weight(0, 10))

    tool(found, "card-download").click()
    with page.expect_download() as waiting:
        found.get_by_test_id("download-csv").click()
    waiting.value.save_as(tmp_path / "saved.csv")
    with (tmp_path / "saved.csv").open() as saved:
        np.testing.assert_array_equal(np.array(list(csv.reader(saved)), float), weight(0, 10))


def test_new_steps_appear_by_themselves(browser: Browser, tmp_path: Path) -> None:
    log = write_run(tmp_path / "runs" / "alpha", 0, steps=(0,))
    with served(tmp_path / "runs") as board:
        for page in watched_page(browser, board):
            open_board(page, board, "alpha", more="&q=dense/weight&digits=10")
            found = card(page, "dense/weight")
            expect(cell(found, 0, 0)).to_have_text("0")

            values = [tensorboard.tensor("dense/weight", weight(0, 50), plugin="t")]
            log.write(tensorboard.event(values, step=50, wall_time=BEGIN + 50))
            log.flush()

            expect(found).to_have_attribute("data-step", "50")
            expect(cell(found, 0, 0)).to_have_text("0.5")
    log.close()


def test_a_run_without_tensors_says_how_to_log_one(page: Page, tensors: Board) -> None:
    page.goto(f"/tensors?{tensors.runs('plain')}")

    expect(page.get_by_test_id("state-empty")).to_contain_text('add_value("tensor"')


def test_chinese(page: Page, tensors: Board) -> None:
    open_board(page, tensors, "first", more="&q=dense/weight&lang=zh")

    expect(page.get_by_test_id("show-statistics")).to_have_text("统计")
    expect(card(page, "dense/weight").get_by_test_id("tensor-facts")).to_contain_text("均值")


def test_tensors_of_mindspore(corpus_page: Page) -> None:
    run = corpus_page.request.get("/v1/runs?search=mindspore-2.10/manual").json()["runs"][0]["id"]
    corpus_page.goto(f"/runs/{run}/tensors?digits=10")

    found = card(corpus_page, "m/activations")
    expect(found).to_have_attribute("data-step", "10")
    expect(cell(found, 0, 0)).to_have_text("−0.5533792973")
