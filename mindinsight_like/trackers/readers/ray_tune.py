"""Ray Tune: the folder of a trial, whose result.json, progress.csv and TensorBoard files hold the same points.

result.json wins, as it alone has keys that appear later; progress.csv is read where there is no other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.files.csv_rows import parse_header
from mindinsight_like.trackers.reader import Folder, Log, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.readers.csv_logs import CsvReader
from mindinsight_like.trackers.readers.json_lines import JsonLinesReader
from mindinsight_like.trackers.source import Source

_STEP: Final = "training_iteration"
_TRIAL: Final = "trial_id"
_RESULT, _PROGRESS, _ERROR = "result.json", "progress.csv", "error.txt"
_EVENTS: Final = "events.out.tfevents."
_ENDED: Final = b"_hparams_/session_end_info"  # in TensorBoard files when a trial has ended, however that was
_MOST_TAIL: Final = 64 * 1024
_BESIDE: Final = frozenset({_RESULT, _PROGRESS, _ERROR, "params.json", "params.pkl", "error.pkl"})
_SKIPPED: Final = frozenset({"config", "pid", _TRIAL})
_DONE: Final = re.compile(rb'"done": ?true')
_MOST_LINE: Final = 1024 * 1024
_MOST_REASON: Final = 16 * 1024
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*m")


class RayReader:
    """Reads the folders of trials."""

    dialect = Dialect.RAY
    is_store = False

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        copies = [each for each in folder.files if each.startswith(_EVENTS)]
        claimed = (_BESIDE & folder.files) | frozenset(copies)
        if _RESULT in folder.files:
            head = folder.head(_RESULT)
            if head[:1] == b"{" and all(f'"{key}"'.encode() in head for key in (_STEP, _TRIAL)):
                yield RecognisedLog(folder.path(_RESULT), folder.name, claimed)
                return
        if _PROGRESS in folder.files:
            header = parse_header(folder.head(_PROGRESS))
            if header is not None and {_STEP, _TRIAL} <= set(header.names):
                yield RecognisedLog(folder.path(_PROGRESS), folder.name, claimed)

    def members(self, source: Source, name: str) -> Sequence[str]:
        folder = name.rpartition("/")[0]
        top = f"{folder}/" if folder else ""
        events = sorted(each.name for each in source.list(folder or ".") if each.name.startswith(_EVENTS))
        return [name, f"{top}{_ERROR}", *(f"{top}{each}" for each in events)]

    def read(self, log: Log) -> Slice:
        own = Log(log.source, log.name, log.versions, log.cursor, log.limits)
        is_json = log.name.endswith(_RESULT)
        if is_json:
            part = JsonLinesReader((_STEP,), separator="/", skipped=_SKIPPED, longest_text=_MOST_LINE).read(own)
        else:
            part = _Progress().read(own)
        (run,) = part.runs
        if (not log.cursor or run.starts_over) and log.versions[log.name].size:
            self._introduce(log, run, is_json)
        cursor = cursors.unpack(part.cursor)
        started = cursors.unpack(log.cursor).get("started")
        if started is None and run.points is not None:
            started = float(run.points.walls[0])
        if not part.is_partial:
            run.state = self._state(log, part.position, started)
        return Slice(
            cursors.pack(**(cursor | {"started": started})),
            part.position,
            is_partial=part.is_partial,
            runs=part.runs,
            damage=part.damage,
        )

    def _introduce(self, log: Log, run: RunSlice, is_json: bool) -> None:
        """Let a run say what its first line does, or params.json where that has no settings."""
        first: Any = None
        if is_json:
            first = _object(log.source.read(log.name, 0, _MOST_LINE).partition(b"\n")[0])
        trial = first.get(_TRIAL) if first else None
        params = first.get("config") if first else None
        name = log.folder.rpartition("/")[2]
        if isinstance(trial, str) and trial and trial in name:
            run.display_name = name[: name.index(trial) + len(trial)]
        about = {"id": trial, "source": log.name.rpartition("/")[2]} if trial else {"source": _PROGRESS}
        environment = {key: first[key] for key in ("hostname", "node_ip") if isinstance((first or {}).get(key), str)}
        run.lineage = documents.lineage(
            "ray", params=params if isinstance(params, dict) else None, about=about, environment=environment
        )

    def _state(self, log: Log, end: int, started: float | None) -> WriterState | None:
        error = next((name for name in log.versions if name.rpartition("/")[2] == _ERROR), None)
        events = [name for name in log.versions if name.rpartition("/")[2].startswith(_EVENTS)]
        begin = float("nan") if started is None else started
        has_ended = bool(events) and _ENDED in self._tail(log, events[-1])
        if error is not None and (has_ended or not events):  # else it was tried again
            text = log.source.read(error, max(0, log.versions[error].size - _MOST_REASON), _MOST_REASON)
            lines = _ESCAPES.sub("", text.decode(errors="replace")).strip().splitlines()
            return WriterState("failed", begin, None, lines[-1] if lines else "", "ERROR")
        start = max(0, end - _MOST_LINE)
        last = log.source.read(log.name, start, end - start).rstrip(b"\n").rpartition(b"\n")[2]
        if has_ended or _DONE.search(last):
            return WriterState("finished", begin, None, "", "TERMINATED")
        return None

    def _tail(self, log: Log, name: str) -> bytes:
        return log.source.read(name, max(0, log.versions[name].size - _MOST_TAIL), _MOST_TAIL)


class _Progress(CsvReader):
    steps = (_STEP,)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
