"""How long a thousand runs take to be compared in a real browser: until they are drawn, and under the pointer."""

from __future__ import annotations

from typing import cast

from playwright.sync_api import Browser, sync_playwright

from tests.chromium import launch

from . import ours
from .measurements import Bench
from .report import Row
from .shapes import Shape
from .yardsticks import bare_page

SHAPE = Shape("compare", 1_000, 1, 1_000)
_DRAWN_RATIO = 6.0
_HOVER_RATIO = 3.0
_MOVES = 60
_LONGEST_SECONDS = 60

# Both wait for the frame after the one that draws, so that the drawing itself is in the time.
_DRAWN = """([curves, seconds]) => new Promise((done, fail) => {
  const look = () => {
    const card = document.querySelector('[data-testid="compare-card"]')
    if (performance.now() > 1e3 * seconds) fail(new Error(`${card?.dataset.curves} curves after ${seconds} s`))
    else if (card?.dataset.curves !== String(curves)) requestAnimationFrame(look)
    else requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())))
  }
  look()
})"""
_HOVER = """async (moves) => {
  const chart = document.querySelector('[data-testid="chart"]')
  const { left, top, width, height } = chart.getBoundingClientRect()
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel()
    channel.port1.onmessage = done
    channel.port2.postMessage(0)
  }))
  const times = []
  for (let i = 0; i < moves; i++) {
    const clientX = left + width * (0.15 + (0.7 * i) / moves)
    const clientY = top + height * (0.2 + 0.5 * ((i * 7) % 10) / 10)
    await frame()
    const began = performance.now()
    chart.dispatchEvent(new PointerEvent('pointermove', { clientX, clientY, bubbles: true }))
    await painted()
    times.push(performance.now() - began)
  }
  return times
}"""


def compare(bench: Bench) -> list[Row]:
    """A comparison of all runs by its address, in a service that has just started, and in one that has answered it."""
    logs = bench.logs(SHAPE)
    first: list[float] = []
    again: list[float] = []
    moves: list[float] = []
    bare_drawn: list[float] = []
    bare_moves: list[float] = []
    for _ in range(bench.repeat):
        with bench.scratch() as scratch, sync_playwright() as playwright:
            browser = launch(playwright)
            with bare_page(browser, scratch / "bare.html", curves=SHAPE.runs, points=SHAPE.steps) as (page, seconds):
                bare_drawn.append(seconds)
                bare_moves += cast("list[float]", page.evaluate(_HOVER, _MOVES))
            with ours.serving(logs, scratch / "workspace", scratch, runs=SHAPE.runs) as service:
                address = f"{service.address}/scalars?all=1&draw=lines&s=0"
                seconds, times = _opened(browser, address)
                first.append(seconds)
                moves += times
                again.append(_opened(browser, address)[0])
            browser.close()
    what = f"{SHAPE.runs:,} runs of {SHAPE.steps:,} points"
    slow = sorted(moves)[int(0.95 * len(moves))]
    bare = "yardstick: a bare page that draws as many points"
    return [
        Row(
            f"{what}: address to drawn", "s", first, bare_drawn, ratio_limit=_DRAWN_RATIO,
            note=f"curves not in memory yet; {bare}",
        ),
        Row(f"{what}: the same again", "s", again, bare_drawn, ratio_limit=_DRAWN_RATIO),
        Row(
            f"{what}: pointer to painted", "ms", moves, bare_moves, ratio_limit=_HOVER_RATIO,
            note=f"19 of 20 within {slow:.0f} ms; yardstick: the bare page",
        ),
    ]  # fmt: skip


def _opened(browser: Browser, address: str) -> tuple[float, list[float]]:
    """Seconds from the begin of the navigation until all curves are drawn, and milliseconds of moves over them."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(address)
    seconds = cast(float, page.evaluate(_DRAWN, [SHAPE.runs, _LONGEST_SECONDS])) / 1e3
    times = cast("list[float]", page.evaluate(_HOVER, _MOVES))
    context.close()
    return seconds, times
