"""Record the lineage of a run, in any framework: parameters, results, data, code, environment and parents."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mindinsight_like.conf.locations import check_local
from mindinsight_like.writers.lineage import environment as surroundings
from mindinsight_like.writers.lineage.artifacts import Artifact, describe

__all__ = ["log_lineage"]

FORMAT = "mindinsight-like lineage"
VERSION = 1
NAME = "mindinsight_like.lineage."  # then the time, the process, .json


_Path = str | os.PathLike[str]
Thing = _Path | Artifact


def log_lineage(
    run: str | os.PathLike[str],
    *,
    params: Mapping[str, Any] | None = None,
    metrics: Mapping[str, Any] | None = None,
    data: Mapping[str, Any] | None = None,
    model: Mapping[str, Any] | None = None,
    code: Mapping[str, Any] | bool = True,
    environment: Mapping[str, Any] | bool = True,
    parents: Mapping[str, _Path | Iterable[_Path]] | None = None,
    inputs: Thing | Iterable[Thing] = (),
    outputs: Thing | Iterable[Thing] = (),
    tracker: Mapping[str, Any] | None = None,
) -> Path:
    """Write a lineage record into the folder of a run and give its path; later records add to earlier ones.

    `code=True` takes down the git commit, uncommitted changes and the command line, `environment=True` the host,
    Python and the versions of imported packages; give a mapping to say it yourself, False to leave it out. `parents`
    names the folders of other runs by relation, as in `{"resumed from": "runs/a"}`. `inputs` and `outputs` are files
    or folders (datasets, checkpoints), which are hashed, or `Artifact`s. `tracker` is what the run is known by: its
    name, project, group, tags, notes.
    """
    check_local(run)
    folder = Path(run)
    record: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "time": time.time(),
        "params": _mapping(params, "params"),
        "metrics": _mapping(metrics, "metrics"),
        "data": _mapping(data, "data"),
        "model": _mapping(model, "model"),
        "code": surroundings.code() if code is True else _mapping(code or None, "code"),
        "environment": surroundings.environment()
        if environment is True
        else _mapping(environment or None, "environment"),
        "parents": [
            {"relation": relation, "run": _relative(name, folder)}
            for relation, names in (parents or {}).items()
            for name in _listed(names)
        ],
        "inputs": [describe(each, folder) for each in _listed(inputs)],
        "outputs": [describe(each, folder) for each in _listed(outputs)],
        "tracker": _mapping(tracker, "tracker"),
    }
    content = _with_names({key: value for key, value in record.items() if value})
    return _write(folder, json.dumps(content, ensure_ascii=False, indent=1, default=_plain))


def _write(folder: Path, text: str) -> Path:
    """The record under a name of its own, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAME}{time.time_ns()}.{os.getpid()}.json"
    part = path.with_name(f".{path.name}.part")
    try:
        # Names of files may hold bytes that are no text; they are written as Python shows them.
        with part.open("x", encoding="utf-8", errors="backslashreplace") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def _mapping(value: Mapping[str, Any] | None, name: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{name}: expected a mapping of names to values, not {type(value).__name__}")
    return {str(key): each for key, each in value.items()}


def _listed(things: Any) -> Iterable[Any]:
    """Several things, or one of them."""
    return [things] if isinstance(things, str | os.PathLike | Artifact) else things


def _with_names(value: Any) -> Any:
    """A value whose mappings have texts for names throughout, as JSON needs them."""
    if isinstance(value, Mapping):
        return {str(name): _with_names(each) for name, each in value.items()}
    return [_with_names(each) for each in value] if isinstance(value, list | tuple) else value


def _relative(name: str | os.PathLike[str], folder: Path) -> str:
    """The parent as seen from the run's folder, so that moving all runs together keeps it true."""
    check_local(name)
    return Path(os.path.relpath(Path(name).absolute(), folder.absolute())).as_posix()


def _plain(value: object) -> object:
    """Numbers and arrays of numpy and torch as Python's own, everything else as text."""
    for method in ("tolist", "item"):
        if callable(convert := getattr(value, method, None)):
            return convert()
    return list(value) if isinstance(value, set | frozenset) else str(value)
