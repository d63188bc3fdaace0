"""A damaged run is named on the page while it is being rebuilt, intact ones are drawn beside it, and it comes back.

The test holds the lock of the index, so the service's loader waits and damage stays until the lock is given up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mindinsight_like.conf.settings import Settings
from mindinsight_like.loader.lock import index_lock
from mindinsight_like.loader.once import load_once
from mindinsight_like.store.database.database import open_database
from mindinsight_like.store.database.location import IndexLocation, run_id
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.files.record_file import RecordFile
from tests.ui.conftest import BEGIN, Board, served, watched_page

_STEPS = 6000
_LOADED_MS = 15_000
_HEALED_MS = 30_000


@dataclass(frozen=True)
class _HeldBoard:
    """A service over an intact and a damaged run, whose loader waits."""

    board: Board
    lock: ExitStack

    def let_rebuild(self) -> None:
        self.lock.close()


def _damage(location: IndexLocation, run: str) -> None:
    connection = open_database(location.database).connect()
    rows = connection.execute(
        "SELECT segments.id FROM segments JOIN files ON file = files.id WHERE run = ? AND data IS NULL", (run_id(run),)
    )
    connection.close()
    ((segment,),) = rows
    path = location.segments / str(segment)
    content = bytearray(path.read_bytes())
    content[::1000] = bytes(len(content[::1000]))
    path.write_bytes(content)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[_HeldBoard]:
    base_dir = tmp_path / "runs"
    for number, name in enumerate(("alpha", "beta")):
        log = RecordFile(
            base_dir / name / f"events.out.tfevents.{int(BEGIN):010d}.tests.{number}.0", frame=tensorboard.frame
        )
        values = [
            tensorboard.histogram("weights", [0.0, 1.0, 2.0], [3, 4 + number], total=5.0, sum_squares=9.0),
            tensorboard.strings("note", [f"written by {name}".encode()], shape=(), plugin="text"),
        ]
        log.write(tensorboard.event(values, step=0, wall_time=BEGIN))
        for step, point in enumerate(np.linspace(1.0, 2.0 + number, _STEPS).tolist()):
            values = [tensorboard.double_scalar("loss", point), tensorboard.double_scalar("accuracy", -point)]
            log.write(tensorboard.event(values, step=step, wall_time=BEGIN + step))
        log.close()
    settings = Settings(summary_base_dir=base_dir, workspace=tmp_path / "workspace")
    load_once(settings)
    location = IndexLocation.of(base_dir, settings.workspace, settings.store_url)
    _damage(location, "beta")  # before the service reads ahead what people compare first
    with ExitStack() as lock:
        lock.enter_context(index_lock(location))
        with served(base_dir) as board:
            yield _HeldBoard(board, lock)


@pytest.fixture
def page(browser: Browser, held: _HeldBoard) -> Iterator[Page]:
    yield from watched_page(browser, held.board)


def _card(page: Page, kind: str, tag: str) -> Locator:
    return page.locator(f'[data-testid="{kind}"][data-tag="{tag}"]').first


def test_intact_curve_is_drawn_and_the_damaged_one_comes_back(page: Page, held: _HeldBoard) -> None:
    page.goto(f"/scalars?{held.board.runs('alpha', 'beta')}")

    card = _card(page, "scalar-card", "loss")
    expect(card.get_by_test_id("being-rebuilt")).to_have_text("Rebuilding: beta", timeout=_LOADED_MS)
    expect(card.get_by_test_id("chart")).to_have_attribute("aria-label", re.compile("loss, 1 curve\\."))
    expect(card.get_by_test_id("state-failed")).to_have_count(0)
    held.let_rebuild()
    expect(card.get_by_test_id("chart")).to_have_attribute(
        "aria-label", re.compile("loss, 2 curves\\."), timeout=_HEALED_MS
    )
    expect(page.get_by_test_id("being-rebuilt")).to_have_count(0, timeout=_HEALED_MS)


def test_message_is_in_chinese_on_a_chinese_page(page: Page, held: _HeldBoard) -> None:
    page.goto(f"/scalars?{held.board.runs('alpha', 'beta')}")

    page.get_by_role("button", name="切换到中文").click()

    expect(_card(page, "scalar-card", "loss").get_by_test_id("being-rebuilt")).to_have_text(
        "正在重建：beta", timeout=_LOADED_MS
    )


@pytest.mark.parametrize(
    ("address", "kind", "tag"), [("histograms", "histogram-card", "weights"), ("texts", "text-card", "note")]
)
def test_other_boards_name_the_damaged_run_as_well(
    page: Page, held: _HeldBoard, address: str, kind: str, tag: str
) -> None:
    page.goto(f"/{address}?{held.board.runs('alpha', 'beta')}")

    card = _card(page, kind, tag)
    expect(card.get_by_test_id("being-rebuilt")).to_have_text("Rebuilding: beta", timeout=_LOADED_MS)
    expect(card.get_by_test_id("state-failed")).to_have_count(0)
    held.let_rebuild()
    expect(page.get_by_test_id("being-rebuilt")).to_have_count(0, timeout=_HEALED_MS)
    expect(card).to_be_visible()


def test_comparison_draws_the_intact_curve(page: Page, held: _HeldBoard) -> None:
    page.goto(f"/compare?{held.board.runs('alpha', 'beta')}&facet=run")  # as the service computes curves

    card = _card(page, "compare-card", "loss")
    expect(card.get_by_test_id("being-rebuilt")).to_have_text("Rebuilding: beta", timeout=_LOADED_MS)
    expect(card).to_have_attribute("data-curves", "1")
    held.let_rebuild()
    expect(card).to_have_attribute("data-curves", "2", timeout=_HEALED_MS)
    expect(page.get_by_test_id("being-rebuilt")).to_have_count(0, timeout=_HEALED_MS)


def test_only_damaged_runs_leave_a_note_in_place_of_the_cards(page: Page, held: _HeldBoard) -> None:
    page.goto(f"/scalars?{held.board.runs('beta')}")

    expect(page.get_by_test_id("state-failed").first).to_contain_text(
        "is being rebuilt from the logs", timeout=_LOADED_MS
    )
    held.let_rebuild()
    chart = _card(page, "scalar-card", "loss").get_by_test_id("chart")
    expect(chart).to_have_attribute("aria-label", re.compile("loss, 1 curve\\."), timeout=_HEALED_MS)
