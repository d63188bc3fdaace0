"""Reports in a real browser: made by the page, opened from a file without a network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import mindinsight_like as mi
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.files.record_file import RecordFile
from tests.ui.conftest import Board, served, watched_page

HOSTILE = "<img src=x onerror=window.hacked=1>"
TAG = "loss</script><script>window.hacked=1</script>"
STEPS = 50


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    """Two runs, one of them with names that would run as code where they are not taken for text."""
    base_dir = tmp_path_factory.mktemp("report") / "runs"
    for number, name in enumerate(("plain", HOSTILE)):
        path = base_dir / name / "events.out.tfevents.1760000000.tests.1.0"
        with RecordFile(path, frame=tensorboard.frame) as log:
            for step in range(STEPS):
                values = [tensorboard.scalar(tag, (number + 1) * step / 8) for tag in (TAG, "accuracy")]
                log.write(tensorboard.event(values, step=step, wall_time=1_760_000_000.0 + step))
        mi.log_lineage(base_dir / name, params={"lr": 0.1 * (number + 1)}, code=False, environment=False)
    with served(base_dir) as board:
        yield board


@pytest.fixture
def page(browser: Browser, hostile: Board) -> Iterator[Page]:
    yield from watched_page(browser, hostile)


@pytest.fixture
def offline(browser: Browser) -> Iterator[Page]:
    """A page without a network that fails the test when anything but the report is asked for, or complains."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    page = context.new_page()
    asked: list[str] = []
    troubles: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: troubles.append(dialog.message))
    yield page
    hacked = page.evaluate("'hacked' in window")
    context.close()
    assert (troubles, hacked) == ([], False)
    assert len(asked) == 1 and asked[0].startswith("file:")


def save_report(page: Page, path: Path, note: str = "") -> None:
    page.get_by_test_id("report").click()
    page.get_by_test_id("report-note").fill(note)
    with page.expect_download() as caught:
        page.get_by_test_id("report-save").click()
    assert caught.value.suggested_filename.endswith(".html")
    caught.value.save_as(path)
    expect(page.get_by_test_id("report-save")).to_have_count(0)


def test_a_comparison_is_kept_with_its_values_notes_and_address(page: Page, offline: Page, tmp_path: Path) -> None:
    page.goto("/compare?all=1&lang=en&s=0")
    expect(page.get_by_test_id("scalar-card")).to_have_count(2)
    save_report(page, tmp_path / "report.html", f"Two runs.\n{HOSTILE}")

    offline.goto((tmp_path / "report.html").as_uri())
    expect(offline.locator("header")).to_contain_text(f"Two runs.\n{HOSTILE}")
    expect(offline.locator("header a")).to_have_attribute("href", f"{page.url.split('/scalars')[0]}/scalars?all=1&s=0")
    expect(offline.locator("figcaption")).to_have_text(["accuracy", TAG])
    expect(offline.locator("table").first).to_contain_text(HOSTILE)
    expect(offline.locator("table").first.locator("tbody tr").filter(has_text="plain")).to_contain_text("6.125")

    figure = offline.locator("figure").first
    figure.focus()
    for _ in range(3):
        figure.press("ArrowRight")
    reading = figure.locator(".reading")
    expect(reading.locator("strong")).to_have_text("Step 2")
    expect(reading.locator("div").filter(has_text="plain").locator("b")).to_have_text("0.25")
    expect(reading.locator("div").filter(has_text=HOSTILE).locator("b")).to_have_text("0.5")
    figure.locator(".chart > svg").hover()
    expect(reading.locator("strong")).to_have_text(re.compile("Step 2[3-6]"))
    offline.set_viewport_size({"width": 420, "height": 800})
    chart = figure.locator(".chart > svg")
    area = chart.bounding_box() or pytest.fail("no chart")
    for share in (0.3, 0.52, 0.9):
        chart.hover(position={"x": share * area["width"], "y": area["height"] / 2})
        box = reading.bounding_box() or pytest.fail("no reading")
        assert area["x"] <= box["x"] and box["x"] + box["width"] <= area["x"] + area["width"] + 1


def test_groups_are_reported_with_their_meaning_bands_and_numbers_of_runs(
    page: Page, offline: Page, tmp_path: Path
) -> None:
    page.goto("/compare?all=1&lang=en&tag=accuracy&groupre=()&band=minmax&x=relative&s=0")
    expect(page.get_by_test_id("compare-card")).to_have_attribute("data-curves", "1")
    save_report(page, tmp_path / "groups.html")

    offline.goto((tmp_path / "groups.html").as_uri())
    expect(offline.locator("header dl")).to_contain_text("Mean · Min–max")
    expect(offline.locator("header dl")).to_contain_text("Relative time")
    figure = offline.locator("figure").first
    figure.focus()
    for _ in range(3):
        figure.press("ArrowRight")
    expect(figure.locator(".reading b")).to_have_text("0.375")
    expect(figure.locator(".reading small")).to_have_text("0.25 – 0.5  n = 2")


def test_scalars_and_lineage_are_reported_too(page: Page, offline: Page, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 900, "height": 320})  # cards below the fold come along
    page.goto("/scalars?lang=zh")
    expect(page.get_by_test_id("scalar-card").first).to_be_visible()
    save_report(page, tmp_path / "scalars.html")
    assert (tmp_path / "scalars.html").read_text(encoding="utf-8").count("<figure") == 2

    page.goto("/lineage/models?lang=en")
    expect(page.get_by_test_id("run-total")).to_have_text("2 runs")
    page.keyboard.press("Control+k")
    page.get_by_test_id("palette-input").fill("report")
    page.get_by_test_id("palette-item").filter(has_text="Report").click()
    with page.expect_download() as caught:
        page.get_by_test_id("report-save").click()
    caught.value.save_as(tmp_path / "lineage.html")
    offline.goto((tmp_path / "lineage.html").as_uri())
    row = offline.locator("tbody tr").filter(has_text=HOSTILE)
    expect(row).to_contain_text("0.2")
    expect(offline.locator("thead")).to_contain_text("Learning rate")
