"""A table of more rows than a browser can make an element tall: the last row is reached, and no row is skipped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from mindinsight_like.logs.framing import frame
from mindinsight_like.profiler.traces import own_format as form
from mindinsight_like.profiler.traces.trace import Activity, Place
from mindinsight_like.store.database.location import run_id

from .conftest import Board, served, wait_in_page, watched_page

EXECUTIONS, BLOCK, PITCH_NS = 1_050_000, 50_000, 1_000


def write_executions(folder: Path) -> None:
    """One operator, executed every microsecond; execution number i takes i nanoseconds modulo 997."""
    begins = np.arange(EXECUTIONS, dtype=np.int64) * PITCH_NS
    ends = begins + np.arange(EXECUTIONS) % 997 + 1
    blocks = [
        form.header(origin=1_700_000_000_000_000_000, clock=0, rank=0, ranks=1),
        form.definitions(
            {
                "tracks": (0, [["main", "python", int(Place.HOST), 0, -1]]),
                "operators": (0, [["matmul", "MatMul", int(Activity.OPERATOR), ""]]),
            }
        ),
        *(
            form.slices(0, begins[at : at + BLOCK].tolist(), ends[at : at + BLOCK].tolist(), [0] * BLOCK)
            for at in range(0, EXECUTIONS, BLOCK)
        ),
        form.done(),
    ]
    folder.mkdir(parents=True)
    (folder / f"node.rank0.1700000000000{form.ENDING}").write_bytes(b"".join(map(frame, blocks)))


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("long") / "runs"
    write_executions(base_dir / "long")
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, board: Board) -> Iterator[Page]:
    yield from watched_page(browser, board)


# Two moves; the event of the second is so late that the scroll bar counts as resting before it comes.
SCROLL_BUSILY = """(box, pixels) => {
  const withhold = (event) => event.stopImmediatePropagation()
  const moveAgain = () => {
    box.scrollTop += pixels
    document.addEventListener('scroll', withhold, { capture: true, once: true })
  }
  box.addEventListener('scroll', moveAgain, { once: true })
  box.scrollTop += pixels
}"""


def shown(page: Page) -> list[int]:
    """Numbers of the rows that are there, from 1 on."""
    numbers: list[int] = page.get_by_test_id("table-row").evaluate_all(
        "rows => rows.filter(row => row.isConnected).filter(row => {"
        " const box = row.getBoundingClientRect(), room = row.closest('.virtual').getBoundingClientRect();"
        " return box.top >= room.top - 1 && box.bottom <= room.bottom + 1 }).map(row => Number(row.ariaRowIndex))"
    )
    return sorted(numbers)


def test_the_last_of_a_million_executions_is_reached_and_none_is_skipped(
    page: Page, eventually: Callable[..., None]
) -> None:
    page.goto(f"/runs/{run_id('long')}/profiler?tab=operators&by=instance&sort=start")
    expect(page.get_by_test_id("operator-total")).to_contain_text("050", timeout=60_000)
    rows = page.get_by_test_id("table-row")
    expect(rows.first).to_be_visible()
    box = page.locator(".table .virtual")

    box.evaluate("box => box.scrollTop = box.scrollHeight")  # as the End key and the thumb do
    last = page.locator(f"[aria-rowindex='{EXECUTIONS}']")
    expect(last).to_be_in_viewport()
    expect(last.get_by_role("cell").nth(4)).to_have_text(re.compile(r"^1\D?049.999$|^1\D?050"))

    # A wheel moves by rows, also where a pixel of the scroll bar stands for many.
    box.evaluate("box => box.scrollTop = box.scrollHeight / 2")
    eventually(lambda: any(0.4 * EXECUTIONS < number < 0.6 * EXECUTIONS for number in shown(page)))
    wait_in_page(page, 400)
    before = shown(page)
    assert 0.4 * EXECUTIONS < before[0] < 0.6 * EXECUTIONS
    assert before == list(range(before[0], before[0] + len(before)))
    for _ in range(3):
        box.evaluate("box => box.scrollTop += 140")  # five rows
        wait_in_page(page, 60)
    eventually(lambda: shown(page)[:1] == [before[0] + 15])
    wait_in_page(page, 400)  # the scroll bar goes to where it belongs, the rows stay
    assert shown(page)[0] == before[0] + 15

    box.evaluate(SCROLL_BUSILY, 140)
    wait_in_page(page, 400)
    eventually(lambda: shown(page)[:1] == [before[0] + 25])

    box.evaluate("box => box.scrollTop = 0")
    expect(page.locator("[aria-rowindex='1']")).to_be_in_viewport()
