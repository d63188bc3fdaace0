"""Embeddings in a real browser: points drawn by WebGL, projected by the service."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from mindinsight_like import SummaryWriter
from mindinsight_like.store.database.location import run_id
from tests.ui.conftest import Board, served, wait_in_page, watched_page

GROUPS = ("red", "green", "blue")
COUNT = 90
Wait = Callable[..., None]


def vectors(step: int = 0) -> np.ndarray:
    """Three groups far from each other."""
    random = np.random.default_rng(3)
    middles = np.eye(3, 6) * 30
    return (middles[np.arange(COUNT) % 3] + random.normal(size=(COUNT, 6)) + step).astype(np.float32)


def write_words(folder: Path, steps: range) -> None:
    rows = [[GROUPS[i % 3], f"word {i}", f"{i / 7:.3f}"] for i in range(COUNT)]
    with SummaryWriter(str(folder)) as writer:
        for step in steps:
            writer.add_embedding(
                vectors(step), rows, metadata_header=["group", "word", "size"], global_step=step, tag="net/words"
            )


@pytest.fixture(scope="module")
def embeddings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("embeddings") / "runs"
    write_words(base_dir / "a", range(3))
    pictures = np.zeros((COUNT, 3, 8, 8))
    pictures[np.arange(COUNT), np.arange(COUNT) % 3] = 1
    with SummaryWriter(str(base_dir / "a")) as writer:
        writer.add_embedding(vectors(), label_img=pictures, tag="net/pictures")
    (base_dir / "a" / "projector_config.pbtxt").open("a").write(
        'embeddings { tensor_name: "evil" tensor_path: "../../../secret.tsv" }\n'
        'embeddings { tensor_name: "bad labels" tensor_path: "00000/net%2fpictures/tensors.tsv" metadata_path: "x" }\n'
    )
    write_words(base_dir / "b", range(1))
    with SummaryWriter(str(base_dir / "plain")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, embeddings: Board) -> Iterator[Page]:
    yield from watched_page(browser, embeddings)


def drawn(page: Page, method: str = "pca") -> Locator:
    """The stage, once the final points of a method are on it."""
    stage = page.locator(f'[data-testid="embedding-stage"][data-method="{method}"][data-final="true"]')
    # The libraries compile themselves at their first use, which takes minutes on a busy machine.
    expect(stage).to_be_visible(timeout=300_000)
    expect(page.get_by_test_id("projection-progress")).to_be_hidden(timeout=300_000)
    return stage


def opened(page: Page, query: str = "tag=net/words") -> Locator:
    page.goto(f"/runs/{run_id('a')}/embeddings?{query}")
    return drawn(page)


def colours(page: Page, stage: Locator, tmp_path: Path) -> set[tuple[int, int, int]]:
    """The colours that are on the stage more than here and there."""
    stage.screenshot(path=tmp_path / "stage.png")
    image = Image.open(tmp_path / "stage.png").convert("RGB")
    colours: Any = image.getcolors(2**24)
    return {colour for count, colour in colours if count > 25}


def hold(page: Page) -> None:
    """Let a movement of points end; it takes 450 ms."""
    wait_in_page(page, 500)


def shown_colours(page: Page) -> list[tuple[int, ...]]:
    swatches = page.locator(".swatch")
    found = [swatches.nth(i).evaluate("e => getComputedStyle(e).backgroundColor") for i in range(swatches.count())]
    return [tuple(map(int, re.findall(r"\d+", text))) for text in found]


def test_points_are_drawn_in_the_colours_of_their_groups(page: Page, tmp_path: Path) -> None:
    stage = opened(page)
    hold(page)

    expect(page.get_by_test_id("point-count")).to_contain_text("90 points, 6 dimensions")
    expect(page.get_by_test_id("point-count")).to_contain_text("of variance")
    groups = page.get_by_test_id("legend-group")
    expect(groups).to_have_count(3)
    expect(groups.first).to_contain_text("blue")
    expect(groups.first).to_contain_text("30")
    assert set(shown_colours(page)) <= colours(page, stage, tmp_path)


def test_a_group_is_hidden_and_shown_by_the_legend_and_the_address(page: Page, tmp_path: Path) -> None:
    stage = opened(page)
    blue, *others = shown_colours(page)

    page.get_by_test_id("legend-group").first.click()
    expect(page).to_have_url(re.compile("off=blue"))
    hold(page)
    without = colours(page, stage, tmp_path)
    page.reload()
    hold(page)
    again = colours(page, drawn(page), tmp_path)

    assert blue not in without
    assert blue not in again
    assert set(others) <= without
    page.get_by_test_id("legend-all").click()
    expect(page).not_to_have_url(re.compile("off="))


def test_a_click_selects_a_point_and_tells_its_neighbours(page: Page, eventually: Wait) -> None:
    stage = opened(page, "tag=net/words&dims=2")
    hold(page)
    box = stage.bounding_box()
    assert box is not None
    found = None
    for across, down in ((x, y) for y in range(20, int(box["height"]), 12) for x in range(20, int(box["width"]), 12)):
        page.mouse.move(box["x"] + across, box["y"] + down)
        wait_in_page(page, 0)  # points are looked for once a frame
        if page.get_by_test_id("point-tip").count():
            found = across, down
            break
    assert found is not None
    expect(page.get_by_test_id("point-tip")).to_contain_text("word")

    stage.click(position={"x": found[0], "y": found[1]})

    panel = page.get_by_test_id("point-panel")
    expect(panel).to_be_visible()
    point = int(panel.get_attribute("data-point") or "-1")
    expect(panel.get_by_test_id("point-labels")).to_contain_text(f"word {point}")
    neighbours = panel.get_by_test_id("neighbour")
    expect(neighbours).to_have_count(20)
    distances = np.linalg.norm(vectors(2) - vectors(2)[point], axis=1)
    nearest = np.argsort(distances)[1]
    assert int(neighbours.first.get_attribute("data-point") or "-1") == nearest
    expect(page).to_have_url(re.compile(f"point={point}"))

    neighbours.first.click()
    expect(panel).to_have_attribute("data-point", str(nearest))
    page.get_by_test_id("near-metric-cosine").click()
    expect(page).to_have_url(re.compile("near-metric=cosine"))
    expect(neighbours).to_have_count(20)
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_searching_finds_points_by_their_labels(page: Page) -> None:
    opened(page)

    page.get_by_test_id("point-search").fill("word 1.$")
    expect(page.get_by_test_id("match-count")).to_have_text("10 matches")
    page.get_by_test_id("point-search").press("Enter")
    expect(page.get_by_test_id("point-panel")).to_have_attribute("data-point", "10")
    page.get_by_test_id("point-search").press("Enter")
    expect(page.get_by_test_id("point-panel")).to_have_attribute("data-point", "11")
    expect(page).to_have_url(re.compile("find="))


def test_tsne_and_umap_are_computed_with_progress_and_kept(page: Page) -> None:
    opened(page)

    page.get_by_test_id("method-tsne").click()
    drawn(page, "tsne")
    page.get_by_test_id("field-iterations").fill("100")
    page.get_by_test_id("field-iterations").press("Enter")
    expect(page).to_have_url(re.compile("iterations=100"))
    drawn(page, "tsne")
    page.get_by_test_id("method-umap").click()
    drawn(page, "umap")
    page.reload()
    drawn(page, "umap")


def test_a_computation_can_be_cancelled_and_started_again(page: Page) -> None:
    opened(page)
    page.goto(f"/runs/{run_id('a')}/embeddings?tag=net/words&method=tsne&iterations=10000&dims=2")

    page.get_by_test_id("projection-cancel").click(timeout=60_000)

    expect(page.get_by_test_id("projection-failed")).to_contain_text("cancelled")
    page.get_by_test_id("projection-retry").click()
    expect(page.get_by_test_id("projection-progress")).to_be_visible()
    page.get_by_test_id("projection-cancel").click()
    page.get_by_test_id("method-pca").click()
    drawn(page)


def test_components_are_chosen_and_change_places(page: Page) -> None:
    opened(page, "tag=net/words&dims=2")

    page.get_by_test_id("component-0").select_option("1")

    expect(page.get_by_test_id("component-1")).to_have_value("0")
    expect(page).to_have_url(re.compile("axes=1,0,2"))
    page.keyboard.press("Escape")
    page.get_by_test_id("embedding-stage").press("d")
    expect(page.get_by_test_id("component-2")).to_be_visible()


def test_pictures_stand_in_place_of_dots(page: Page, tmp_path: Path) -> None:
    stage = opened(page, "tag=net/pictures&dims=2")
    expect(page.get_by_test_id("show-pictures")).to_be_checked()
    hold(page)

    assert {(255, 0, 0), (0, 255, 0), (0, 0, 255)} <= colours(page, stage, tmp_path)

    page.get_by_test_id("show-pictures").click()
    hold(page)
    assert (255, 0, 0) not in colours(page, stage, tmp_path)


def test_a_hostile_entry_shows_why_and_the_others_work(page: Page) -> None:
    page.goto(f"/runs/{run_id('a')}/embeddings?tag=evil")
    expect(page.get_by_test_id("state-failed")).to_contain_text("is outside the run directory")

    page.locator('[data-testid="embedding-entry"][data-tag="bad labels"]').click()

    drawn(page)
    expect(page.get_by_test_id("notes")).to_contain_text("labels cannot be shown")


def test_steps_are_gone_through_and_kept_in_the_address(page: Page) -> None:
    opened(page)
    expect(page.get_by_test_id("step-place")).to_have_text("3 of 3")

    page.get_by_test_id("step-previous").click()

    expect(page).to_have_url(re.compile("step=1"))
    expect(page.get_by_test_id("step-place")).to_have_text("2 of 3")
    drawn(page)


def test_points_and_picture_are_saved(page: Page, tmp_path: Path) -> None:
    opened(page)

    page.get_by_test_id("card-download").click()
    with page.expect_download() as csv:
        page.get_by_test_id("save-csv").click()
    page.get_by_test_id("card-download").click()
    with page.expect_download() as picture:
        page.get_by_test_id("save-png").click()

    lines = Path(csv.value.path()).read_text().splitlines()
    assert lines[0] == "point,PC1,PC2,PC3,PC4,PC5,PC6,group,word,size"
    assert len(lines) == COUNT + 1
    assert lines[1].endswith(",red,word 0,0.000")
    picture.value.save_as(tmp_path / "saved.png")
    assert len(Image.open(tmp_path / "saved.png").convert("RGB").getcolors(2**24) or ()) > 3


def test_numbers_colour_along_a_scale(page: Page) -> None:
    opened(page)

    page.get_by_test_id("colour-by").select_option("size")

    expect(page.get_by_test_id("legend-scale")).to_contain_text("12.7")
    expect(page).to_have_url(re.compile("colour=size"))


def test_runs_are_chosen_on_the_board_of_several(page: Page, embeddings: Board) -> None:
    page.goto(f"/embeddings?{embeddings.runs('a', 'b')}")
    drawn(page)
    entries = page.get_by_test_id("embedding-entry")
    expect(entries).to_have_count(5)

    page.get_by_test_id("tag-filter").fill("words")
    expect(entries).to_have_count(2)
    entries.last.click()

    expect(page).to_have_url(re.compile(f"of={run_id('b')}"))
    drawn(page)


def test_a_run_without_embeddings_says_how_to_log_one(page: Page) -> None:
    page.goto(f"/runs/{run_id('plain')}/embeddings?lang=zh")

    expect(page.get_by_test_id("state-empty")).to_contain_text("add_embedding")
    expect(page.get_by_test_id("state-empty")).to_contain_text("还没有嵌入")


def test_an_embedding_that_is_logged_now_appears(browser: Browser, tmp_path: Path) -> None:
    write_words(tmp_path / "runs" / "a", range(1))
    with served(tmp_path / "runs") as board:
        pages = watched_page(browser, board)
        page = next(pages)
        opened(page)
        expect(page.get_by_test_id("step-bar")).to_be_hidden()

        write_words(tmp_path / "runs" / "a", range(1, 3))
        os.utime(tmp_path / "runs" / "a" / "projector_config.pbtxt")

        expect(page.get_by_test_id("step-place")).to_have_text("3 of 3")
        drawn(page)
        next(pages, None)


def test_embeddings_of_every_framework_are_drawn(browser: Browser, corpus: Path, tmp_path: Path) -> None:
    written = {
        "tensorboard-torch/everything": {"all_words": "20 points, 6", "all_multi": "20 points, 3"},
        "tensorboardx/everything": {"all_words": "20 points, 6", "all_multi": "20 points, 3"},
        "visualdl-2.0/basics": {"old/emb": "3 points, 2"},
        "visualdl-2.5/everything": {"all/emb": "15 points, 5", "all/emb_two": "15 points, 3"},
        "visualdl-1.3-legacy/logistic": {"test/embedding": "6 points, 4"},
    }
    for name in written:
        shutil.copytree(corpus / name, tmp_path / "runs" / name)
    with served(tmp_path / "runs") as board:
        pages = watched_page(browser, board)
        page = next(pages)
        for name, tags in written.items():
            for tag, about in tags.items():
                page.goto(f"/runs/{run_id(name)}/embeddings?tag={tag}&dims=2")
                drawn(page)
                expect(page.get_by_test_id("point-count")).to_contain_text(f"{about} dimensions")
        next(pages, None)


def test_a_hundred_thousand_points_can_be_turned(browser: Browser, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    folder = tmp_path / "runs" / "large"
    folder.mkdir(parents=True)
    (folder / "t.bytes").write_bytes(random.normal(size=(100_000, 16)).astype("<f4").tobytes())
    (folder / "m.tsv").write_text("".join(f"{i % 10}\n" for i in range(100_000)))
    (folder / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "large" tensor_path: "t.bytes" metadata_path: "m.tsv" tensor_shape: [100000, 16] }'
    )
    with served(tmp_path / "runs") as board:
        pages = watched_page(browser, board)
        page = next(pages)
        page.goto(f"/runs/{run_id('large')}/embeddings")
        stage = drawn(page)
        hold(page)
        before = stage.screenshot()

        stage.press("ArrowRight")
        stage.press("+")

        expect(page).to_have_url(re.compile("look="))
        hold(page)
        assert stage.screenshot() != before
        next(pages, None)
