"""A real Chromium on a really running service, over logs made for what the page has to show."""

from __future__ import annotations

import math
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from mindinsight_like.store.database.location import run_id
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.files.record_file import RecordFile
from tests.chromium import NoChromium, launch

BEGIN = 1_760_000_000.0
STEPS = 200
TAGS = ("eval/accuracy", "train/accuracy", "train/loss")

# Bounds how long a failure takes, not how quick the page has to be: other tests may have the processor for a while.
PATIENCE_SECONDS = 30.0
expect.set_options(timeout=1000 * PATIENCE_SECONDS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where CI decides, a browser test that fails is tried once more and reported as a rerun.

    Two cores drive a service, its loader and Chromium at once; a machine that stalls for seconds must not refuse a
    change of hundreds of tests. At home a failure is a failure.
    """
    if os.environ.get("CI") != "true":
        return
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium for each file of tests: one that runs for all of them grows, and takes them all along when it dies."""
    with sync_playwright() as playwright:
        try:
            browser = launch(playwright)
        except NoChromium as reason:
            pytest.skip(str(reason))
        yield browser
        browser.close()


def value(run: int, tag: str, step: int) -> float:
    """What the logs hold; the last run has a hole of NaN in its loss and one spike."""
    if tag.endswith("accuracy"):
        return 1.0 - math.exp(-(run + 1) * step / STEPS)
    if run == 2 and 150 <= step < 155:
        return math.nan
    return 1000.0 if run == 2 and step == 100 else 2.0 * math.exp(-(run + 1) * step / STEPS)


def write_run(folder: Path, run: int, *, first: int = 0, last: int = STEPS) -> RecordFile:
    """A log with all tags from step `first` on, flushed and still open."""
    log = RecordFile(folder / f"events.out.tfevents.{int(BEGIN):010d}.tests.{run}.0", frame=tensorboard.frame)
    log.write(tensorboard.opening(BEGIN))
    for step in range(first, last):
        values = [tensorboard.scalar(tag, value(run, tag, step)) for tag in TAGS]
        log.write(tensorboard.event(values, step=step, wall_time=BEGIN + step))
    log.flush()
    return log


@dataclass(frozen=True)
class Board:
    """The service under test."""

    address: str
    base_dir: Path

    def runs(self, *names: str) -> str:
        return "&".join(f"run={run_id(name)}" for name in names)


@contextmanager
def served(base_dir: Path, *options: str) -> Iterator[Board]:
    """A service over `base_dir`, for as long as it is needed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program = [sys.executable, "-m", "mindinsight_like"]
    environ = {key: text for key, text in os.environ.items() if not key.startswith("MINDINSIGHT_")}
    where = ["--workspace", str(base_dir.parent / "workspace"), "--port", str(port)]
    start = [*program, "start", "--summary-base-dir", str(base_dir), *where, *options]
    subprocess.run(start, check=True, env=environ, cwd=base_dir)
    try:
        yield Board(f"http://127.0.0.1:{port}", base_dir)
    finally:
        subprocess.run([*program, "stop", *where], check=True, env=environ, cwd=base_dir)


@pytest.fixture(scope="session")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A service over four runs that stay as they are: one is damaged, one is long."""
    base_dir = tmp_path_factory.mktemp("ui") / "runs"
    for run, name in enumerate(("alpha", "beta", "group/gamma")):
        write_run(base_dir / name, run).close()
    damaged = next((base_dir / "beta").iterdir())
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 0xFF
    damaged.write_bytes(content)
    with RecordFile(base_dir / "long" / "events.out.tfevents.1760000000.tests.9.0", frame=tensorboard.frame) as log:
        for step in range(20_000):
            log.write(tensorboard.event([tensorboard.scalar("wave", step % 7)], step=step, wall_time=BEGIN + step))
    with served(base_dir) as board:
        yield board


@pytest.fixture
def living_board(tmp_path: Path) -> Iterator[Board]:
    """A service over one run, for tests that change what is there."""
    write_run(tmp_path / "runs" / "alpha", 0).close()
    with served(tmp_path / "runs") as board:
        yield board


@pytest.fixture(scope="session")
def corpus_board(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """A service over the logs of the real frameworks."""
    base_dir = tmp_path_factory.mktemp("real") / "corpus"
    shutil.copytree(corpus, base_dir)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def corpus_page(browser: Browser, corpus_board: Board) -> Iterator[Page]:
    """A page of that service, watched as `page` is."""
    yield from watched_page(browser, corpus_board)


def watched_page(browser: Browser, board: Board) -> Iterator[Page]:
    """An empty English page in light colours that fails the test when the page throws or complains."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, locale="en-GB", color_scheme="light", base_url=board.address,
        accept_downloads=True,
    )  # fmt: skip
    context.set_default_timeout(1000 * PATIENCE_SECONDS)
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text) if _is_complaint(message) else None)
    yield page
    context.close()
    assert troubles == []


_WAIT = """(milliseconds) => new Promise((done) => {
  setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => done())), milliseconds)
})"""


def wait_in_page(page: Page, milliseconds: int) -> None:
    """Wait by the page's own timers, then for two frames.

    Whatever it had put off for less time has happened then, and is drawn, however busy the machine is.
    """
    page.evaluate(_WAIT, milliseconds)


_WITHOUT_FRAMES = """
  let requests = new Map()
  let last = 0
  window.requestAnimationFrame = (draw) => (requests.set(++last, draw), last)
  window.cancelAnimationFrame = (request) => requests.delete(request)
  window.ResizeObserver = class { observe() {} unobserve() {} disconnect() {} }
  window.drawFrame = () => {
    const due = [...requests.values()]
    requests = new Map()
    for (const draw of due) draw(performance.now())
  }
"""


def withhold_frames(page: Page) -> None:
    """Let pages that are opened from now on be so busy that no size is reported, and frames wait for `drawFrame()`."""
    page.add_init_script(_WITHOUT_FRAMES)


@pytest.fixture
def page(browser: Browser, board: Board) -> Iterator[Page]:
    yield from watched_page(browser, board)


def _is_complaint(message: ConsoleMessage) -> bool:
    # The browser itself notes every answer that is not a success; the page has to show those to people.
    return message.type == "error" and not message.text.startswith("Failed to load resource")


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    """Wait until something that the page does not announce has happened."""

    def wait(happened: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
        until = time.monotonic() + seconds
        while not happened():
            assert time.monotonic() < until, "it did not happen in time"
            time.sleep(0.05)

    return wait
