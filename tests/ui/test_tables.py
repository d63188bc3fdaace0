"""Each control of the board of tables in a real browser."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from mindinsight_like.store.database.location import run_id
from mindinsight_like.writers.encoding.images import png
from tests.ui.conftest import Board, served

RUNS = ("a", "b")
LONG = 20_000
HOSTILE = "<img src=x onerror=\"document.title='taken'\">"


def samples(run: str, step: int) -> list[dict[str, object]]:
    picture = {"_type": "trackio.image", "file_path": "digits/cat.png"}
    rows: list[dict[str, object]] = [
        {"prompt": "one cat", "answer": f"{run} at {step}", "score": 2.5, "picture": picture},
        {"prompt": "十只狗", "answer": "long " * 200, "score": 10, "picture": None},
        {"prompt": HOSTILE, "answer": "no", "score": None, "picture": None},
    ]
    return rows


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A service over two runs with tables as Trackio writes them."""
    base_dir = tmp_path_factory.mktemp("tables") / "runs"
    write_tables(base_dir)
    with served(base_dir) as board:
        yield board


def write_tables(base_dir: Path) -> None:
    picture = base_dir / "media" / "digits" / "cat.png"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(png(np.full((20, 30, 3), (200, 80, 40), np.uint8)))
    with contextlib.closing(sqlite3.connect(base_dir / "digits.db")) as base:
        base.execute(
            "CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name TEXT, timestamp TEXT, step INTEGER, metrics TEXT)"
        )
        base.execute("CREATE TABLE configs (id INTEGER PRIMARY KEY, run_name TEXT, config TEXT, created_at TEXT)")
        for run in RUNS:
            for step in (0, 5):
                logged = {"samples": {"_type": "trackio.table", "_value": samples(run, step)}}
                if step == 5 and run == "a":
                    rows = [{"id": number, "half": number / 2} for number in range(LONG)]
                    logged["long"] = {"_type": "trackio.table", "_value": rows}
                base.execute(
                    "INSERT INTO metrics (run_name, timestamp, step, metrics) VALUES (?, ?, ?, ?)",
                    (run, "2026-11-17T10:00:00Z", step, json.dumps(logged).encode()),
                )
        base.commit()


def open_board(page: Page, *names: str, more: str = "") -> None:
    runs = "&".join(f"run={run_id(name)}" for name in names)
    page.goto(f"/tables?{runs}{more}")
    expect(page.get_by_test_id("table-card").first).to_be_visible()


def pane(page: Page, tag: str = "samples", number: int = 0) -> Locator:
    """The table of a run, once its rows are here."""
    card = page.locator(f'[data-testid="table-card"][data-tag="{tag}"]')
    card.scroll_into_view_if_needed()
    found = card.get_by_test_id("table-pane").nth(number)
    expect(found.get_by_test_id("table-count")).to_be_visible()
    return found


def prompts(found: Locator, *expected: str) -> None:
    expect(found.get_by_test_id("table-row").locator("[role=cell]:nth-child(2)")).to_have_text(list(expected))


@pytest.mark.usefixtures("board")
def test_cells_are_values_and_pictures_and_never_markup(page: Page) -> None:
    open_board(page, "a")
    found = pane(page)

    prompts(found, "one cat", "十只狗", HOSTILE)
    picture = found.get_by_role("img", name="cat.png")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 30
    assert page.title() != "taken"


@pytest.mark.usefixtures("board")
def test_headers_sort_and_the_address_tells(page: Page) -> None:
    open_board(page, "a")
    found = pane(page)
    score = found.get_by_test_id("table-sort").filter(has_text="score")

    score.click()
    prompts(found, "one cat", "十只狗", HOSTILE)
    expect(page).to_have_url(re.compile(r"sort="))
    score.click()
    prompts(found, "十只狗", "one cat", HOSTILE)
    page.reload()
    prompts(pane(page), "十只狗", "one cat", HOSTILE)
    expect(found.locator("[aria-sort=descending]")).to_have_text("score")


