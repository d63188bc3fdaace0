"""Lightning's CSV logger: metrics.csv with sparse rows, and hparams.yaml beside it or beside TensorBoard's files.

New keys become columns in alphabetical order, so the file is rewritten whole then. Where TensorBoard's logger writes
into the same folder, its files hold the same points with their times, and metrics.csv is not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.files.csv_rows import Cells, read_sample, step_column
from mindinsight_like.trackers.reader import Folder, Log, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.readers.csv_logs import CsvReader, read_settings
from mindinsight_like.trackers.source import Source

_EVENTS = "events.out.tfevents."
_HPARAMS = "hparams.yaml"
_METRICS = "metrics.csv"


class LightningReader(CsvReader):
    """Reads the folders of Lightning's loggers."""

    dialect = Dialect.LIGHTNING_CSV
    tracker = "lightning"
    endings = (_METRICS,)
    steps = ("step",)
    settings = _HPARAMS

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        has_events = any(name.startswith(_EVENTS) for name in folder.files)
        settings = frozenset({_HPARAMS}) & folder.files
        metrics = frozenset({_METRICS}) & folder.files
        if metrics:
            cells = read_sample(folder.head(_METRICS))
            if cells is None or not self.is_log(folder, _METRICS, cells):
                return
        if has_events and settings:
            yield RecognisedLog(folder.path(_HPARAMS), folder.name, settings | metrics)
        elif metrics:
            yield RecognisedLog(folder.path(_METRICS), folder.name, settings | metrics)

    def is_log(self, folder: Folder, name: str, cells: Cells) -> bool:
        names = cells.header.names
        return (
            step_column(cells, self.steps) == "step"
            and ("epoch" in names or _HPARAMS in folder.files)
            and list(names) == sorted(names)
        )

    def members(self, source: Source, name: str) -> Sequence[str]:
        if name.rpartition("/")[2] == _HPARAMS:
            return (name,)
        return super().members(source, name)

    def read(self, log: Log) -> Slice:
        if log.name.rpartition("/")[2] != _HPARAMS:
            return super().read(log)
        run = RunSlice()
        said = read_settings(log, log.name, self.tracker, cursors.unpack(log.cursor).get("said"), run)
        if run.lineage is not None:
            about: Mapping[str, Any] = {"source": "TensorBoard"}
            run.lineage = documents.lineage(self.tracker, params=run.lineage.get("params"), about=about)
        return Slice(cursors.pack(said=said), log.versions[log.name].size, runs=[run])
