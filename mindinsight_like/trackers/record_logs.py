"""Logs of W&B and SwanLab: blocks of chunks that make up protobuf records; what a piece of such a log holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt

from mindinsight_like.native import implementation

WANDB: Final = 0
SWANLAB: Final = 1

HEADER_BYTES: Final = 7
BLOCK_BYTES: Final = 32768
SEPARATOR: Final = "\x1f"  # between the parts of a nested key


class Region(NamedTuple):
    """A damaged region."""

    offset: int
    cause: int  # indexes batch.DAMAGE_KINDS
    skipped: int  # bytes, negative when no intact record was found behind it


class KeptRecord(NamedTuple):
    """The content of a record that is left to Python; the step and the time are known of rows of the history only."""

    number: int  # of the field of `Record`
    content: bytes
    step: int
    wall: float


class Memory(NamedTuple):
    """What reading one piece of a log leaves for the next."""

    damaged: bool = False  # in a damaged region whose warning was already given
    step: int = 0  # of the last row
    samples: int = 0  # of host metrics so far: their steps
    stderr: bytes = b""  # the beginning of a line
    stdout: bytes = b""


class Scanned(NamedTuple):
    """What a piece of a log holds."""

    consumed: int  # bytes that are done with
    memory: Memory
    damage: list[Region]
    tags: Sequence[str]  # parts of nested keys are separated by SEPARATOR
    numbers: npt.NDArray[np.int64]  # for each point its place in `tags`
    steps: npt.NDArray[np.int64]
    walls: npt.NDArray[np.float64]
    values: npt.NDArray[np.float64]
    summary: dict[str, bytes]  # the last value of each key as JSON; empty when it was removed or is long
    lines: bytes  # of the console, each with its end
    line_times: npt.NDArray[np.float64]
    records: list[KeptRecord]


class _Scan(Protocol):
    def __call__(self, data: bytes, offset: int, layout: int, at_end: bool, memory: Memory) -> Scanned: ...


scan = cast(
    _Scan,
    implementation("mindinsight_like.trackers._records", "mindinsight_like.trackers.reference.records").scan,
)
"""Read the whole records of a piece of a log that begins at an offset, behind a record or in damage.

`at_end` says that the piece reaches the present end of the file: what is cut there waits, as does what is still zero.
"""
