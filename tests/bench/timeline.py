"""How a timeline of ten million events moves in a real browser, and what it costs to answer and to analyse."""

from __future__ import annotations

import statistics
import time
from contextlib import suppress
from typing import Any, cast

import psutil
from playwright.sync_api import CDPSession, Page, sync_playwright

from tests.chromium import launch

from . import ours
from .measurements import Bench
from .ours import Service
from .processes import peak_mb
from .report import Row
from .traces import made_trace
from .yardsticks import bare_page, numpy_pass_ms

_EVENTS = 2.3  # times the size of the other trace, which has 4.3 million events
_WIDTH = 2048  # pixels of a window, as the page asks for them
_LEVELS = 24
_HOLD_SECONDS = 1.5
_DRAWN_RATIO = 4.0
_FRAME_RATIO = 4.0
_BETWEEN_RATIO = 1.05
_ANSWER_RATIO = 1 / 2
_BARE_FRAMES = 120
_ANALYSING = "mindinsight_like.profiler.jobs"

_DRAWN = """() => new Promise((done) => {
  const look = () => {
    const canvas = document.querySelector('[data-testid="timeline-canvas"]')
    const pen = canvas?.width ? canvas.getContext('2d') : null
    const pixels = pen ? new Uint32Array(pen.getImageData(0, 0, canvas.width, canvas.height).data.buffer) : []
    if (new Set(pixels).size < 20) requestAnimationFrame(look)
    else requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())))
  }
  look()
})"""
_WATCH = """() => {
  const times = (window.frameTimes = [])
  const note = (now) => { if (window.frameTimes === times) { times.push(now); requestAnimationFrame(note) } }
  requestAnimationFrame(note)
}"""
_WATCHED = """() => {
  const times = window.frameTimes
  window.frameTimes = null
  return times.slice(1).map((time, i) => time - times[i])
}"""

_BARE = """(frames) => new Promise((done) => {
  const times = []
  const next = (now) => {
    times.push(now)
    fill(times.length)
    if (times.length <= frames) requestAnimationFrame(next)
    else done(times.slice(1).map((time, i) => time - times[i]))
  }
  requestAnimationFrame(next)
})"""


def timeline(bench: Bench) -> list[Row]:
    """One analysis and one visit; frames of several visits to all levels of detail."""
    file, slices = made_trace(bench.data, int(_EVENTS * bench.trace_megabytes))
    drawn: list[float] = []
    cpu: list[float] = []
    between: list[float] = []
    bare_drawn, bare_cpu, bare_between = [], list[float](), list[float]()
    with bench.scratch() as scratch, sync_playwright() as playwright:
        browser = launch(playwright)
        with ours.serving(file.parent, scratch / "workspace", scratch, runs=1) as service:
            (profile,) = service.json("profiles")["profiles"]
            peak = _analysed(service, profile["id"])
            answers, most_bytes = _answers(service, profile["id"])
            numpy_passes = [numpy_pass_ms(slices) for _ in range(bench.repeat)]
            for _ in range(bench.repeat):
                with bare_page(browser, scratch / "bare.html", curves=1_000, points=1_000) as (page, seconds):
                    bare_drawn.append(seconds)
                    costs, gaps = _bare_frames(page, page.context.new_cdp_session(page))
                    bare_cpu.append(costs)
                    bare_between += gaps
                context = browser.new_context(viewport={"width": 1280, "height": 900})
                page = context.new_page()
                page.goto(f"{service.address}/runs/{profile['run']}/profiler?tab=timeline")
                drawn.append(cast(float, page.evaluate(_DRAWN)) / 1e3)
                for costs, gaps in _moves(page, context.new_cdp_session(page)):
                    cpu.append(costs)
                    between += gaps
                context.close()
            workers = max(peak_mb(each) for each in service.process.children(recursive=True))
        browser.close()
    slow = sorted(between)[int(0.95 * len(between))]
    what = f"timeline of {slices / 1e6:.1f} M slices"
    return [
        Row(
            f"{what}: address to drawn", "s", drawn, bare_drawn, ratio_limit=_DRAWN_RATIO,
            note="analysed before; yardstick: a bare page with a million points",
        ),
        Row(
            f"{what}: main thread for a frame", "CPU ms", cpu, bare_cpu, ratio_limit=_FRAME_RATIO,
            note=f"at most {max(cpu):.1f}; zooming and moving through all levels; yardstick: 3,000 bare rectangles",
        ),
        Row(
            f"{what}: frame to frame", "ms", between, bare_between, ratio_limit=_BETWEEN_RATIO,
            note=f"19 of 20 within {slow:.0f} ms; yardstick: the bare page",
        ),
        Row(
            f"{what}: answer with a window", "ms", answers, numpy_passes, ratio_limit=_ANSWER_RATIO,
            note=f"at most {max(answers):.0f} ms and {most_bytes / 1e3:.0f} kB, {_WIDTH} pixels, {len(answers)} levels"
            "; yardstick: numpy's extremes of as many values",
        ),
        Row(f"{what}: analysing it", "peak MB", [peak], note=f"{file.stat().st_size / 1e6:,.0f} MB of JSON"),
        Row(f"{what}: a web worker", "peak MB", [workers], note="mapped columns that were looked at included"),
    ]  # fmt: skip


