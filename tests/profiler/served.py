"""A service over folders with profiles, through the Flask test client."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from mindinsight_like.conf.settings import Settings
from mindinsight_like.loader.once import load_once
from mindinsight_like.profiler.results.analyses import Analyses
from mindinsight_like.store.reading import IndexReader
from mindinsight_like.web.application import create_app


class Served:
    """The folder, loaded, and its service."""

    def __init__(self, base: Path, workspace: Path, **settings: Any) -> None:
        self.settings = Settings(workspace=workspace, summary_base_dir=base.resolve(), **settings)
        self.client = create_app(self.settings).test_client()
        self.load()

    def load(self) -> None:
        load_once(self.settings)

    def get(self, path: str, **query: Any) -> Any:
        """The JSON of an answer that must be a success."""
        answer = self.client.get(f"/v1/{path}", query_string=query or None)
        assert answer.status_code == 200, answer.text
        return answer.get_json()

    def post(self, path: str, **body: Any) -> Any:
        answer = self.client.post(f"/v1/{path}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.get_json()

    def profiles(self, run: str = "") -> list[dict[str, Any]]:
        return [each for each in self.get("profiles")["profiles"] if not run or each["run_name"] == run]

    def analyses(self) -> Analyses:
        """What the service itself asks, without its processes."""
        settings = self.settings
        reader = IndexReader.open(settings.summary_base_dir, settings.workspace)
        return Analyses(settings, lambda: reader)

    def until(self, state: str, run: str = "", *, seconds: float = 60) -> list[dict[str, Any]]:
        """The profiles of a run as soon as all of them are in a state."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.profiles(run)
            if all(each["state"] == state for each in found):
                return found
            time.sleep(0.05)
        raise AssertionError(f"not {state} after {seconds} s: {found}")
