"""Finding log files below the base dir.

Links to folders are not followed: what they point to lies either inside the base dir, where it is found by its own
path, or outside, where nothing is read. A link to a file is followed when the file lies inside.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from mindinsight_like.loader.recognising import Recognising, may_be_ours
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.names import LogName, classify
from mindinsight_like.logs.paths import to_text
from mindinsight_like.store.files import TrackedFile

log = logging.getLogger(__name__)

_LEGACY_MARKER = "storage.meta"  # a VisualDL 1.x folder has it; every tablet beside it has a % in its name
_TABLET = LogName(Dialect.VISUALDL_LEGACY, None, None)
_SETTLED_NS = 3_000_000_000  # file systems stamp folders in steps of up to two seconds


class FoundFile(NamedTuple):
    """A log file as the file system shows it."""

    name: str  # path below the base dir, with slashes
    run: str
    kind: LogName
    size: int
    mtime_ns: int


@dataclass
class Findings:
    changed: list[FoundFile] = field(default_factory=list)  # new, or of another size or time than known
    present: set[str] = field(default_factory=set)  # names of all log files
    unlisted: list[str] = field(default_factory=list)  # folders that exist but could not be listed


class _Listing(NamedTuple):
    """What a folder holds; it stays true as long as the folder's time does.

    That is the time of its last change of any sort, which nobody can set; copying tools set the other one back.
    """

    ctime_ns: int
    is_settled: bool  # listed so long after that time that a later change shows in it
    files: list[tuple[str, str, LogName]]  # path, name below the base dir, kind
    folders: list[tuple[str, str]]  # path, name below the base dir as the file system spells it
    recognising: Recognising  # of the files whose names do not tell what they are


class Discovery:
    """Looks through the base dir again and again; folders that did not change are not listed again."""

    def __init__(self, base_dir: Path) -> None:
        self._top = os.fspath(base_dir)
        self._listings: dict[str, _Listing] = {}
        self._unlisted: set[str] = set()  # complained of once

    def look(self, known: Mapping[str, TrackedFile]) -> Findings:
        """What is there and what differs from what is known; raises OSError when the base dir cannot be listed."""
        findings = Findings()
        listings: dict[str, _Listing] = {}
        unlisted: set[str] = set()
        waiting = [(self._top, ".")]
        while waiting:
            folder, name = waiting.pop()
            try:
                listing = listings[folder] = self._list(folder, name)
            except OSError as error:
                if name == ".":
                    raise
                if not isinstance(error, FileNotFoundError):
                    findings.unlisted.append(to_text(name))
                    if folder not in self._unlisted:
                        log.warning("cannot list %s: %s", folder, error.strerror)
                    unlisted.add(folder)
                continue
            waiting += listing.folders
            findings.present.update(to_text(_below(name, closed)) for closed in listing.recognising.closed)
            for path, file, kind in listing.files:
                try:
                    status = stat_or_none(path)
                except OSError:
                    findings.present.add(file)  # there, but out of sight
                    continue
                if status is None:
                    continue  # it vanished between the listing and the look at it
                findings.present.add(file)
                if differs(known.get(file), status):
                    found = FoundFile(file, to_text(name), kind, status.st_size, status.st_mtime_ns)
                    findings.changed.append(found)
        self._listings, self._unlisted = listings, unlisted
        return findings

    def _list(self, folder: str, name: str) -> _Listing:
        ctime_ns = os.stat(folder).st_ctime_ns  # noqa: PTH116 - done for every folder in every round
        known = self._listings.get(folder)
        is_same = known is not None and known.is_settled and known.ctime_ns == ctime_ns
        if known is not None and is_same and not known.recognising.must_look_again():
            return known
        entries = list(os.scandir(folder))
        recognising = Recognising(
            self._top, [entry for entry in entries if may_be_ours(entry)], known.recognising if known else None
        )
        listing = _Listing(ctime_ns, time.time_ns() - ctime_ns > _SETTLED_NS, [], [], recognising)
        is_legacy = any(entry.name == _LEGACY_MARKER for entry in entries)
        for entry in entries:
            below = _below(name, entry.name)
            try:
                if entry.is_dir(follow_symlinks=False):
                    listing.folders.append((entry.path, below))
                    continue
                kind = _TABLET if is_legacy and "%" in entry.name else classify(entry.name)
                if kind is None:
                    kind = recognising.kind_of(entry.name)
                if kind is not None and entry.is_file() and (not entry.is_symlink() or self._holds(entry.path)):
                    listing.files.append((entry.path, to_text(below), kind))
            except OSError:
                continue
        return listing

    def _holds(self, path: str) -> bool:
        return os.path.realpath(path).startswith(self._top.rstrip("/") + "/")


def _below(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def stat_or_none(path: str) -> os.stat_result | None:
    """What the file system says of a file, None when it is gone; raises OSError when it cannot be looked at."""
    try:
        return os.stat(path)  # noqa: PTH116 - done for every file in every round
    except FileNotFoundError:
        return None


def differs(known: TrackedFile | None, status: os.stat_result) -> bool:
    """Whether a file has to be looked into."""
    return known is None or known.mtime_ns != status.st_mtime_ns or known.size != status.st_size


def newest_first(files: Iterable[FoundFile]) -> Iterator[list[FoundFile]]:
    """The files run by run, the run that was written to last first, a run's files in the order of their names."""
    runs: dict[str, list[FoundFile]] = {}
    for file in files:
        runs.setdefault(file.run, []).append(file)
    for run in sorted(runs.values(), key=lambda run: max(file.mtime_ns for file in run), reverse=True):
        yield sorted(run)
