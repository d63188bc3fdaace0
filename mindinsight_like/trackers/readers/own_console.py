"""What runs of `mi.init(capture_console=True)` have printed; see `tracking/console_file.py` for the format."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors
from mindinsight_like.trackers.appended_files import read_tail
from mindinsight_like.trackers.console_lines import console_items
from mindinsight_like.trackers.reader import Folder, Log, LogUnreadable, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.source import Source

_NAME = "mindinsight_like.console."
_HEAD = b"mindinsight-like console 1\n"
_TIME_BYTES = 17  # seconds with six digits behind the point, then a space
_PIECE = 8 * 2**20


class OwnConsoleReader:
    """Reads files of printed lines, each line with its time."""

    dialect = Dialect.OWN_CONSOLE
    is_store = False

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        for name in sorted(folder.files):
            if name.startswith(_NAME) and folder.head(name).startswith(_HEAD):
                yield RecognisedLog(folder.path(name), folder.name, frozenset({name}))

    def members(self, source: Source, name: str) -> Sequence[str]:
        return (name,)

    def read(self, log: Log) -> Slice:
        version = log.versions.get(log.name)
        if version is None:
            raise LogUnreadable("the file is gone")
        cursor = cursors.unpack(log.cursor)
        most = max(4096, min(log.limits.bytes, _PIECE))
        tail = read_tail(log.source, log.name, version, cursor.get("place"), most)
        first = 0 if tail.starts_over else cursor.get("lines", 0)
        end = tail.data.rfind(b"\n") + 1
        if not end and not tail.is_at_end:
            end = len(tail.data)  # a line that is longer than any of ours
        begin = len(_HEAD) if tail.offset == 0 and tail.data.startswith(_HEAD) else 0
        lines = tail.data[begin:end].decode(errors="replace").removesuffix("\n").split("\n") if end > begin else []
        part = RunSlice(starts_over=tail.starts_over)
        part.items = list(console_items(first, [line[_TIME_BYTES + 1 :] for line in lines], _times(lines)))
        place = tail.place(log.source, log.name, version, end)
        return Slice(
            cursors.pack(place=place, lines=first + len(lines)),
            tail.offset + end,
            is_partial=not tail.is_at_end,
            runs=[part],
        )


def _times(lines: Sequence[str]) -> list[float]:
    """The times of lines; NaN for one that has none, which we did not write."""
    heads = [line[:_TIME_BYTES] for line in lines]
    try:
        times: list[float] = np.array(heads).astype(np.float64).tolist() if heads else []
    except ValueError:
        return [_time(head) for head in heads]
    return times


def _time(head: str) -> float:
    try:
        return float(head)
    except ValueError:
        return math.nan
