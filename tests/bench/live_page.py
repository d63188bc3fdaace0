"""What a page costs that follows four trainings: processor time of its renderer, and requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from playwright.sync_api import Page, sync_playwright

from mindinsight_like import SummaryWriter
from tests.chromium import launch

from . import ours
from .measurements import Bench
from .processes import cpu_seconds
from .report import Row

_RUNS, _TAGS = 4, 20
_EVERY_SECONDS = 0.5
_FIRST_STEPS = 200  # logged before the page opens
_SETTLING_SECONDS = 10.0
_WATCHED_SECONDS = 30.0
_RENDERER_RATIO = 0.08  # of the seconds of one core
_REQUESTS_PER_SECOND = 1.0

# What the page shows of it: the workspace of curves, and the home page with its table.
_PAGES = ("scalars?all=1", "")


def live_page(bench: Bench) -> list[Row]:
    """Four runs of twenty scalars, a point of each every half second, looked at for half a minute."""
    rows: list[Row] = []
    with bench.scratch() as scratch:
        logs = scratch / "logs"
        with (
            _training(logs),
            ours.serving(logs, scratch / "workspace", scratch, runs=_RUNS) as service,
            sync_playwright() as playwright,
        ):
            browser = launch(playwright)
            for path in _PAGES:
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                page.goto(f"{service.address}/{path}")
                page.get_by_test_id("chart").first.wait_for()
                rows += _watched(page, path or "home")
                page.close()
            browser.close()
    return rows


def _watched(page: Page, name: str) -> list[Row]:
    page.wait_for_timeout(1000 * _SETTLING_SECONDS)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    renderer = _renderer(page)
    before, began = cpu_seconds(renderer), time.perf_counter()
    page.wait_for_timeout(1000 * _WATCHED_SECONDS)
    took = time.perf_counter() - began
    used = cpu_seconds(renderer) - before
    paths: dict[str, int] = {}
    for url in requests:
        path = url.split("?")[0].split("/v1/")[-1]
        paths[path] = paths.get(path, 0) + 1
    what = f"live page ({name}), {_RUNS} runs x {_TAGS} tags at {1 / _EVERY_SECONDS:g} Hz"
    return [
        Row(
            f"{what}: renderer", "CPU s", [used], [took],
            ratio_limit=_RENDERER_RATIO, note="beside the seconds of one core",
        ),
        Row(
            f"{what}: requests a second", "count", [len(requests) / took],
            limit=_REQUESTS_PER_SECOND, note=", ".join(f"{count} {path}" for path, count in paths.items()),
        ),
    ]  # fmt: skip


def _renderer(page: Page) -> psutil.Process:
    """The process that draws the page: of this browser's renderers, the one that is busy when the page is."""
    me = psutil.Process()
    renderers = [each for each in me.children(recursive=True) if "--type=renderer" in " ".join(each.cmdline())]
    before = {each.pid: sum(each.cpu_times()[:2]) for each in renderers}
    page.evaluate("() => { const end = performance.now() + 300; while (performance.now() < end); }")
    return max(renderers, key=lambda each: sum(each.cpu_times()[:2]) - before[each.pid])


@contextmanager
def _training(logs: Path) -> Iterator[None]:
    """Runs that log as long as the block lasts."""
    writers = [SummaryWriter(str(logs / f"run{place}")) for place in range(_RUNS)]
    is_over = threading.Event()

    def log(step: int) -> None:
        for place, writer in enumerate(writers):
            for tag in range(_TAGS):
                value = (1 + place) / (1 + step + tag) + (step * 7919 * (tag + 1) % 97) / 970
                writer.add_scalar(f"{('train', 'eval')[tag % 2]}/value_{tag:02d}", value, step)

    def follow() -> None:
        step = _FIRST_STEPS
        while not is_over.wait(_EVERY_SECONDS):
            log(step)
            for writer in writers:
                writer.flush()
            step += 1

    for step in range(_FIRST_STEPS):
        log(step)
    for writer in writers:
        writer.flush()
    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        for writer in writers:
            writer.close()
