"""Sealed bytes: any damage is noticed before they are used, and only what is used is read."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.store.segments.sealing import BrokenSeal, Seal, seal


def _bytes(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


@given(sizes=st.lists(st.sampled_from([0, 1, 8, 16383, 16384, 16385, 70_000]), max_size=8), large=st.booleans())
def test_however_the_payload_is_cut_into_buffers_it_is_sealed_alike(sizes: list[int], large: bool) -> None:
    buffers = [_bytes(size, place) for place, size in enumerate(sizes)] + [_bytes(300_000)] * large
    payload = b"".join(buffers)

    sealed = b"".join(seal(buffers, 7))

    assert sealed == b"".join(seal([payload], 7))
    assert sealed.startswith(payload)
    proof = Seal(sealed, 7)
    proof.verify()
    assert proof.payload_bytes == len(payload)


@pytest.mark.parametrize("size", [0, 1, 1000, 20_000, 400_000])
def test_any_changed_bit_breaks_the_seal(size: int) -> None:
    sealed = b"".join(seal([_bytes(size)], 7))
    rng = random.Random(size)
    places = {*range(max(0, len(sealed) - 40), len(sealed)), *(rng.randrange(len(sealed)) for _ in range(60))}

    for place in places:
        broken = bytearray(sealed)
        broken[place] ^= 1 << rng.randrange(8)
        with pytest.raises(BrokenSeal):
            Seal(bytes(broken), 7).verify()


def test_cut_zeroed_and_foreign_bytes_break_the_seal() -> None:
    sealed = b"".join(seal([_bytes(100_000)], 7))

    for broken in (b"", sealed[:-1], sealed[: len(sealed) // 2], bytes(len(sealed)), sealed + b"\0"):
        with pytest.raises(BrokenSeal):
            Seal(broken, 7).verify()
    with pytest.raises(BrokenSeal, match="belongs to 7"):
        Seal(sealed, 8)


def test_only_what_is_used_is_verified() -> None:
    sealed = bytearray(b"".join(seal([_bytes(160_000)], 7)))
    sealed[150_000] ^= 1
    data = bytes(sealed)
    proof = Seal(data, 7)

    proof.verify(0, 100_000)
    proof.verify_arrays(np.frombuffer(data, "<i8", 1000, 64))

    with pytest.raises(BrokenSeal):
        proof.verify_arrays(np.frombuffer(data, "<i8", 10_000, 80_000))
    with pytest.raises(BrokenSeal):
        proof.verify()
