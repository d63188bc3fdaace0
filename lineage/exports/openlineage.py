"""Export runs as OpenLineage events, for data catalogues."""

from __future__ import annotations

import posixpath
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote

from mindinsight_like.lineage.columns import Value
from mindinsight_like.lineage.records.record import LineageRecord, to_json_value

_PRODUCER = "https://pypi.org/project/mindinsight-like"
_SPEC = "https://openlineage.io/spec"
_SPACE = uuid.UUID("8d1bbd4e-6a5f-5b3a-9d43-1c0d6b6c8c11")  # under which ids of runs become unique everywhere


@dataclass(frozen=True)
class EventSource:
    """A run as events tell of it."""

    run: str
    name: str
    created_at: float
    updated_at: float
    record: LineageRecord
    metrics: Mapping[str, Value]  # by column; of hyper-parameter trials they are not in the record
    parent: tuple[str, str] | None  # id and name of the run that it came from
    is_growing: bool  # it is expected to go on


def events(namespace: str, source: EventSource) -> list[dict[str, Any]]:
    """That a run has begun, and that it has ended or is still going on; the latter with all facets."""
    run, job = {"runId": _run_id(namespace, source.run)}, {"namespace": namespace, "name": source.name}
    record = source.record
    return [
        _event("START", source.created_at, run=run, job=job),
        _event(
            "RUNNING" if source.is_growing else "COMPLETE",
            max(source.updated_at, source.created_at),
            run=run | {"facets": _run_facets(namespace, source)},
            job=job | {"facets": _job_facets(record)},
            inputs=[
                *_named_data(namespace, record),
                *(_dataset(namespace, source.name, each) for each in record.inputs),
            ],
            outputs=[_dataset(namespace, source.name, each) for each in record.outputs],
        ),
    ]


def _event(kind: str, time: float, **parts: Any) -> dict[str, Any]:
    return {
        "eventType": kind,
        "eventTime": datetime.fromtimestamp(time, timezone.utc).isoformat(),
        "producer": _PRODUCER,
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        **parts,
    }


def _run_facets(namespace: str, source: EventSource) -> dict[str, Any]:
    values = to_json_value(source.record.values | dict(source.metrics))
    facets = {"mindinsight_lineage": _facet("2-0-2/OpenLineage.json", "RunFacet", values=values)}
    if python := source.record.environment.get("python"):
        engine = _facet("facets/1-1-1/ProcessingEngineRunFacet.json", name="python", version=str(python))
        facets["processing_engine"] = engine
    if source.parent is not None:
        parent, name = source.parent
        facets["parent"] = _facet(
            "facets/1-0-1/ParentRunFacet.json",
            run={"runId": _run_id(namespace, parent)},
            job={"namespace": namespace, "name": name},
        )
    return facets


def _job_facets(record: LineageRecord) -> dict[str, Any]:
    """Where the code is; the facet needs an address, a commit alone stands among the values."""
    repository = str(record.code.get("repository", ""))
    if not repository:
        return {}
    location = {"repoUrl": repository, "version": record.code.get("commit"), "branch": record.code.get("branch")}
    present = {name: str(value) for name, value in location.items() if value}
    schema = "facets/1-0-1/SourceCodeLocationJobFacet.json"
    return {"sourceCodeLocation": _facet(schema, type="git", url=_uri(repository), **present)}


def _uri(repository: str) -> str:
    """The address of a repository as a URI, where git also knows `user@host:path` and plain paths."""
    if "://" in repository:
        return repository
    if remote := re.fullmatch(r"([^/:]+@)?([^/:]{2,}):(?!\\)(.+)", repository):
        return f"ssh://{remote[1] or ''}{remote[2]}/{quote(remote[3].lstrip('/'))}"
    return "file://" + quote(posixpath.join("/", repository))


def _run_id(namespace: str, run: str) -> str:
    return str(uuid.uuid5(_SPACE, f"{namespace}\0{run}"))


def _facet(schema: str, name: str = "", **values: Any) -> dict[str, Any]:
    """A facet of the schema in a file, by default of that file's name."""
    pointer = name or posixpath.basename(schema).removesuffix(".json")
    return {"_producer": _PRODUCER, "_schemaURL": f"{_SPEC}/{schema}#/$defs/{pointer}", **values}


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
