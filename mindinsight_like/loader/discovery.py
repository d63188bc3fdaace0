"""Discovery of log files below the base dir.

Links to folders are not followed: what they point to lies either inside the base dir, where it is found by its own
path, or outside, where nothing is read. A link to a file is followed when the file lies inside.

Over 400 lines, as walking, watching and taking turns all change the same listings.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from mindinsight_like.loader.recognition import Recognising
from mindinsight_like.loader.tracker_logs import (
    FolderLogs,
    FoundLog,
    LogStatus,
    TrackerLogs,
    is_environment,
    is_passed_over,
)
from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.logs.kinds import TRACKER_DIALECTS, Dialect
from mindinsight_like.logs.names import LogName, classify
from mindinsight_like.logs.paths import inode, to_text
from mindinsight_like.logs.whole_files import must_be_looked_into
from mindinsight_like.profiler.traces.names import Home, home_of, profiler_files
from mindinsight_like.store.files import TrackedFile
from mindinsight_like.store.growing_logs import growing_since

if TYPE_CHECKING:
    from mindinsight_like.loader.watches import Announced, FolderWatch

log = logging.getLogger(__name__)

_LEGACY_MARKER = "storage.meta"  # a VisualDL 1.x folder has it; every tablet beside it has a % in its name
_TABLET = LogName(Dialect.VISUALDL_LEGACY, None, None)
_PROFILE = LogName(Dialect.PROFILE, None, None)
# Shares of a core for looking at folders that announce nothing: those where something new is likely, all others, and
# as a safety net those that announce changes.
_ACTIVE_SHARE, _RESTING_SHARE, _WATCHED_SHARE = 0.02, 0.01, 0.005
_LONGEST_PAUSE = 10.0
_LONGEST_TURN = 0.25  # seconds; a slow file system must not hold up reading
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
    present: set[str] = field(default_factory=set)  # names of all log files that were looked at
    moved: list[str] = field(default_factory=list)  # known files that belong to another run by now
    unlisted: list[str] = field(default_factory=list)  # folders that exist but could not be listed
    gone: list[str] = field(default_factory=list)  # known files that are not there any more


@dataclass
class _Listing:
    """What a folder holds; it stays true as long as the folder's time does.

    That is the time of its last change of any sort, which nobody can set; copying tools set the other one back.
    """

    name: str  # below the base dir, as the file system spells it
    ctime_ns: int
    is_settled: bool  # listed so long after that time that a later change shows in it
    recognising: Recognising  # of the files whose names do not tell what they are
    trackers: FolderLogs  # of trackers
    files: list[tuple[str, str, LogName]] = field(default_factory=list)  # path, name below the base dir, kind
    profiles: list[tuple[str, str, Home]] = field(default_factory=list)  # path, name, whose run it is
    folders: list[tuple[str, str]] = field(default_factory=list)  # path, name as the file system spells it
    has_links: bool = False  # to files
    newest_ns: int = 0  # time of the file written to last

    def names(self) -> Iterator[str]:
        """The files of ours."""
        yield from (file for _, file, _ in self.files)
        yield from (file for _, file, _ in self.profiles)
        yield from (log.name for log in self.trackers.logs)
        yield from (to_text(_below(self.name, closed)) for closed in self.recognising.closed)

    def has_logs(self) -> bool:
        """Whether there are other logs than profiles."""
        return bool(self.files or self.trackers.logs)

    def must_look_again(self) -> bool:
        """Whether files may be something else by now without the folder's time showing it."""
        return self.recognising.must_look_again() or self.trackers.must_look_again()

    def is_active(self) -> bool:
        """Whether something new is likely: it was written to lately, or holds folders, beside which others come."""
        return bool(self.folders) or max(self.newest_ns, self.ctime_ns) > growing_since() * 1e9


