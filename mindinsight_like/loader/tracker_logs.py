"""Logs of trackers in the folders that discovery looks at: recognised, claimed, and compared by their members."""

from __future__ import annotations

import contextlib
import logging
import os
import zlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.paths import to_path, to_text
from mindinsight_like.trackers.reader import HEAD_BYTES, Folder
from mindinsight_like.trackers.registry import has_signs, reader_of, recognise
from mindinsight_like.trackers.source import FileVersion, LocalSource

log = logging.getLogger(__name__)

_MOST_HEADS = 1000  # looked at in a folder; one with more such files holds data
_CACHED_HEADS = 2000  # of files that did not become logs, so that a new file beside them has none of them read again

# Folders that nobody keeps logs in, and of the hidden ones those that trackers do.
_PASSED_OVER = frozenset({"node_modules", "__pycache__", "site-packages", "dist-packages"})
_OF_TRACKERS = frozenset(
    {".aim", ".clearml", ".comet", ".cometml-runs", ".guild", ".mlruns", ".neptune", ".swanlab", ".swanlog", ".wandb"}
)
_INSIDE_HIDDEN = {".cache": "huggingface", ".cache/huggingface": "trackio"}  # where Trackio writes by default
# What lies in a folder that is an environment or a cache as a whole.
_MARKS = frozenset({"pyvenv.cfg", "conda-meta", "CACHEDIR.TAG"})


class FoundLog(NamedTuple):
    """A log of a tracker, found in a folder."""

    name: str
    run: str
    dialect: Dialect


class LogStatus(NamedTuple):
    """What is another one after any member of a log was written to, replaced, added or removed."""

    st_size: int  # of all members
    st_mtime_ns: int
    st_ctime_ns: int
    st_ino: int  # made of all that their versions say


class LookedAt(NamedTuple):
    """A log with its status, None when it is gone, and the folders that its members lie in."""

    status: LogStatus | None
    folders: frozenset[str]


@dataclass
class FolderLogs:
    """The logs that begin in one folder."""

    logs: list[FoundLog] = field(default_factory=list)
    claimed_files: dict[str, FoundLog | None] = field(default_factory=dict)  # whose they are
    claimed_folders: frozenset[str] = frozenset()
    undecided: dict[str, int] = field(default_factory=dict)  # sizes of files, by path, that may become a log

    def must_look_again(self) -> bool:
        """Whether a file may be a log by now without its folder's time showing it."""
        return any(_size(path) != size for path, size in self.undecided.items())


class TrackerLogs:
    """Finds logs of trackers below base dirs."""

    def __init__(self, dirs: BaseDirs) -> None:
        self._dirs = dirs
        self._heads: OrderedDict[str, tuple[FileVersion, bytes]] = OrderedDict()

    def recognise(self, folder: str, entries: Sequence[os.DirEntry[str]]) -> FolderLogs:
        """The logs that begin in a folder that holds these entries."""
        found = FolderLogs()
        names = [to_text(entry.name) for entry in entries]
        if not has_signs(names):
            return found
        files, folders = _files_and_folders(entries, names)
        below = entries[0].path.rpartition("/")[0]
        heads = _Heads(self._dirs, folder, below)
        short: dict[str, int] = {}
        asked: dict[str, bytes] = {}

        def head(name: str) -> bytes:
            if name in asked or len(asked) >= _MOST_HEADS:
                return asked.get(name, b"")
            content = self._head(heads, name, name if folder == "." else f"{folder}/{name}")
            asked[name] = content
            if len(content) < HEAD_BYTES:
                short[name] = len(content)
            return content

        try:
            claimed: set[str] = set()
            for dialect, each in recognise(Folder(folder, files, folders, head)):
                log_found = FoundLog(each.name, each.run, dialect)
                found.logs.append(log_found)
                found.claimed_files.update(dict.fromkeys(each.claimed_files, log_found))
                claimed |= each.claimed_folders
            found.claimed_folders = frozenset(claimed)
        except Exception:  # whatever a folder holds, it must not keep others from being looked at
            log.exception("cannot tell whose logs are in %s", folder)
        finally:
            heads.close()
        # As discovery spells them, which compares these paths with what is announced.
        found.undecided = {f"{below}/{name}": size for name, size in short.items() if name not in found.claimed_files}
        return found

    def _head(self, heads: _Heads, name: str, path: str) -> bytes:
        version = LocalSource(self._dirs).version(path)
        if version is None:
            return b""
        if (cached := self._heads.get(path)) is not None and cached[0] == version:
            return cached[1]
        try:
            content = heads.of(name)
        except OSError:
            return b""
        self._heads[path] = version, content
        self._heads.move_to_end(path)
        if len(self._heads) > _CACHED_HEADS:
            self._heads.popitem(last=False)
        return content

    def look(self, dialect: Dialect, name: str) -> LookedAt:
        """The status of a log; raises OSError."""
        source = LocalSource(self._dirs)
        try:
            members = reader_of(dialect).members(source, name)
            versions = {each: version for each in members if (version := source.version(each)) is not None}
        except FileNotFoundError:
            return LookedAt(None, frozenset())
        finally:
            source.close()
        return LookedAt(log_status(versions), frozenset(each.rpartition("/")[0] or "." for each in members))


