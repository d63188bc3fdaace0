"""Saved views in a real browser."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.ui.conftest import Board


def open_menu(page: Page) -> None:
    page.get_by_test_id("saved-views").click()
    expect(page.get_by_test_id("view-name")).to_be_focused()


def save(page: Page, name: str) -> None:
    page.get_by_test_id("view-name").fill(name)
    page.get_by_test_id("view-name").press("Enter")


def test_a_view_is_saved_sent_updated_renamed_and_deleted(browser: Browser, page: Page, board: Board) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"/scalars?lang=en&{board.runs('alpha', 'beta')}&tag=train/loss&s=0.5")
    expect(page.get_by_test_id("scalar-card")).to_have_count(1)
    open_menu(page)
    save(page, '<b>Loss</b> & "smooth"')
    row = page.get_by_test_id("view-row")
    expect(row).to_contain_text('<b>Loss</b> & "smooth"')
    expect(row).to_contain_text("Scalars · current view")

    row.get_by_test_id("copy-text").click()
    link = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(re.escape(board.address) + r"/views/[\w-]+", link)

    # Somebody else: another browser profile, Chinese, in a room of their own.
    other = browser.new_context(locale="zh-CN", base_url=board.address).new_page()
    other.goto(link)
    expect(other).to_have_url(re.compile(r"/scalars\?.*tag=train/loss"))
    assert "lang=" not in other.url
    expect(other.get_by_test_id("smoothing-value")).to_have_value("0.5")
    expect(other.get_by_test_id("scalar-card")).to_have_count(1)
    other.get_by_test_id("log-all").check()
    other.get_by_test_id("saved-views").click()
    expect(other.get_by_test_id("view-name")).to_have_value('<b>Loss</b> & "smooth"')
    expect(other.get_by_test_id("view-save")).to_have_text("更新")
    other.get_by_test_id("view-save").click()
    expect(other.get_by_test_id("view-row")).to_contain_text("当前页面")

    # The first one sees it without a reload, and the same link now opens the changed view.
    expect(row).not_to_contain_text("current view")
    row.get_by_test_id("view-open").click()
    expect(page.get_by_test_id("log-all")).to_be_checked()
    expect(page.get_by_test_id("view-list")).to_have_count(0)

    page.keyboard.press("g")
    page.keyboard.press("v")
    expect(page.get_by_test_id("view-name")).to_be_focused()
    row.get_by_test_id("view-rename").click()
    page.get_by_test_id("view-new-name").press_sequentially("平滑的损失")
    page.get_by_test_id("view-new-name").press("Enter")
    expect(row.get_by_test_id("view-open")).to_be_focused()
    expect(other.get_by_test_id("view-row")).to_contain_text("平滑的损失")
    row.get_by_test_id("view-delete").click()
    row.get_by_test_id("view-really-delete").click()
    expect(page.get_by_test_id("view-list")).to_contain_text("No saved views yet")
    other.goto(link)
    expect(other.get_by_test_id("state-empty")).to_contain_text("没有这个视图")
    other.context.close()


def test_views_are_found_by_search_and_refusals_are_told(page: Page, board: Board) -> None:
    page.goto(f"/scalars?{board.runs('alpha')}&tag=train/loss")
    open_menu(page)
    save(page, "Only alpha")
    expect(page.get_by_test_id("view-row")).to_have_count(1)
    page.get_by_test_id("view-name").press("Escape")
    expect(page.get_by_test_id("view-list")).to_have_count(0)
    expect(page.get_by_test_id("saved-views")).to_be_focused()

    page.goto("/runs")
    expect(page.get_by_test_id("run-list")).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_test_id("palette-input").fill("only alp")
    item = page.get_by_test_id("palette-item").filter(has_text="Only alpha")
    expect(item).to_contain_text("View")
    item.click()
    expect(page).to_have_url(re.compile(r"/scalars\?.*tag=train/loss"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"/runs$"))

    page.route("**/v1/views", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    open_menu(page)
    save(page, "Never arrives")
    expect(page.get_by_test_id("view-failure")).to_contain_text("is not responding")
    expect(page.get_by_test_id("view-name")).to_have_value("Never arrives")
