"""Finding log files below the base dir.

Links to folders are not followed: what they point to lies either inside the base dir, where it is found by its own
path, or outside, where nothing is read. A link to a file is followed when the file lies inside.
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
    top = os.fspath(base_dir)
    waiting = [(top, ".")]
    while waiting:
        folder, name = waiting.pop()
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
            below = entry.name if name == "." else f"{name}/{entry.name}"
            try:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, below))
                    continue
                kind = _TABLET if is_legacy and "%" in entry.name else classify(entry.name)
                if kind is None or (entry.is_symlink() and not _is_inside(entry.path, top)) or not entry.is_file():
                    continue
                status = entry.stat()
            except OSError:
                continue  # it vanished between the listing and the look at it
            found = FoundFile(to_text(below), to_text(name), kind, status.st_size, status.st_mtime_ns)
            findings.files.append(found)
    return findings


def _is_inside(path: str, top: str) -> bool:
    return os.path.realpath(path).startswith(top.rstrip("/") + "/")


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
