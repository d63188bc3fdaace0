"""Write batches of entries to the files of their runs: exactly once, and durably before they are acknowledged."""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import Any

from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.logs.framing import frame
from mindinsight_like.profiler.collector.endpoint.ledger import Ledger, LedgerFile
from mindinsight_like.profiler.collector.endpoint.permissions import make_folders, share_file
from mindinsight_like.profiler.collector.endpoint.places import NoPlace, base_of, folder_of, is_below, safe_path
from mindinsight_like.profiler.traces import own_format
from mindinsight_like.profiler.traces.own_format import ENDING
from mindinsight_like.writers.encoding import tensorboard

log = logging.getLogger(__name__)

_ODD = re.compile(r"[^\w/.-]")  # in the name of a metric
_LONGEST_METRIC = 100  # characters
_SPOOL = re.compile(r"[0-9a-f]{8,64}")
_SAMPLES = "samples"
_GIVEN_UP = "blocks were given up, since the spool of the training was full"
_MOST_METRICS = 4096  # of one sample
_MOST_FILES = 10_000  # of one batch


class Refused(ValueError):
    """An entry that is not taken; the message is one sentence."""


class _GrowingFile:
    """A file during one batch: what is noted of it, and what is to be appended."""

    def __init__(self, record: LedgerFile, is_new: bool) -> None:
        self.record = record
        self.is_new = is_new
        self.content: list[bytes] = []
        self.size = record.size
        self.stale = ""  # what has come of an earlier version

    def begin(self, version: int) -> None:
        """Another version of the file comes; it has a place of its own until it is complete."""
        record = self.record
        if not self.is_new and not record.is_complete:
            self.stale = record.path
        self.content, self.size = [], 0
        record.path = _part(record.final, record.source, version)
        record.size, record.version, record.is_complete = 0, version, False

    def add(self, content: bytes) -> None:
        self.content.append(content)
        self.size += len(content)


class Arrivals:
    """The files of a base dir that are written for trainings elsewhere; used by one thread."""

    def __init__(self, ledger: Ledger, dirs: BaseDirs) -> None:
        self._ledger = ledger
        self._dirs = dirs
        for file in ledger.nameless():  # an endpoint before this one was killed in between
            self._place(file)

    def take(self, batch: Any) -> int:
        """Write what is new in a Batch and return up to which number all is on disk.

        Raises NoPlace for what cannot be written anywhere, Refused for what is not taken at all, and OSError when the
        disk does not take it. Then nothing of the batch is written.
        """
        if not _SPOOL.fullmatch(batch.spool):
            raise NoPlace("the spool has no usable name")
        stored = self._ledger.sequence(batch.spool)
        fresh = [entry for entry in batch.entries if entry.sequence > stored]
        if not fresh:
            return stored
        files: dict[tuple[str, str], _GrowingFile] = {}
        last = stored
        for entry in fresh:
            self._add(entry, batch, files, missing=entry.sequence - last - 1)
            last = entry.sequence
        changed = [file for file in files.values() if file.content]
        self._ledger.claim(file.record for file in changed if file.is_new)
        for file in changed:
            _append(file)
        sequence: int = max(entry.sequence for entry in fresh)
        self._ledger.commit(batch.spool, sequence, [file.record for file in changed])
        for file in changed:
            if file.stale:
                Path(file.stale).unlink(missing_ok=True)
            if file.record.is_complete and file.record.final:
                self._place(file.record)
        return sequence

    def _add(self, entry: Any, batch: Any, files: dict[tuple[str, str], _GrowingFile], *, missing: int) -> None:
        kind = entry.WhichOneof("content")
        if kind == "sample":
            sample = entry.sample
            _check_sample(sample)
            file = self._file(_SAMPLES, batch, files, source=batch.spool, began=sample.time)
            if file.size == 0:
                file.add(frame(tensorboard.opening(sample.time)))
            file.add(frame(_event(sample)))
        elif kind == "block":
            name = (safe_path(entry.block.recording) or "recording") + ENDING
            if not self._sees(batch, name):
                file = self._file(name, batch, files, source=batch.spool)
                file.add(frame(entry.block.content))
                if missing > 0:
                    file.add(frame(own_format.done(losses=[(_GIVEN_UP, missing)])))
        elif kind == "piece":
            self._add_piece(entry.piece, batch, files)

    def _add_piece(self, piece: Any, batch: Any, files: dict[tuple[str, str], _GrowingFile]) -> None:
        name = safe_path(piece.path)
        if not _is_profile(name):
            log.warning("%s of run %s is not a profiler file; rejected", name, safe_path(batch.run))
            return
        if self._sees(batch, piece.path, version=piece.version):
            return
        source = piece.source if _SPOOL.fullmatch(piece.source) else batch.spool
        file = self._file(name, batch, files, source=source)
        if piece.version > file.record.version:  # it was written once more
            file.begin(piece.version)
        is_next = file.size == piece.offset and not file.record.is_complete
        if is_next and piece.version == file.record.version:  # else it came before, or what is before it was given up
            file.add(piece.content)
            file.record.is_complete = piece.is_last

    def _sees(self, batch: Any, inside: str, *, version: int | None = None) -> bool:
        """Whether the file is where the training has written it: below the base dir, on a disk that both see."""
        if not batch.output_path:
            return False
        path = Path(batch.output_path, inside)
        try:
            return (
                any(is_below(path, os.path.realpath(top)) for top, _ in self._dirs.roots())
                and path.is_file()
                and version in (None, path.stat().st_mtime_ns)
            )
        except (OSError, ValueError):
            return False

    def _file(
        self, name: str, batch: Any, files: dict[tuple[str, str], _GrowingFile], *, source: str, began: float = 0.0
    ) -> _GrowingFile:
        key = (source, name)
        if key not in files:
            if len(files) == _MOST_FILES:
                raise NoPlace(f"there are more than {_MOST_FILES} files at once")
            record = self._ledger.file(source, name)
            is_new = record is None or not (Path(record.path).exists() or record.final)
            if record is None or is_new:
                record = self._placed(source, name, batch, began)
            files[key] = _GrowingFile(record, is_new)
        return files[key]

    def _placed(self, source: str, name: str, batch: Any, began: float) -> LedgerFile:
        """A place for a new file where there is none."""
        if name == _SAMPLES:
            sender = safe_path(batch.name).replace("/", "_") or "collector"
            file = f"events.out.tfevents.{int(began):010d}.{sender}.{source}"
            return LedgerFile(source, name, str(folder_of(*base_of(self._dirs, batch.run)) / file))
        inside, _, last = name.rpartition("/")
        folder = folder_of(*base_of(self._dirs, batch.run), inside)
        path = folder / last
        if os.path.lexists(path):  # somebody else's
            path = folder / f"{source}-{last}"
        if name.endswith(ENDING):
            return LedgerFile(source, name, str(path))
        return LedgerFile(source, name, _part(str(path), source, 0), final=str(path))

    def _place(self, record: LedgerFile) -> None:
        """Give a complete file its name; half a file never has it."""
        if Path(record.path).exists() and (record.is_placed or not os.path.lexists(record.final)):
            Path(record.path).replace(record.final)
        record.is_placed = True
        self._ledger.claim([record])


