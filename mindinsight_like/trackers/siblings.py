"""Folders of runs beside each other, by the ids of the runs, as W&B and SwanLab name them."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Final

from mindinsight_like.trackers.source import Source

_FOLDER: Final = re.compile(r"(?:offline-)?run-(\d+_\d+)-(.+)")
_SECONDS: Final = 2.0


class Siblings:
    """What a folder held when it was listed."""

    def __init__(self, names: Sequence[str]) -> None:
        self._folders: dict[str, list[tuple[str, str]]] = {}
        for name in names:
            if match := _FOLDER.fullmatch(name):
                self._folders.setdefault(match[2], []).append((match[1], name))

    def folders_of(self, run_id: str) -> list[str]:
        """The folders of a run in the order in which they were begun."""
        return [name for _, name in sorted(self._folders.get(run_id, ()))]


_listed: tuple[Source, str, float, Siblings] | None = None


def siblings_in(source: Source, home: str, own: str) -> Siblings:
    """The folders in a folder, which is listed once for many runs that are read one after the other."""
    global _listed
    if not _FOLDER.fullmatch(own):
        return Siblings(())
    now = time.monotonic()
    if _listed is None or _listed[:2] != (source, home) or now - _listed[2] > _SECONDS:
        try:
            names = [entry.name for entry in source.list(home) if entry.is_folder]
        except OSError:
            names = []
        _listed = source, home, now, Siblings(names)
    return _listed[3]
