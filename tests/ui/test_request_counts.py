"""A link to a board with many runs makes a few requests, not one for each run and card."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from mindinsight_like import SummaryWriter
from tests.ui.conftest import Board, served, wait_in_page, watched_page

RUNS = [f"run{number}" for number in range(7)]
TAGS = 8


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir: Path = tmp_path_factory.mktemp("requests") / "runs"
    for number, name in enumerate(RUNS):
        with SummaryWriter(str(base_dir / name)) as writer:
            for tag in range(TAGS):
                writer.add_histogram(f"layer{tag}/weight", np.linspace(-1, 1 + number, 40), 0)
                writer.add_scalar(f"metric{tag}", number, 0)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, board: Board) -> Iterator[Page]:
    yield from watched_page(browser, board)


@pytest.mark.parametrize(
    ("path", "card", "most"),
    [
        # The shell and the runs 4, tags of each run 7, cards 3.
        ("histograms", "histogram-card", 14),
        # The shell and the runs 4, tags 1, cards 3.
        ("scalars", "scalar-card", 8),
    ],
)
def test_cards_share_their_requests(page: Page, board: Board, path: str, card: str, most: int) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if "/v1/" in request.url else None)

    page.goto(f"/{path}?{board.runs(*RUNS)}")
    expect(page.get_by_test_id(card).first).to_have_attribute("data-loaded", "true")
    wait_in_page(page, 1500)

    # How often the page asks for changes depends on how long this takes.
    own = [url for url in requests if "/v1/changes" not in url]
    assert len(own) <= most, own
