"""The spools a courier sends: its own, its training's, and leftovers of earlier ones."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from mindinsight_like.profiler.collector.orphans import note_files
from mindinsight_like.profiler.collector.spool import Entry, SpoolInfo
from mindinsight_like.profiler.collector.spool_reader import SpoolReader, leftovers

_DYING_SECONDS: Final = 1.0  # a process that is killed loses its pipes and its locks one after the other


class Outgoing:
    """Batches of entries for one server, and what has become of them."""

    def __init__(self, folder: Path, server: str, own: Iterable[Path]) -> None:
        self._folder = folder
        self._server = server
        self._readers = [SpoolReader(each) for each in own]
        self._own = {reader.info.id for reader in self._readers}
        self._unwanted: set[str] = set()

    @property
    def is_empty(self) -> bool:
        """Whether the service has everything."""
        return all(reader.is_finished for reader in self._readers)

    @property
    def dropped(self) -> int:
        """How many entries were given up."""
        return sum(reader.dropped for reader in self._readers)

    def is_own(self, spool: str) -> bool:
        """Whether it is of this courier or its training."""
        return spool in self._own

    def add_leftovers(self) -> None:
        """Look for what others have left."""
        readers = list(leftovers(self._folder, self._server, besides=self._unwanted))
        self._readers += readers
        has_more = False
        for reader in readers:
            with contextlib.suppress(OSError, ValueError, ImportError):  # a full disk, for one: another will do it
                has_more |= note_files(reader.folder, reader.info)
        if has_more:
            self._readers += leftovers(self._folder, self._server, besides=self._unwanted)

    def rewind(self) -> None:
        """Send again what is not acknowledged."""
        for reader in self._readers:
            reader.rewind()

    def next_batch(self, most_bytes: int) -> tuple[SpoolInfo, list[Entry]] | None:
        """Entries of one spool that have not been sent; spools that are sent are removed."""
        for reader in list(self._readers):
            if entries := reader.read(most_bytes):
                return reader.info, entries
            if not reader.is_written and reader.is_finished:
                self._readers.remove(reader)
                reader.remove()
        return None

    def acknowledge(self, spool: str, sequence: int) -> None:
        """The service has all of this spool up to this number."""
        for reader in self._readers:
            if reader.info.id == spool:
                reader.acknowledge(sequence)

    def give_up(self, spool: str) -> SpoolInfo | None:
        """Leave a spool alone that the service does not want; it stays on disk. None when that was done before."""
        self._unwanted.add(spool)
        for reader in self._readers:
            if reader.info.id == spool:
                self._readers.remove(reader)
                reader.close()
                return reader.info
        return None

    def close(self) -> None:
        """Leave what was not sent to others."""
        deadline = time.monotonic() + _DYING_SECONDS
        for reader in self._readers:
            is_finished = reader.is_finished
            while is_finished and reader.is_written and time.monotonic() < deadline:
                time.sleep(0.02)
            if is_finished and not reader.is_written:
                reader.remove()
            else:
                reader.close()
        self._readers = []
