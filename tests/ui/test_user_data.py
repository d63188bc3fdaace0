"""Notes, labels and views of two people, saves that fail, and a folder that has moved, in a real browser."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

import mindinsight_like as mi
from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.database.location import IndexLocation, run_id
from tests.ui.conftest import PATIENCE_SECONDS, Board, served, wait_in_page, watched_page

RUNS = 60
SHOTS = os.environ.get("SHOTS")  # a folder for pictures to look at


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("noted") / "runs"
    write_runs(base_dir, RUNS)
    with served(base_dir) as board:
        yield board


def write_runs(base_dir: Path, count: int) -> None:
    for number in range(count):
        mi.log_lineage(
            base_dir / f"run{number:02}",
            params={"lr": (number + 1) / 100},
            metrics={"accuracy": 1 - number / 100},
            code=False,
            environment=False,
        )


@pytest.fixture
def page(browser: Browser, noted: Board) -> Iterator[Page]:
    yield from watched_page(browser, noted)


@pytest.fixture
def other(browser: Browser, noted: Board) -> Iterator[Page]:
    """A colleague's browser."""
    yield from watched_page(browser, noted)


def shoot(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/{name}.png")


def row_of(page: Page, name: str) -> Locator:
    return page.locator(f'[data-testid="run-row"][data-name="{name}"]')


def open_models(page: Page, more: str = "") -> None:
    page.goto(f"/runs?set=models&show=table&sort=hparam/lr{more}")
    expect(page.get_by_test_id("run-total")).to_contain_text("60")


def write(page: Page, name: str, column: str, text: str) -> None:
    row_of(page, name).get_by_test_id(f"cell-{column}").click()
    page.get_by_test_id(f"edit-{column}").fill(text)
    page.get_by_test_id(f"edit-{column}").press("Enter")


def test_what_one_saves_the_other_sees_without_a_reload(page: Page, other: Page) -> None:
    open_models(page)
    open_models(other)
    write(page, "run01", "note", "seen by all")
    write(page, "run01", "labels", "best, 论文")
    expect(row_of(other, "run01").get_by_test_id("cell-note")).to_contain_text("seen by all")
    expect(row_of(other, "run01").get_by_test_id("cell-labels")).to_contain_text("论文")
    write(other, "run01", "note", "")
    expect(row_of(page, "run01").get_by_test_id("cell-note")).not_to_contain_text("seen")


def test_a_note_that_somebody_else_changed_shows_both_and_is_merged(page: Page, other: Page) -> None:
    open_models(page)
    open_models(other)
    write(page, "run02", "note", "base")
    expect(row_of(other, "run02").get_by_test_id("cell-note")).to_contain_text("base")
    row_of(other, "run02").get_by_test_id("cell-note").click()
    write(page, "run02", "note", "learning rate too high")
    expect(row_of(page, "run02").get_by_test_id("cell-note")).to_contain_text("too high")

    other.get_by_test_id("edit-note").fill("use this for the paper")
    other.get_by_test_id("edit-note").press("Enter")

    panel = other.get_by_test_id("save-problem")
    expect(panel).to_contain_text("Someone else has changed this in the meantime")
    expect(other.get_by_test_id("conflict-theirs")).to_have_text("learning rate too high")
    expect(other.get_by_test_id("conflict-mine")).to_have_value("use this for the paper")
    shoot(other, "conflict-1280-light")
    for width, height, scheme in ((1920, 1080, "light"), (1280, 800, "dark"), (390, 800, "light")):
        other.set_viewport_size({"width": width, "height": height})
        other.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        expect(panel).to_be_in_viewport(ratio=0.99)
        shoot(other, f"conflict-{width}-{scheme}")
    other.set_viewport_size({"width": 1280, "height": 800})
    other.emulate_media(color_scheme="light")
    other.get_by_test_id("lang-switch").click()
    expect(panel).to_contain_text("其他人已修改此内容")
    shoot(other, "conflict-1280-zh")
    other.get_by_test_id("lang-switch").click()

    other.get_by_test_id("conflict-merge").click()
    expect(other.get_by_test_id("conflict-mine")).to_have_value("learning rate too high\nuse this for the paper")
    other.get_by_test_id("conflict-overwrite").click()
    expect(panel).to_have_count(0)
    for each in (page, other):
        expect(row_of(each, "run02").get_by_test_id("cell-note")).to_contain_text("use this for the paper")


def test_a_conflict_can_be_decided_for_either_side(page: Page, other: Page) -> None:
    open_models(page)
    open_models(other)
    for decision, outcome in (("conflict-discard", "theirs"), ("conflict-overwrite", "mine")):
        row_of(other, "run03").get_by_test_id("cell-note").click()
        write(page, "run03", "note", f"theirs {decision}")
        expect(row_of(page, "run03").get_by_test_id("cell-note")).to_contain_text(decision)
        other.get_by_test_id("edit-note").fill(f"mine {decision}")
        other.get_by_test_id("edit-note").press("Enter")
        other.get_by_test_id(decision).click()
        for each in (page, other):
            expect(row_of(each, "run03").get_by_test_id("cell-note")).to_contain_text(f"{outcome} {decision}")


def test_labels_of_two_people_come_together(page: Page, other: Page) -> None:
    open_models(page)
    open_models(other)
    write(page, "run04", "labels", "base")
    expect(row_of(other, "run04").get_by_test_id("cell-labels")).to_contain_text("base")
    row_of(other, "run04").get_by_test_id("cell-labels").click()
    write(page, "run04", "labels", "base, theirs")
    expect(row_of(page, "run04").get_by_test_id("cell-labels")).to_contain_text("theirs")
    other.get_by_test_id("edit-labels").fill("mine")
    other.get_by_test_id("edit-labels").press("Enter")
    for each in (page, other):
        labels = row_of(each, "run04").get_by_test_id("cell-labels")
        expect(labels).to_contain_text("mine")
        expect(labels).to_contain_text("theirs")
        expect(labels).not_to_contain_text("base")


def refuse_saves(page: Page) -> None:
    def answer(route: Route) -> None:
        body = '{"error": {"code": "storage_full", "message": "Cannot save: the disk is full.", "details": {}}}'
        if route.request.method == "PATCH":
            route.fulfill(status=507, content_type="application/json", body=body)
        else:
            route.continue_()

    page.route("**/v1/runs/*", answer)


def test_an_editor_keeps_its_text_when_a_save_fails(page: Page) -> None:
    open_models(page)
    refuse_saves(page)
    write(page, "run05", "note", "not to be lost")
    panel = page.get_by_test_id("save-problem")
    expect(panel).to_contain_text("the disk is full")
    expect(page.get_by_test_id("edit-note")).to_have_value("not to be lost")
    shoot(page, "failed-1280-light")

    # Elsewhere, and back: the cell was gone meanwhile.
    page.get_by_test_id("run-list").evaluate("element => element.scrollTo(0, 100000)")
    expect(row_of(page, "run05")).to_have_count(0)
    page.get_by_test_id("run-list").evaluate("element => element.scrollTo(0, 0)")
    expect(page.get_by_test_id("edit-note")).to_have_value("not to be lost")

    page.get_by_test_id("save-retry").click()
    expect(panel).to_contain_text("the disk is full")
    page.unroute("**/v1/runs/*")
    page.get_by_test_id("save-retry").click()
    expect(row_of(page, "run05").get_by_test_id("cell-note")).to_contain_text("not to be lost")
    expect(panel).to_have_count(0)


def test_labels_and_lost_connections_are_kept_too(page: Page) -> None:
    open_models(page)
    page.route("**/v1/runs/*", lambda route: route.abort() if route.request.method == "PATCH" else route.continue_())
    write(page, "run06", "labels", "keep, these")
    expect(page.get_by_test_id("save-problem")).to_contain_text("is not responding")
    expect(page.get_by_test_id("edit-labels")).to_have_value("keep, these")
    page.get_by_test_id("edit-labels").press("Escape")
    expect(row_of(page, "run06").get_by_test_id("cell-labels")).not_to_contain_text("keep")


def test_names_of_views_are_kept_when_saving_fails_and_conflicts_are_shown(page: Page, other: Page) -> None:
    for each in (page, other):
        open_models(each)
    page.get_by_test_id("saved-views").click()
    page.get_by_test_id("view-name").fill("ours")
    page.get_by_test_id("view-save").click()
    expect(page.get_by_test_id("view-row")).to_have_count(1)
    other.get_by_test_id("saved-views").click()
    expect(other.get_by_test_id("view-row")).to_have_count(1)

    # A rename that fails, over a list that was closed meanwhile.
    other.route("**/v1/views/*", lambda route: route.abort())
    other.get_by_test_id("view-rename").click()
    other.get_by_test_id("view-new-name").fill("mine")
    other.get_by_test_id("view-new-name").press("Enter")
    expect(other.get_by_test_id("view-failure")).to_contain_text("is not responding")
    expect(other.get_by_test_id("view-new-name")).to_have_value("mine")
    other.unroute("**/v1/views/*")

    # Meanwhile somebody else has renamed it.
    page.get_by_test_id("view-rename").click()
    page.get_by_test_id("view-new-name").fill("theirs")
    page.get_by_test_id("view-new-name").press("Enter")
    expect(page.get_by_test_id("view-row")).to_contain_text("theirs")
    other.mouse.click(640, 700)
    expect(other.get_by_test_id("view-list")).to_have_count(0)
    other.get_by_test_id("saved-views").click()
    expect(other.get_by_test_id("view-new-name")).to_have_value("mine")
    other.get_by_test_id("view-new-name").press("Enter")
    expect(other.get_by_test_id("view-conflict")).to_contain_text("it is now called “theirs”")
    expect(other.get_by_test_id("view-new-name")).to_have_value("mine")
    shoot(other, "view-conflict-1280")
    other.get_by_test_id("view-overwrite").click()
    for each in (page, other):
        expect(each.get_by_test_id("view-row")).to_contain_text("mine")
        expect(each.get_by_test_id("view-new-name")).to_have_count(0)

    # A view that was changed since is not deleted unseen.
    page.get_by_test_id("view-delete").click()
    changed = page.request.get("/v1/views").json()["views"][0]
    data = {"name": "newest", "version": changed["version"]}
    page.route("**/v1/views", lambda route: route.abort())  # before the page has heard of it
    assert page.request.put(f"/v1/views/{changed['id']}", data=data).ok
    page.get_by_test_id("view-really-delete").click()
    expect(page.get_by_test_id("view-conflict")).to_contain_text("newest")
    page.unroute("**/v1/views")
    page.get_by_test_id("view-overwrite").click()
    expect(page.get_by_test_id("view-row")).to_have_count(0)


def test_the_text_of_a_report_is_kept_when_it_cannot_be_made(page: Page) -> None:
    open_models(page)
    page.get_by_test_id("report").click()
    page.get_by_test_id("report-note").fill("long thoughts")
    page.route("**/assets/report-*", lambda route: route.abort())
    page.get_by_test_id("report-save").click()
    expect(page.get_by_test_id("report-failure")).to_be_visible()
    expect(page.get_by_test_id("report-note")).to_have_value("long thoughts")
    page.get_by_test_id("report-title").press("Escape")
    page.get_by_test_id("report").click()
    expect(page.get_by_test_id("report-note")).to_have_value("long thoughts")


def wait_for_recognition(base_dir: Path, *, count: int) -> None:
    """Wait until the loader has noted what so many runs look like."""
    database = Annotations(IndexLocation.of(base_dir, base_dir.parent / "workspace")).database
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        connection = database.reading()
        if connection is not None and len(list(connection.execute("SELECT run FROM board_runs"))) == count:
            return
        assert time.monotonic() < end, "the runs were not noted in time"
        time.sleep(0.1)


def moved_board(tmp_path: Path, browser: Browser) -> Path:
    """A folder whose notes were made at another path, in the workspace of both."""
    old = tmp_path / "trainings-2026"
    write_runs(old, 4)
    with served(old) as board:
        pages = watched_page(browser, board)
        page = next(pages)
        page.goto("/runs?set=models&show=table")
        write(page, "run01", "note", "the best one")
        write(page, "run02", "labels", "paper")
        expect(row_of(page, "run02").get_by_test_id("cell-labels")).to_contain_text("paper")
        wait_for_recognition(old, count=4)
        next(pages, None)
    return old.rename(tmp_path / "archive")


def test_a_moved_folder_is_offered_its_notes_and_takes_them_by_one_click(browser: Browser, tmp_path: Path) -> None:
    new = moved_board(tmp_path, browser)
    with served(new) as board:
        pages = watched_page(browser, board)
        page = next(pages)
        page.goto("/runs?set=models&show=table")
        offer = page.get_by_test_id("board-offer")
        expect(offer).to_contain_text("looks like the board “trainings-2026”")
        expect(offer).to_contain_text(str(tmp_path / "trainings-2026"))
        expect(offer).to_contain_text("4 of 4 runs are the same")
        expect(offer).to_contain_text("1 note, 1 labelled run, 0 saved views")
        shoot(page, "offer-1280-light")
        page.emulate_media(color_scheme="dark")
        shoot(page, "offer-1280-dark")
        page.set_viewport_size({"width": 1920, "height": 1080})
        shoot(page, "offer-1920-dark")
        page.emulate_media(color_scheme="light")
        page.get_by_test_id("lang-switch").click()
        expect(offer).to_contain_text("此日志根目录看起来就是看板“trainings-2026”")
        shoot(page, "offer-1920-zh")
        page.get_by_test_id("lang-switch").click()
        page.set_viewport_size({"width": 390, "height": 800})
        shoot(page, "offer-390")
        page.set_viewport_size({"width": 1280, "height": 800})

        page.get_by_test_id("board-use").click()
        expect(offer).to_have_count(0)
        expect(row_of(page, "run01").get_by_test_id("cell-note")).to_contain_text("the best one")
        next(pages, None)


def test_declining_is_remembered(browser: Browser, tmp_path: Path) -> None:
    new = moved_board(tmp_path, browser)
    with served(new) as board:
        pages = watched_page(browser, board)
        page = next(pages)
        page.goto("/runs")
        expect(page.get_by_test_id("board-offer")).to_be_visible()
        page.get_by_test_id("board-decline").click()
        expect(page.get_by_test_id("board-offer")).to_have_count(0)
        page.reload()
        expect(page.get_by_text("run01").first).to_be_visible()
        wait_in_page(page, 1000)
        expect(page.get_by_test_id("board-offer")).to_have_count(0)
        next(pages, None)


def test_a_note_with_several_lines_stays_so(page: Page, noted: Board) -> None:
    path = f"/v1/runs/{run_id('run07')}"
    assert page.request.patch(path, data={"note": "first\nsecond"}).ok
    open_models(page)
    row_of(page, "run07").get_by_test_id("cell-note").click()
    page.get_by_test_id("edit-note").press("End")
    page.get_by_test_id("edit-note").press_sequentially("!")
    page.get_by_test_id("edit-note").press("Enter")
    expect(row_of(page, "run07").get_by_test_id("cell-note")).to_contain_text("!")
    assert page.request.get(path).json()["note"] == "first\nsecond!"
