"""Runs as OpenLineage events, for catalogues that collect where data goes."""

from __future__ import annotations

import posixpath
import uuid
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from .record import LineageRecord, written

_PRODUCER = "https://pypi.org/project/mindinsight-like"
_SPEC = "https://openlineage.io/spec"
_SPACE = uuid.UUID("8d1bbd4e-6a5f-5b3a-9d43-1c0d6b6c8c11")  # under which ids of runs become unique everywhere


def event(
    namespace: str, run: str, name: str, updated_at: float, record: LineageRecord, parent: tuple[str, str] | None
) -> dict[str, Any]:
    """The event that a run has ended as its record says; `parent` is the id and name of the run it came from."""
    facets: dict[str, Any] = {
        "mindinsight_lineage": _facet("2-0-2/OpenLineage.json#/$defs/RunFacet", values=written(record.values)),
        "processing_engine": _facet(
            "facets/1-1-1/ProcessingEngineRunFacet.json",
            version=str(record.environment.get("python", "unknown")),
            name="python",
        ),
    }
    if parent is not None:
        facets["parent"] = _facet(
            "facets/1-0-1/ParentRunFacet.json",
            run={"runId": _run_id(namespace, parent[0])},
            job={"namespace": namespace, "name": parent[1]},
        )
    job: dict[str, Any] = {}
    if commit := record.code.get("commit"):
        job["sourceCodeLocation"] = _facet(
            "facets/1-0-1/SourceCodeLocationJobFacet.json",
            type="git",
            url=str(record.code.get("repository", "")),
            version=str(commit),
        )
    return {
        "eventType": "COMPLETE",
        "eventTime": datetime.fromtimestamp(updated_at, timezone.utc).isoformat(),
        "producer": _PRODUCER,
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": _run_id(namespace, run), "facets": facets},
        "job": {"namespace": namespace, "name": name, "facets": job},
        "inputs": [*_named_data(namespace, record), *(_dataset(namespace, name, each) for each in record.inputs)],
        "outputs": [_dataset(namespace, name, each) for each in record.outputs],
    }


def _run_id(namespace: str, run: str) -> str:
    return str(uuid.uuid5(_SPACE, f"{namespace}\0{run}"))


def _facet(schema: str, **values: Any) -> dict[str, Any]:
    return {"_producer": _PRODUCER, "_schemaURL": f"{_SPEC}/{schema}", **values}


def _dataset(namespace: str, run: str, artifact: Mapping[str, Any]) -> dict[str, Any]:
    name = posixpath.normpath(posixpath.join(run, str(artifact.get("name", ""))))
    facets = {}
    if digest := artifact.get("hash"):
        facets["version"] = _facet("facets/1-0-1/DatasetVersionDatasetFacet.json", datasetVersion=str(digest))
    return {"namespace": namespace, "name": name, "facets": facets}


def _named_data(namespace: str, record: LineageRecord) -> list[dict[str, Any]]:
    """The data sets that MindSpore names by their paths."""
    paths = (record.values.get(column) for column in ("train_dataset_path", "test_dataset_path"))
    return [{"namespace": namespace, "name": str(path), "facets": {}} for path in dict.fromkeys(paths) if path]
