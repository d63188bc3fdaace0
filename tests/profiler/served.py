"""A service over folders with profiles, through the Flask test client."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import jsonschema

from mindinsight_like.app.application import create_app
from mindinsight_like.conf.settings import Settings
from mindinsight_like.loader.once import load_once
from mindinsight_like.profiler.jobs.analysis_jobs import Analyses
from mindinsight_like.store.reader import IndexReader


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

    def validator(self, operation: str) -> jsonschema.Draft202012Validator:
        """Of the answers of an operation, without room for fields that its description does not name."""
        document = self.get("openapi.json")
        content = document["paths"][f"/v1/{operation}"]["get"]["responses"]["200"]["content"]
        schema = content["application/json"]["schema"] | {"components": document["components"]}
        return jsonschema.Draft202012Validator(_closed(schema))

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


def _closed(schema: Any) -> Any:
    """The schema with no objects that may have other fields than it names."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: _closed(value) for name, value in schema.items()}
    return inner | ({"additionalProperties": False} if isinstance(schema.get("properties"), dict) else {})
