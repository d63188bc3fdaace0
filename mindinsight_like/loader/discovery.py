"""Finding log files below the base dir.

Folders are walked without recursion limits. A symbolic link is followed only to what lies inside the base dir, and
no folder is visited twice, so links can neither leave the base dir nor loop.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.names import LogName, classify

log = logging.getLogger(__name__)

_LEGACY_MARKER = "storage.meta"  # a VisualDL 1.x folder has it; every tablet beside it has a % in its name
_TABLET = LogName(Dialect.VISUALDL_LEGACY, None, None)


class FoundFile(NamedTuple):
    """A log file as the file system shows it."""

    name: str  # path below the base dir, with slashes
    run: str
    kind: LogName
    size: int
    mtime_ns: int


@dataclass
class Findings:
    files: list[FoundFile] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)  # folders that exist but could not be listed


def discover(base_dir: Path) -> Findings:
    """All log files below the base dir, which must exist; folders that cannot be listed are named."""
    findings = Findings()
    walk = _Walk(base_dir)
    for folder, name in walk:
        try:
            entries = list(os.scandir(folder))
        except OSError as error:
            if name == ".":
                raise
            if not isinstance(error, FileNotFoundError):
                log.warning("cannot list %s: %s", folder, error.strerror)
                findings.unlisted.append(to_text(name))
            continue
        is_legacy = any(entry.name == _LEGACY_MARKER for entry in entries)
        for entry in entries:
            try:
                if entry.is_symlink() and not walk.holds(entry.path):
                    continue
                below = entry.name if name == "." else f"{name}/{entry.name}"
                if entry.is_dir():
                    walk.add(entry, below)
                    continue
                kind = _TABLET if is_legacy and "%" in entry.name else classify(entry.name)
                if kind is not None and entry.is_file():
                    status = entry.stat()
                    found = FoundFile(to_text(below), to_text(name), kind, status.st_size, status.st_mtime_ns)
                    findings.files.append(found)
            except OSError:
                continue  # it vanished between the listing and the look at it
    return findings


class _Walk:
    """Folders still to be visited, each once; links come last, so that a run is known by its own path."""

    def __init__(self, top: Path) -> None:
        self._top = os.fspath(top)
        self._folders = [(self._top, ".")]
        self._links: list[tuple[str, str]] = []
        self._visited: set[tuple[int, int]] = set()

    def __iter__(self) -> Iterator[tuple[str, str]]:
        while self._folders or self._links:
            folder, name = self._folders.pop() if self._folders else self._links.pop()
            try:
                status = Path(folder).stat()
            except OSError:
                if name == ".":
                    raise
                continue
            if (status.st_dev, status.st_ino) not in self._visited:
                self._visited.add((status.st_dev, status.st_ino))
                yield folder, name

    def add(self, entry: os.DirEntry[str], name: str) -> None:
        (self._links if entry.is_symlink() else self._folders).append((entry.path, name))

    def holds(self, path: str) -> bool:
        real = os.path.realpath(path)
        return real == self._top or real.startswith(self._top.rstrip("/") + "/")


def newest_first(files: Iterable[FoundFile]) -> Iterator[list[FoundFile]]:
    """The files run by run, the run that was written to last first, a run's files in the order of their names."""
    runs: dict[str, list[FoundFile]] = {}
    for file in files:
        runs.setdefault(file.run, []).append(file)
    for run in sorted(runs.values(), key=lambda run: max(file.mtime_ns for file in run), reverse=True):
        yield sorted(run)


# Names that are not UTF-8 reach Python with lone surrogates, which no database takes; they trade places with
# characters of a private use area.
_SURROGATES = {0xDC80 + byte: 0xF780 + byte for byte in range(128)}
_PRIVATE = {private: surrogate for surrogate, private in _SURROGATES.items()}


def to_text(path: str) -> str:
    """A path's name as text that can be stored and shown."""
    return path if path.isascii() else path.translate(_SURROGATES)


def to_path(text: str) -> str:
    """The reverse of `to_text`."""
    return text if text.isascii() else text.translate(_PRIVATE)
