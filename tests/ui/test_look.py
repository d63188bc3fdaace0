"""Some pages pass the checks of `make look`, which has them all: nothing is cut, lies over another, or is too wide."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.look.looking import look_at
from tests.ui.conftest import Board


@pytest.mark.parametrize("page", ["/scalars", "/runs/{run}/scalars", "/profiler", "/service"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_looks_right_at_every_size(browser: Browser, board: Board, page: str, language: str) -> None:
    address = page.format(run=board.runs("alpha").removeprefix("run="))

    problems = [
        f"{found.look}: {found.problem}"
        for _, seen in look_at(browser, board.address, "test", address, language, pictures=None)
        for found in seen
    ]

    assert problems == []