class _Turns:
    """Folders looked at in turn, for a share of the time of a core."""

    def __init__(self, share: float) -> None:
        self.folders: dict[str, None] = {}
        self._share = share
        self._waiting: Iterator[str] = iter(())
        self._last = time.monotonic()

    def take(self) -> Iterator[str]:
        """The folders whose turn it is, at least one; each comes once at most."""
        now, started = time.monotonic(), time.thread_time()
        seconds = min(now - self._last, _LONGEST_PAUSE) * self._share
        self._last = now
        for _ in range(len(self.folders)):
            folder = next(self._waiting, None)
            if folder is None:
                self._waiting = iter(list(self.folders))
                folder = next(self._waiting)
            if folder in self.folders:
                yield folder
            if time.thread_time() - started > seconds or time.monotonic() - now > _LONGEST_TURN:
                return


class Discovery:
    """Looks through the base dir again and again; folders that did not change are not listed again.

    After a look at everything, folders are looked at when they announce changes (see `watching`). Those that cannot,
    and as a safety net also those that can, are looked at in turn, for a small share of a core.
    """

    def __init__(self, dirs: BaseDirs, *, quiet_seconds: float = 0.0, most_watches: int = 0) -> None:
        """A profile is found when nobody has written to it for `quiet_seconds`: half of one is of no use."""
        self._dirs = dirs
        self._trackers = TrackerLogs(dirs)
        self._roots = dict(dirs.roots())
        self._quiet_ns = int(quiet_seconds * 1e9)
        self._listings: dict[str, _Listing] = {}
        self._listings_before: dict[str, _Listing] = {}  # while everything is looked at
        self._logged: set[str] = set()  # folders with other logs than profiles
        self._unlisted: set[str] = set()  # complained of once
        self._again: set[str] = set()  # folders to be looked at in the next look whatever is announced
        self._must_look_everywhere = True
        self._watch = _open_watch(most_watches)
        self._unreliable: set[str] = set()  # folders that changed without announcing it
        # Folders in which trackers' logs have members, each with the folder where the log begins.
        self._member_folders: dict[str, str] = {}
        self._members: dict[str, set[str]] = {}  # the same by the folder where the logs begin
        self._active, self._resting, self._watched = (
            _Turns(share) for share in (_ACTIVE_SHARE, _RESTING_SHARE, _WATCHED_SHARE)
        )

    def close(self) -> None:
        if self._watch is not None:
            self._watch.close()

    def look(self, tracked_files: Mapping[str, TrackedFile]) -> Findings:
        """What is there and what differs from what is known; raises OSError when the base dir cannot be listed."""
        findings = Findings()
        if self._watch is not None:
            self._watch.read()  # of no interest: everything is looked at
        before = self._listings_before = self._listings
        self._listings, self._logged, self._again = {}, set(), set()
        unlisted_before, self._unlisted = self._unlisted, set()
        self._must_look_everywhere = False
        try:
            self._walk(list(reversed(self._roots.items())), tracked_files, findings, unlisted_before)
        except OSError:
            self._listings, self._unlisted = before, unlisted_before
            self._must_look_everywhere = True
            raise
        finally:
            self._listings_before = {}
        for folder in before.keys() - self._listings.keys():
            self._leave(folder)
        hidden = tuple(f"{folder}/" for folder in findings.unlisted)
        findings.gone = [
            name for name in tracked_files if name not in findings.present and not (hidden and name.startswith(hidden))
        ]
        return findings

    def look_at_changes(
        self, tracked_files: Mapping[str, TrackedFile], queued: Container[str] = (), *, takes_turns: bool = True
    ) -> Findings:
        """What has changed since the last look, as far as that was announced or seen in turn.

        `queued` are files that are going to be read anyway. Without `takes_turns` only what was announced is looked at.
        """
        from mindinsight_like.loader.watches import Announced  # loading once needs none

        announced = self._watch.read() if self._watch is not None else Announced()
        self._must_look_everywhere |= announced.is_incomplete
        # What is inside a folder that could not be listed has stayed known.
        if takes_turns and (self._must_look_everywhere or any(map(self._can_be_listed, self._unlisted))):
            return self.look(tracked_files)
        findings = Findings()
        announced.folders |= self._beginnings(announced)
        for folder, name in announced.files:
            self._look_at_file(folder, name, tracked_files, findings, announced.folders)
        folders = announced.folders
        if takes_turns:
            folders, self._again = folders | self._again, set()
        for folder in sorted(folders):  # a folder comes before those inside it
            self._look_at_folder(folder, tracked_files, findings)
        if takes_turns:
            for folder in self._active.take():
                self._look_at_folder(folder, tracked_files, findings)
            for folder in self._resting.take():
                self._look_at_folder(folder, tracked_files, findings)
            for folder in self._watched.take():
                self._check_watched(folder, tracked_files, queued, findings)
        findings.changed = [file for file in findings.changed if file.name not in queued]
        return findings

    def announces(self, name: str) -> bool:
        """Whether all changes of a log of a tracker are announced, as far as is known."""
        path = self._dirs.path_of(name)
        folder = path if path in self._listings else path.rpartition("/")[0]
        return self._watch is not None and folder in self._watch and folder not in self._unreliable

    def status(self, tracked: TrackedFile) -> os.stat_result | LogStatus | None:
        """What the file system says of a log, None when it is gone; raises OSError."""
        if tracked.dialect in TRACKER_DIALECTS:
            return self._trackers.look(tracked.dialect, tracked.name).status
        return stat_or_none(self._dirs.path_of(tracked.name))

    # --- turns --------------------------------------------------------------------------------------------------

    def _let_take_turns(self, folder: str, listing: _Listing) -> None:
        is_watched = self._watch is not None and folder in self._watch and folder not in self._unreliable
        turns = self._watched if is_watched else self._active if listing.is_active() else self._resting
        for each in (self._active, self._resting, self._watched):
            if each is not turns:
                each.folders.pop(folder, None)
        turns.folders[folder] = None

    def _check_watched(
        self, folder: str, tracked_files: Mapping[str, TrackedFile], queued: Container[str], findings: Findings
    ) -> None:
        """Look at a folder that has announced nothing; one that has changed all the same is not relied on any longer.

        A file may be written to through memory, or under another name outside of the base dir.
        """
        before = {file.name for file in findings.changed}
        gone_before = len(findings.gone)
        self._look_at_folder(folder, tracked_files, findings)
        surprises = [
            file
            for file in findings.changed
            if file.name not in before and file.name not in queued and not _is_tried_again(tracked_files.get(file.name))
        ]
        if not surprises and len(findings.gone) == gone_before:
            return
        assert self._watch is not None
        late = self._watch.read()  # of what has happened just now
        late.folders |= self._beginnings(late)
        if not late.is_incomplete and folder not in late.folders and folder not in {where for where, _ in late.files}:
            log.info("%s changed without an inotify event: polling it from now on", folder)
            self._unreliable.add(folder)
            self._let_take_turns(folder, self._listings[folder])
        self._must_look_everywhere |= late.is_incomplete
        self._again |= late.folders | {where for where, _ in late.files}

    # --- looks --------------------------------------------------------------------------------------------------

    def _walk(
        self,
        waiting: list[tuple[str, str]],
        tracked_files: Mapping[str, TrackedFile],
        findings: Findings,
        reported: Container[str] = (),
    ) -> None:
        """Look at folders and all that is inside them; raises OSError only for the base dir."""
        while waiting:
            folder, name = waiting.pop()
            try:
                waiting += self._visit(folder, name, tracked_files, findings).folders
            except OSError as error:
                if name == ".":
                    raise
                # A further base dir that is missing may be a disk that comes back: its runs stay known.
                if not isinstance(error, FileNotFoundError) or folder in self._roots:
                    findings.unlisted.append(to_text(name))
                    self._note_unlisted(folder, error, reported)

    def _note_unlisted(self, folder: str, error: OSError, reported: Container[str]) -> None:
        if folder not in reported:
            log.warning("cannot list %s: %s", folder, error.strerror)
        self._unlisted.add(folder)

    def _look_at_file(
        self, folder: str, name: str, tracked_files: Mapping[str, TrackedFile], findings: Findings, folders: set[str]
    ) -> None:
        """Look at a file that was written to; or let its folder be looked at."""
        listing = self._listings.get(folder)
        if listing is None or folder in folders:
            return
        file = to_text(_below(listing.name, name))
        found = listing.trackers.claimed_files.get(to_text(name))
        if found is not None:
            self._look_at_log(found, folder, listing.name, tracked_files, findings)
            return
        tracked = tracked_files.get(file)
        if tracked is None:
            if must_be_looked_into(name) or listing.profiles or f"{folder}/{name}" in listing.trackers.undecided:
                folders.add(folder)
            return  # it is nothing of ours, or waits to be read
        if tracked.dialect == Dialect.PROFILE or must_be_looked_into(name):
            folders.add(folder)
            return
        try:
            status = stat_or_none(f"{folder}/{name}")
        except OSError:
            return
        if status is not None and differs(tracked, status):
            kind = LogName(tracked.dialect, tracked.rank, None)
            findings.changed.append(FoundFile(file, tracked.run, kind, status.st_size, status.st_mtime_ns))

    def _look_at_folder(self, folder: str, tracked_files: Mapping[str, TrackedFile], findings: Findings) -> None:
        """Look at a folder that was listed before, and at what is new inside it; note what is gone."""
        old = self._listings.get(folder)
        if old is None:
            return
        findings.present.difference_update(old.names())  # it may have been looked at before, in the same look
        try:
            listing = self._visit(folder, old.name, tracked_files, findings)
        except OSError as error:
            if old.name == ".":
                raise
            if isinstance(error, FileNotFoundError) and folder not in self._roots:
                self._forget(folder, tracked_files, findings)
                return
            self._note_unlisted(folder, error, self._unlisted)
            return
        if listing is not old:
            inside, before = set(listing.folders), set(old.folders)
            for gone, _ in before - inside:
                self._forget(gone, tracked_files, findings)
            self._walk(sorted(inside - before, reverse=True), tracked_files, findings)
            if old.has_logs() != listing.has_logs():
                self._must_look_everywhere = True  # profiles inside may belong to another run
        findings.gone += [file for file in old.names() if file in tracked_files and file not in findings.present]

    def _forget(self, folder: str, tracked_files: Mapping[str, TrackedFile], findings: Findings) -> None:
        """Note that a folder is gone with all that was inside it."""
        waiting = [folder]
        while waiting:
            listing = self._listings.pop(folder := waiting.pop(), None)
            if listing is None:
                continue
            findings.gone += [file for file in listing.names() if file in tracked_files]
            waiting += [path for path, _ in listing.folders]
            self._logged.discard(listing.name)
            self._leave(folder)

    def _leave(self, folder: str) -> None:
        self._unreliable.discard(folder)
        self._again.discard(folder)
        for turns in (self._active, self._resting, self._watched):
            turns.folders.pop(folder, None)
        if self._watch is not None:
            self._watch.discard(folder)
        for member in self._members.pop(folder, ()):
            del self._member_folders[member]
            if self._watch is not None and member not in self._listings:
                self._watch.discard(member)

    def _visit(self, folder: str, name: str, tracked_files: Mapping[str, TrackedFile], findings: Findings) -> _Listing:
        """Look at one folder and its files, and watch it; raises OSError."""
        listing = self._listings[folder] = self._list(folder, name)
        findings.present.update(to_text(_below(name, closed)) for closed in listing.recognising.closed)
        newest_ns = 0
        for path, file, kind in listing.files:
            try:
                status = stat_or_none(path)
            except OSError:
                findings.present.add(file)  # there, but out of sight
                self._again.add(folder)
                continue
            if status is None:
                continue  # it vanished between the listing and the look at it
            findings.present.add(file)
            newest_ns = max(newest_ns, status.st_mtime_ns)
            tracked = tracked_files.get(file)
            if differs(tracked, status):
                changed_file = FoundFile(file, to_text(name), kind, status.st_size, status.st_mtime_ns)
                findings.changed.append(changed_file)
                if _is_tried_again(tracked):
                    self._again.add(folder)
        for log_found in listing.trackers.logs:
            newest_ns = max(newest_ns, self._look_at_log(log_found, folder, name, tracked_files, findings))
        listing.newest_ns = newest_ns
        if listing.has_logs():
            self._logged.add(name)
        else:
            self._logged.discard(name)
        for path, file, home in listing.profiles:
            self._look_at_profile(path, file, _run_of(home, self._logged), tracked_files.get(file), findings, folder)
        if listing.has_links or listing.recognising.closed or not listing.is_settled:
            self._again.add(folder)  # links announce nothing
        self._let_take_turns(folder, listing)
        return listing

    def _look_at_log(
        self, found: FoundLog, folder: str, name: str, tracked_files: Mapping[str, TrackedFile], findings: Findings
    ) -> int:
        """Look at a log of a tracker that begins in a folder; gives when it was written to."""
        try:
            status, folders = self._trackers.look(found.dialect, found.name)
        except OSError:
            findings.present.add(found.name)  # there, but out of sight
            self._again.add(folder)
            return 0
        if status is None:
            return 0
        findings.present.add(found.name)
        self._watch_members(folder, folders - {to_text(name)})
        tracked = tracked_files.get(found.name)
        if tracked is not None and (tracked.run, tracked.dialect) != (found.run, found.dialect):
            findings.moved.append(found.name)
            tracked = None
        if differs(tracked, status):
            kind = LogName(found.dialect, None, None)
            findings.changed.append(FoundFile(found.name, found.run, kind, status.st_size, status.st_mtime_ns))
            if _is_tried_again(tracked):
                self._again.add(folder)
        return status.st_mtime_ns

    def _watch_members(self, folder: str, inside: frozenset[str]) -> None:
        """Let folders with members of a log announce changes, too; where they cannot, the log is looked at in turn."""
        for name in inside if self._watch is not None else ():
            path = self._dirs.path_of(name)
            try:
                is_watched = self._watch is not None and self._watch.add(path, os.stat(path).st_dev)  # noqa: PTH116
            except OSError:
                continue  # it is not there yet, and the folder that it comes into tells
            if is_watched:
                self._member_folders[path] = folder
                self._members.setdefault(folder, set()).add(path)
            else:
                self._unreliable.add(folder)

    def _beginnings(self, announced: Announced) -> set[str]:
        """The folders of logs that have members where something was announced."""
        if not self._member_folders:
            return set()
        where = announced.folders | {folder for folder, _ in announced.files}
        return {self._member_folders[folder] for folder in where if folder in self._member_folders}

    def _look_at_profile(
        self, path: str, file: str, run: str, tracked: TrackedFile | None, findings: Findings, folder: str
    ) -> None:
        try:
            status = stat_or_none(path)
        except OSError:
            findings.present.add(file)
            return
        if status is None:
            return
        is_moved = tracked is not None and (tracked.run != run or tracked.dialect != Dialect.PROFILE)
        if is_moved:
            findings.moved.append(file)
        if is_quiet(status, self._quiet_ns):
            findings.present.add(file)
            if is_moved or differs(tracked, status):
                findings.changed.append(FoundFile(file, run, _PROFILE, status.st_size, status.st_mtime_ns))
        else:
            self._again.add(folder)
            if tracked is not None:
                findings.present.add(file)

    def _list(self, folder: str, name: str) -> _Listing:
        status = os.stat(folder)  # noqa: PTH116 - done for every folder in every round
        if self._watch is not None:
            was_watched = folder in self._watch
            if self._watch.add(folder, status.st_dev) and not was_watched:
                status = os.stat(folder)  # noqa: PTH116 - it may have changed before it was watched
        ctime_ns = status.st_ctime_ns
        previous = self._listings.get(folder) or self._listings_before.get(folder)
        is_same = previous is not None and previous.is_settled and previous.ctime_ns == ctime_ns
        if previous is not None and is_same and not previous.must_look_again():
            return previous
        entries = list(os.scandir(folder))
        if folder not in self._roots and is_environment(entries):
            entries = []
        trackers = self._trackers.recognise(to_text(name), entries)
        names = [entry.name for entry in entries if to_text(entry.name) not in trackers.claimed_files]
        kinds = _names_by_dialect(name, names)
        unclear = [entry for entry in entries if must_be_looked_into(entry.name) and kinds.get(entry.name, 0) is None]
        recognising = Recognising(self._dirs.top_of(name), unclear, previous.recognising if previous else None)
        listing = _Listing(name, ctime_ns, time.time_ns() - ctime_ns > _SETTLED_NS, recognising, trackers)
        for entry in entries:
            below = _below(name, entry.name)
            try:
                if entry.is_dir(follow_symlinks=False):
                    if not is_passed_over(name, entry.name) and to_text(entry.name) not in trackers.claimed_folders:
                        listing.folders.append((entry.path, below))
                    continue
                if entry.name not in kinds:
                    continue
                kind = kinds[entry.name] or recognising.kind_of(entry.name)
                if kind is None or not entry.is_file() or (entry.is_symlink() and not self._holds(name, entry.path)):
                    continue
                listing.has_links |= entry.is_symlink()
                if kind.dialect == Dialect.PROFILE:
                    listing.profiles.append((entry.path, to_text(below), home_of(name, entry.name)))
                else:
                    listing.files.append((entry.path, to_text(below), kind))
            except OSError:
                continue
        return listing

    def _holds(self, folder: str, path: str) -> bool:
        return os.path.realpath(path).startswith(self._dirs.top_of(folder).rstrip("/") + "/")

    def _can_be_listed(self, folder: str) -> bool:
        try:
            os.scandir(folder).close()
        except FileNotFoundError:
            return folder not in self._roots  # it has gone
        except OSError:
            return False
        return True


