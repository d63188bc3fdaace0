"""Our own trace format: block layout and writing.

A file `*.mi-trace` is a row of blocks, each framed as a TFRecord is: length, checksum of the length, content, checksum
of the content (CRC-32C). Blocks are only ever appended, so that a process that is killed loses the last one at most.
The content begins with four letters:

    MITR  JSON: version, tool, host, process, rank, ranks, device, origin (unix ns), clock (ns), facts; the first block.
          is_helper: of a process beside the training, such as one that loads its data
    DEFS  JSON: what later blocks mean by a number; each key has [number of the first, list]
          operators [name, type, activity, shape], tracks [name, process, place, order, device],
          counters [name, unit], memories [device]
    SLIC  u32 track, u32 columns, u64 count; start, end, operator and, as a fourth column, correlation
    STEP  u64 count; number, begin, end, forward_begin, backward_end (-1: unknown)
    FLOW  u64 count; begin, begin_track, end, end_track, operator
    CNTR  u32 counter, u32 0, u64 count; time, value (f64)
    MEMO  u32 memory, u32 0, u64 count; time, allocated, reserved (-1: unknown)
    PIPE  JSON: an input pipeline: operators [number, type, workers, capacity, sizes, parent, children, cost], queue,
          queue_capacity, sample_milliseconds; for each batch queue_size, wait and push
    LINK  JSON: traffic between ranks: rows [step, source, target, kind, milliseconds, megabytes, gigabytes per second]
    DONE  JSON: facts, losses [[sentence, count]]; the end of a recording that was ended

Columns are i64, little-endian, one after the other. Times are on the clock of the recording machine, whose `clock` was
`origin`. Readers pass over blocks of other letters. Only the standard library is needed to write.
"""

from __future__ import annotations

import json
import struct
import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import Any, Final

VERSION: Final = 1
ENDING: Final = ".mi-trace"
# A table of steps among the files of a profiler that does not keep them; times are unix nanoseconds.
STEP_TABLE: Final = "mi_steps.csv"
STEP_TABLE_COLUMNS: Final = ("step", "begin(ns)", "end(ns)")

# What recordings of frameworks do not tell by themselves. The types of operations that the user named: an attribute of
# the event, or a table by name for the whole recording; and the step that the end of the recording has cut off.
OPERATION_TYPE: Final = "mindinsight_like_type"
OPERATION_TYPES: Final = "mindinsight_like_types"
UNFINISHED_STEP: Final = "mindinsight_like_unfinished_step"

HEADER: Final = b"MITR"
DEFINITIONS: Final = b"DEFS"
SLICES: Final = b"SLIC"
STEPS: Final = b"STEP"
FLOWS: Final = b"FLOW"
COUNTER: Final = b"CNTR"
MEMORY: Final = b"MEMO"
PIPELINE: Final = b"PIPE"
LINKS: Final = b"LINK"
DONE: Final = b"DONE"

NUMBERED: Final = struct.Struct("<IIQ")  # what the columns belong to, how many or 0, and their length
COUNTED: Final = struct.Struct("<Q")
UNKNOWN: Final = -1


def header(
    *,
    origin: int,
    clock: int,
    tool: str = "mindinsight_like",
    host: str = "",
    process: int = 0,
    rank: int = UNKNOWN,
    ranks: int = UNKNOWN,
    device: str = "",
    facts: dict[str, Any] | None = None,
    is_helper: bool = False,
) -> bytes:
    """The first block; the clock showed `clock` at `origin` unix nanoseconds."""
    return _json_block(
        HEADER,
        version=VERSION,
        tool=tool,
        host=host,
        process=process,
        rank=rank,
        ranks=ranks,
        device=device,
        origin=origin,
        clock=clock,
        facts=facts or {},
        **({"is_helper": True} if is_helper else {}),
    )


def definitions(tables: dict[str, tuple[int, Sequence[Sequence[object]]]]) -> bytes:
    """What later blocks mean by numbers: for each table the number of the first row, and rows."""
    return _json_block(DEFINITIONS, **tables)


def slices_of_rows(track: int, rows: bytes) -> bytes:
    """Slices given as rows of start, end and operator, eight bytes each in this machine's order."""
    values = memoryview(rows).cast("q")
    columns = [values[place::3] for place in range(3)]
    return SLICES + NUMBERED.pack(track, 3, len(columns[0])) + b"".join(map(_little, columns))


def slices(
    track: int,
    start: Iterable[int],
    end: Iterable[int],
    operator: Iterable[int],
    correlation: Iterable[int] | None = None,
) -> bytes:
    """Slices given as columns."""
    columns = [array("q", column) for column in (start, end, operator, correlation) if column is not None]
    return SLICES + NUMBERED.pack(track, len(columns), len(columns[0])) + b"".join(map(_little, columns))


def steps(rows: Sequence[Sequence[int]]) -> bytes:
    """Steps given as rows of number, begin, end, forward_begin, backward_end."""
    return STEPS + COUNTED.pack(len(rows)) + _columns(rows, 5)


def flows(rows: Sequence[Sequence[int]]) -> bytes:
    """Arrows given as rows of begin, begin_track, end, end_track, operator."""
    return FLOWS + COUNTED.pack(len(rows)) + _columns(rows, 5)


def counter(number: int, times: Iterable[int], values: Iterable[float]) -> bytes:
    """Values of a counter over time."""
    moments, measured = array("q", times), array("d", values)
    return COUNTER + NUMBERED.pack(number, 0, len(moments)) + _little(moments) + _little(measured)


def memory(number: int, rows: Sequence[Sequence[int]]) -> bytes:
    """Totals of an allocator given as rows of time, allocated, reserved."""
    return MEMORY + NUMBERED.pack(number, 0, len(rows)) + _columns(rows, 3)


def pipeline(
    operators: Sequence[Sequence[object]],
    *,
    queue: str = "",
    queue_capacity: int = UNKNOWN,
    sample_milliseconds: float = UNKNOWN,
    queue_size: Sequence[int] = (),
    wait: Sequence[float] = (),
    push: Sequence[float] = (),
) -> bytes:
    """How data reached the device; the last three have a value for each batch."""
    return _json_block(
        PIPELINE,
        operators=operators,
        queue=queue,
        queue_capacity=queue_capacity,
        sample_milliseconds=sample_milliseconds,
        queue_size=queue_size,
        wait=wait,
        push=push,
    )


def links(rows: Sequence[Sequence[object]]) -> bytes:
    """Traffic between ranks."""
    return _json_block(LINKS, rows=rows)


def done(facts: dict[str, Any] | None = None, losses: Sequence[tuple[str, int]] = ()) -> bytes:
    """The last block."""
    return _json_block(DONE, facts=facts or {}, losses=losses)


def _json_block(kind: bytes, **content: object) -> bytes:
    return kind + json.dumps(content, separators=(",", ":")).encode("ascii")


def _columns(rows: Sequence[Sequence[int]], width: int) -> bytes:
    return b"".join(_little(array("q", (row[place] for row in rows))) for place in range(width))


def _little(column: array[Any] | memoryview) -> bytes:
    if sys.byteorder == "little":
        return column.tobytes()
    swapped = array("q", column.tobytes()) if isinstance(column, memoryview) else column[:]
    swapped.byteswap()
    return swapped.tobytes()
