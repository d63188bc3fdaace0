"""Yardsticks: plain pieces of work whose time, taken in the same run, says how quick the machine is just now.

Where no other program does what ours does, a target is a ratio to one of these. Each does the least that its task
takes, with the ordinary means of its language, and never changes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import numpy as np
import psutil
from playwright.sync_api import Browser, Page

_BUCKETS = 1000


def reading_json_ms(nodes: Iterable[tuple[str, str, list[str]]]) -> float:
    """Milliseconds that Python's json takes for these nodes, and a dictionary for what each one feeds."""
    text = json.dumps([{"name": name, "type": kind, "inputs": inputs} for name, kind, inputs in nodes])
    began = time.perf_counter()
    consumers: dict[str, list[str]] = {}
    for node in json.loads(text):
        for source in node["inputs"]:
            consumers.setdefault(source, []).append(node["name"])
    return (time.perf_counter() - began) * 1e3


def numpy_pass_ms(points: int) -> float:
    """Milliseconds of numpy for the smallest and largest of so many values in 1,000 buckets."""
    values = np.random.default_rng(1).normal(size=points)
    starts = np.arange(0, points, points // _BUCKETS)
    began = time.perf_counter()
    np.minimum.reduceat(values, starts)
    np.maximum.reduceat(values, starts)
    return (time.perf_counter() - began) * 1e3


def clock_us(calls: int) -> float:
    """CPU microseconds of what any recorder must do for one operation: read the clock twice and keep both."""
    kept: list[tuple[int, int]] = []
    clock = time.perf_counter_ns
    began = time.process_time()
    for _ in range(calls):
        start = clock()
        kept.append((start, clock()))
    return (time.process_time() - began) / calls * 1e6


def host_metrics_cpu_seconds(times: int) -> float:
    """CPU seconds of psutil for the ordinary metrics of a machine, once."""
    began = time.process_time()
    for _ in range(times):
        psutil.cpu_times(percpu=True)
        psutil.virtual_memory()
        psutil.swap_memory()
        psutil.disk_io_counters()
        psutil.net_io_counters()
        psutil.Process().cpu_times()
    return (time.process_time() - began) / times


@contextmanager
def bare_page(browser: Browser, file: Path, *, curves: int, points: int) -> Iterator[tuple[Page, float]]:
    """A page that draws so many curves on a canvas and nothing else; the seconds from its address to the drawing.

    `move()` in it is the answer to a pointer: it looks at every curve and draws one line. `fill()` clears the canvas
    and draws a rectangle for every second pixel of a row, five rows, as a frame of something that moves would.
    """
    file.write_text(_PAGE.replace("CURVES", str(curves)).replace("POINTS", str(points)))
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(file.as_uri())
    seconds = cast(float, page.evaluate("() => window.drawn")) / 1e3
    yield page, seconds
    context.close()


_PAGE = """<!doctype html><meta charset="utf-8"><title>yardstick</title>
<canvas id="chart" data-testid="chart" width="1200" height="600" tabindex="0"></canvas>
<script>
const canvas = document.getElementById('chart')
const pen = canvas.getContext('2d')
const lines = Array.from({ length: CURVES }, (_, line) => {
  const values = new Float64Array(POINTS)
  for (let i = 0; i < POINTS; i++) values[i] = 300 + 200 * Math.sin(i / 50 + line) * Math.exp(-i / POINTS)
  return values
})
function draw() {
  pen.clearRect(0, 0, 1200, 600)
  lines.forEach((values, line) => {
    pen.strokeStyle = `hsl(${(line * 37) % 360} 60% 50%)`
    pen.beginPath()
    for (let i = 0; i < POINTS; i++) pen.lineTo((i / POINTS) * 1200, values[i])
    pen.stroke()
  })
}
function move(x, y) {
  const at = Math.min(POINTS - 1, Math.max(0, Math.round((x / 1200) * POINTS)))
  let nearest = 0
  lines.forEach((values, line) => {
    if (Math.abs(values[at] - y) < Math.abs(lines[nearest][at] - y)) nearest = line
  })
  pen.fillRect(x, lines[nearest][at], 2, 2)
}
function fill(frame) {
  pen.clearRect(0, 0, 1200, 600)
  for (let row = 0; row < 5; row++) {
    for (let x = 0; x < 1200; x += 2) {
      pen.fillStyle = `hsl(${(x + frame + 40 * row) % 360} 60% 50%)`
      pen.fillRect(x, row * 100, 1, 20)
    }
  }
}
canvas.addEventListener('pointermove', (event) => move(event.offsetX, event.offsetY))
window.drawn = new Promise((done) => requestAnimationFrame(() => {
  draw()
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())))
}))
</script>
"""
