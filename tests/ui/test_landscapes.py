"""Loss landscapes in a real browser."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from mindinsight_like import SummaryRecord, SummaryWriter
from mindinsight_like.writers.encoding import wire
from tests.ui.conftest import Board, served, watched_page

AXIS = np.linspace(-2, 2, 21)
INTERVAL, RESULT = "landscape_[2, 8]", "landscape_[final]"

Wait = Callable[..., None]


def bowl(scale: float = 1.0) -> dict[str, Any]:
    """Losses of 1 in the middle, growing by the square of the distance; training comes from the left."""
    x, y = np.meshgrid(AXIS, AXIS)
    path = np.array([-1.5, -1.0, -0.5, 0.0])
    return {
        "x": AXIS, "y": AXIS, "z": scale * (1 + x**2 + y**2),
        "path": (path, path * 0, scale * (1 + path**2)), "intervals": [2, 4, 6, 8],
        "convergence_point": (0.0, 0.0, scale), "decomposition": "PCA", "unit": "step", "step_per_epoch": 4,
    }  # fmt: skip


def write_run(folder: Path, last: int, **landscapes: dict[str, Any]) -> None:
    with SummaryRecord(str(folder)) as record:
        record.add_value("landscape", INTERVAL, landscapes.get("interval", bowl()))
        record.add_value("landscape", f"landscape_[{last}]", landscapes.get("result", bowl(2.0)))
        record.record(0)


@pytest.fixture(scope="module")
def landscapes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("landscapes") / "runs"
    write_run(base_dir / "first", 8)
    write_run(base_dir / "second", 16, interval=bowl(3.0))
    below = bowl() | {"z": -np.ones((21, 21)), "path": ([0.0], [0.0], [-1.0]), "intervals": [1]}
    nothing = {"x": AXIS, "y": AXIS, "z": np.full((21, 21), np.nan)}
    write_run(base_dir / "odd", 8, interval=nothing, result=below)
    with SummaryWriter(str(base_dir / "plain")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, landscapes: Board) -> Iterator[Page]:
    yield from watched_page(browser, landscapes)


def card(page: Page, tag: str = INTERVAL) -> Locator:
    found = page.locator(f'[data-testid="landscape-card"][data-tag="{tag}"]')
    found.scroll_into_view_if_needed()
    expect(found).to_have_attribute("data-loaded", "true")
    expect(found.get_by_test_id("landscape-pane").first).to_be_visible()
    return found


def colours_of(part: Locator, folder: Path) -> int:
    """How many colours a part of the page has."""
    part.screenshot(path=folder / "part.png")
    return len(np.unique(np.asarray(Image.open(folder / "part.png").convert("RGB")).reshape(-1, 3), axis=0))


def test_a_map_and_the_result_of_each_run(page: Page, landscapes: Board, tmp_path: Path, eventually: Wait) -> None:
    page.goto(f"/landscapes?{landscapes.runs('first', 'second')}")

    interval, result = card(page), card(page, RESULT)

    expect(interval.get_by_test_id("contour-map")).to_have_count(2)
    expect(interval.get_by_test_id("landscape-facts").first).to_have_text("steps 2 to 8 · PCA")
    # Results of different lengths of training meet in one card.
    expect(result.get_by_test_id("contour-map")).to_have_count(2)
    eventually(lambda: colours_of(interval.get_by_test_id("contour-map").first, tmp_path) > 50)


def test_keys_and_pointer_read_the_path_and_any_place(page: Page, landscapes: Board) -> None:
    page.goto(f"/landscapes?{landscapes.runs('first')}")
    chart = card(page).get_by_test_id("contour-map")

    chart.focus()
    page.keyboard.press("ArrowRight")
    expect(chart.get_by_test_id("reading")).to_have_text("Step 2 (Epoch 0.5) · loss 3.25 · −1.5, 0")
    page.keyboard.press("ArrowRight")
    expect(chart.get_by_test_id("reading")).to_have_text("Step 4 (Epoch 1) · loss 2 · −1, 0")
    page.keyboard.press("End")
    expect(chart.get_by_test_id("reading")).to_have_text("End of training · loss 1 · 0, 0")
    page.keyboard.press("Escape")
    expect(chart.get_by_test_id("reading")).to_have_count(0)

    box = chart.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.25 * box["height"])
    text = chart.get_by_test_id("reading").inner_text().replace("−", "-")
    match = re.fullmatch(r"loss ([\d.]+) · ([-\d.]+), ([-\d.]+)", text)
    assert match is not None
    loss, x, y = map(float, match.groups())
    assert loss == pytest.approx(1 + x**2 + y**2, abs=0.05)
    assert x > 0 and y > 0


def test_settings_are_in_the_address_and_survive_a_reload(page: Page, landscapes: Board) -> None:
    page.goto(f"/landscapes?{landscapes.runs('first', 'second')}")
    card(page)

    page.get_by_test_id("log-loss").check()
    page.get_by_test_id("show-path").uncheck()
    page.get_by_test_id("same-scale").uncheck()
    page.get_by_test_id("layout-over").click()

    expect(page).to_have_url(re.compile(r"log=1&path=0&over=1&scale=own"))
    page.reload()
    found = card(page)
    expect(found.get_by_test_id("contour-map")).to_have_count(1)
    expect(found.get_by_test_id("card-legend").locator("li")).to_have_count(2)
    expect(page.get_by_test_id("show-path")).not_to_be_checked()
    chart = found.get_by_test_id("contour-map")
    chart.focus()
    page.keyboard.press("ArrowRight")
    expect(chart.get_by_test_id("reading")).to_have_count(0)


def test_runs_over_each_other_are_read_together(page: Page, landscapes: Board) -> None:
    page.goto(f"/landscapes?{landscapes.runs('first', 'second')}&over=1")
    chart = card(page).get_by_test_id("contour-map")
    box = chart.bounding_box()
    assert box is not None

    page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 0.2 * box["height"])

    expect(chart.get_by_test_id("reading")).to_have_text(re.compile(r"first loss [\d.]+ · second loss [\d.]+ · "))


def test_a_surface_is_drawn_turned_and_read(page: Page, landscapes: Board, tmp_path: Path, eventually: Wait) -> None:
    page.goto(f"/landscapes?{landscapes.runs('first', 'second')}&tag={INTERVAL}".replace(" ", "%20"))
    card(page)
    page.get_by_test_id("look-surface").click()
    scenes = card(page).get_by_test_id("surface-scene")
    expect(scenes).to_have_count(2)
    expect(page).to_have_url(re.compile(r"look=surface"))
    eventually(lambda: colours_of(scenes.first, tmp_path) > 200)
    scenes.nth(1).screenshot(path=tmp_path / "before.png")

    scenes.first.focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")

    expect(page).to_have_url(re.compile(r"cam=-0\.351"))

    def has_turned() -> bool:
        scenes.nth(1).screenshot(path=tmp_path / "after.png")
        return (tmp_path / "after.png").read_bytes() != (tmp_path / "before.png").read_bytes()

    eventually(has_turned)
    box = scenes.first.bounding_box()
    assert box is not None

    def is_read() -> bool:
        for share in (0.5, 0.52, 0.54, 0.56, 0.58):
            page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] * 0.6)
            if re.search(r"loss [\d.]+", scenes.first.inner_text()):
                return True
        return False

    eventually(is_read)


def test_landscapes_that_cannot_be_drawn_say_why(page: Page, landscapes: Board) -> None:
    page.goto(f"/landscapes?{landscapes.runs('odd', 'first')}")

    interval = card(page)
    expect(interval.get_by_test_id("landscape-error")).to_contain_text("This landscape has no finite losses")
    expect(interval.get_by_test_id("contour-map")).to_have_count(1)
    expect(card(page, RESULT).get_by_test_id("contour-map")).to_have_count(2)

    page.get_by_test_id("log-loss").check()
    expect(card(page, RESULT).get_by_test_id("landscape-error")).to_contain_text("no positive losses")


def test_a_damaged_record_says_so(browser: Browser, tmp_path: Path) -> None:
    with SummaryRecord(str(tmp_path / "runs" / "broken")) as record:
        record.add_value("landscape", INTERVAL, wire.blob(3, wire.text(1, "PCA")))  # notes on nothing
        record.record(0)
    with served(tmp_path / "runs") as board:
        pages = watched_page(browser, board)
        page = next(pages)
        page.goto(f"/landscapes?{board.runs('broken')}")

        expect(page.get_by_test_id("landscape-error")).to_contain_text("the record contains no landscape")
        assert next(pages, None) is None


def test_downloads(page: Page, landscapes: Board) -> None:
    page.goto(f"/landscapes?{landscapes.runs('first', 'second')}")
    found = card(page)
    files = {}
    for kind in ("csv", "svg", "png"):
        found.hover()
        found.get_by_test_id("card-download").click()
        with page.expect_download() as download:
            found.get_by_test_id(f"card-{kind}").click()
        files[kind] = Path(download.value.path())

    with files["csv"].open(newline="") as table:
        rows = list(csv.DictReader(table))
    assert len(rows) == 2 * (21 * 21 + 4 + 1)
    way = [(row["run"], row["interval"], float(row["loss"])) for row in rows if row["part"] == "path"]
    assert way[:2] == [("first", "2", 3.25), ("first", "4", 2.0)]
    assert ElementTree.parse(files["svg"]).getroot().tag.endswith("svg")
    assert Image.open(files["png"]).width > 1280


def test_one_run_in_full_screen_has_all_facts_in_chinese(page: Page, landscapes: Board) -> None:
    run = landscapes.runs("first").removeprefix("run=")
    page.goto(f"/runs/{run}/landscapes?lang=zh")
    found = card(page)
    found.hover()
    found.get_by_test_id("card-fullscreen").click()

    facts = page.locator('[data-testid="landscape-card"].full').get_by_test_id("landscape-facts")
    expect(facts).to_have_text("步骤 2 至 8 · 训练终点: 损失 1 · 降维方法：PCA · 每轮 4 步 · 21 × 21 个损失值")
    # Runs are compared on the board of several.
    expect(page.get_by_test_id("layout-over")).to_have_count(0)


def test_a_run_without_landscapes_says_how_to_get_one(page: Page, landscapes: Board) -> None:
    page.goto(f"/landscapes?{landscapes.runs('plain')}")

    expect(page.get_by_test_id("landscape-board")).to_contain_text("SummaryLandscape")


def test_the_landscapes_of_mindspore_itself(corpus_page: Page, corpus_board: Board) -> None:
    corpus_page.goto(f"/landscapes?{corpus_board.runs('mindspore-2.10/landscape')}")

    facts = {
        INTERVAL: "steps 2 to 8 · PCA",
        "landscape_[10, 16]": "steps 10 to 16 · PCA",
        RESULT: "after step 16 · Random",
    }
    for tag, text in facts.items():
        expect(card(corpus_page, tag).get_by_test_id("landscape-facts")).to_have_text(text)
        expect(card(corpus_page, tag).get_by_test_id("contour-map")).to_be_visible()
