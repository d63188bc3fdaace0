"""The Chromium of this machine, for tests and benchmarks in a real browser."""

from __future__ import annotations

import shutil

from playwright.sync_api import Browser, Playwright

# The first is the same engine without the window of a browser around it, which takes a third less time.
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-unsafe-swiftshader",
]  # fmt: skip


class NoChromium(Exception):
    def __init__(self) -> None:
        super().__init__("no Chromium: apt-get install chromium")


def launch(playwright: Playwright) -> Browser:
    """A new browser; raises NoChromium."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        raise NoChromium
    return playwright.chromium.launch(executable_path=program, args=_FLAGS)
