"""Comparing images: steps of a run, many steps or runs at once, videos frame by frame, pictures that are too large."""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from mindinsight_like import SummaryWriter
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.files.record_file import RecordFile
from tests.ui.conftest import BEGIN, Board, served, wait_in_page, watched_page

MANY = 10_000
RUNS = 30


def pixels(run: int, step: int) -> np.ndarray:
    """One colour per run and step, so that a pixel tells what is shown."""
    return np.broadcast_to(np.array((200, run * 8, step), np.uint8), (8, 16, 3))


def empty_png(width: int, height: int) -> bytes:
    """A black picture whose file is tiny, however many pixels it has."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    packer = zlib.compressobj(9)
    row = bytes(1 + (width + 7) // 8)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def write(base_dir: Path) -> None:
    for run in range(RUNS):
        with SummaryWriter(str(base_dir / f"run{run:02d}")) as writer:
            for step in range(0, 200, 10) if run < 3 else (0,):
                writer.add_image("flat", pixels(run, step), step, dataformats="HWC")
    with SummaryWriter(str(base_dir / "clip")) as writer:
        frames = np.zeros((1, 5, 3, 8, 16), np.uint8)
        for frame in range(5):
            frames[0, frame] = 50 * frame
        writer.add_video("clips/grey", frames, 0, fps=20)
        writer.add_video("clips/grey", frames, 1, fps=20)
    name = f"events.out.tfevents.{int(BEGIN):010d}.tests.5.0"
    with RecordFile(base_dir / "large" / name, frame=tensorboard.frame) as log:
        log.write(tensorboard.opening(BEGIN))
        large = tensorboard.image("huge", empty_png(9000, 9000), width=9000, height=9000)
        log.write(tensorboard.event([large], step=0, wall_time=BEGIN))
    with RecordFile(base_dir / "many" / name, frame=tensorboard.frame) as log:
        log.write(tensorboard.opening(BEGIN))
        for step in range(MANY):
            png = io.BytesIO()
            Image.fromarray(np.full((4, 4, 3), (step % 256, step // 256, 7), np.uint8)).save(png, "PNG")
            value = tensorboard.image("long", png.getvalue(), width=4, height=4)
            log.write(tensorboard.event([value], step=step, wall_time=BEGIN + step))


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("image-comparison") / "runs"
    write(base_dir)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, images: Board) -> Iterator[Page]:
    yield from watched_page(browser, images)


def card(page: Page, tag: str) -> Locator:
    found = page.locator(f'[data-testid="image-card"][data-tag="{tag}"]')
    expect(found).to_have_attribute("data-loaded", "true")
    return found


def picture(found: Locator, number: int = 0) -> Locator:
    drawn = found.get_by_test_id("picture").nth(number)
    expect(drawn).to_have_attribute("data-ready", "true")
    return drawn


def seen(page: Page, place: Locator, x: float = 0.5) -> tuple[int, ...]:
    """The colour on the screen at a share of the width of `place`, half way down."""
    page.mouse.move(0, 0)
    shot = Image.open(io.BytesIO(place.screenshot())).convert("RGB")
    found = shot.getpixel((int(shot.width * x), shot.height // 2))
    assert isinstance(found, tuple)
    return found


def colour(run: int, step: int) -> tuple[int, ...]:
    return tuple(int(part) for part in pixels(run, step)[0, 0])


def test_wiping_between_two_steps_of_one_run(page: Page, images: Board) -> None:
    page.goto(f"/images?{images.runs('run00')}&step=100")
    flat = card(page, "flat")

    page.get_by_test_id("wipe-toggle").click()

    drawn = picture(flat)
    assert seen(page, drawn, 0.4) == colour(0, 100)
    assert seen(page, drawn, 0.6) == colour(0, 0)  # the first step, until another is chosen
    flat.get_by_test_id("wipe-step").fill("55")
    page.keyboard.press("Enter")
    expect(flat.get_by_test_id("wipe-step")).to_have_value("50")
    assert seen(page, picture(flat), 0.6) == colour(0, 50)
    # The right side stays while one goes on with the left.
    flat.get_by_test_id("step-next").click()
    expect(flat).to_have_attribute("data-step", "110")
    assert seen(page, picture(flat), 0.4) == colour(0, 110)
    assert seen(page, picture(flat), 0.6) == colour(0, 50)
    page.reload()
    assert seen(page, picture(card(page, "flat")), 0.6) == colour(0, 50)


def test_of_several_runs_one_may_be_wiped_with_itself(page: Page, images: Board) -> None:
    page.goto(f"/images?{images.runs('run00', 'run01')}&step=100&wipe=0.5")
    flat = card(page, "flat")
    assert seen(page, picture(flat), 0.6) == colour(1, 100)

    flat.get_by_test_id("wipe-second").select_option("@")
    flat.get_by_test_id("step-previous").click()

    assert seen(page, picture(flat), 0.4) == colour(0, 90)
    assert seen(page, picture(flat), 0.6) == colour(0, 100)  # held where it was
    flat.get_by_test_id("wipe-first").select_option(label="run01")
    assert seen(page, picture(flat), 0.6) == colour(1, 100)
    flat.get_by_test_id("wipe-second").select_option(label="run00")
    assert seen(page, picture(flat), 0.6) == colour(0, 90)
    expect(flat.get_by_test_id("wipe-step")).to_have_count(0)


def test_a_matrix_has_steps_beside_each_other_and_leads_to_one(page: Page, images: Board) -> None:
    page.goto(f"/images?{images.runs('run00', 'run01', 'run05')}")
    flat = card(page, "flat")

    page.get_by_test_id("matrix-toggle").click()

    expect(flat.get_by_test_id("matrix-row")).to_have_count(3)
    steps = [int(step.get_attribute("data-step") or "") for step in flat.get_by_test_id("matrix-step").all()]
    assert steps[0] == 0
    assert steps[-1] == 190
    assert len(steps) > 4
    for run in (0, 1):
        for column in (0, 2, len(steps) - 1):
            assert seen(page, picture(flat, run * len(steps) + column)) == colour(run, steps[column])
    flat.hover()
    flat.get_by_test_id("card-fullscreen").click()
    expect(flat).to_have_class(re.compile("full"))
    assert seen(page, picture(flat)) == colour(0, 0)
    flat.get_by_test_id("matrix-step").first.click()
    page.keyboard.press("Escape")
    page.get_by_test_id("matrix-toggle").click()
    flat.get_by_test_id("matrix-step").nth(2).click()
    expect(flat.get_by_test_id("picture-steps")).to_have_count(0)
    expect(flat).to_have_attribute("data-step", str(steps[2]))


def test_more_runs_than_fit_are_reached(page: Page, images: Board) -> None:
    page.goto(f"/images?{images.runs(*(f'run{run:02d}' for run in range(RUNS)))}&step=0")
    flat = card(page, "flat")
    expect(flat.get_by_test_id("image-pane")).to_have_count(24)
    expect(flat.get_by_test_id("runs-shown")).to_have_text("Runs 1–24 of 30")

    flat.get_by_test_id("runs-further").click()

    expect(flat.get_by_test_id("runs-shown")).to_have_text("Runs 25–30 of 30")
    expect(flat.get_by_test_id("image-pane")).to_have_count(6)
    assert seen(page, picture(flat, 0)) == colour(24, 0)
    expect(flat.get_by_test_id("runs-further")).to_be_disabled()
    flat.get_by_test_id("runs-earlier").click()
    expect(flat.get_by_test_id("image-pane")).to_have_count(24)


def test_a_video_is_halted_and_goes_frame_by_frame(page: Page, images: Board, eventually: Callable[..., None]) -> None:
    page.goto(f"/images?{images.runs('clip')}")
    clip = card(page, "clips/grey")
    picture(clip)
    moving = clip.get_by_test_id("moving-picture")
    expect(moving).to_have_attribute("data-frames", "5")

    clip.get_by_test_id("image-stage").focus()
    page.keyboard.press("k")

    at = int(moving.get_attribute("data-frame") or "")
    wait_in_page(page, 400)
    assert moving.get_attribute("data-frame") == str(at)
    for step in (1, 2, 3, 4, 5):
        page.keyboard.press(".")
        now = (at + step) % 5
        expect(moving).to_have_attribute("data-frame", str(now))
        expect(clip.get_by_test_id("frame-place")).to_have_text(f"Frame {now + 1} of 5")
        assert abs(seen(page, picture(clip))[0] - 50 * now) < 12
    page.keyboard.press(",")
    expect(moving).to_have_attribute("data-frame", str((at + 4) % 5))
    clip.hover()
    clip.get_by_test_id("video-halt").click()
    eventually(lambda: moving.get_attribute("data-frame") != str((at + 4) % 5))


def test_where_frames_cannot_be_decoded_a_video_still_plays(browser: Browser, images: Board) -> None:
    context = browser.new_context(base_url=images.address)
    context.add_init_script("delete globalThis.ImageDecoder")
    page = context.new_page()

    page.goto(f"/images?{images.runs('clip')}")
    drawn = picture(card(page, "clips/grey"))

    expect(drawn.locator("img")).to_be_visible()
    expect(page.get_by_test_id("video-halt")).to_have_count(0)
    context.close()


def test_a_picture_that_would_take_much_memory_asks_first(page: Page, images: Board) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url) if "/v1/blobs/" in request.url else None)
    page.goto(f"/images?{images.runs('large')}&q=huge")
    huge = card(page, "huge")

    expect(huge.get_by_test_id("picture-large")).to_contain_text(re.compile(r"9.000 × 9.000"))
    assert fetched == []
    huge.get_by_test_id("picture-allow").click()

    expect(huge.get_by_test_id("picture-large")).to_have_count(0)
    expect(huge.get_by_test_id("picture")).to_have_attribute("data-ready", "true", timeout=60_000)
    assert len(fetched) >= 1


def test_the_last_of_ten_thousand_images_is_one_key_from_the_first(page: Page, images: Board) -> None:
    page.goto(f"/images?{images.runs('many')}&step=0")
    long = card(page, "long")
    assert seen(page, picture(long)) == (0, 0, 7)
    expect(long.get_by_test_id("step-place")).to_have_text(re.compile(r"^1 of 10.000$"))

    long.get_by_test_id("image-stage").focus()
    page.keyboard.press("End")

    expect(long).to_have_attribute("data-step", str(MANY - 1))
    last = MANY - 1
    assert seen(page, picture(long)) == (last % 256, last // 256, 7)
    page.keyboard.press("Home")
    expect(long).to_have_attribute("data-step", "0")
    assert seen(page, picture(long)) == (0, 0, 7)