def _names_by_dialect(folder: str, names: Sequence[str]) -> dict[str, LogName | None]:
    """What the files of a folder are as far as their names tell."""
    is_legacy = _LEGACY_MARKER in names
    kinds = {name: _TABLET if is_legacy and "%" in name else classify(name) for name in names}
    others = [name for name, kind in kinds.items() if kind is None]
    return kinds | dict.fromkeys(profiler_files(folder, others), _PROFILE) if others else kinds


def _open_watch(most: int) -> FolderWatch | None:
    if not most:
        return None
    from mindinsight_like.loader.watches import FolderWatch

    try:
        return FolderWatch(most)
    except OSError as error:
        log.info("directories are polled, not watched: %s", error.strerror)
        return None


def _is_tried_again(tracked: TrackedFile | None) -> bool:
    """Whether a file differs from what is known because it could not be read."""
    return tracked is not None and tracked.mtime_ns == 0


def _run_of(home: Home, logged: Container[str]) -> str:
    above = home.run.rpartition("/")[0] or ("." if not home.run.startswith("/") else home.run)
    return to_text(above if home.is_job and above in logged else home.run)


def is_quiet(status: os.stat_result | LogStatus, quiet_ns: int) -> bool:
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


def differs(tracked: TrackedFile | None, status: os.stat_result | LogStatus) -> bool:
    """Whether a file has to be looked into."""
    return (
        tracked is None
        or tracked.is_partial
        or tracked.size != status.st_size
        or tracked.mtime_ns != status.st_mtime_ns
        or tracked.ctime_ns != status.st_ctime_ns
        or tracked.inode != inode(status)
    )
