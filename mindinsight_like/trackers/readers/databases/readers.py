"""Readers of SQLite databases: which tracker's one is shows when it is opened, and its name is a guess until then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers.files.database_rows import Read, read_database
from mindinsight_like.trackers.files.databases import MAGIC, claimed_by_database, database_members
from mindinsight_like.trackers.reader import Folder, Log, LogUnreadable, RecognisedLog, Slice
from mindinsight_like.trackers.readers.databases import mlflow, optuna, trackio
from mindinsight_like.trackers.source import Source

_ENDINGS: Final = (".db", ".sqlite", ".sqlite3")
# Trackio always writes by way of a log, others hardly ever do.
_JOURNAL_MODE: Final = slice(18, 20)
_WRITE_AHEAD: Final = b"\2\2"
# How often tables were changed: 333 times in a new database of MLflow, fewer than a hundred times in those of others.
_SCHEMA_COOKIE: Final = slice(40, 44)
_SCHEMA_CHANGES: Final = 100

_READ: Final[dict[frozenset[str], Read]] = {
    mlflow.TABLES: mlflow.read_mlflow,
    trackio.TABLES: trackio.read_trackio,
    optuna.TABLES: optuna.read_optuna,
}


class _DatabaseReader:
    """What readers of databases have in common."""

    is_store = True
    words: tuple[str, ...] = ()  # in names of databases that are surely this tracker's

    def members(self, source: Source, name: str) -> Sequence[str]:
        return database_members(name)

    def read(self, log: Log) -> Slice:
        try:
            return read_database(log, _READ)
        except LogUnreadable:
            if log.cursor or any(word in log.name.lower() for word in self.words):
                raise
            return Slice(b"", log.versions[log.name].size)  # anybody's database, which is damaged or locked


class MlflowDatabaseReader(_DatabaseReader):
    """Reads databases of MLflow."""

    dialect = Dialect.MLFLOW_DATABASE
    words = ("mlflow", "mlruns")

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        has_artifacts = not folder.folders.isdisjoint({"mlartifacts", "mlruns"})
        for name, head in _databases_in(folder):
            is_named_so = name.startswith(("mlflow", "mlruns")) or has_artifacts
            if is_named_so or int.from_bytes(head[_SCHEMA_COOKIE], "big") > _SCHEMA_CHANGES:
                yield _recognised(folder, name)


class TrackioReader(_DatabaseReader):
    """Reads databases of Trackio, one for each project."""

    dialect = Dialect.TRACKIO
    words = ("trackio",)

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        for name, head in _databases_in(folder):
            if head[_JOURNAL_MODE] == _WRITE_AHEAD:
                yield _recognised(folder, name, folder.path(name.rpartition(".")[0]))


class OptunaDatabaseReader(_DatabaseReader):
    """Reads databases of Optuna."""

    dialect = Dialect.OPTUNA_DATABASE
    words = ("optuna", "study")

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        names = [name for name, _ in _databases_in(folder)]
        for name in names:
            # Studies in two databases may have one name.
            yield _recognised(folder, name, None if len(names) == 1 else folder.path(name.rpartition(".")[0]))


def _databases_in(folder: Folder) -> Iterator[tuple[str, bytes]]:
    """The databases in a folder, each with how it begins."""
    for name in sorted(folder.files):
        if name.endswith(_ENDINGS) and (head := folder.head(name)).startswith(MAGIC):
            yield name, head


def _recognised(folder: Folder, name: str, run: str | None = None) -> RecognisedLog:
    claimed = claimed_by_database(name) & folder.files
    return RecognisedLog(folder.path(name), folder.name if run is None else run, claimed)
