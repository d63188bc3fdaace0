"""Each control of the image board in a real browser."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, Request, expect

from mindinsight_like import SummaryWriter
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.files.record_file import RecordFile
from tests.ui.conftest import BEGIN, Board, served, wait_in_page

STEPS = {"red": range(0, 100, 10), "green": range(0, 100, 25)}
WIDTH, HEIGHT = 16, 8
MATRIX = 6


def colour(run: str, step: int) -> tuple[int, int, int]:
    return (200, step, 0) if run == "red" else (0, step, 200)


def pixels(run: str, step: int) -> np.ndarray:
    """One colour per run and step, so that a pixel tells what is shown."""
    return np.broadcast_to(np.array(colour(run, step), np.uint8), (HEIGHT, WIDTH, 3))


def png(image: np.ndarray) -> bytes:
    data = io.BytesIO()
    Image.fromarray(image).save(data, "PNG")
    return data.getvalue()


def write_images(base_dir: Path) -> None:
    for run, steps in STEPS.items():
        with SummaryWriter(str(base_dir / run)) as writer:
            for step in steps:
                writer.add_image("samples/flat", pixels(run, step), step, dataformats="HWC")
            writer.add_scalar("loss", 1.0, 0)
    with SummaryWriter(str(base_dir / "other")) as writer:
        frames = np.random.default_rng(0).integers(0, 255, (1, 5, 3, HEIGHT, WIDTH), np.uint8)
        writer.add_video("clips/noise", frames, 3)
        for tag in range(60):
            writer.add_image(f"many/tag{tag:02d}", pixels("red", tag), 0, dataformats="HWC")
    with SummaryWriter(str(base_dir / "plain")) as writer:
        writer.add_scalar("loss", 1.0, 0)
    name = f"events.out.tfevents.{int(BEGIN):010d}.tests.5.0"
    with RecordFile(base_dir / "odd" / name, frame=tensorboard.frame) as log:
        log.write(tensorboard.opening(BEGIN))
        bad = tensorboard.image("bad", b"no picture", width=WIDTH, height=HEIGHT)
        good = tensorboard.image("good", png(pixels("red", 1)), width=WIDTH, height=HEIGHT)
        files = [b"16", b"8", *(png(pixels("red", part)) for part in range(MATRIX))]
        matrix = tensorboard.strings("matrix", files, shape=(len(files),), plugin="images")
        log.write(tensorboard.event([bad, good, matrix], step=1, wall_time=BEGIN))


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A service over runs with images, video, a picture that is none, and one run without any."""
    base_dir = tmp_path_factory.mktemp("images") / "runs"
    write_images(base_dir)
    with served(base_dir) as board:
        yield board


def open_board(page: Page, board: Board, *names: str, more: str = "") -> None:
    page.goto(f"/images?{board.runs(*names)}{more}")
    expect(page.get_by_test_id("image-card").first).to_be_visible()


def card(page: Page, tag: str) -> Locator:
    """The card of a tag, once its pictures are known."""
    found = page.locator(f'[data-testid="image-card"][data-tag="{tag}"]')
    found.scroll_into_view_if_needed()
    expect(found).to_have_attribute("data-loaded", "true")
    return found


def picture(found: Locator, number: int = 0) -> Locator:
    """A picture of a card, once it is drawn."""
    drawn = found.get_by_test_id("picture").nth(number)
    expect(drawn).to_have_attribute("data-ready", "true")
    return drawn


def tool(found: Locator, name: str) -> Locator:
    found.hover()
    return found.get_by_test_id(name)