@pytest.mark.usefixtures("board")
def test_rows_are_filtered_by_words_and_by_a_column(page: Page) -> None:
    open_board(page, "a")
    found = pane(page)

    page.get_by_test_id("find").fill("CAT")
    expect(found.get_by_test_id("table-count")).to_have_text("1 of 3 rows")
    page.get_by_test_id("find").fill("nowhere")
    expect(found).to_contain_text("No rows match.")
    page.get_by_test_id("find").fill("")
    card = page.get_by_test_id("table-card").filter(has_text="samples")
    card.get_by_test_id("filter-column").select_option(label="score")
    card.get_by_test_id("filter-comparison").select_option(">")
    card.get_by_test_id("filter-value").fill("3")
    prompts(found, "十只狗")
    page.reload()
    prompts(pane(page), "十只狗")


@pytest.mark.usefixtures("board")
def test_runs_stand_side_by_side_at_the_same_step(page: Page) -> None:
    open_board(page, "a", "b", more="&step=0")
    expect(pane(page, number=0)).to_contain_text("a at 0")
    expect(pane(page, number=1)).to_contain_text("b at 0")

    page.get_by_test_id("table-card").filter(has_text="samples").get_by_test_id("table-stage").focus()
    page.keyboard.press("End")
    expect(pane(page, number=0)).to_contain_text("a at 5")
    expect(pane(page, number=1)).to_contain_text("b at 5")


@pytest.mark.usefixtures("board")
def test_a_row_can_be_read_whole_by_keys(page: Page) -> None:
    open_board(page, "a")
    found = pane(page)
    found.get_by_test_id("table-body").focus()

    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    whole = found.get_by_test_id("table-whole-row")
    expect(whole).to_contain_text("long " * 199)
    page.keyboard.press("Escape")
    expect(whole).to_have_count(0)


@pytest.mark.usefixtures("board")
def test_only_rows_in_view_exist(page: Page) -> None:
    open_board(page, "a")
    found = pane(page, "long")
    expect(found.get_by_test_id("table-count")).to_have_text(re.compile(r"^20\D000 rows$"))
    assert found.get_by_test_id("table-row").count() < 60

    found.locator(".virtual").evaluate("list => list.scrollTo(0, list.scrollHeight)")
    expect(found.get_by_test_id("table-row").last).to_contain_text(f"{(LONG - 1) / 2}")


@pytest.mark.usefixtures("board")
def test_what_is_selected_can_be_downloaded(page: Page) -> None:
    open_board(page, "a", more="&find=cat")
    found = pane(page)
    expect(found.get_by_test_id("table-count")).to_have_text("1 of 3 rows")

    with page.expect_download() as download:
        found.get_by_test_id("table-save").click()

    assert Path(download.value.path()).read_text() == "prompt,answer,score,picture\none cat,a at 5,2.5,cat.png\n"


@pytest.mark.usefixtures("board")
def test_a_table_that_cannot_be_had_says_so_and_can_be_retried(page: Page) -> None:
    page.route("**/v1/tables/rows*", lambda route: route.abort())
    open_board(page, "a")
    card = page.locator('[data-testid="table-card"][data-tag="samples"]')
    card.scroll_into_view_if_needed()
    failed = card.get_by_test_id("state-failed").first
    expect(failed).to_be_visible()

    page.unroute("**/v1/tables/rows*")
    failed.get_by_test_id("retry").click()
    prompts(pane(page), "one cat", "十只狗", HOSTILE)


@pytest.mark.usefixtures("board")
def test_the_page_of_the_run_has_a_tile(page: Page) -> None:
    page.goto(f"/runs/{run_id('a')}")

    expect(page.get_by_role("table").filter(has_text="half").or_(page.get_by_text("one cat")).first).to_be_visible()
