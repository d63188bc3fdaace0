"""Writes batches of entries to files below their runs, each entry once, and durably before it is acknowledged."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from mindinsight_like.logs.framing import frame
from mindinsight_like.profiler.collector.endpoint.ledger import Ledger, NotedFile
from mindinsight_like.profiler.collector.endpoint.places import NoPlace, folder_of, is_below, safe_path
from mindinsight_like.profiler.traces import own_format
from mindinsight_like.profiler.traces.own_format import ENDING
from mindinsight_like.writers import tensorboard

log = logging.getLogger(__name__)

_METRIC = re.compile(r"[\w/.-]{1,100}")
_SPOOL = re.compile(r"[0-9a-f]{8,64}")
_SAMPLES = "samples"
_GIVEN_UP = "blocks were given up, since the spool of the training was full"
_MOST_METRICS = 4096  # of one sample
_MOST_FILES = 10_000  # of one batch


class _Growing:
    """A file during one batch: what is noted of it, and what is to be appended."""

    def __init__(self, noted: NotedFile, is_new: bool) -> None:
        self.noted = noted
        self.is_new = is_new
        self.content: list[bytes] = []
        self.size = noted.size
        self.stale = ""  # what has come of an earlier version

    def begin(self, version: int) -> None:
        """Another version of the file comes; it has a place of its own until it is complete."""
        noted = self.noted
        if not self.is_new and not noted.is_complete:
            self.stale = noted.path
        self.content, self.size = [], 0
        noted.path = _part(noted.final, noted.source, version)
        noted.size, noted.version, noted.is_complete = 0, version, False

    def add(self, content: bytes) -> None:
        self.content.append(content)
        self.size += len(content)


class Arrivals:
    """The files of a base dir that are written for trainings elsewhere; used by one thread."""

    def __init__(self, ledger: Ledger, base_dir: Path) -> None:
        self._ledger = ledger
        self._base_dir = base_dir
        for file in ledger.nameless():  # an endpoint before this one was killed in between
            self._place(file)

    def take(self, batch: Any) -> int:
        """Write what is new in a Batch and return up to which number all is on disk.

        Raises NoPlace for what cannot be written anywhere, and OSError when the disk does not take it.
        """
        if not _SPOOL.fullmatch(batch.spool):
            raise NoPlace("the spool has no usable name")
        known = self._ledger.sequence(batch.spool)
        fresh = [entry for entry in batch.entries if entry.sequence > known]
        if not fresh:
            return known
        files: dict[tuple[str, str], _Growing] = {}
        last = known
        for entry in fresh:
            self._add(entry, batch, files, missing=entry.sequence - last - 1)
            last = entry.sequence
        changed = [file for file in files.values() if file.content]
        self._ledger.claim(file.noted for file in changed if file.is_new)
        for file in changed:
            _append(file)
        sequence: int = max(entry.sequence for entry in fresh)
        self._ledger.commit(batch.spool, sequence, [file.noted for file in changed])
        for file in changed:
            if file.stale:
                Path(file.stale).unlink(missing_ok=True)
            if file.noted.is_complete and file.noted.final:
                self._place(file.noted)
        return sequence

    def _add(self, entry: Any, batch: Any, files: dict[tuple[str, str], _Growing], *, missing: int) -> None:
        kind = entry.WhichOneof("content")
        if kind == "sample":
            sample = entry.sample
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

    def _add_piece(self, piece: Any, batch: Any, files: dict[tuple[str, str], _Growing]) -> None:
        name = safe_path(piece.path)
        if not _is_profile(name):
            log.warning("%s of run %s is no file of a profiler: it is not taken", name, safe_path(batch.run))
            return
        if self._sees(batch, piece.path, version=piece.version):
            return
        source = piece.source if _SPOOL.fullmatch(piece.source) else batch.spool
        file = self._file(name, batch, files, source=source)
        if piece.version > file.noted.version:  # it was written once more
            file.begin(piece.version)
        is_next = file.size == piece.offset and not file.noted.is_complete
        if is_next and piece.version == file.noted.version:  # else it came before, or what is before it was given up
            file.add(piece.content)
            file.noted.is_complete = piece.is_last

    def _sees(self, batch: Any, inside: str, *, version: int | None = None) -> bool:
        """Whether the file is where the training has written it: below the base dir, on a disk that both see."""
        if not batch.output_path:
            return False
        path = Path(batch.output_path, inside)
        try:
            return (
                is_below(path, os.path.realpath(self._base_dir))
                and path.is_file()
                and version in (None, path.stat().st_mtime_ns)
            )
        except (OSError, ValueError):
            return False

    def _file(
        self, name: str, batch: Any, files: dict[tuple[str, str], _Growing], *, source: str, began: float = 0.0
    ) -> _Growing:
        key = (source, name)
        if key not in files:
            if len(files) == _MOST_FILES:
                raise NoPlace(f"there are more than {_MOST_FILES} files at once")
            noted = self._ledger.file(source, name)
            is_new = noted is None or not (Path(noted.path).exists() or noted.final)
            if noted is None or is_new:
                noted = self._placed(source, name, batch, began)
            files[key] = _Growing(noted, is_new)
        return files[key]

    def _placed(self, source: str, name: str, batch: Any, began: float) -> NotedFile:
        """A place for a new file where there is none."""
        if name == _SAMPLES:
            sender = safe_path(batch.name).replace("/", "_") or "collector"
            file = f"events.out.tfevents.{int(began):010d}.{sender}.{source}"
            return NotedFile(source, name, str(folder_of(self._base_dir, batch.run) / file))
        inside, _, last = name.rpartition("/")
        folder = folder_of(self._base_dir, batch.run, inside)
        path = folder / last
        if os.path.lexists(path):  # somebody else's
            path = folder / f"{source}-{last}"
        if name.endswith(ENDING):
            return NotedFile(source, name, str(path))
        return NotedFile(source, name, _part(str(path), source, 0), final=str(path))

    def _place(self, noted: NotedFile) -> None:
        """Give a complete file its name; half a file never has it."""
        if Path(noted.path).exists() and (noted.is_placed or not os.path.lexists(noted.final)):
            Path(noted.path).replace(noted.final)
        noted.is_placed = True
        self._ledger.claim([noted])


def _part(final: str, source: str, version: int) -> str:
    path = Path(final)
    return str(path.with_name(f".{path.name}.{source}.{version}.part"))


def _append(file: _Growing) -> None:
    """Write at the end that is noted, cutting off what is behind it, and return when it is on the disk."""
    path = Path(file.noted.path)
    path.parent.mkdir(parents=True, exist_ok=True)  # somebody may have taken the run away
    flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_CREAT | (os.O_EXCL if file.is_new else 0)
    descriptor = os.open(path, flags, 0o644)
    try:
        found = os.fstat(descriptor).st_size
        if found > file.noted.size:
            os.ftruncate(descriptor, file.noted.size)
        content = memoryview(b"".join(file.content))
        place = min(file.noted.size, found)
        while content:
            written = os.pwrite(descriptor, content, place)
            content, place = content[written:], place + written
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if file.is_new:
        _sync_folder(path.parent)
    file.noted.size = place


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _event(sample: Any) -> bytes:
    pairs: Sequence[tuple[str, float]] = [
        (name, value)
        for name, value in islice(zip(sample.names, sample.values, strict=False), _MOST_METRICS)
        if _METRIC.fullmatch(name)
    ]
    scalars = [tensorboard.scalar(f"system/{name}", value) for name, value in pairs]
    return tensorboard.event(scalars, step=sample.step, wall_time=sample.time)


def _is_profile(name: str) -> bool:
    from mindinsight_like.profiler.traces.names import told_by_names  # brings numpy along

    folder, _, last = name.rpartition("/")
    return bool(told_by_names(folder or ".", [last]))
