"""The SQLite file of Ascend's newer tools, for folders that have no timeline beside it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.files import Files, base_name, is_packed
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Place, Trace

from .assembly import Assembly, report_damage, steps_of

_CHUNK_ROWS: Final = 65_536
# Host tables: where texts are numbers of STRING_IDS.
_CALLS: Final = {
    "PYTORCH_API": ("framework", Activity.OPERATOR),
    "MINDSPORE_API": ("framework", Activity.OPERATOR),
    "CANN_API": ("CANN", Activity.LAUNCH),
    "MSTX_EVENTS": ("annotations", Activity.ANNOTATION),
}


def fill(trace: Trace, assembly: Assembly, files: Files, names: Sequence[str]) -> None:
    """Adds slices and steps of the database, unless other files gave slices already."""
    for name in names:
        base = base_name(name)
        if not base.endswith(".db") or assembly.has_slices:
            continue
        with report_damage(trace, name), _unpacked(files, name) as handle:
            # By its descriptor, so that these are the bytes that were found to lie below the base dir.
            address = f"file:/proc/self/fd/{handle}?mode=ro&immutable=1"
            with closing(sqlite3.connect(address, uri=True)) as database:
                database.execute("PRAGMA trusted_schema=OFF")
                _Database(database).fill(trace, assembly)


@contextmanager
def _unpacked(files: Files, name: str) -> Iterator[int]:
    """A descriptor of the file, or of a copy of it where it is packed."""
    handle = files.handle(name)
    try:
        if not is_packed(handle):
            yield handle
            return
        with tempfile.NamedTemporaryFile() as copy:  # with a name, since SQLite opens files by their paths
            with files.open(name) as packed:
                shutil.copyfileobj(packed, copy)
            copy.flush()
            yield copy.fileno()
    finally:
        os.close(handle)


class _Database:
    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        # Only tables: a view could ask for endless work.
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self._columns = {
            str(table): {str(column[1]) for column in database.execute(f'PRAGMA table_info("{table}")')}
            for (table,) in tables.fetchall()
            if '"' not in str(table)
        }

    def fill(self, trace: Trace, assembly: Assembly) -> None:
        texts = self._texts()
        operators = self._operators(assembly, texts)
        self._add_tasks(assembly, texts, operators)
        for table, (process, activity) in _CALLS.items():
            self._add_calls(assembly, texts, table, process, activity)
        communication = self._rows("COMMUNICATION_OP", "startNs", "endNs", "opName", "connectionId", "opType")
        if len(communication):
            self._add(assembly, communication, texts, assembly.track("Communication", "HCCL", Place.DEVICE),
                      Activity.COMMUNICATION)  # fmt: skip
        steps = self._rows("STEP_TIME", "startNs", "endNs", "id")
        if len(steps) and trace.steps is None:
            trace.steps = steps_of(steps[:, 2], steps[:, 0].copy(), steps[:, 1].copy())

    def _rows(self, table: str, *columns: str) -> NDArray[np.int64]:
        """Numbers of a table; columns that it does not have, and cells without a number, are NOTHING."""
        have = self._columns.get(table, set())
        if not {"startNs", "endNs"} & have and table != "COMPUTE_TASK_INFO":
            return np.empty((0, len(columns)), np.int64)
        expressions = ", ".join(
            f'CASE WHEN typeof("{column}") = \'integer\' THEN "{column}" ELSE -1 END' if column in have else "-1"
            for column in columns
        )
        cursor = self._database.execute(f'SELECT {expressions} FROM "{table}"')
        parts: list[NDArray[np.int64]] = []
        while rows := cursor.fetchmany(_CHUNK_ROWS):
            parts.append(np.array(rows, np.int64))
        return np.concatenate(parts) if parts else np.empty((0, len(columns)), np.int64)

    def _texts(self) -> dict[int, str]:
        if not {"id", "value"} <= self._columns.get("STRING_IDS", set()):
            return {}
        rows: list[tuple[Any, Any]] = self._database.execute("SELECT id, value FROM STRING_IDS").fetchall()
        return {number: str(text) for number, text in rows if isinstance(number, int)}

    def _operators(self, assembly: Assembly, texts: dict[int, str]) -> dict[int, tuple[int, int, int]]:
        """Name, type and shapes of computing by the number of its task."""
        rows = self._rows("COMPUTE_TASK_INFO", "globalTaskId", "name", "opType", "inputShapes")

        def code(number: int) -> int:
            return assembly.text(texts[number]) if number in texts else NOTHING

        return {task: (code(name), code(kind), code(shapes)) for task, name, kind, shapes in rows.tolist()}

    def _add_tasks(self, assembly: Assembly, texts: dict[int, str], operators: dict[int, tuple[int, int, int]]) -> None:
        rows = self._rows(
            "TASK", "startNs", "endNs", "globalTaskId", "taskType", "streamId", "connectionId", "deviceId"
        )
        if not len(rows):
            return
        computing = np.array([task in operators for task in rows[:, 2].tolist()], bool)
        codes = np.array([operators[task] for task in rows[computing, 2].tolist()], np.int64).reshape(-1, 3)
        for selected, process, place, activity in (
            (computing, "Ascend Hardware", Place.DEVICE, Activity.KERNEL),
            (~computing, "other tasks", Place.LAYER, Activity.OTHER),
        ):
            part = rows[selected]
            streams, stream = np.unique(part[:, 4], return_inverse=True)
            tracks = np.array(
                [assembly.track(f"Stream {number}", process, place, number) for number in streams.tolist()], np.int32
            )
            if place == Place.DEVICE:
                unnamed = assembly.text("kernel")
                names = np.where(codes[:, 0] < 0, unnamed, codes[:, 0]).astype(np.int32)
                types = np.where(codes[:, 1] < 0, names, codes[:, 1]).astype(np.int32)
                shapes = codes[:, 2].astype(np.int32)
            else:
                kinds, kind = np.unique(part[:, 3], return_inverse=True)
                names = assembly.codes(texts.get(number, "task") for number in kinds.tolist())[kind]
                types, shapes = names, np.full(len(part), NOTHING, np.int32)
            if len(part):
                connections = np.maximum(part[:, 5], 0)
                assembly.add(
                    part[:, 0], part[:, 1] - part[:, 0], tracks[stream], names, types, activity, connections, shapes
                )

    def _add_calls(
        self, assembly: Assembly, texts: dict[int, str], table: str, process: str, activity: Activity
    ) -> None:
        rows = self._rows(table, "startNs", "endNs", "name", "connectionId", "message", "globalTid")
        if not len(rows):
            return
        rows[:, 2] = np.where(rows[:, 2] >= 0, rows[:, 2], rows[:, 4])
        threads, thread = np.unique(rows[:, 5], return_inverse=True)
        # The upper half of the number is the process.
        tracks = [assembly.track(f"thread {number & 0xFFFFFFFF}", process) for number in threads.tolist()]
        self._add(assembly, rows, texts, np.array(tracks, np.int32)[thread], activity)

    def _add(
        self,
        assembly: Assembly,
        rows: NDArray[np.int64],
        texts: dict[int, str],
        track: NDArray[np.int32] | int,
        activity: Activity,
    ) -> None:
        numbers, number = np.unique(rows[:, 2], return_inverse=True)
        names = assembly.codes(texts.get(text, "unnamed") for text in numbers.tolist())[number]
        assembly.add(rows[:, 0], rows[:, 1] - rows[:, 0], track, names, names, activity, np.maximum(rows[:, 3], 0))