def _part(final: str, source: str, version: int) -> str:
    path = Path(final)
    return str(path.with_name(f".{path.name}.{source}.{version}.part"))


def _append(file: _GrowingFile) -> None:
    """Write at the end that is noted, cutting off what is behind it, and return when it is on the disk."""
    path = Path(file.record.path)
    make_folders(path.parent)  # somebody may have taken the run away
    is_made = file.is_new or not os.path.lexists(path)
    flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_CREAT | (os.O_EXCL if is_made else 0)
    descriptor = os.open(path, flags, 0o666)
    try:
        if is_made:
            share_file(descriptor, path.parent)
        size = os.fstat(descriptor).st_size
        if size > file.record.size:
            os.ftruncate(descriptor, file.record.size)
        content = memoryview(b"".join(file.content))
        place = min(file.record.size, size)
        while content:
            written = os.pwrite(descriptor, content, place)
            content, place = content[written:], place + written
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if is_made:
        _sync_folder(path.parent)
    file.record.size = place


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check_sample(sample: Any) -> None:
    names, values = len(sample.names), len(sample.values)
    if names != values:
        raise Refused(f"A sample has {names:,} metric names, but {values:,} values.")
    if names > _MOST_METRICS:
        raise Refused(f"A sample has {names:,} metrics; the limit is {_MOST_METRICS:,}.")
    for name in sample.names:
        if not 1 <= len(name) <= _LONGEST_METRIC:
            raise Refused(f"A metric's name has {len(name)} characters; it needs 1 to {_LONGEST_METRIC}.")


def _event(sample: Any) -> bytes:
    scalars = [
        tensorboard.scalar(f"system/{_ODD.sub('_', name)}", value)
        for name, value in zip(sample.names, sample.values, strict=True)
    ]
    return tensorboard.event(scalars, step=sample.step, wall_time=sample.time)


def _is_profile(name: str) -> bool:
    from mindinsight_like.profiler.traces.names import profiler_files  # brings numpy along

    folder, _, last = name.rpartition("/")
    return bool(profiler_files(folder or ".", [last]))
