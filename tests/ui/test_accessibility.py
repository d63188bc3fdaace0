"""Every page passes axe-core in both themes: one main heading, names, labels, roles, contrast."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.conftest import ROOT
from tests.ui.conftest import Board, served, wait_in_page, watched_page

_AXE = ROOT / "ui" / "node_modules" / "axe-core" / "axe.min.js"
_CHECK = """async () => (await axe.run()).violations.flatMap(({ id, help, nodes }) =>
  nodes.map(({ target, failureSummary }) => `${id}: ${help} ${target} ${failureSummary}`))"""
# Cards below the fold load when they are scrolled to.
_SETTLED = """() => document.querySelector('main') !== null
  && [...document.querySelectorAll('main .skeleton')].every((it) => it.getBoundingClientRect().top >= innerHeight)"""
# What a run has to have for its page of that name; others are there for every run.
_KINDS = {
    "audio": "audio",
    "charts": "custom_scalars",
    "curves": "pr_curves",
    "embeddings": "embeddings",
    "graphs": "graphs",
    "histograms": "histograms",
    "hparams": "hparams",
    "images": "images",
    "landscapes": "landscapes",
    "lineage": "lineage",
    "meshes": "meshes",
    "pipeline": "pipelines",
    "profiler": "profiles",
    "scalars": "scalars",
    "tensors": "tensors",
    "texts": "text",
}
_TABS = ("overview", "operators", "steps", "timeline", "memory", "pipeline", "path", "cluster", "flame", "compare")
_ROUTES: list[str] = json.loads((ROOT / "ui" / "public" / "routes.json").read_text())
_PAGES = [
    *(route for route in _ROUTES if ":view" not in route),
    *(f"/runs/:run/profiler?tab={tab}" for tab in _TABS),
    "/no-such-page",
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    base_dir = tmp_path_factory.mktemp("accessibility") / "runs"
    subprocess.run([sys.executable, "-m", "mindinsight_like", "demo", str(base_dir)], check=True, capture_output=True)
    with served(base_dir) as board:
        yield board


@pytest.fixture(scope="module")
def runs(demo: Board) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{demo.address}/v1/runs?limit=100") as response:
        found: list[dict[str, Any]] = json.load(response)["runs"]
    return found


@pytest.fixture
def page(browser: Browser, demo: Board) -> Iterator[Page]:
    for page in watched_page(browser, demo):
        page.add_init_script(path=_AXE)
        yield page


def address(route: str, runs: list[dict[str, Any]]) -> str:
    kind = _KINDS.get(route.partition("?")[0].rpartition("/")[2])
    run = next(run for run in runs if kind is None or run["counts"].get(kind, 0) > 0)
    return route.replace(":run", str(run["id"]))


@pytest.mark.parametrize("route", _PAGES)
def test_a_page_passes_axe_in_both_themes(page: Page, runs: list[dict[str, Any]], route: str) -> None:
    page.goto(address(route, runs))
    page.wait_for_load_state("networkidle")
    page.wait_for_function(_SETTLED)

    violations = {"light": page.evaluate(_CHECK)}
    page.emulate_media(color_scheme="dark")
    wait_in_page(page, 100)
    violations["dark"] = page.evaluate(_CHECK)

    assert violations == {"light": [], "dark": []}
    assert page.locator("main > h1").count() == 1


def test_axe_sees_what_is_wrong(page: Page) -> None:
    page.goto("/runs")
    page.locator("main > h1").wait_for(state="attached")
    page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<img src=x>')")

    assert any(violation.startswith("image-alt") for violation in page.evaluate(_CHECK))
