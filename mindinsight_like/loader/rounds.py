"""Load rounds: scan the base dir, read new data slice by slice, store it, remove what is gone."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from mindinsight_like.loader.discovery import Discovery, Findings, FoundFile, differs, is_quiet
from mindinsight_like.loader.following import LogReading, SliceLimits
from mindinsight_like.loader.memory import release
from mindinsight_like.loader.pending import BacklogLog, PendingBatch, unfinished
from mindinsight_like.loader.schedule import Schedule
from mindinsight_like.loader.tracker_reading import TrackerReading
from mindinsight_like.logs.kinds import TRACKER_DIALECTS, Dialect
from mindinsight_like.logs.names import LogName
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.files import DAMAGED, FileUpdate, TrackedFile
from mindinsight_like.store.growing_logs import growing_since
from mindinsight_like.store.progress import Progress
from mindinsight_like.store.run_status import STALLED_AFTER_SECONDS
from mindinsight_like.store.writer import IndexWriter

log = logging.getLogger(__name__)

_WORTH_SHOWING_BYTES = 8 * 1024 * 1024  # rounds with less to read are over before anybody looks
_HOT_FILES = 1000
_HOT_SECONDS = 0.02  # of CPU time for logs of trackers, each time; the others are looked at in turn

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
        self._known: dict[str, TrackedFile] = {}  # log files by name
        self._store_runs: dict[str, dict[str, TrackedFile]] = {}  # runs of stores, by the name of the store
        self._remember(self._writer.files().values())
        self._reading = LogReading(location.dirs, self._writer.keys, limits)
        self._tracker_reading = TrackerReading(location.dirs, self._writer.keys, self._writer.said, limits)
        self._limits = limits
        self._discovery = Discovery(location.dirs, quiet_seconds=quiet_seconds, most_watches=most_watches)
        self._hot: set[str] = set()  # files that are expected to grow, as many as are cheap to look at
        self._schedule = Schedule()
        self._pending = PendingBatch(most_series=limits.keys)
        self._grown: set[str] = set()  # files whose segments may have to be merged
        self._backlog = BacklogLog()
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
        end = time.thread_time() + _HOT_SECONDS
        for name in self._hot:
            tracked = self._known.get(name)
            if tracked is None or name in self._schedule:
                continue
            if tracked.dialect in TRACKER_DIALECTS and (self._discovery.announces(name) or time.thread_time() > end):
                continue  # all its members would be looked at
            try:
                status = self._discovery.status(tracked)
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
            if file.dialect in TRACKER_DIALECTS:
                continue  # their readers know best
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
                if (trouble := unfinished(file)) is not None:
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
        names |= {run.id: store for store, runs in self._store_runs.items() for run in runs.values()}
        has_repaired = False
        for file in requested:
            name = names.get(file)
            if name is None:
                repairs.file_done(file)
            elif name in self._schedule or self._pending.holds(name):
                continue
            elif file in self._repairing and self._known[name].mark != DAMAGED:
                self._repairing.discard(file)
                repairs.file_done(file)
                has_repaired = True
            else:
                self._repairing.add(file)
                self._read_again(name)
        if has_repaired:
            self._keep_lineage()

    def _read_again(self, name: str) -> None:
        tracked = self._known[name] = self._known[name]._replace(mark=DAMAGED)
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
            update = self._read(file, tracked)
            if update is None and self._reading.is_verifying(file.name):
                self._schedule.postpone(file.name)
            elif update is None:
                self._schedule.done(file.name)
            elif tracked is not None and tracked.mark != DAMAGED and update.is_heartbeat(tracked):
                self._known[file.name] = self._with_identity(update).file
                self._writer.note_heartbeat(self._known[file.name])
                self._schedule.done(file.name)
            else:
                if tracked is not None:
                    self._grown.add(file.name)
                    left -= max(0, update.file.position - tracked.position)
                else:
                    left -= update.file.position
                self._grown.update(run.file.name for run in update.runs if self._tracked(run.file) is not None)
                self._pending.add(self._with_identity(update))
                self._schedule.read_to(update.file)
            slices += 1
            if left <= 0 or self._pending.is_full() or time.monotonic() > end:
                break
        return slices

    def _read(self, file: FoundFile, tracked: TrackedFile | None) -> FileUpdate | None:
        if file.kind.dialect in TRACKER_DIALECTS:
            return self._tracker_reading.read(file, tracked, self._store_runs.get(file.name, {}))
        return self._reading.read(file, tracked)

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
            self._backlog = BacklogLog()
        self._is_first = False

    def _keep_lineage(self) -> None:
        """Make the lineage records of runs whose lineage has changed."""
        if stale := self._writer.stale_lineage():
            from mindinsight_like.lineage.records.index_rows import make_rows  # not every folder has lineage

            for rows in make_rows(self._location, stale):
                self._writer.store_lineage(rows)

    def _with_identity(self, update: FileUpdate) -> FileUpdate:
        """The update with what an earlier commit of the same reading gave its file."""
        if update.runs:
            update = update._replace(runs=tuple(map(self._with_identity, update.runs)))
        tracked = self._tracked(update.file)
        if tracked is None:
            return update
        damages = 0 if update.starts_over else tracked.damages
        return update._replace(file=update.file._replace(id=tracked.id, damages=damages))

    def _tracked(self, file: TrackedFile) -> TrackedFile | None:
        """A file as it was stored last."""
        return self._store_runs.get(file.store, {}).get(file.name) if file.store else self._known.get(file.name)

    def _remember(self, files: Iterable[TrackedFile]) -> None:
        for file in files:
            (self._store_runs.setdefault(file.store, {}) if file.store else self._known)[file.name] = file

    def _forget(self, names: Sequence[str]) -> None:
        if names:
            self._commit_pending()
            removed = [self._known.pop(name) for name in dict.fromkeys(names)]
            for file in tuple(removed):
                self._reading.forget(file.name)
                self._tracker_reading.forget(file.name)
                removed += self._store_runs.pop(file.name, {}).values()
            self._writer.commit((), removed)

    def _commit_pending(self, show: Show | None = None) -> None:
        updates, gone = self._pending.take()
        if updates:
            progress = self._schedule.progress
            stored = self._writer.commit(updates, gone, progress if self._backlog.is_shown else None)
            self._remember(stored)
            for file in gone:
                del self._store_runs[file.store][file.name]
            logs = [file for file in stored if not file.store]
            self._note_hot(logs)
            self._note_resting(logs)
            self._writer.merge_small(file for file in stored if file.name in self._grown)
            self._grown.clear()
            if show:
                show(progress)
