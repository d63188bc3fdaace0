"""Opens pages in Chromium at every size, language and theme, and tells what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, ConsoleMessage, Error, Page, sync_playwright

from tests.chromium import launch

Theme = Literal["light", "dark"]

CHECKS = (Path(__file__).parent / "checks.js").read_text()
LANGUAGES = {"en": "en-GB", "zh": "zh-CN"}
# Kinds, formats and states as the service calls them; people read their names.
RAW = ("custom_scalars", "pr_curves", "roc_curves", "is_complete", "input_wait", "device_num", "hparams")
RAW_IN_CHINESE = (*RAW, "profiles", "pipelines", "profile", "lineage", "success", "unknown", "compute", "interval")

_SETTLE_SECONDS = 8.0
# Nothing has changed for a while, and nothing in sight still waits for data.
_SETTLED = """(most) => new Promise((done) => {
  const begin = performance.now()
  let changed = begin
  const observer = new MutationObserver(() => { changed = performance.now() })
  observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
  const isWaiting = () => !document.querySelector('main') || [...document.querySelectorAll('main .skeleton')]
    .some((each) => each.checkVisibility() && each.getBoundingClientRect().top < innerHeight)
  const timer = setInterval(() => {
    const now = performance.now()
    if ((now - changed < 300 || isWaiting()) && now - begin < most) return
    clearInterval(timer)
    observer.disconnect()
    requestAnimationFrame(() => requestAnimationFrame(() => done()))
  }, 60)
})"""


@dataclass(frozen=True)
class Look:
    """One picture: a page in a state, a size, a language and a theme."""

    state: str
    address: str
    width: int
    height: int
    language: str
    theme: Theme

    @property
    def name(self) -> str:
        page = re.sub(r"[0-9a-f]{16}", "run", self.address.partition("&")[0])
        plain = re.sub(r"[^A-Za-z0-9]+", "-", page).strip("-") or "first"
        return f"{self.state}_{self.width}_{self.language}_{self.theme}_{plain}"

    def __str__(self) -> str:
        return f"{self.state} {self.address} {self.width}x{self.height} {self.language} {self.theme}"


@dataclass(frozen=True)
class Found:
    """What is wrong with a page."""

    look: Look
    problem: str


WIDE = ((1280, 800), (1920, 1080))
PHONE = (390, 844)


def look_at(
    browser: Browser, service: str, state: str, address: str, language: str, pictures: Path | None
) -> Iterator[tuple[Look, list[Found]]]:
    """All pictures of a page in one language: both wide sizes and the dark theme in one tab, the phone in its own."""
    for sizes in (WIDE, (PHONE,)):
        width, height = sizes[0]
        context = browser.new_context(
            base_url=service, viewport={"width": width, "height": height}, locale=LANGUAGES[language],
            color_scheme="light",
        )  # fmt: skip
        page = context.new_page()
        complaints: list[str] = []
        _listen(page, complaints)
        try:
            page.goto(address, wait_until="load", timeout=60_000)
            _settle(page)
            for width, height in sizes:
                page.set_viewport_size({"width": width, "height": height})
                yield _take(page, Look(state, address, width, height, language, "light"), complaints, pictures)
                if width == WIDE[0][0]:
                    page.emulate_media(color_scheme="dark")
                    yield _take(page, Look(state, address, width, height, language, "dark"), complaints, pictures)
                    page.emulate_media(color_scheme="light")
        finally:
            context.close()


class Task(NamedTuple):
    """Some pages of a service, to be looked at in one language."""

    state: str
    service: str
    pages: list[str]
    language: str
    pictures: Path


def look_at_all(task: Task) -> tuple[list[Look], list[Found]]:
    """What one browser sees."""
    looks: list[Look] = []
    problems: list[Found] = []
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for address in task.pages:
            try:
                for look, found in look_at(browser, task.service, task.state, address, task.language, task.pictures):
                    looks.append(look)
                    problems += found
            except Error as error:
                look = Look(task.state, address, 0, 0, task.language, "light")
                problems.append(Found(look, f"does not open: {error}"))
        browser.close()
    return looks, problems


def _settle(page: Page) -> None:
    try:
        page.evaluate(_SETTLED, 1000 * _SETTLE_SECONDS)
    except Error:  # the page has gone on to another address, as an entry that leads to a run does
        page.wait_for_load_state()
        page.evaluate(_SETTLED, 1000 * _SETTLE_SECONDS)


def _take(page: Page, look: Look, complaints: list[str], pictures: Path | None) -> tuple[Look, list[Found]]:
    _settle(page)
    raw = RAW if look.language == "en" else RAW_IN_CHINESE
    problems = [*page.evaluate(CHECKS, raw), *(f"console: {text}" for text in complaints)]
    complaints.clear()
    if pictures is not None:
        page.screenshot(path=pictures / f"{look.name}.jpg", type="jpeg", quality=60)
    return look, [Found(look, problem) for problem in problems]


def _listen(page: Page, complaints: list[str]) -> None:
    """Notes what the page throws and complains of."""

    def note(message: ConsoleMessage) -> None:
        # The browser itself notes every answer that is not a success; the page has to show those to people.
        if message.type == "error" and not message.text.startswith("Failed to load resource"):
            complaints.append(message.text)

    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", note)
