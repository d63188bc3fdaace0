"""Bad data on every board in a real browser: a message on its card, the others work. Many tags stay smooth."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect

from mindinsight_like import SummaryWriter
from mindinsight_like.store.database.location import run_id
from tests.bad_values import write_bad_runs
from tests.ui.conftest import Board, served, wait_in_page, watched_page

MANY = 300
SECRET = "nobody may read this"


def write(base_dir: Path) -> None:
    write_bad_runs(base_dir)
    with SummaryWriter(str(base_dir / "many")) as writer:
        for tag in range(MANY):
            name = f"group{tag // 50}/tag{tag:03d}"
            writer.add_image(name, np.full((3, 8, 16), tag % 256, np.uint8), 0)
            writer.add_histogram(name, np.arange(10.0), 0)
            writer.add_text(name, f"text {tag}", 0)
            writer.add_tensor(name, np.arange(6.0).reshape(2, 3), 0)
    outside = base_dir / "outside"
    outside.mkdir()
    (base_dir.parent / "secret.tsv").write_text(f"{SECRET}\n1\t2\n")
    (outside / "good.tsv").write_text("1\t2\t3\n4\t5\t6\n7\t8\t10\n")
    (outside / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "stolen" tensor_path: "../../secret.tsv" }\n'
        'embeddings { tensor_name: "good" tensor_path: "good.tsv" metadata_path: "/etc/passwd" }\n'
    )


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("bad-data") / "runs"
    base_dir.mkdir()
    write(base_dir)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, boards: Board) -> Iterator[Page]:
    yield from watched_page(browser, boards)


def card(page: Page, kind: str, tag: str) -> Locator:
    found = page.locator(f'[data-testid="{kind}-card"][data-tag="{tag}"]')
    found.scroll_into_view_if_needed()
    return found


def open_board(page: Page, boards: Board, name: str, run: str = "bad", more: str = "") -> None:
    page.goto(f"/{name}?{boards.runs(run)}{more}")


@pytest.mark.parametrize(
    ("tag", "said"),
    [
        ("images/not-decodable", "Damaged image"),
        ("images/no-picture", "not a PNG, JPEG or GIF"),
        ("images/bomb", "100,000 x 100,000"),
        ("images/large-bomb", "Show anyway"),
        ("video/bomb", "65,535 x 65,535"),
        ("video/frame-bomb", "Cannot be shown"),
        ("video/truncated", "Damaged image"),
    ],
)
def test_images(page: Page, boards: Board, tag: str, said: str) -> None:
    open_board(page, boards, "images")

    expect(card(page, "image", tag)).to_contain_text(said)
    for good in ("images/good", "video/good"):
        drawn = card(page, "image", good).get_by_test_id("picture")
        expect(drawn).to_have_attribute("data-ready", "true")
        expect(drawn.locator('[role="alert"]')).to_have_count(0)


@pytest.mark.parametrize("tag", ["histograms/nan-edges", "histograms/descending"])
def test_histograms(page: Page, boards: Board, tag: str) -> None:
    open_board(page, boards, "histograms")

    expect(card(page, "histogram", tag)).to_contain_text("bucket edges are not in ascending order")
    expect(card(page, "histogram", "histograms/good").get_by_test_id("chart")).to_be_visible()


def test_texts(page: Page, boards: Board) -> None:
    open_board(page, boards, "texts")

    expect(card(page, "text", "texts/no-text")).to_contain_text("the text is a tensor of float32")
    expect(card(page, "text", "texts/not-utf8")).to_contain_text("caf\ufffd")
    expect(card(page, "text", "texts/good")).to_contain_text("fine")


def test_audio(page: Page, boards: Board) -> None:
    open_board(page, boards, "audio")

    expect(card(page, "sound", "audio/no-sound")).to_contain_text("not a WAV file")
    expect(card(page, "sound", "audio/truncated")).to_contain_text("0:00.2")
    expect(card(page, "sound", "audio/good")).to_contain_text("0:00.5")


@pytest.mark.parametrize(
    ("tag", "said"),
    [
        ("tensors/does-not-fit", "5 numbers do not fit the shape [3, 4]"),
        ("tensors/bomb", "do not fit the shape"),
        ("tensors/unknown-type", "unknown tensor data type"),
    ],
)
def test_tensors(page: Page, boards: Board, tag: str, said: str) -> None:
    open_board(page, boards, "tensors")

    expect(card(page, "tensor", tag)).to_contain_text(said)
    expect(card(page, "tensor", "tensors/good")).to_contain_text("11")


def test_curves(page: Page, boards: Board) -> None:
    open_board(page, boards, "curves")

    expect(card(page, "curve", "pr/five-rows")).to_contain_text("a curve has six rows of numbers")
    expect(card(page, "curve", "pr/good").get_by_test_id("chart")).to_be_visible()


def test_meshes(page: Page, boards: Board) -> None:
    open_board(page, boards, "meshes")

    expect(card(page, "mesh", "mesh_flat")).to_contain_text("not the shape [4, 3]")
    expect(card(page, "mesh", "mesh_good")).to_contain_text("9 points")


def test_landscapes(page: Page, boards: Board) -> None:
    open_board(page, boards, "landscapes", "landscape")

    expect(page.get_by_test_id("landscape-card")).to_contain_text("Cannot show this landscape")


def test_embeddings_of_uneven_vectors(page: Page, boards: Board) -> None:
    open_board(page, boards, "embeddings", "vectors")
    page.get_by_test_id("embedding-entry").filter(has_text="uneven").click()

    expect(page.get_by_text("the vectors differ in length")).to_be_visible()


def test_a_projector_config_leads_nowhere_outside_the_run(page: Page, boards: Board) -> None:
    answers: list[str] = []
    page.on("response", lambda response: answers.append(response.url) if "/v1/embeddings" in response.url else None)
    open_board(page, boards, "embeddings", "outside")
    page.get_by_test_id("embedding-entry").filter(has_text="stolen").click()

    expect(page.get_by_text("This embedding cannot be shown")).to_be_visible()
    expect(page.get_by_text(SECRET)).to_have_count(0)
    page.get_by_test_id("embedding-entry").filter(has_text="good").click()
    expect(page.get_by_text("This embedding cannot be shown")).to_have_count(0)
    assert answers
    assert "root:x:0" not in page.content()


def test_a_broken_graph_says_so_and_one_with_a_circle_is_drawn(browser: Browser, corpus: Path, tmp_path: Path) -> None:
    run = tmp_path / "runs" / "cyclic"
    run.mkdir(parents=True)
    shutil.copy(corpus / "mindspore-graphs" / "cyclic_graph.summary.1600000000", run)
    (run / "broken.onnx").write_bytes(b"\x08\x07\x3a\xff\xff\xff\x7f")
    with served(tmp_path / "runs") as board:
        pages = watched_page(browser, board)
        page = next(pages)
        page.goto(f"/graphs?{board.runs('cyclic')}")
        expect(page.get_by_text("Cannot read this graph")).to_be_visible()
        page.get_by_test_id("graph-choice").select_option(label="cyclic_graph.summary.1600000000")
        expect(page.get_by_test_id("graph-stage")).to_have_attribute("data-drawn", "true")
        expect(page.get_by_text("Cannot read this graph")).to_have_count(0)
        with pytest.raises(StopIteration):
            next(pages)  # closes the page, and fails when it has complained


@pytest.mark.parametrize(
    ("board_name", "kind", "routes"),
    [
        ("images", "image", ("/v1/images", "/v1/video")),
        ("histograms", "histogram", ("/v1/histograms",)),
        ("texts", "text", ("/v1/texts",)),
        ("tensors", "tensor", ("/v1/tensors",)),
    ],
)
def test_of_many_tags_only_those_in_view_are_asked_for(
    page: Page, boards: Board, board_name: str, kind: str, routes: tuple[str, ...]
) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        if any(route in request.url for route in routes):
            asked.append(request.url)

    page.on("request", note)
    page.goto(f"/{board_name}?run={run_id('many')}")
    cards = page.get_by_test_id(f"{kind}-card")
    expect(cards).to_have_count(MANY)
    expect(cards.first).to_have_attribute("data-loaded", "true")
    wait_in_page(page, 500)
    at_first = len(asked)

    assert 0 < at_first < 80
    last = cards.last
    last.scroll_into_view_if_needed()
    expect(last).to_have_attribute("data-loaded", "true")
    wait_in_page(page, 500)
    assert len(asked) < at_first + 80  # those that were jumped over are not asked for
