"""Batch of scanned values since the last call: columns grouped by series, with their statistics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

BLOCK_POINTS: Final = 1024
NOWHERE: Final = 0xFFFFFFFF  # in BLOCK: no such point in the block

STATS: Final = np.dtype(
    [
        ("count", "<i8"),
        ("first_step", "<i8"),
        ("last_step", "<i8"),
        ("min", "<f8"),
        ("max", "<f8"),
        ("last_value", "<f8"),
        ("non_finite", "<i8"),
        ("first_wall", "<f8"),
        ("last_wall", "<f8"),
    ]
)
START: Final = np.dtype([("step", "<i8"), ("wall", "<f8"), ("offset", "<i8")])  # a SessionLog START and its place
BLOCK: Final = np.dtype([("min", "<f8"), ("max", "<f8"), ("min_at", "<u4"), ("max_at", "<u4"), ("odd_at", "<u4")])

DAMAGE_KINDS: Final = ("length_checksum", "payload_checksum", "absurd_length", "unparsable")
_CAUSES: Final = (
    "the length of a record fails its checksum",
    "the content of a record fails its checksum",
    "the length of a record cannot be true",
    "the content of a record cannot be parsed",
)


@dataclass(frozen=True)
class Damage:
    """One damaged region of a log: where it begins, what was wrong there first, and a sentence for people."""

    offset: int
    kind: str
    message: str


@dataclass(frozen=True)
class Batch:
    """New series, points and blobs of one log file, in file order inside each series.

    `keys` continue the numbering of the keys the scanner already knew. `scalar_starts` and `blob_starts` have
    one entry more than there are numbers and cut the columns into series. `values` are float32 only when no
    value loses anything by it. `breaks` are positions whose step is not larger than the one before in the series.
    `blocks` summarise every started BLOCK_POINTS points of each series; their `*_at` count from the block's start.
    `starts` are TensorBoard's SessionLog STARTs in file order. `sessions` counts for each point the starts before it;
    it is empty when all points come after all starts, as they mostly do.
    """

    keys: list[bytes]
    scalar_numbers: npt.NDArray[np.uint32]
    scalar_starts: npt.NDArray[np.int64]
    steps: npt.NDArray[np.int64]
    walls: npt.NDArray[np.float64]
    values: npt.NDArray[np.float32] | npt.NDArray[np.float64]
    scalar_stats: npt.NDArray[Any]
    breaks: npt.NDArray[np.int64]
    blocks: npt.NDArray[Any]
    blob_numbers: npt.NDArray[np.uint32]
    blob_starts: npt.NDArray[np.int64]
    blob_steps: npt.NDArray[np.int64]
    blob_walls: npt.NDArray[np.float64]
    blob_offsets: npt.NDArray[np.int64]
    blob_lengths: npt.NDArray[np.int64]
    starts: npt.NDArray[Any]
    sessions: npt.NDArray[np.uint32]
    damage: list[Damage]
    has_walls: bool = True  # False: nobody wrote when its scalars were logged


def describe(offset: int, cause: int, skipped: int) -> Damage:
    """The damage that begins at `offset`; `cause` indexes DAMAGE_KINDS, `skipped` bytes are negative when unknown."""
    rest = f"{skipped} bytes were skipped" if skipped >= 0 else "no intact record was found after it yet"
    return Damage(offset, DAMAGE_KINDS[cause], f"{_CAUSES[cause]}; {rest}")


def one_blob(key: bytes, length: int, wall_time: float) -> Batch:
    """The batch of a file that is one blob as a whole."""
    return blobs_at([key], [0], [0], [length], wall_time)


def blobs_at(
    keys: Sequence[bytes], steps: Sequence[int], offsets: Sequence[int], lengths: Sequence[int], wall_time: float
) -> Batch:
    """The batch of a file in which nothing but these blobs was found; those of one key follow each other."""
    none, nothing = np.zeros(0, np.int64), np.zeros(1, np.int64)
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    starts = np.searchsorted([numbers[key] for key in keys], np.arange(len(numbers) + 1))
    return Batch(
        keys=list(numbers),
        scalar_numbers=np.zeros(0, np.uint32),
        scalar_starts=nothing,
        steps=none,
        walls=np.zeros(0),
        values=np.zeros(0),
        scalar_stats=np.zeros(0, STATS),
        breaks=none,
        blocks=np.zeros(0, BLOCK),
        blob_numbers=np.arange(len(numbers), dtype=np.uint32),
        blob_starts=starts.astype(np.int64),
        blob_steps=np.array(steps, np.int64),
        blob_walls=np.full(len(steps), wall_time),
        blob_offsets=np.array(offsets, np.int64),
        blob_lengths=np.array(lengths, np.int64),
        starts=np.zeros(0, START),
        sessions=np.zeros(0, np.uint32),
        damage=[],
    )
