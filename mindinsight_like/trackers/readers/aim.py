"""Repositories of Aim: recognised, so that nobody looks for their runs in vain, but not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers.reader import Folder, Log, LogUnreadable, RecognisedLog, Slice
from mindinsight_like.trackers.source import Source

_DATABASE: Final = "run_metadata.sqlite"


class AimReader:
    """Names repositories."""

    dialect = Dialect.AIM
    is_store = True

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        above, _, name = folder.name.rpartition("/")
        if name == ".aim" and _DATABASE in folder.files and "meta" in folder.folders:
            claimed = frozenset(each for each in folder.files if each.startswith(_DATABASE))
            yield RecognisedLog(folder.path(_DATABASE), above or ".", claimed, folder.folders)

    def members(self, source: Source, name: str) -> Sequence[str]:
        return (name,)

    def read(self, log: Log) -> Slice:
        raise LogUnreadable(
            "a repository of Aim, whose values are in RocksDB and are not read: write them with Aim's own Python"
            " (Repo.iter_runs) to a file of JSON lines for each run, with a step in each line"
        )
