"""Rounds of loading: look at the base dir, read what is new, store it, and forget what is gone."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from itertools import islice

from mindinsight_like.loader.discovery import Discovery, FoundFile, differs, is_quiet, newest_first, stat_or_none
from mindinsight_like.loader.following import LogReading
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.names import LogName
from mindinsight_like.logs.paths import to_path
from mindinsight_like.store.files import FileUpdate, TrackedFile
from mindinsight_like.store.growing import growing_since
from mindinsight_like.store.location import IndexLocation
from mindinsight_like.store.progress import Progress
from mindinsight_like.store.writing import IndexWriter

log = logging.getLogger(__name__)

_COMMIT_POINTS = 250_000  # bounds the memory that waits for a commit
_COMMIT_SECONDS = 0.5  # loaded runs are to be seen while others still load
_WORTH_SHOWING_BYTES = 8 * 1024 * 1024  # rounds with less to read are over before anybody looks
_HOT_FILES = 1000

Show = Callable[[Progress], None]


class Loader:
    """Keeps the index of one base dir up to date; whoever makes it holds the index's lock."""

    def __init__(self, location: IndexLocation, *, quiet_seconds: float = 0.0) -> None:
        self._base_dir = location.base_dir
        self._quiet_ns = int(quiet_seconds * 1e9)
        self._writer = IndexWriter(location)
        self._location = location
        self._known = self._writer.files()
        self._reading = LogReading(self._base_dir, self._writer.keys)
        self._discovery = Discovery(location.base_dir, quiet_seconds=quiet_seconds)
        self._hot: list[str] = []
        self._is_first = True

    def close(self) -> None:
        self._writer.close()

    def round(self, show: Show | None = None) -> None:
        """Look at everything below the base dir, which must exist, and load what changed."""
        findings = self._discovery.look(self._known)
        hidden = tuple(f"{folder}/" for folder in findings.unlisted)
        removed = [
            file for name, file in self._known.items() if name not in findings.present and not name.startswith(hidden)
        ]
        # Before they are found again, as files of another run.
        self._commit((), [self._known[name] for name in findings.moved], None)
        self._load(findings.changed, removed, show)
        if self._is_first:
            self._keep_lineage()  # a loader that was killed may have left some
            self._writer.show_progress(None)
            self._is_first = False
        since = growing_since() * 1e9
        hot = (file for file in self._known.values() if file.mtime_ns > since)
        self._hot = [file.name for file in islice(hot, _HOT_FILES)]

    def round_over_hot_files(self) -> None:
        """Look only at files that were written to lately: cheap enough to be done often."""
        changed = []
        for name in self._hot:
            known = self._known[name]
            try:
                status = stat_or_none(f"{self._base_dir}/{to_path(name)}")
            except OSError:
                continue
            if known.dialect == Dialect.PROFILE and status is not None and not is_quiet(status, self._quiet_ns):
                continue
            if status is not None and differs(known, status):  # the next full round sees what has gone
                kind = LogName(known.dialect, known.rank, None)
                changed.append(FoundFile(name, known.run, kind, status.st_size, status.st_mtime_ns))
        self._load(changed, [])

    def _load(self, changed: Sequence[FoundFile], removed: Sequence[TrackedFile], show: Show | None = None) -> None:
        if not changed and not removed:
            return
        started = time.perf_counter()
        grown = [file.name for file in changed if file.name in self._known]
        tracker = _Tracker(changed, self._known)
        is_shown = tracker.progress.bytes_total > _WORTH_SHOWING_BYTES
        if is_shown:
            self._writer.show_progress(tracker.progress)
        waiting = _Waiting()
        for run in newest_first(changed):
            for found in run:
                for update in self._reading.updates(found, self._known.get(found.name)):
                    if waiting.holds(update.file.name):
                        self._commit(waiting.take(), (), tracker.progress if is_shown else None)
                    waiting.add(self._with_identity(update))
                    tracker.read_to(update.file)
                    if waiting.is_full():
                        self._commit(waiting.take(), (), tracker.progress if is_shown else None)
                        if show:
                            show(tracker.progress)
            tracker.run_done()
        self._commit(waiting.take(), removed, None)
        if show:
            show(tracker.progress)
        self._writer.merge_small(self._known[name] for name in grown)
        self._keep_lineage()
        if is_shown:  # who waits for this may ask for lineage next
            self._writer.show_progress(None)
        # Files that merely grow do so all day long.
        level = logging.INFO if is_shown or removed or len(changed) > len(grown) else logging.DEBUG
        done, took = tracker.progress, time.perf_counter() - started
        log.log(level, "read %d files of %d runs in %.2f s", len(changed), done.runs_total, took)
        if removed:
            log.info("forgot %d files that are gone", len(removed))

    def _keep_lineage(self) -> None:
        """Make the lineage records of runs whose lineage has changed."""
        if stale := self._writer.stale_lineage():
            from mindinsight_like.lineage.keeping import make_rows  # not every folder has lineage

            for rows in make_rows(self._location, stale):
                self._writer.store_lineage(rows)

    def _with_identity(self, update: FileUpdate) -> FileUpdate:
        """The update with what an earlier commit of the same reading gave its file."""
        known = self._known.get(update.file.name)
        if known is None:
            return update
        damages = 0 if update.starts_over else known.damages
        return update._replace(file=update.file._replace(id=known.id, damages=damages))

    def _commit(self, updates: Sequence[FileUpdate], removed: Sequence[TrackedFile], progress: Progress | None) -> None:
        if not updates and not removed:
            return
        for file in self._writer.commit(updates, removed, progress):
            self._known[file.name] = file
        for file in removed:
            del self._known[file.name]


class _Waiting:
    """Updates on their way to the next commit, one of each file at most."""

    def __init__(self) -> None:
        self._updates: list[FileUpdate] = []
        self._points = 0
        self._since = time.perf_counter()

    def holds(self, file: str) -> bool:
        return bool(self._updates) and self._updates[-1].file.name == file  # a file is read at one go

    def add(self, update: FileUpdate) -> None:
        self._updates.append(update)
        if update.batch is not None:
            self._points += len(update.batch.steps) + len(update.batch.blob_steps)

    def is_full(self) -> bool:
        return self._points >= _COMMIT_POINTS or time.perf_counter() - self._since > _COMMIT_SECONDS

    def take(self) -> list[FileUpdate]:
        updates, self._updates, self._points = self._updates, [], 0
        self._since = time.perf_counter()
        return updates


class _Tracker:
    """Counts what a round has done of what it has to do."""

    def __init__(self, changed: Sequence[FoundFile], known: dict[str, TrackedFile]) -> None:
        self._positions = {file.name: known[file.name].position if file.name in known else 0 for file in changed}
        self._bytes_total = sum(max(0, file.size - self._positions[file.name]) for file in changed)
        self._runs_total = len({file.run for file in changed})
        self._bytes_done = self._runs_done = 0

    @property
    def progress(self) -> Progress:
        done = min(self._bytes_done, self._bytes_total)  # files may have grown since they were found
        return Progress(self._runs_done, self._runs_total, done, self._bytes_total)

    def read_to(self, file: TrackedFile) -> None:
        self._bytes_done += max(0, file.position - self._positions[file.name])
        self._positions[file.name] = file.position

    def run_done(self) -> None:
        self._runs_done += 1
