"""How long a page takes to its first chart where there are 2,000 runs of 50 tags, beside TensorBoard's page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from playwright.sync_api import Browser, sync_playwright

from tests.chromium import launch

from . import ours
from .measurements import Bench
from .report import Row
from .shapes import Shape

SHAPE = Shape("first", 2_000, 50, 50)
_RATIO = 1 / 10
_MOST_MB = 25.0
_PATIENCE_MS = 180_000

# The first frame after the one that has it. TensorBoard selects no run where there are more than 500, so that its card
# stays empty; ours has to show curves.
_FIRST = """(selectors) => new Promise((done) => {
  const look = () => {
    if (!selectors.some((selector) => document.querySelector(selector))) requestAnimationFrame(look)
    else requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())))
  }
  look()
})"""
_THEIRS = ("scalar-card", "card-view")
_OURS = ('[data-curves]:not([data-curves="0"]) [data-testid="chart"]',)


def first_chart(bench: Bench) -> list[Row]:
    """Each page opened in a browser of its own, in turns, by servers that have loaded everything."""
    logs = bench.logs(SHAPE, "tb")
    peer: list[float] = []
    own: dict[str, list[float]] = {"scalars": [], "": []}
    heaps: dict[str, list[float]] = {"scalars": [], "": []}
    with (
        bench.scratch() as scratch,
        bench.tensorboard.serving(logs, SHAPE, scratch) as server,
        ours.serving(logs, scratch / "workspace", scratch, runs=SHAPE.runs) as service,
        sync_playwright() as playwright,
    ):
        page = server.address.removesuffix("/data/plugin")
        for _ in range(bench.repeat):
            for path in own:
                seconds, megabytes = _opened(launch(playwright), f"{service.address}/{path}", _OURS)
                own[path].append(seconds)
                heaps[path].append(megabytes)
            peer.append(_opened(launch(playwright), f"{page}/#timeseries", _THEIRS)[0])
    what = f"{SHAPE.runs:,} runs x {SHAPE.tags} tags"
    return [
        row
        for path, name in (("scalars", "curve workspace"), ("", "home"))
        for row in (
            Row(
                f"{what}, {name}: address to first chart", "s", own[path], peer,
                ratio_limit=_RATIO, note="TensorBoard's first card stays empty: no run is selected",
            ),
            Row(f"{what}, {name}: heap of the page", "MB", heaps[path], limit=_MOST_MB, note="after a collection"),
        )
    ]  # fmt: skip


def _opened(browser: Browser, address: str, selectors: Sequence[str]) -> tuple[float, float]:
    """Seconds from the begin of the navigation to the first chart, and megabytes of the page's heap then."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(_PATIENCE_MS)
    page.goto(address, wait_until="commit")
    seconds = cast(float, page.evaluate(_FIRST, list(selectors))) / 1e3
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = cast(float, session.send("Runtime.getHeapUsage")["usedSize"])
    browser.close()
    return seconds, used / 1e6
