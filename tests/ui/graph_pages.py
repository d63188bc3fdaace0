"""What tests of drawn graphs share: reading the drawing as it would be saved, and finding nodes on the screen."""

from __future__ import annotations

import re
from urllib.parse import parse_qs
from xml.etree import ElementTree

from playwright.sync_api import Locator, Page, expect

_SVG = "{http://www.w3.org/2000/svg}"


def drawn(page: Page) -> Locator:
    """The stage, once something is drawn on it."""
    stage = page.get_by_test_id("graph-stage")
    expect(stage).to_have_attribute("data-drawn", "true")
    expect(stage.get_by_role("status").filter(has_text="Laying out")).to_have_count(0)
    return stage


def row(page: Page, name: str) -> Locator:
    """A node in the outline."""
    if page.get_by_test_id("graph-outline").count() == 0:
        page.get_by_test_id("tab-outline").click()
    return page.locator(f'[data-testid="outline-row"][data-name="{name}"]')


def svg(page: Page) -> ElementTree.Element:
    page.get_by_test_id("graph-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("graph-svg").click()
    return ElementTree.parse(download.value.path()).getroot()


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{_SVG}text")]


def dashed(root: ElementTree.Element, dashes: str) -> int:
    """How many lines are drawn with these dashes."""
    return sum(element.get("stroke-dasharray") == dashes for element in root.iter(f"{_SVG}path"))


def view_of(page: Page) -> tuple[float, float, float]:
    """Which point of the drawing is in the middle of the stage, and how much it is enlarged, as the address says."""
    # Asked of the page itself: what playwright knows of the address is as old as its last call.
    query = parse_qs(str(page.evaluate("() => location.search.slice(1)")))
    x, y, scale = (float(part) for part in query["at"][0].split(","))
    return x, y, scale


def place_of(page: Page, label: str) -> tuple[float, float]:
    """Where on the screen the label of a node begins; the whole graph is brought into view for it."""
    root = svg(page)
    found = next(element for element in root.iter(f"{_SVG}text") if element.text == label)
    page.get_by_test_id("fit-all").click()
    expect(page).to_have_url(re.compile(r"[?&]at="))
    x, y, scale = view_of(page)
    box = page.get_by_test_id("graph-stage").bounding_box()
    assert box is not None
    at = float(found.get("x", "")), float(found.get("y", ""))
    left = box["x"] + box["width"] / 2 + (at[0] - x) * scale + 2
    return left, box["y"] + box["height"] / 2 + (at[1] - y) * scale - 2
