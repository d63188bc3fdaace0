"""Finding log files below the base dir.

Links to folders are not followed: what they point to lies either inside the base dir, where it is found by its own
path, or outside, where nothing is read. A link to a file is followed when the file lies inside.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from mindinsight_like.loader.recognising import Recognising
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.names import LogName, classify
from mindinsight_like.logs.paths import to_text
from mindinsight_like.logs.whole_files import must_be_looked_into
from mindinsight_like.profiler.traces.names import Home, home_of, told_by_names
from mindinsight_like.store.files import TrackedFile

log = logging.getLogger(__name__)

_LEGACY_MARKER = "storage.meta"  # a VisualDL 1.x folder has it; every tablet beside it has a % in its name
_TABLET = LogName(Dialect.VISUALDL_LEGACY, None, None)
_PROFILE = LogName(Dialect.PROFILE, None, None)
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
    moved: list[str] = field(default_factory=list)  # known files that belong to another run by now
    unlisted: list[str] = field(default_factory=list)  # folders that exist but could not be listed


class _Listing(NamedTuple):
    """What a folder holds; it stays true as long as the folder's time does.

    That is the time of its last change of any sort, which nobody can set; copying tools set the other one back.
    """

    ctime_ns: int
    is_settled: bool  # listed so long after that time that a later change shows in it
    files: list[tuple[str, str, LogName]]  # path, name below the base dir, kind
    profiles: list[tuple[str, str, Home]]  # path, name below the base dir, whose run it is
    folders: list[tuple[str, str]]  # path, name below the base dir as the file system spells it
    recognising: Recognising  # of the files whose names do not tell what they are


class Discovery:
    """Looks through the base dir again and again; folders that did not change are not listed again."""

    def __init__(self, base_dir: Path, *, quiet_seconds: float = 0.0) -> None:
        """A profile is found when nobody has written to it for `quiet_seconds`: half of one is of no use."""
        self._top = os.fspath(base_dir)
        self._quiet_ns = int(quiet_seconds * 1e9)
        self._listings: dict[str, _Listing] = {}
        self._unlisted: set[str] = set()  # complained of once

    def look(self, known: Mapping[str, TrackedFile]) -> Findings:
        """What is there and what differs from what is known; raises OSError when the base dir cannot be listed."""
        findings = Findings()
        listings: dict[str, _Listing] = {}
        unlisted: set[str] = set()
        waiting = [(self._top, ".")]
        logged: set[str] = set()  # folders with other logs than profiles; a folder comes before those inside it
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
            if listing.files:
                logged.add(name)
            for path, file, home in listing.profiles:
                self._look_at_profile(path, file, _run_of(home, logged), known.get(file), findings)
        self._listings, self._unlisted = listings, unlisted
        return findings

    def _look_at_profile(self, path: str, file: str, run: str, known: TrackedFile | None, findings: Findings) -> None:
        try:
            status = stat_or_none(path)
        except OSError:
            findings.present.add(file)
            return
        if status is None:
            return
        is_moved = known is not None and (known.run != run or known.dialect != Dialect.PROFILE)
        if is_moved:
            findings.moved.append(file)
        if is_quiet(status, self._quiet_ns):
            findings.present.add(file)
            if is_moved or differs(known, status):
                findings.changed.append(FoundFile(file, run, _PROFILE, status.st_size, status.st_mtime_ns))
        elif known is not None:
            findings.present.add(file)

    def _list(self, folder: str, name: str) -> _Listing:
        ctime_ns = os.stat(folder).st_ctime_ns  # noqa: PTH116 - done for every folder in every round
        known = self._listings.get(folder)
        is_same = known is not None and known.is_settled and known.ctime_ns == ctime_ns
        if known is not None and is_same and not known.recognising.must_look_again():
            return known
        entries = list(os.scandir(folder))
        kinds = _told_by_names(name, [entry.name for entry in entries])
        unclear = [entry for entry in entries if must_be_looked_into(entry.name) and kinds[entry.name] is None]
        recognising = Recognising(self._top, unclear, known.recognising if known else None)
        listing = _Listing(ctime_ns, time.time_ns() - ctime_ns > _SETTLED_NS, [], [], [], recognising)
        for entry in entries:
            below = _below(name, entry.name)
            try:
                if entry.is_dir(follow_symlinks=False):
                    listing.folders.append((entry.path, below))
                    continue
                kind = kinds[entry.name] or recognising.kind_of(entry.name)
                if kind is None or not entry.is_file() or (entry.is_symlink() and not self._holds(entry.path)):
                    continue
                if kind.dialect == Dialect.PROFILE:
                    listing.profiles.append((entry.path, to_text(below), home_of(name, entry.name)))
                else:
                    listing.files.append((entry.path, to_text(below), kind))
            except OSError:
                continue
        return listing

    def _holds(self, path: str) -> bool:
        return os.path.realpath(path).startswith(self._top.rstrip("/") + "/")


def _told_by_names(folder: str, names: Sequence[str]) -> dict[str, LogName | None]:
    """What the files of a folder are as far as their names tell."""
    is_legacy = _LEGACY_MARKER in names
    kinds = {name: _TABLET if is_legacy and "%" in name else classify(name) for name in names}
    others = [name for name, kind in kinds.items() if kind is None]
    return kinds | dict.fromkeys(told_by_names(folder, others), _PROFILE) if others else kinds


def _run_of(home: Home, logged: Container[str]) -> str:
    above = home.run.rpartition("/")[0] or "."
    return to_text(above if home.is_job and above in logged else home.run)


def is_quiet(status: os.stat_result, quiet_ns: int) -> bool:
    """Whether nobody writes to a file any more, as far as its time tells; one in the future tells nothing."""
    return not 0 <= time.time_ns() - status.st_mtime_ns < quiet_ns


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
