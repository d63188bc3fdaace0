"""What a scanner found since it was last asked: columns grouped by series, with their summaries."""

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
    value loses anything by it. `breaks` are positions whose step is smaller than the one before in the series.
    `blocks` summarise every started BLOCK_POINTS points of each series; their `*_at` count from the block's start.
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
    damage: list[Damage]


def describe(offset: int, cause: int, skipped: int) -> Damage:
    """The damage that begins at `offset`; `cause` indexes DAMAGE_KINDS, `skipped` bytes are negative when unknown."""
    rest = f"{skipped} bytes were skipped" if skipped >= 0 else "no intact record was found after it yet"
    return Damage(offset, DAMAGE_KINDS[cause], f"{_CAUSES[cause]}; {rest}")


def one_blob(key: bytes, length: int, wall_time: float) -> Batch:
    """The batch of a file that is one blob as a whole."""
    none, number, start = np.zeros(0, np.int64), np.zeros(1, np.uint32), np.zeros(1, np.int64)
    return Batch(
        keys=[key],
        scalar_numbers=np.zeros(0, np.uint32),
        scalar_starts=start,
        steps=none,
        walls=np.zeros(0),
        values=np.zeros(0),
        scalar_stats=np.zeros(0, STATS),
        breaks=none,
        blocks=np.zeros(0, BLOCK),
        blob_numbers=number,
        blob_starts=np.array([0, 1], np.int64),
        blob_steps=start,
        blob_walls=np.array([wall_time]),
        blob_offsets=start,
        blob_lengths=np.array([length], np.int64),
        damage=[],
    )