def seen(page: Page, place: Locator, x: float = 0.5) -> tuple[int, ...]:
    """The colour on the screen at a share of the width of `place`, half way down."""
    page.mouse.move(0, 0)
    shot = Image.open(io.BytesIO(place.screenshot())).convert("RGB")
    found = shot.getpixel((int(shot.width * x), shot.height // 2))
    assert isinstance(found, tuple)
    return found


def width(drawn: Locator) -> float:
    box = drawn.locator("img").first.bounding_box()
    assert box is not None
    return box["width"]


def test_runs_stand_side_by_side_at_the_newest_step(page: Page, board: Board) -> None:
    open_board(page, board, "red", "green")
    flat = card(page, "samples/flat")

    expect(flat.get_by_test_id("image-pane")).to_have_count(2)
    assert seen(page, picture(flat, 0)) == colour("red", 90)
    assert seen(page, picture(flat, 1)) == colour("green", 75)
    expect(flat.get_by_test_id("step-value")).to_have_value("90")


def test_the_slider_goes_over_the_steps_of_all_runs_by_keys(page: Page, board: Board) -> None:
    open_board(page, board, "red", "green")
    flat = card(page, "samples/flat")
    every = sorted({*STEPS["red"], *STEPS["green"]})
    expect(flat.get_by_test_id("step-place")).to_have_text(f"{len(every)} of {len(every)}")

    flat.get_by_test_id("step-slider").focus()
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert every[3] == 25

    expect(flat).to_have_attribute("data-step", "25")
    assert seen(page, picture(flat, 0)) == colour("red", 20)
    assert seen(page, picture(flat, 1)) == colour("green", 25)
    expect(page).to_have_url(re.compile(r"[?&]step=25"))


def test_keys_on_the_pictures_step_and_zoom(page: Page, board: Board) -> None:
    open_board(page, board, "red")
    flat = card(page, "samples/flat")
    before = width(picture(flat))

    flat.get_by_test_id("image-stage").focus()
    page.keyboard.press("ArrowLeft")
    expect(flat).to_have_attribute("data-step", "80")
    page.keyboard.press("Home")
    expect(flat).to_have_attribute("data-step", "0")
    page.keyboard.press("End")
    expect(flat).to_have_attribute("data-step", "90")
    page.keyboard.press("+")

    assert width(picture(flat)) == pytest.approx(1.5 * before, abs=1)


def test_a_step_can_be_typed(page: Page, board: Board) -> None:
    open_board(page, board, "red")
    flat = card(page, "samples/flat")

    flat.get_by_test_id("step-value").fill("47")
    page.keyboard.press("Enter")

    expect(flat.get_by_test_id("step-value")).to_have_value("40")
    assert seen(page, picture(flat)) == colour("red", 40)


def test_play_goes_to_the_end_and_stops(page: Page, board: Board) -> None:
    open_board(page, board, "green", more="&step=0")
    flat = card(page, "samples/flat")

    flat.get_by_test_id("step-play").click()
    expect(flat.get_by_test_id("step-play")).to_have_attribute("aria-label", "Stop")

    expect(flat).to_have_attribute("data-step", "75")
    expect(flat.get_by_test_id("step-play")).to_have_attribute("aria-label", "Play steps")


def test_linked_cards_move_together_and_others_alone(page: Page, board: Board) -> None:
    open_board(page, board, "red", "other", more="&step=30")
    expect(card(page, "samples/flat")).to_have_attribute("data-step", "30")
    expect(card(page, "clips/noise")).to_have_attribute("data-step", "3")

    page.get_by_test_id("link-steps").uncheck()
    flat = card(page, "samples/flat")
    flat.get_by_test_id("step-next").click()

    expect(flat).to_have_attribute("data-step", "40")
    expect(page).to_have_url(re.compile(r"at=40@samples/flat"))
    assert "step=30" in page.url


def test_brightness_and_contrast_change_what_is_seen(page: Page, board: Board) -> None:
    open_board(page, board, "red", more="&step=0")
    flat = card(page, "samples/flat")
    assert seen(page, picture(flat)) == (200, 0, 0)

    page.get_by_test_id("brightness").fill("0.5")
    assert seen(page, picture(flat)) == (100, 0, 0)
    page.get_by_test_id("reset-light").click()
    assert seen(page, picture(flat)) == (200, 0, 0)
    page.get_by_test_id("contrast").fill("0")
    assert max(seen(page, picture(flat))) - min(seen(page, picture(flat))) <= 2


def test_actual_size_and_fit(page: Page, board: Board) -> None:
    open_board(page, board, "red")
    drawn = picture(card(page, "samples/flat"))
    assert width(drawn) > 10 * WIDTH

    page.get_by_test_id("size-actual").click()

    assert width(drawn) == WIDTH
    assert "size=actual" in page.url


def test_enlarged_pixels_are_sharp_unless_one_wants_them_smooth(page: Page, board: Board) -> None:
    open_board(page, board, "red")
    image = picture(card(page, "samples/flat")).locator("img")

    expect(image).to_have_css("image-rendering", "pixelated")
    page.get_by_test_id("pixelated").uncheck()
    expect(image).to_have_css("image-rendering", "auto")


def test_zoom_is_the_same_for_all_runs_and_can_be_undone(page: Page, board: Board) -> None:
    open_board(page, board, "red", "green")
    flat = card(page, "samples/flat")
    before = [width(picture(flat, number)) for number in (0, 1)]

    tool(flat, "card-zoom-in").click()
    assert [width(picture(flat, number)) for number in (0, 1)] == [pytest.approx(1.5 * size, abs=1) for size in before]
    expect(page).to_have_url(re.compile(r"z=1\.5,"))
    picture(flat, 1).dblclick()
    expect(tool(flat, "card-restore")).to_be_disabled()

    assert width(picture(flat, 0)) == before[0]


def test_several_images_of_a_step_are_a_matrix(page: Page, board: Board) -> None:
    open_board(page, board, "odd")
    matrix = card(page, "matrix")

    expect(matrix.get_by_test_id("picture")).to_have_count(MATRIX)
    for part in range(MATRIX):
        assert seen(page, picture(matrix, part)) == colour("red", part)


def test_a_bad_picture_says_so_on_its_card_and_harms_no_other(page: Page, board: Board) -> None:
    open_board(page, board, "odd")

    expect(card(page, "bad").get_by_test_id("picture-error")).not_to_be_empty()
    assert seen(page, picture(card(page, "good"))) == colour("red", 1)


def test_wiping_between_two_runs(page: Page, board: Board) -> None:
    open_board(page, board, "red", "green", more="&step=50")
    page.get_by_test_id("wipe-toggle").click()
    flat = card(page, "samples/flat")
    drawn = picture(flat)

    assert seen(page, drawn, 0.3) == colour("red", 50)
    assert seen(page, drawn, 0.7) == colour("green", 50)
    line = flat.get_by_test_id("wipe-line")
    box = line.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 - 120, box["y"] + 20, steps=4)
    page.mouse.up()
    assert seen(page, drawn, 0.4) == colour("green", 50)
    line.press("End")
    expect(line).to_have_attribute("aria-valuenow", "100")
    assert seen(page, drawn, 0.7) == colour("red", 50)

    flat.get_by_test_id("wipe-first").select_option(label="green")
    expect(flat.get_by_test_id("wipe-second").locator("option:checked")).to_have_text("red")
    assert seen(page, picture(flat), 0.7) == colour("green", 50)


def test_a_video_plays(page: Page, board: Board, eventually: Callable[[Callable[[], bool]], None]) -> None:
    open_board(page, board, "other", more="&q=clips")
    drawn = picture(card(page, "clips/noise"))

    first = drawn.screenshot()

    eventually(lambda: drawn.screenshot() != first)


def test_one_image_is_downloaded_as_it_was_logged(page: Page, board: Board, tmp_path: Path) -> None:
    open_board(page, board, "red", more="&step=30")
    drawn = picture(card(page, "samples/flat"))

    with page.expect_download() as saved:
        tool(drawn, "picture-download").click()

    assert saved.value.suggested_filename == "samples_flat_red_30.png"
    saved.value.save_as(tmp_path / "saved.png")
    assert Image.open(tmp_path / "saved.png").convert("RGB").getpixel((0, 0)) == colour("red", 30)


def test_all_images_of_a_card_are_downloaded_as_an_archive(page: Page, board: Board, tmp_path: Path) -> None:
    open_board(page, board, "red", "green")
    flat = card(page, "samples/flat")

    with page.expect_download() as saved:
        tool(flat, "card-zip").click()
    saved.value.save_as(tmp_path / "saved.zip")

    assert saved.value.suggested_filename == "samples_flat.zip"
    with zipfile.ZipFile(tmp_path / "saved.zip") as archive:
        assert archive.testzip() is None
        assert set(archive.namelist()) == {f"{run}/{step}.png" for run, steps in STEPS.items() for step in steps}
        shown = Image.open(io.BytesIO(archive.read("green/50.png"))).convert("RGB")
    assert shown.getpixel((3, 3)) == colour("green", 50)


def test_full_screen_and_back(page: Page, board: Board) -> None:
    open_board(page, board, "red")
    flat = card(page, "samples/flat")
    small = width(picture(flat))

    tool(flat, "card-fullscreen").click()
    expect(flat).to_have_class(re.compile("full"))
    large = width(picture(flat))
    page.keyboard.press("ArrowLeft")
    expect(flat).to_have_attribute("data-step", "80")
    page.keyboard.press("Escape")
    expect(flat).not_to_have_class(re.compile("full"))

    assert large > 2 * small


def test_a_link_shows_the_same_again(page: Page, board: Board) -> None:
    more = "&step=30&bright=0.5&size=actual&smooth=1&wipe=0.25&q=flat"
    open_board(page, board, "red", "green", more=more)
    picture(card(page, "samples/flat"))
    page.reload()
    flat = card(page, "samples/flat")
    picture(flat)

    expect(flat).to_have_attribute("data-step", "30")
    expect(page.get_by_test_id("brightness")).to_have_value("0.5")
    expect(page.get_by_test_id("size-actual")).to_have_attribute("aria-checked", "true")
    expect(page.get_by_test_id("pixelated")).not_to_be_checked()
    expect(flat.get_by_test_id("wipe-line")).to_have_attribute("aria-valuenow", "25")
    expect(page.get_by_test_id("tag-filter")).to_have_value("flat")


def test_only_what_is_in_view_is_fetched(page: Page, board: Board) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/v1/images?" in request.url:
            asked.append(request.url)

    page.on("request", note)
    open_board(page, board, "other")
    picture(card(page, "many/tag00"))
    wait_in_page(page, 300)

    assert 0 < len(asked) < 30
    picture(card(page, "many/tag59"))


def test_tags_are_searched(page: Page, board: Board) -> None:
    open_board(page, board, "other")
    page.get_by_test_id("tag-filter").fill("tag0[12]$")

    expect(page.get_by_test_id("image-card")).to_have_count(2)
    page.get_by_test_id("tag-filter").fill("nothing like it")
    expect(page.get_by_test_id("state-empty")).to_be_visible()


def test_the_rail_has_images_only_for_runs_that_have_them(page: Page, board: Board) -> None:
    page.goto(f"/runs/{board.runs('plain').removeprefix('run=')}")
    expect(page.get_by_test_id("nav-run-scalars")).to_be_visible()
    expect(page.get_by_test_id("nav-run-images")).to_have_count(0)

    page.goto(f"/runs/{board.runs('other').removeprefix('run=')}")
    page.get_by_test_id("nav-run-images").click()
    expect(page.get_by_test_id("image-card").first).to_be_visible()


def test_a_run_without_images_tells_how_to_log_one(page: Page, board: Board) -> None:
    page.goto(f"/images?{board.runs('plain')}")

    expect(page.get_by_test_id("state-empty")).to_contain_text("add_image")


def test_a_failed_list_can_be_asked_for_again(page: Page, board: Board) -> None:
    page.route("**/v1/images?*", lambda route: route.abort())
    page.goto(f"/images?{board.runs('red')}")
    expect(page.get_by_test_id("state-failed")).to_be_visible()

    page.unroute("**/v1/images?*")
    page.get_by_test_id("retry").click()

    picture(card(page, "samples/flat"))


def test_chinese(page: Page, board: Board) -> None:
    open_board(page, board, "red")
    page.get_by_test_id("lang-switch").click()

    expect(page.get_by_test_id("settings-strip")).to_contain_text("亮度")
    expect(page.get_by_test_id("breadcrumb")).to_contain_text("图像")


def test_a_new_image_appears_by_itself_unless_one_looks_at_an_older(page: Page, tmp_path: Path) -> None:
    base_dir = tmp_path / "runs"
    write_images(base_dir)
    with served(base_dir) as board, SummaryWriter(str(base_dir / "living")) as writer:
        writer.add_image("samples/flat", pixels("red", 1), 1, dataformats="HWC")
        writer.flush()
        page.goto(f"{board.address}/images?{board.runs('living')}")
        flat = card(page, "samples/flat")
        expect(flat).to_have_attribute("data-step", "1")

        writer.add_image("samples/flat", pixels("red", 2), 2, dataformats="HWC")
        writer.flush()
        expect(flat).to_have_attribute("data-step", "2")
        assert seen(page, picture(flat)) == colour("red", 2)

        flat.get_by_test_id("step-previous").click()
        writer.add_image("samples/flat", pixels("red", 3), 3, dataformats="HWC")
        writer.flush()
        expect(flat).to_have_attribute("data-last-step", "3")
        expect(flat).to_have_attribute("data-step", "1")
