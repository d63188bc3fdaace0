"""The readers of all trackers, imported when a folder first has something for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import NamedTuple, cast

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers.reader import Folder, RecognisedLog, TrackerReader


class _Signs(NamedTuple):
    """By which names in a folder it is worth asking a reader."""

    module: str  # in `readers`
    reader: str
    names: frozenset[str] = frozenset()  # of files or folders
    endings: tuple[str, ...] = ()  # of files
    beginnings: tuple[str, ...] = ()  # of files or folders


# In the order in which they are asked: what one claims is not offered to those after it.
_READERS: dict[Dialect, _Signs] = {
    Dialect.MLFLOW_RUN: _Signs("mlflow_run", "MlflowRunReader", frozenset({"meta.yaml", "metrics"})),
    Dialect.MLFLOW_DATABASE: _Signs("mlflow_database", "MlflowDatabaseReader", beginnings=("mlflow",)),
    Dialect.OPTUNA_JOURNAL: _Signs(
        "optuna_journal", "OptunaJournalReader", endings=(".log", ".journal", ".jsonl", ".json")
    ),
    Dialect.JSON_LINES: _Signs(
        "json_lines",
        "JsonLinesReader",
        frozenset({"log.txt", "metrics.json", "log.json"}),
        endings=(".jsonl", ".ndjson"),
    ),
}


def has_signs(names: Sequence[str]) -> bool:
    """Whether any reader is worth being asked about a folder that holds these names; most folders have nothing."""
    known, endings, beginnings = _all_signs()
    return not known.isdisjoint(names) or any(name.endswith(endings) or name.startswith(beginnings) for name in names)


@cache
def _all_signs() -> tuple[frozenset[str], tuple[str, ...], tuple[str, ...]]:
    signs = _READERS.values()
    names = frozenset(name for each in signs for name in each.names)
    endings = {ending for each in signs for ending in each.endings}
    beginnings = {beginning for each in signs for beginning in each.beginnings}
    return names, tuple(sorted(endings)), tuple(sorted(beginnings))


@cache
def reader_of(dialect: Dialect) -> TrackerReader:
    """The reader of a dialect."""
    signs = _READERS[dialect]
    module = import_module(f"mindinsight_like.trackers.readers.{signs.module}")
    return cast(TrackerReader, getattr(module, signs.reader)())


def recognise(folder: Folder) -> Iterator[tuple[Dialect, RecognisedLog]]:
    """The logs that begin in a folder, each with its dialect."""
    claimed: set[str] = set()
    for dialect, signs in _READERS.items():
        if not _has_signs(folder, signs):
            continue
        left = folder if not claimed else Folder(folder.name, folder.files - claimed, folder.folders, folder.head)
        for log in reader_of(dialect).recognise(left):
            claimed |= log.claimed_files
            yield dialect, log


def _has_signs(folder: Folder, signs: _Signs) -> bool:
    if not signs.names.isdisjoint(folder.files) or not signs.names.isdisjoint(folder.folders):
        return True
    if signs.endings and any(name.endswith(signs.endings) for name in folder.files):
        return True
    return bool(signs.beginnings) and any(
        name.startswith(signs.beginnings) for names in (folder.files, folder.folders) for name in names
    )
