"""Write many records that differ only in step, time and values: encode one, then fill in columns of bytes.

The encoders of `mindinsight_like.writers` make the pattern. Where a step, a time or a value stands in it is found by
encoding the pattern again with that one thing changed, so nothing here knows any message layout.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.framing import masked_crc32c

Bytes = NDArray[np.uint8]
Columns = NDArray[np.intp]
Encode = Callable[[int, float, Sequence[float]], bytes]  # step, wall time, values

_MASK_DELTA = 0xA282EAD8
_CASTAGNOLI = 0x82F63B78


@dataclass(frozen=True)
class Template:
    """A payload in which `step`, `time` and `values` name the bytes to be filled in."""

    payload: Bytes
    step: Columns
    time: Columns
    values: Columns

    @classmethod
    def of(cls, encode: Encode, *, digits: int, values: int, times: tuple[float, float]) -> Template:
        """The pattern of `encode` for steps of so many varint digits.

        The two `times` must differ in every byte in which times are told apart.
        """
        steps = [sum(digit << 7 * place for place in range(digits)) for digit in (1, 4)]
        numbers = [struct.unpack("<f", byte * 4)[0] for byte in (b"\x3a", b"\x45")]
        base = encode(steps[0], times[0], numbers[:1] * values)
        return cls(
            np.frombuffer(base, np.uint8),
            _differing(base, encode(steps[1], times[0], numbers[:1] * values)),
            _differing(base, encode(steps[0], times[1], numbers[:1] * values)),
            _differing(base, encode(steps[0], times[0], numbers[1:] * values)),
        )

    def records(self, step: Bytes, time: Bytes, values: Bytes, *, checksums: bool) -> Bytes:
        """One framed record per row of the given bytes."""
        header = struct.pack("<Q", len(self.payload))
        if checksums:
            header += struct.pack("<I", masked_crc32c(header))
        start, end = len(header), len(header) + len(self.payload)
        rows = np.empty((len(step), end + (4 if checksums else 0)), np.uint8)
        rows[:, :start] = np.frombuffer(header, np.uint8)
        rows[:, start:end] = self.payload
        for columns, content in ((self.step, step), (self.time, time), (self.values, values)):
            rows[:, start + columns] = content
        if checksums:
            rows[:, end:] = self._checksums(rows[:, start:end]).view(np.uint8).reshape(-1, 4)
        return rows

    def _checksums(self, payloads: Bytes) -> NDArray[np.uint32]:
        """CRC-32C is affine: a byte changed adds what the change alone would give, whatever the rest is."""
        changes = _changes(len(self.payload))
        crc = np.full(len(payloads), _unmasked(masked_crc32c(self.payload.tobytes())), np.uint32)
        for column in np.concatenate([self.step, self.time, self.values]):
            crc ^= changes[len(self.payload) - 1 - column][payloads[:, column] ^ self.payload[column]]
        rotated = np.right_shift(crc, 15, dtype=np.uint32) | np.left_shift(crc, 17, dtype=np.uint32)
        return np.add(rotated, _MASK_DELTA, dtype=np.uint32)


def varints(numbers: NDArray[np.int64], *, digits: int) -> Bytes:
    """One row of base-128 digits per number; all must need exactly so many."""
    places = np.arange(digits)
    parts = numbers[:, None] >> 7 * places & 0x7F
    return (parts | np.where(places < digits - 1, 0x80, 0)).astype(np.uint8)


def raw(numbers: NDArray[np.generic]) -> Bytes:
    """The bytes of every row of numbers, one after the other."""
    return np.ascontiguousarray(numbers).view(np.uint8).reshape(len(numbers), -1)


def _differing(one: bytes, other: bytes) -> Columns:
    return np.flatnonzero(np.frombuffer(one, np.uint8) != np.frombuffer(other, np.uint8))


def _unmasked(masked: int) -> int:
    rotated = (masked - _MASK_DELTA) % (1 << 32)
    return (rotated >> 17 | rotated << 15) % (1 << 32)


@cache
def _changes(length: int) -> NDArray[np.uint32]:
    """[k][b]: what a change by the bits b does to the checksum when k bytes follow, for all k below `length`."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & np.uint32(1), table >> np.uint32(1) ^ np.uint32(_CASTAGNOLI), table >> np.uint32(1))
    rows = [table]
    while len(rows) < length:
        rows.append(rows[-1] >> np.uint32(8) ^ table[rows[-1] & np.uint32(0xFF)])
    return np.array(rows)
