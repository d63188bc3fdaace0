"""Load rounds: scan the base dir, read new data slice by slice, store it, remove what is gone."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from mindinsight_like.loader.discovery import Discovery, Findings, FoundFile, differs, is_quiet, stat_or_none
from mindinsight_like.loader.following import LogReading, SliceLimits
from mindinsight_like.loader.memory import release
from mindinsight_like.loader.schedule import Schedule
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.names import LogName
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.files import EMPTY, UNFINISHED, FileUpdate, TrackedFile, Trouble
from mindinsight_like.store.growing_logs import growing_since
from mindinsight_like.store.progress import Progress
from mindinsight_like.store.run_status import STALLED_AFTER_SECONDS
from mindinsight_like.store.writer import IndexWriter

log = logging.getLogger(__name__)

_COMMIT_POINTS = 250_000  # bounds the memory that waits for a commit
_COMMIT_SECONDS = 0.5  # loaded runs are to be seen while others still load
_LINEAGE_SECONDS = 5.0  # while a backlog loads
_WORTH_SHOWING_BYTES = 8 * 1024 * 1024  # rounds with less to read are over before anybody looks
_HOT_FILES = 1000
_DAMAGED = b"damaged"  # no fingerprint of a file, which therefore is read again from its beginning

Show = Callable[[Progress], None]


@dataclass(frozen=True)
class RestTimes:
    """How long nobody must have written to a file before it is looked at as a whole."""

    verified_after_seconds: float = 5.0
    verified_bytes_per_second: float = 5e6  # a large file waits longer, so that verifying costs little
    warned_after_seconds: float = 180.0  # of a record that is not complete, or an empty file

    def verified_after(self, position: int) -> float:
        return self.verified_after_seconds + position / self.verified_bytes_per_second


class Loader:
    """Keeps the index of one base dir up to date; whoever makes it holds the index's lock.

    `look` and `look_at_hot_files` find out what is to be read, `load_slice` reads some of it. A caller that does these
    in turn keeps files that grow fresh while a backlog of any size loads.
    """

    def __init__(
        self,
        location: IndexLocation,
        *,
        quiet_seconds: float = 0.0,
        most_watches: int = 0,
        limits: SliceLimits = SliceLimits(),  # noqa: B008 - it cannot be changed
        rest: RestTimes = RestTimes(),  # noqa: B008 - it cannot be changed
        stalled_after: float = STALLED_AFTER_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._quiet_ns = int(quiet_seconds * 1e9)
        self._writer = IndexWriter(location, stalled_after=stalled_after, clock=clock)
        self._location = location
        self._known = self._writer.files()
        self._reading = LogReading(location.dirs, self._writer.keys, limits)
        self._limits = limits
        self._discovery = Discovery(location.dirs, quiet_seconds=quiet_seconds, most_watches=most_watches)
        self._hot: set[str] = set()  # files that are expected to grow, as many as are cheap to look at
        self._schedule = Schedule()
        self._pending = _PendingBatch(most_series=limits.keys)
        self._grown: set[str] = set()  # files whose segments may have to be merged
        self._backlog = _BacklogLog()
        self._is_first = True
        self._repairing: set[int] = set()
        self._rest = rest
        self._resting: set[str] = set()  # files that have to be looked at once they rest
        self._note_hot(self._known.values())
        self._note_resting(self._known.values())

    def close(self) -> None:
        self._discovery.close()
        self._writer.close()

    def round(self, show: Show | None = None) -> None:
        """Look at everything below the base dir, which must exist, and load what changed."""
        self.look_everywhere()
        while self.load_slice(show):
            pass
        self.repair()  # notes what is done
        self._look_at_resting_files()
        self.refresh_states()

    def round_over_hot_files(self) -> None:
        """Look only at files that were written to lately, and load what changed: cheap enough to be done often."""
        self.look_at_hot_files()
        while self.load_slice():
            pass

    def look_everywhere(self) -> None:
        """Look at everything below the base dir, which must exist, and let what changed be read."""
        self.repair()
        self._take_note(self._discovery.look(self._known))

    def look(self) -> None:
        """Find out what has changed below the base dir, which must exist, and let it be read."""
        self.repair()
        self._take_note(self._discovery.look_at_changes(self._known, self._schedule))
        self._look_at_resting_files()
        self.refresh_states()
        since = growing_since() * 1e9
        self._hot = {name for name in self._hot if name in self._known and self._known[name].mtime_ns > since}

    def look_at_hot_files(self) -> None:
        """Let files be read that announce changes or were written to lately, if they have grown."""
        self.repair()
        self._take_note(self._discovery.look_at_changes(self._known, self._schedule, takes_turns=False))
        changed = []
        for name in self._hot:
            tracked = self._known.get(name)
            if tracked is None or name in self._schedule:
                continue
            try:
                status = stat_or_none(self._location.dirs.path_of(name))
            except OSError:
                continue
            if tracked.dialect == Dialect.PROFILE and status is not None and not is_quiet(status, self._quiet_ns):
                continue
            if status is not None and differs(tracked, status):  # the next look sees what has gone
                kind = LogName(tracked.dialect, tracked.rank, None)
                changed.append(FoundFile(name, tracked.run, kind, status.st_size, status.st_mtime_ns))
        self._add(changed)

    def _take_note(self, findings: Findings) -> None:
        """Forget what is gone, and let the rest be read."""
        # Before they are found again, as files of another run.
        self._forget(findings.moved)
        self._forget(findings.gone)
        if findings.gone:
            log.info("removed %d deleted files from the index", len(findings.gone))
        self._add(findings.changed)

    def _note_resting(self, files: Iterable[TrackedFile]) -> None:
        for file in files:
            if not file.is_partial and (not file.is_verified or file.position < file.size or file.size == 0):
                self._resting.add(file.name)

    def _look_at_resting_files(self) -> None:
        """Verify what was read of files that rest now, and warn of records that nobody finishes."""
        now, end = time.time(), time.monotonic() + self._limits.seconds
        verified: list[TrackedFile] = []
        for name in list(self._resting):
            file = self._known.get(name)
            if file is None:
                self._resting.discard(name)
                continue
            if name in self._schedule or self._pending.holds(name):
                continue
            rests = abs(now - file.ctime_ns / 1e9)
            if not file.is_verified and rests > self._rest.verified_after(file.position):
                is_unchanged = self._reading.is_unchanged(file)
                if is_unchanged:
                    self._known[name] = file._replace(is_verified=True)
                    verified.append(self._known[name])
                elif is_unchanged is not None:
                    self._resting.discard(name)
                    self._read_again(name)
                if time.monotonic() > end:
                    break  # others can wait a little longer, but not those who watch a run
            elif file.is_verified and rests > self._rest.warned_after_seconds:
                self._resting.discard(name)
                if (trouble := _unfinished(file)) is not None:
                    self._pending.add(FileUpdate(file, troubles=(trouble,)))
        self._writer.note_verified(verified)
        if not self._schedule:
            self._commit_pending()

    def refresh_states(self) -> None:
        """Bring the states of runs up to date that change by time alone, once all is loaded."""
        if not self._is_first:
            self._writer.refresh_states()

    def repair(self) -> None:
        """Let log files be read again whose segments are damaged; raises DamagedDatabase when the database is.

        What was repaired is noted in the next call only, so that no answer is made of half of a file.
        """
        self._writer.confirm_damage()
        repairs = self._writer.repairs
        requested = repairs.files()
        if not requested:
            return
        names = {self._known[name].id: name for name in self._known}
        has_repaired = False
        for file in requested:
            name = names.get(file)
            if name is None:
                repairs.file_done(file)
            elif name in self._schedule or self._pending.holds(name):
                continue
            elif file in self._repairing and self._known[name].mark != _DAMAGED:
                self._repairing.discard(file)
                repairs.file_done(file)
                has_repaired = True
            else:
                self._repairing.add(file)
                self._read_again(name)
        if has_repaired:
            self._keep_lineage()

    def _read_again(self, name: str) -> None:
        tracked = self._known[name] = self._known[name]._replace(mark=_DAMAGED)
        kind = LogName(tracked.dialect, tracked.rank, None)
        self._add([FoundFile(name, tracked.run, kind, tracked.size, tracked.mtime_ns)])

    def _note_hot(self, files: Iterable[TrackedFile]) -> None:
        since = growing_since() * 1e9
        hot = (file.name for file in files if file.mtime_ns > since)
        self._hot.update(islice(hot, max(0, _HOT_FILES - len(self._hot))))

    def _add(self, changed: Sequence[FoundFile]) -> None:
        if changed:
            self._backlog.add(changed, self._known)
            self._schedule.add(changed, self._known)

    def load_slice(self, show: Show | None = None) -> bool:
        """Read for about half a second: all that grew, then something of the backlog; False when all is loaded."""
        if not self._schedule:
            self._finish(show)
            return False
        if not self._backlog.is_shown and self._schedule.progress.bytes_total > _WORTH_SHOWING_BYTES:
            self._writer.show_progress(self._schedule.progress)
            self._backlog.is_shown = True
        if self._read_some(iter(self._schedule.next_growing, None)):
            self._commit_pending(show)
        self._read_some(iter(self._schedule.next_of_backlog, None))
        self._schedule.turn()
        if self._pending.is_full():
            self._commit_pending(show)
        if self._backlog.is_lineage_due():
            self._keep_lineage()
        return True

    def _read_some(self, files: Iterator[FoundFile]) -> int:
        """Read slices of files until one slice's time or bytes are used up; gives how many."""
        end, left, slices = time.monotonic() + self._limits.seconds, self._limits.bytes, 0
        for file in files:
            if self._pending.holds(file.name):
                self._commit_pending()
            tracked = self._known.get(file.name)
            update = self._reading.read(file, tracked)
            if update is None and self._reading.is_verifying(file.name):
                self._schedule.postpone(file.name)
            elif update is None:
                self._schedule.done(file.name)
            elif tracked is not None and tracked.mark != _DAMAGED and update.is_heartbeat(tracked):
                self._known[file.name] = self._with_identity(update).file
                self._writer.note_heartbeat(self._known[file.name])
                self._schedule.done(file.name)
            else:
                if tracked is not None:
                    self._grown.add(file.name)
                    left -= max(0, update.file.position - tracked.position)
                else:
                    left -= update.file.position
                self._pending.add(self._with_identity(update))
                self._schedule.read_to(update.file)
            slices += 1
            if left <= 0 or self._pending.is_full() or time.monotonic() > end:
                break
        return slices

    def _finish(self, show: Show | None) -> None:
        """Store what is left of a backlog, and say that all is loaded."""
        self._commit_pending(show)
        if self._is_first:
            self._writer.make_run_indexes()
        if self._is_first or self._backlog.files:
            self._keep_lineage()  # also what a loader that was killed has left
        if self._is_first or self._backlog.is_shown:  # who waits for this may ask for lineage next
            self._writer.show_progress(None)
        if self._backlog.files:
            self._backlog.tell(self._schedule.progress.runs_total)
            if self._backlog.is_shown:
                release()
            self._backlog = _BacklogLog()
        self._is_first = False

    def _keep_lineage(self) -> None:
        """Make the lineage records of runs whose lineage has changed."""
        if stale := self._writer.stale_lineage():
            from mindinsight_like.lineage.records.index_rows import make_rows  # not every folder has lineage

            for rows in make_rows(self._location, stale):
                self._writer.store_lineage(rows)

    def _with_identity(self, update: FileUpdate) -> FileUpdate:
        """The update with what an earlier commit of the same reading gave its file."""
        tracked = self._known.get(update.file.name)
        if tracked is None:
            return update
        damages = 0 if update.starts_over else tracked.damages
        return update._replace(file=update.file._replace(id=tracked.id, damages=damages))

    def _forget(self, names: Sequence[str]) -> None:
        if names:
            self._commit_pending()
            removed = [self._known.pop(name) for name in dict.fromkeys(names)]
            for file in removed:
                self._reading.forget(file.name)
            self._writer.commit((), removed)

    def _commit_pending(self, show: Show | None = None) -> None:
        updates = self._pending.take()
        if updates:
            progress = self._schedule.progress
            stored = self._writer.commit(updates, (), progress if self._backlog.is_shown else None)
            self._known.update((file.name, file) for file in stored)
            self._note_hot(stored)
            self._note_resting(stored)
            self._writer.merge_small(self._known[name] for name in self._grown)
            self._grown.clear()
            if show:
                show(progress)


