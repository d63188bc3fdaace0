"""The timeline of a profile: ranks on one clock, moving, walking, searching, ranges, counters."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect

from mindinsight_like import Profiler
from mindinsight_like.store.database.location import run_id
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.files.record_file import RecordFile

from .conftest import Board, served, wait_in_page, watched_page

OWN = "own"
RANKS = "ranks"
STEPS = 5

Eventually = Callable[[Callable[[], bool]], None]


def record(folder: Path) -> None:
    """A recording of our own, and what the machine did meanwhile."""
    begin = time.time()
    profiler = Profiler(str(folder))
    for step in range(STEPS):
        with profiler.op("forward"), profiler.op("layer1/matmul", type="MatMul", shape=[[8, 16]]):
            time.sleep(0.002)
        with profiler.op("backward"):
            time.sleep(0.003)
        profiler.count("queue", step, "batches")
        profiler.step()
    profiler.stop()
    with RecordFile(folder / "events.out.tfevents.1760000000.tests.0.0", frame=tensorboard.frame) as log:
        log.write(tensorboard.opening(begin))
        for step in range(20):
            wall_time = begin + (time.time() - begin) * step / 20
            value = tensorboard.scalar("system/cpu", 10.0 * step)
            log.write(tensorboard.event([value], step=step, wall_time=wall_time))


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("timeline") / "runs"
    record(base_dir / OWN)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, profiles: Board) -> Iterator[Page]:
    yield from watched_page(browser, profiles)


def open_timeline(page: Page, run: str, more: str = "") -> None:
    page.goto(f"/runs/{run_id(run)}/profiler?tab=timeline{more}")
    expect(page.get_by_test_id("timeline-canvas")).to_be_visible()


def view(page: Page) -> tuple[int, int] | None:
    """What the address says is in sight, in nanoseconds."""
    query = parse_qs(urlsplit(page.evaluate("location.href")).query)
    return (int(query["from"][0]), int(query["to"][0])) if "from" in query else None


def colours(page: Page, x: float, y: float, width: float, height: float) -> int:
    """How many different colours a part of the canvas has, in shares of its size."""
    found: int = page.get_by_test_id("timeline-canvas").evaluate(
        """(canvas, [x, y, w, h]) => {
          const size = [canvas.width * x, canvas.height * y, canvas.width * w, canvas.height * h].map(Math.round)
          return new Set(new Uint32Array(canvas.getContext('2d').getImageData(...size).data.buffer)).size
        }""",
        [x, y, width, height],
    )
    return found


def box_of(place: Locator) -> FloatRect:
    box = place.bounding_box()
    assert box
    return box


def drag(page: Page, begin: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*begin)
    page.mouse.down()
    page.mouse.move((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


@pytest.fixture
def ranks_page(browser: Browser, corpus: Path, tmp_path: Path) -> Iterator[Page]:
    shutil.copytree(corpus / "torch-profiler" / "ddp_two_ranks", tmp_path / "runs" / RANKS)
    with served(tmp_path / "runs") as board:
        yield from watched_page(browser, board)


def test_two_ranks_of_torch(ranks_page: Page, corpus: Path, eventually: Eventually) -> None:
    page = ranks_page
    wanted = []
    for rank in (0, 1):
        (path,) = (corpus / "torch-profiler" / "ddp_two_ranks").glob(f"*rank{rank}*.json")
        events = json.loads(path.read_bytes())["traceEvents"]
        wanted.append([event for event in events if event["name"] == "aten::mkldnn_convolution"])
    open_timeline(page, RANKS)
    expect(page.get_by_test_id("row-recording")).to_have_count(2)
    expect(page.get_by_test_id("row-track").filter(has_text="pt_gloo_runloop")).to_have_count(4)
    eventually(lambda: colours(page, 0, 0.1, 1, 0.9) > 20)

    # Searching goes from one to the next, of both ranks, and brings it into sight.
    page.get_by_test_id("timeline-search").fill("convolution MKLDNN")
    count, total = page.get_by_test_id("search-count"), sum(map(len, wanted))
    expect(count).to_have_text(f"– of {total}")
    page.keyboard.press("Enter")
    expect(count).to_have_text(f"1 of {total}")
    spoken = page.get_by_test_id("timeline-spoken")
    expect(spoken).to_contain_text("aten::mkldnn_convolution")
    expect(page.get_by_test_id("slice-details").locator("h2")).to_have_text("aten::mkldnn_convolution")
    page.keyboard.press("Shift+Enter")
    expect(count).to_have_text(f"{total} of {total}")
    expect(spoken).to_contain_text(str(max(wanted[1], key=lambda event: float(event["ts"]))["dur"])[:4])
    page.keyboard.press("Enter")
    expect(count).to_have_text(f"1 of {total}")

    # By keys to what called it and back, zoomed to it; the address knows the way back.
    expect(spoken).to_contain_text(str(min(wanted[0], key=lambda event: float(event["ts"]))["dur"])[:4])
    expect(page.get_by_test_id("slice-details")).to_contain_text("aten::_convolution")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowUp")
    expect(spoken).to_contain_text("aten::_convolution")
    page.keyboard.press("ArrowDown")
    expect(spoken).to_contain_text("aten::mkldnn_convolution")
    page.keyboard.press("f")
    first = min(wanted[0], key=lambda event: float(event["ts"]))
    eventually(lambda: (at := view(page)) is not None and at[1] - at[0] < first["dur"] * 4000)
    begin, end = view(page) or (0, 0)
    assert first["dur"] * 1000 < end - begin < first["dur"] * 4000
    text = spoken.inner_text()
    page.reload()
    expect(spoken).to_have_text(text)
    assert view(page) == (begin, end)

    # In the middle of the view is what it was zoomed to.
    eventually(lambda: colours(page, 0.4, 0.1, 0.2, 0.4) > 5)
    box = box_of(page.get_by_test_id("timeline-canvas"))
    lanes = page.get_by_test_id("row-track").filter(has_text="(python)").first.bounding_box()
    assert lanes
    page.mouse.move(box["x"] + box["width"] / 2, lanes["y"] + 2 + 6.5 * 18)
    expect(page.get_by_test_id("slice-tip")).to_contain_text("aten::mkldnn_convolution")

    # A range along the ruler is summed up by name; everything is there when it is the whole.
    page.get_by_test_id("slice-close").click()
    page.get_by_test_id("timeline-all").click()
    box = box_of(page.get_by_test_id("timeline-canvas"))
    drag(page, (box["x"] + 1, box["y"] + 8), (box["x"] + box["width"] - 1, box["y"] + 8))
    table = page.get_by_test_id("range-table")
    expect(table).to_contain_text("all tracks")
    with page.expect_download() as download:
        page.get_by_test_id("range-csv").click()
    lines = Path(download.value.path()).read_text("utf-8").splitlines()
    row = next(line for line in lines if line.startswith("aten::mkldnn_convolution,")).split(",")
    assert int(row[lines[0].split(",").index("count")]) == len(wanted[0])

    # One rank alone.
    page.get_by_test_id("timeline-ranks").click()
    page.get_by_test_id("ranks-none").click()
    expect(page.get_by_test_id("row-recording")).to_have_count(0)
    expect(page.get_by_test_id("row-track").filter(has_text="pt_gloo_runloop")).to_have_count(2)


def test_own_recording(page: Page, eventually: Eventually) -> None:
    open_timeline(page, OWN)
    expect(page.get_by_test_id("row-track")).to_have_count(1)
    counters = page.get_by_test_id("row-counter")
    expect(counters.filter(has_text="queue (batches)")).to_be_visible()
    expect(counters.filter(has_text="system/cpu")).to_be_visible()

    # Keys move the view, and so does the hand: pulled, it stays as long as it was.
    box = box_of(page.get_by_test_id("timeline-canvas"))
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.get_by_test_id("timeline-stage").focus()
    page.mouse.move(*middle)
    for _ in range(6):
        page.keyboard.press("w")
    eventually(lambda: view(page) is not None)
    wait_in_page(page, 600)
    before = view(page)
    drag(page, middle, (middle[0] - 100, middle[1]))
    eventually(lambda: view(page) != before)
    after = view(page)
    assert before and after
    moved = (before[1] - before[0]) * 100 / box["width"]
    assert after[0] - before[0] == pytest.approx(moved, rel=0.03)
    assert after[1] - after[0] == pytest.approx(before[1] - before[0], abs=3)
    page.get_by_test_id("timeline-stage").focus()
    page.keyboard.press("0")
    eventually(lambda: view(page) is None)

    # Where arrows are asked for and there are none, that is said.
    page.get_by_test_id("timeline-arrows").click()
    expect(page.get_by_test_id("arrow-count")).to_have_text("no flows in view")
    page.get_by_test_id("timeline-arrows").click()
    expect(page.get_by_test_id("arrow-count")).to_have_count(0)

    # A folded track is lower, and stays so when somebody else opens the address.
    track = page.get_by_test_id("row-track")
    height = box_of(track)["height"]
    fold = track.get_by_role("button").first  # the other one pins the track
    fold.click()
    expect(fold).to_have_attribute("aria-expanded", "false")
    assert box_of(track)["height"] < height
    expect(page).to_have_url(re.compile("fold="))

    # Marked with Shift: only the tracks that were touched.
    page.get_by_test_id("timeline-fold").click()
    expect(fold).to_have_attribute("aria-expanded", "true")
    page.keyboard.down("Shift")
    drag(page, (box["x"] + 5, box["y"] + 70), (box["x"] + box["width"] - 5, box["y"] + 74))
    page.keyboard.up("Shift")
    expect(page.get_by_test_id("range-table")).to_contain_text("1 track")
    row = page.get_by_test_id("range-table").get_by_test_id("table-row").filter(has_text="layer1/matmul")
    expect(row).to_contain_text(re.compile(rf"layer1/matmul.*{STEPS}"))
    with page.expect_download() as download:
        page.get_by_test_id("timeline-png").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")


def test_opened_for_one_slice_in_chinese(page: Page) -> None:
    open_timeline(page, OWN, "&row=1&lang=zh")
    expect(page.get_by_test_id("timeline-spoken")).to_contain_text("开始于")
    expect(page.get_by_test_id("timeline-search")).to_have_attribute("placeholder", "按名称查找")
    page.get_by_test_id("timeline-stage").focus()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("slice-details")).to_have_count(0)
