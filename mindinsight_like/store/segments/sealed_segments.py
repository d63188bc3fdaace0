"""Stored segments with checksums, so that a damaged one is never used."""

from __future__ import annotations

import mmap
from dataclasses import dataclass, fields
from typing import TypeVar

from mindinsight_like.store.segments.sealing import BrokenSeal, Seal
from mindinsight_like.store.segments.segments import (
    HEADER_BYTES,
    BadSegment,
    BlobColumns,
    ScalarColumns,
    Segment,
    decode,
)

_Columns = TypeVar("_Columns", ScalarColumns | None, BlobColumns | None)


@dataclass(frozen=True)
class MappedSegment(Segment):
    """A segment in a file, parts of which are verified when they are asked for; that may raise BrokenSeal."""

    proof: Seal
    file_state: object  # what is another one after the file was written to

    def scalars(self, number: int) -> ScalarColumns | None:
        self.proof.verify_arrays(self.scalar_numbers, self.scalar_starts, self.breaks)
        return self._verified(super().scalars(number))

    def blobs(self, number: int) -> BlobColumns | None:
        self.proof.verify_arrays(self.blob_numbers, self.blob_starts)
        return self._verified(super().blobs(number))

    def _verified(self, columns: _Columns) -> _Columns:
        if columns is not None:
            arrays = [getattr(columns, field.name) for field in fields(columns)]
            self.proof.verify_arrays(*(array for array in arrays if array.base is not None))  # others were computed
        return columns


def from_bytes(data: bytes, number: int) -> Segment:
    """The segment with this number, all of it verified; raises BadSegment."""
    _proven(data, number, None)
    return decode(data)


def from_file(mapped: mmap.mmap, number: int, file_state: object) -> MappedSegment:
    """The same for a mapped file, but verified as it is used; raises BadSegment."""
    proof = _proven(mapped, number, HEADER_BYTES)
    segment = decode(mapped)
    try:
        proof.verify_arrays(segment.starts)  # few, and needed for every curve
    except BrokenSeal as error:
        raise BadSegment(f"segment {number}: {error}") from error
    columns = {field.name: getattr(segment, field.name) for field in fields(segment)}
    return MappedSegment(**columns, proof=proof, file_state=file_state)


def wholly_verified(segment: Segment) -> Segment:
    """The segment, for those who use its columns directly; raises BrokenSeal."""
    if isinstance(segment, MappedSegment):
        segment.proof.verify()
    return segment


def _proven(data: bytes | mmap.mmap, number: int, end: int | None) -> Seal:
    try:
        proof = Seal(data, number)
        proof.verify(0, end)
    except BrokenSeal as error:
        raise BadSegment(f"segment {number}: {error}") from error
    return proof
