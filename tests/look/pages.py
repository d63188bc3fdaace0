"""The addresses of all pages, for the runs that a service has."""

from __future__ import annotations

import json
import time
import urllib.request
from typing import Any
from urllib.parse import quote

from tests.conftest import ROOT

TABS = ("overview", "operators", "steps", "timeline", "memory", "pipeline", "path", "cluster", "flame", "compare")
ROUTES: list[str] = json.loads((ROOT / "ui" / "public" / "routes.json").read_text())
PAGES = [
    *(route for route in ROUTES if ":view" not in route),
    *(f"/runs/:run/profiler?tab={tab}" for tab in TABS),
    "/no-such-page",
]

# What a run has to have for its page of that name; others are there for every run.
KINDS = {
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

_SELECTED = 8  # runs, where an address names the runs it compares
_ANALYSIS_SECONDS = 60.0


def ask(address: str, path: str) -> Any:
    with urllib.request.urlopen(f"{address}/v1/{path}", timeout=60) as response:
        return json.load(response)


def having(runs: list[dict[str, Any]], kind: str | None) -> list[dict[str, Any]]:
    return [run for run in runs if kind is None or run["counts"].get(kind)]


def addresses(address: str, *, most_runs: int = 1000) -> list[str]:
    """Every page that the runs of a service have something for; where none has, the pages for all runs."""
    runs: list[dict[str, Any]] = ask(address, f"runs?limit={most_runs}")["runs"]
    found = []
    for page in PAGES:
        name = page.partition("?")[0].rsplit("/", 1)[-1]
        if ":run" not in page:
            if page == "/lineage/why" and len(runs) > 1:
                page += "?" + "&".join(f"{side}={run['id']}" for side, run in zip("ab", runs, strict=False))
            found.append(page)
        elif fitting := having(runs, KINDS.get(name)):
            found.append(page.replace(":run", quote(fitting[0]["id"])))
    return found


def wait_until_loaded(address: str, seconds: float = 300.0) -> None:
    """Until all logs are in the index."""
    until = time.monotonic() + seconds
    while ask(address, "service")["loading"]["state"] != "idle" or not _has_settled(address):
        if time.monotonic() > until:
            raise TimeoutError("the logs were not loaded in time")
        time.sleep(0.5)


def _has_settled(address: str) -> bool:
    first = ask(address, "changes?since=0")["cursor"]
    time.sleep(1.0)
    return bool(ask(address, "changes?since=0")["cursor"] == first)


def analyse_profiles(address: str) -> None:
    """So that pages of profiles show results, not a progress bar."""
    profiles = ask(address, "profiles")["profiles"]
    until = time.monotonic() + _ANALYSIS_SECONDS
    for profile in profiles:
        request = urllib.request.Request(
            f"{address}/v1/profiles/{profile['id']}/analyse", data=b"{}", headers={"Content-Type": "application/json"}
        )
        urllib.request.urlopen(request, timeout=60).close()
    while time.monotonic() < until:
        states = {each["state"] for each in ask(address, "profiles")["profiles"]}
        if not states & {"new", "queued", "running", "analysing"}:
            return
        time.sleep(0.5)