def _unfinished(file: TrackedFile) -> Trouble | None:
    """What is wrong with a file that nobody has written to for some time."""
    if file.size == 0:
        if file.dialect == Dialect.RUN_STATE or ".slice_" in file.name:
            return None  # a part of Ascend's raw data, which may well have nothing to say
        return Trouble(0, EMPTY, "the file is empty")
    if file.position < file.size and not file.damaged:
        left = file.size - file.position
        return Trouble(
            file.position, UNFINISHED, f"the last record is not complete; {left} bytes wait for the rest of it"
        )
    return None


class _PendingBatch:
    """Updates on their way to the next commit, one of each file at most."""

    def __init__(self, *, most_series: int) -> None:
        self._updates: dict[str, FileUpdate] = {}
        self._most_series = most_series  # that are new
        self._points = self._series = 0
        self._since = time.monotonic()

    def holds(self, file: str) -> bool:
        return file in self._updates

    def add(self, update: FileUpdate) -> None:
        if not self._updates:
            self._since = time.monotonic()
        self._updates[update.file.name] = update
        if update.batch is not None:
            self._points += len(update.batch.steps) + len(update.batch.blob_steps)
            self._series += len(update.batch.keys)

    def is_full(self) -> bool:
        is_late = bool(self._updates) and time.monotonic() - self._since > _COMMIT_SECONDS
        return is_late or self._points >= _COMMIT_POINTS or self._series >= self._most_series

    def take(self) -> list[FileUpdate]:
        updates, self._updates = list(self._updates.values()), {}
        self._points = self._series = 0
        return updates


class _BacklogLog:
    """What there is to tell of a backlog once it is loaded."""

    def __init__(self) -> None:
        self.files = 0
        self.is_shown = False  # in the page, as progress
        self._has_new = False
        self._since = self._lineage_kept = time.monotonic()

    def add(self, files: Iterable[FoundFile], tracked_files: dict[str, TrackedFile]) -> None:
        for file in files:
            self.files += 1
            self._has_new = self._has_new or file.name not in tracked_files

    def is_lineage_due(self) -> bool:
        now = time.monotonic()
        if now - self._lineage_kept < _LINEAGE_SECONDS:
            return False
        self._lineage_kept = now
        return True

    def tell(self, runs: int) -> None:
        # Files that merely grow do so all day long.
        level = logging.INFO if self.is_shown or self._has_new else logging.DEBUG
        log.log(level, "read %d files of %d runs in %.2f s", self.files, runs, time.monotonic() - self._since)