class _Heads:
    """The beginnings of files of one folder, of which there may be many: the folder is opened and checked once."""

    def __init__(self, dirs: BaseDirs, folder: str, path: str) -> None:
        self._dirs = dirs
        self._folder = folder
        self._path = path
        self._handle: int | None = None

    def of(self, name: str) -> bytes:
        """The first bytes of a file; raises OSError, also for links."""
        if self._handle is None:
            is_root = self._path in dict(self._dirs.roots())
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | (0 if is_root else os.O_NOFOLLOW)
            self._handle = os.open(self._path, flags)
            if not is_root and not self._dirs.holds(self._folder, self._handle):
                raise PermissionError(f"{self._folder} is not inside the base directory")
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(to_path(name), flags, dir_fd=self._handle)
        try:
            return os.pread(handle, HEAD_BYTES, 0)
        finally:
            os.close(handle)

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)


def log_status(versions: Mapping[str, FileVersion]) -> LogStatus | None:
    """The status of a log with members of these versions; None when it has no members."""
    if not versions:
        return None
    text = repr(sorted((name, *version) for name, version in versions.items())).encode("utf-8", "surrogatepass")
    return LogStatus(
        sum(version.size for version in versions.values()),
        max(version.modified_ns for version in versions.values()),
        max(version.changed_ns for version in versions.values()),
        zlib.crc32(text) << 31 | zlib.adler32(text) >> 1,
    )


def is_passed_over(folder: str, name: str) -> bool:
    """Whether nobody looks into a folder of this name: hidden ones, environments, caches."""
    for path, only in _INSIDE_HIDDEN.items():
        if folder == path or folder.endswith(f"/{path}"):
            return name != only
    return name in _PASSED_OVER or (name.startswith(".") and name not in _OF_TRACKERS and name not in _INSIDE_HIDDEN)


def is_environment(entries: Sequence[os.DirEntry[str]]) -> bool:
    """Whether a folder that holds these entries is an environment or a cache as a whole."""
    return any(entry.name in _MARKS for entry in entries)


def _files_and_folders(
    entries: Sequence[os.DirEntry[str]], names: Sequence[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Links are neither."""
    files, folders = [], []
    for entry, name in zip(entries, names, strict=True):
        with contextlib.suppress(OSError):
            if entry.is_file(follow_symlinks=False):
                files.append(name)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(name)
    return frozenset(files), frozenset(folders)


def _size(path: str) -> int:
    try:
        return min(os.stat(path).st_size, HEAD_BYTES)  # noqa: PTH116 - done in every round
    except OSError:
        return 0
