"""Meshes and point clouds in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from mindinsight_like import SummaryWriter
from mindinsight_like.writers.encoding import tensorboard, wire
from mindinsight_like.writers.files.record_file import RecordFile
from tests.ui.conftest import BEGIN, Board, served, wait_in_page, watched_page

SQUARE = np.array([[[0.0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]]])
FACES = np.array([[[0, 1, 2], [0, 2, 3]]])
RED, BLUE = (np.full((1, 4, 3), colour, np.uint8) for colour in ((255, 0, 0), (0, 0, 255)))
PLAIN = {"camera": {"cls": "OrthographicCamera", "position": [1, 1, 9]}, "material": {"cls": "MeshBasicMaterial"}}

Wait = Callable[..., None]


def write_run(folder: Path, colours: np.ndarray, steps: range) -> None:
    with SummaryWriter(str(folder)) as writer:
        for step in steps:
            writer.add_mesh("shape/square", SQUARE * (step + 1), colours, FACES, PLAIN, step, walltime=BEGIN + step)


def write_odd(folder: Path) -> None:
    """A cloud, a batch of three, a mesh with lost parts, and one whose numbers do not fit its shape."""
    points = np.random.default_rng(1).normal(size=(1, 300, 3))
    broken = points.copy()
    broken[0, 5] = np.nan
    with SummaryWriter(str(folder)) as writer:
        writer.add_mesh("odd/cloud", points, global_step=0)
        writer.add_mesh("odd/batch", np.stack([SQUARE[0] * scale for scale in (1, 2, 3)]), global_step=0)
        writer.add_mesh("odd/lost", broken, faces=np.array([[[0, 1, 2], [0, 1, 999]]]), global_step=0)
    with RecordFile(folder / "events.out.tfevents.1760000001.tests.7.0", frame=tensorboard.frame) as log:
        sizes = b"".join(wire.blob(2, wire.integer(1, size)) for size in (1, 900, 3))
        tensor = wire.integer(1, 1) + wire.blob(2, sizes) + wire.blob(4, bytes(40))
        plugin = wire.blob(9, wire.blob(1, wire.text(1, "mesh")))
        value = wire.text(1, "odd/damaged_VERTEX") + wire.blob(8, tensor) + plugin
        log.write(tensorboard.event([value], step=0, wall_time=BEGIN))


@pytest.fixture(scope="module")
def meshes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("meshes") / "runs"
    write_run(base_dir / "red", RED, range(5))
    write_run(base_dir / "blue", BLUE, range(4))
    write_odd(base_dir / "odd")
    with SummaryWriter(str(base_dir / "plain")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, meshes: Board) -> Iterator[Page]:
    yield from watched_page(browser, meshes)


def card(page: Page, tag: str) -> Locator:
    """The card of a mesh, once all its panes are drawn."""
    found = page.locator(f'[data-testid="mesh-card"][data-tag="{tag}"]')
    found.scroll_into_view_if_needed()
    expect(found.get_by_test_id("mesh-pane").first).to_be_visible()
    expect(found.locator('[data-testid="mesh-scene"]:not([data-shown="true"])')).to_have_count(0)
    return found


def share_of(scene: Locator, folder: Path, channel: int) -> float:
    """How much of a scene is red (0) or blue (2), also where it is mixed with the background."""
    path = folder / "scene.png"
    scene.screenshot(path=path)
    pixels = np.asarray(Image.open(path).convert("RGB")).astype(int)
    others = np.delete(pixels, channel, axis=2).max(axis=2)
    return float((pixels[:, :, channel] - others > 60).mean())


def scenes(found: Locator) -> Locator:
    return found.get_by_test_id("mesh-scene")


def test_meshes_of_two_runs_stand_side_by_side_in_their_logged_colours(
    page: Page, meshes: Board, tmp_path: Path, eventually: Wait
) -> None:
    page.goto(f"/meshes?{meshes.runs('red', 'blue')}")

    square = card(page, "shape/square")

    expect(scenes(square)).to_have_count(2)
    expect(square.get_by_test_id("mesh-facts").first).to_have_text("4 points · 2 faces")
    eventually(lambda: share_of(scenes(square).nth(0), tmp_path, 0) > 0.2)
    eventually(lambda: share_of(scenes(square).nth(1), tmp_path, 2) > 0.1)
    assert share_of(scenes(square).nth(0), tmp_path, 2) == 0


def test_the_logged_camera_looks_straight_at_the_square(
    page: Page, meshes: Board, tmp_path: Path, eventually: Wait
) -> None:
    page.goto(f"/meshes?{meshes.runs('red')}&step=0")
    scene = scenes(card(page, "shape/square"))
    box = scene.bounding_box()
    assert box is not None

    # An upright square that fits a circle of the height of the scene, in parallel lines.
    side = box["height"] / 1.08 / 2**0.5
    eventually(lambda: abs(share_of(scene, tmp_path, 0) - side**2 / (box["width"] * box["height"])) < 0.02)


def test_steps_are_reached_by_buttons_keys_and_address_and_linked(page: Page, meshes: Board) -> None:
    page.goto(f"/meshes?{meshes.runs('red', 'blue')}")
    square = card(page, "shape/square")
    expect(square).to_have_attribute("data-step", "4")
    # The other run has no step 4 and shows its last.
    expect(square.get_by_test_id("mesh-pane").nth(1)).to_have_attribute("data-step", "3")

    square.get_by_test_id("step-previous").click()
    expect(page).to_have_url(re.compile(r"step=3"))
    square.get_by_test_id("step-slider").press("Home")

    expect(square).to_have_attribute("data-step", "0")
    expect(page).to_have_url(re.compile(r"step=0"))
    page.reload()
    expect(card(page, "shape/square")).to_have_attribute("data-step", "0")


def test_turning_one_mesh_turns_both_and_is_kept_in_the_address(
    page: Page, meshes: Board, tmp_path: Path, eventually: Wait
) -> None:
    page.goto(f"/meshes?{meshes.runs('red', 'blue')}&step=0")
    square = card(page, "shape/square")
    before = [share_of(scenes(square).nth(i), tmp_path, channel) for i, channel in enumerate((0, 2))]

    scenes(square).nth(0).focus()
    for _ in range(9):
        page.keyboard.press("ArrowRight")

    expect(page).to_have_url(re.compile(r"cam=0\.78[^&]*"))
    # Seen at an angle of 45 degrees, a square is less wide.
    eventually(lambda: share_of(scenes(square).nth(0), tmp_path, 0) < 0.8 * before[0])
    eventually(lambda: share_of(scenes(square).nth(1), tmp_path, 2) < 0.8 * before[1])
    page.reload()
    again = scenes(card(page, "shape/square")).nth(0)
    eventually(lambda: 0 < share_of(again, tmp_path, 0) < 0.8 * before[0])

    again.focus()
    page.keyboard.press("0")
    expect(page).not_to_have_url(re.compile(r"cam="))
    eventually(lambda: abs(share_of(again, tmp_path, 0) - before[0]) < 0.01)


def test_dragging_turns_and_the_wheel_scrolls_the_page_unless_ctrl_is_held(page: Page, meshes: Board) -> None:
    page.goto(f"/meshes?{meshes.runs('red')}&step=0")
    scene = scenes(card(page, "shape/square"))
    box = scene.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.wheel(0, -200)
    wait_in_page(page, 400)
    assert "cam=" not in page.url

    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    expect(page).to_have_url(re.compile(r"cam=0,0,1\.\d+,0,0,0"))

    page.mouse.down()
    page.mouse.move(x + 60, y, steps=4)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"cam=-[01]\.\d"))
    page.get_by_test_id("mesh-card").hover()
    page.get_by_test_id("card-restore").click()
    expect(page).not_to_have_url(re.compile(r"cam="))


def test_every_setting_changes_the_picture_and_the_address(
    page: Page, meshes: Board, tmp_path: Path, eventually: Wait
) -> None:
    page.goto(f"/meshes?{meshes.runs('red')}&step=0")
    scene = scenes(card(page, "shape/square"))

    def red() -> float:
        return share_of(scene, tmp_path, 0)

    eventually(lambda: red() > 0.1)
    page.get_by_test_id("display-wireframe").click()
    expect(page).to_have_url(re.compile(r"show=wireframe"))
    eventually(lambda: 0 < red() < 0.05)
    page.get_by_test_id("display-points").click()
    eventually(lambda: 0 < red() < 0.001)
    few = red()
    page.get_by_test_id("point-size").fill("12")
    expect(page).to_have_url(re.compile(r"points=12"))
    eventually(lambda: red() > 4 * few)
    page.get_by_test_id("display-surface").click()
    page.get_by_test_id("colouring-height").click()
    expect(page).to_have_url(re.compile(r"colour=height"))
    eventually(lambda: red() == 0)
    page.get_by_test_id("colouring-logged").click()
    eventually(lambda: red() > 0.1)
    whole = red()
    page.get_by_test_id("axes").check()
    expect(page).to_have_url(re.compile(r"axes=1"))
    eventually(lambda: 0 < red() < 0.95 * whole)


def test_the_pointer_reads_the_nearest_point(page: Page, meshes: Board) -> None:
    page.goto(f"/meshes?{meshes.runs('red')}&step=0")
    scene = scenes(card(page, "shape/square"))
    box = scene.bounding_box()
    assert box is not None
    half = box["height"] / 1.08 / 2**0.5 / 2

    page.mouse.move(box["x"] + box["width"] / 2 + half, box["y"] + box["height"] / 2 - half)

    expect(scene.get_by_test_id("reading")).to_have_text("Point 2 · x 2 · y 2 · z 0 · rgb 255 0 0")
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    expect(scene.get_by_test_id("reading")).to_have_count(0)


def test_one_mesh_of_a_batch_is_chosen(page: Page, meshes: Board) -> None:
    page.goto(f"/meshes?{meshes.runs('odd')}")
    batch = card(page, "odd/batch")
    expect(batch.get_by_test_id("mesh-place")).to_have_text("Mesh 1 of 3")

    batch.get_by_test_id("mesh-next").click()

    expect(batch.get_by_test_id("mesh-place")).to_have_text("Mesh 2 of 3")
    expect(page).to_have_url(re.compile(r"mesh=2"))


def test_damaged_meshes_say_so_and_hurt_nothing_else(page: Page, meshes: Board) -> None:
    page.goto(f"/meshes?{meshes.runs('odd')}")

    damaged = page.locator('[data-testid="mesh-card"][data-tag="odd/damaged"]')
    damaged.scroll_into_view_if_needed()
    expect(damaged.get_by_test_id("mesh-error")).to_contain_text("40 bytes do not fit the shape [1, 900, 3]")
    lost = card(page, "odd/lost")
    notes = re.compile(r"not drawn: 1\nFaces that refer to missing points: 1")
    expect(lost.get_by_test_id("mesh-notes")).to_have_attribute("title", notes)
    expect(card(page, "odd/cloud").get_by_test_id("mesh-facts")).to_have_text("300 points")


def test_downloads_are_a_ply_file_and_a_picture(page: Page, meshes: Board, tmp_path: Path) -> None:
    page.goto(f"/meshes?{meshes.runs('red')}&step=1")
    square = card(page, "shape/square")
    square.hover()

    square.get_by_test_id("card-download").click()
    with page.expect_download() as ply:
        square.get_by_test_id("card-ply").click()
    square.get_by_test_id("card-download").click()
    with page.expect_download() as png:
        square.get_by_test_id("card-png").click()

    assert ply.value.suggested_filename == "shape_square_red_1.ply"
    header, _, content = Path(ply.value.path()).read_bytes().partition(b"end_header\n")
    assert b"element vertex 4\n" in header and b"element face 2\n" in header
    rows = np.frombuffer(content[: 4 * 15], np.dtype([("place", "<f4", 3), ("colour", "u1", 3)]))
    np.testing.assert_array_equal(rows["place"], SQUARE[0] * 2)
    np.testing.assert_array_equal(rows["colour"], RED[0])
    png.value.save_as(tmp_path / "saved.png")
    saved = np.asarray(Image.open(tmp_path / "saved.png").convert("RGB"))
    assert (saved == (255, 0, 0)).all(axis=2).mean() > 0.1


def test_full_screen_and_a_page_in_chinese(page: Page, meshes: Board) -> None:
    page.goto(f"/meshes?{meshes.runs('red', 'blue')}&lang=zh")
    square = card(page, "shape/square")
    expect(square.get_by_test_id("mesh-facts").first).to_have_text("4 个点 · 2 个面")
    square.hover()
    square.get_by_test_id("card-fullscreen").click()

    expect(page).to_have_url(re.compile(r"full=shape"))
    box = page.locator('[data-testid="mesh-card"].full').bounding_box()
    assert box == {"x": 0, "y": 0, "width": 1280, "height": 900}
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile(r"full="))


def test_a_run_without_meshes_says_how_to_log_one(page: Page, meshes: Board) -> None:
    page.goto(f"/meshes?{meshes.runs('plain')}")

    expect(page.get_by_test_id("mesh-board")).to_contain_text("No meshes or point clouds logged yet")
    expect(page.get_by_test_id("mesh-board")).to_contain_text("add_mesh")


def test_a_browser_without_webgl_gets_a_sentence(page: Page, meshes: Board) -> None:
    page.add_init_script(
        "const get = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {"
        " return kind.startsWith('webgl') ? null : get.call(this, kind, ...rest) }"
    )
    page.goto(f"/meshes?{meshes.runs('red')}")

    expect(page.get_by_test_id("no-webgl")).to_contain_text("WebGL 2 is disabled or not available")


def test_a_new_step_appears_by_itself(browser: Browser, tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "red", RED, range(2))
    with served(tmp_path / "runs") as board:
        pages = watched_page(browser, board)
        page = next(pages)
        page.goto(f"/meshes?{board.runs('red')}")
        expect(card(page, "shape/square")).to_have_attribute("data-step", "1")

        write_run(tmp_path / "runs" / "red", RED, range(2, 4))

        expect(page.get_by_test_id("mesh-card")).to_have_attribute("data-step", "3")
        assert next(pages, None) is None


@pytest.mark.parametrize("run", ["tensorboard-torch/everything", "tensorboardx/everything"])
def test_the_meshes_of_other_writers(corpus_page: Page, corpus_board: Board, run: str) -> None:
    corpus_page.goto(f"/meshes?{corpus_board.runs(run)}")

    expect(card(corpus_page, "all/tetra").get_by_test_id("mesh-facts")).to_have_text("4 points · 4 faces")