def _analysed(service: Service, profile: str) -> float:
    """Wait for the analysis; the most memory that the process which made it has held."""
    peak = 0.0
    while "tracks" not in service.json(f"profiles/{profile}/tracks"):
        for process in service.process.children(recursive=True):
            with suppress(psutil.NoSuchProcess, FileNotFoundError):
                if _ANALYSING in process.cmdline():
                    peak = max(peak, peak_mb(process))
        time.sleep(0.1)
    return peak


def _answers(service: Service, profile: str) -> tuple[list[float], int]:
    """Milliseconds of a window at each level, from everything down to some microseconds; and the most bytes."""
    about: dict[str, Any] = service.json(f"profiles/{profile}/tracks")
    first, length = about["from_ns"], about["to_ns"] - about["from_ns"]
    times: list[float] = []
    most = 0
    for level in range(_LEVELS):
        begin = first + length // 3
        window = {"from_ns": begin, "to_ns": begin + (length >> level), "width": _WIDTH}
        taken = []
        for _ in range(3):
            started = time.perf_counter()
            content = service.get(f"profiles/{profile}/timeline", [(key, str(value)) for key, value in window.items()])
            taken.append((time.perf_counter() - started) * 1e3)
            most = max(most, len(content))
        times.append(statistics.median(taken))
    return times, most


def _moves(page: Page, devtools: CDPSession) -> list[tuple[float, list[float]]]:
    """CPU milliseconds of the page's main thread for a frame, and from frame to frame, while keys are held down."""
    stage = page.get_by_test_id("timeline-stage")
    box = stage.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    stage.focus()
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    found = []
    for key in ("w", "d", "a") * 3 + ("s",) * 3:
        before = _main_thread(devtools)
        page.evaluate(_WATCH)
        page.keyboard.down(key)
        page.wait_for_timeout(_HOLD_SECONDS * 1e3)
        page.keyboard.up(key)
        gaps = cast("list[float]", page.evaluate(_WATCHED))
        found.append(((_main_thread(devtools) - before) * 1e3 / len(gaps), gaps))
    return found


def _bare_frames(page: Page, devtools: CDPSession) -> tuple[float, list[float]]:
    """The same of a page that only fills rectangles."""
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = _main_thread(devtools)
    gaps = cast("list[float]", page.evaluate(_BARE, _BARE_FRAMES))
    return (_main_thread(devtools) - before) * 1e3 / len(gaps), gaps


def _main_thread(devtools: CDPSession) -> float:
    metrics = {each["name"]: each["value"] for each in devtools.send("Performance.getMetrics")["metrics"]}
    return cast(float, metrics["TaskDuration"])
