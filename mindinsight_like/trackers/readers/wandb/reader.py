"""Offline runs of W&B: `offline-run-DATE_TIME-ID/run-ID.wandb` with media in `files`, versions 0.13 and later."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.wandb import Record
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.trackers import record_logs
from mindinsight_like.trackers.console_lines import console_items
from mindinsight_like.trackers.cursors import pack, unpack
from mindinsight_like.trackers.reader import Folder, Log, Points, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.readers.wandb.facts import Facts
from mindinsight_like.trackers.readers.wandb.host_metrics import NONE_YET, in_seconds
from mindinsight_like.trackers.readers.wandb.rows import alert, items_of_row
from mindinsight_like.trackers.record_log_reading import (
    Layout,
    Reading,
    beside,
    joined,
    kept,
    memory_of,
    points_of,
)
from mindinsight_like.trackers.record_logs import Scanned
from mindinsight_like.trackers.siblings import siblings_in
from mindinsight_like.trackers.source import Source

_LAYOUT: Final = Layout(record_logs.WANDB, b":W&B\xe1\xbe", 0, "W&B")
_NAME: Final = re.compile(r"run-(.+)\.wandb")
_METADATA: Final = "files/wandb-metadata.json"  # of versions before 0.20; later ones have it in the log


class WandbReader:
    dialect = Dialect.WANDB
    is_store = False

    def recognise(self, folder: Folder) -> Iterable[RecognisedLog]:
        names = sorted(name for name in folder.files if _NAME.fullmatch(name))
        logs = [name for name in names if folder.head(name)[:4] in (b"", _LAYOUT.magic[:4])]
        for name in logs:
            run = folder.name if len(logs) == 1 else folder.path(name.removesuffix(".wandb"))
            own = frozenset(("files", "logs", "tmp")) & folder.folders
            yield RecognisedLog(folder.path(name), run, frozenset((name,)), own)

    def members(self, source: Source, name: str) -> Sequence[str]:
        return name, beside(name, _METADATA)

    def read(self, log: Log) -> Slice:
        cursor = unpack(log.cursor)
        reading = Reading(log, _LAYOUT, cursor.get("place"), memory_of(cursor))
        run = _Run(log, cursor)
        for scanned in reading.pieces():
            if reading.starts_over and not run.part.starts_over:
                run = _Run(log, {})
                run.part.starts_over = True
            run.add(scanned)
        if reading.starts_over and not run.part.starts_over:  # the file was cut to nothing
            run = _Run(log, {})
            run.part.starts_over = True
        part = run.finished(reading)
        after = pack(place=reading.next_place(), memory=kept(reading.memory), **run.to_cursor())
        return Slice(after, reading.position, reading.is_partial, [part])


class _Run:
    """Gathers what a slice has brought for a run."""

    def __init__(self, log: Log, cursor: dict[str, Any]) -> None:
        self.part = RunSlice()
        self._log = log
        self._facts = Facts(cursor.get("facts", {}))
        self._lines: int = cursor.get("lines", 0)
        self._metadata: list[int] | None = cursor.get("metadata")
        self._shift: int = cursor.get("shift", NONE_YET)
        self._points: list[Points] = []

    def add(self, scanned: Scanned) -> None:
        for number, content, step, wall in scanned.records:
            try:
                if number == Record.history:
                    self.part.items += items_of_row(self._log, MessageFields(content), step, wall)
                elif number == Record.alert:
                    self.part.items.append(alert(MessageFields(content), scanned.memory.step, self._facts.last_seen))
                else:
                    self._facts.take(number, MessageFields(content))
            except Malformed:
                continue  # inside of what the scanner leaves to us; the rest of the run is whole
        if len(scanned.values):
            self._facts.seen_at(float(np.fmax.reduce(scanned.walls)))
            points, self._shift = in_seconds(points_of(scanned), self._facts.started, self._shift)
            self._points.append(points)
        if scanned.lines:
            self._print(scanned.lines[:-1].decode(errors="replace").split("\n"), scanned.line_times.tolist())
        self._facts.summarise(scanned.summary)

    def finished(self, reading: Reading) -> RunSlice:
        part, facts = self.part, self._facts
        part.points = joined(self._points)
        part.damage = reading.damage
        if facts.has_ended:
            for name in ("stderr", "stdout"):  # lines that nothing will end any more
                if rest := getattr(reading.memory, name).removesuffix(b"\r"):
                    self._print([rest.decode(errors="replace")], [facts.last_seen])
            reading.memory = reading.memory._replace(stderr=b"", stdout=b"")
        metadata = self._log.versions.get(beside(self._log.name, _METADATA))
        if metadata is not None and self._metadata != [metadata.size, metadata.changed_ns]:
            facts.read_metadata(self._log, beside(self._log.name, _METADATA))
            self._metadata = [metadata.size, metadata.changed_ns]
        if facts.has_news or part.starts_over:
            home, _, own = self._log.folder.rpartition("/")
            part.lineage = facts.lineage(own, siblings_in(self._log.source, home or ".", own))
            part.display_name = facts.display_name
        part.state = facts.state()
        return part

    def to_cursor(self) -> dict[str, Any]:
        return {"facts": self._facts.to_json(), "lines": self._lines, "shift": self._shift, "metadata": self._metadata}

    def _print(self, lines: list[str], times: list[float]) -> None:
        self.part.items += console_items(self._lines, lines, times)
        self._lines += len(lines)
