"""The service page says when rows of the index are not covered by checksums."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, expect

from mindinsight_like.store.database.database import open_database
from mindinsight_like.store.database.location import IndexLocation
from tests.conftest import PostgreSQLServer

from .conftest import served, watched_page, write_run

WORDS = {"en": "The index has no checksums", "zh": "没有校验和保护"}


def test_postgresql_without_checksums_is_warned_of(
    browser: Browser, postgresql_server: PostgreSQLServer, tmp_path: Path
) -> None:
    postgresql_server.set_checksums(is_on=False)
    write_run(tmp_path / "runs" / "alpha", 0).close()
    with served(tmp_path / "runs", "--store-url", postgresql_server.url, "--store-checksums", "optional") as board:
        for page in watched_page(browser, board):
            assert page.request.get("/v1/service").json()["has_checksums"] is False
            for language, words in WORDS.items():
                page.goto(f"/service?lang={language}")
                expect(page.get_by_test_id("no-checksums")).to_contain_text(words)
                expect(page.get_by_test_id("no-checksums")).to_contain_text("pg_checksums --enable")

    postgresql_server.set_checksums(is_on=True)
    place = IndexLocation.of(tmp_path / "runs", tmp_path / "workspace", postgresql_server.url)
    assert open_database(place.database).has_checksums()
    with served(tmp_path / "runs", "--store-url", postgresql_server.url) as board:
        for page in watched_page(browser, board):
            assert page.request.get("/v1/service").json()["has_checksums"] is True
            page.goto("/service")
            expect(page.get_by_test_id("service-state")).to_be_visible()
            expect(page.get_by_test_id("no-checksums")).to_have_count(0)
