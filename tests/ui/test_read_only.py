"""A visitor whose token is for reading, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import mindinsight_like as mi
from tests.ui.conftest import Board, served, watched_page

FULL, TOKEN = "a-token-for-everything", "a-token-for-reading"


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Board]:
    mi.log_lineage(tmp_path / "runs" / "alpha", params={"lr": 0.1}, code=False, environment=False)
    with served(tmp_path / "runs", "--token", FULL, "--read-token", TOKEN) as board:
        yield board


@pytest.fixture
def page(browser: Browser, shared: Board) -> Iterator[Page]:
    yield from watched_page(browser, shared)


def test_who_may_only_read_is_offered_no_editing(browser: Browser, page: Page, shared: Board) -> None:
    owner = browser.new_context(base_url=shared.address, locale="en-GB").new_page()
    owner.goto(f"/lineage/models?token={FULL}")
    owner.get_by_test_id("cell-note").click()
    owner.get_by_test_id("edit-note").fill("keep this one")
    owner.get_by_test_id("edit-note").press("Enter")
    owner.get_by_test_id("saved-views").click()
    owner.get_by_test_id("view-name").fill("models")
    owner.get_by_test_id("view-name").press("Enter")
    expect(owner.get_by_test_id("view-row")).to_have_count(1)
    expect(owner.get_by_test_id("read-only")).to_have_count(0)

    page.goto(f"/lineage/models?token={TOKEN}")

    expect(page.get_by_test_id("read-only")).to_have_text("Read-only")
    assert "token" not in page.url
    note = page.get_by_test_id("cell-note")
    expect(note).to_have_text("keep this one")
    note.click()
    expect(page.get_by_test_id("edit-note")).to_have_count(0)
    page.get_by_test_id("saved-views").click()
    expect(page.get_by_test_id("view-row")).to_contain_text("models")
    for hidden in ("view-name", "view-rename", "view-delete"):
        expect(page.get_by_test_id(hidden)).to_have_count(0)
    page.goto("/lineage/models?lang=zh")
    expect(page.get_by_test_id("read-only")).to_have_text("只读")
