"""Checksums and frames."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.logs import framing
from mindinsight_like.logs.reference import crc as crc_twin


@pytest.fixture(params=["twin", "in use"], scope="module")
def masked_crc32c(request: pytest.FixtureRequest) -> Callable[[bytes], int]:
    return crc_twin.masked_crc32c if request.param == "twin" else framing.masked_crc32c


def _masked(crc: int) -> int:
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


@pytest.mark.parametrize(
    ("data", "crc"),
    [  # the examples of RFC 3720, B.4
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(reversed(range(32))), 0x113FDB5C),
        (b"123456789", 0xE3069283),
        (b"", 0),
    ],
)
def test_known_checksums(masked_crc32c: Callable[[bytes], int], data: bytes, crc: int) -> None:
    assert masked_crc32c(data) == _masked(crc)


@given(data=st.binary(max_size=100))
def test_checksums_agree(data: bytes) -> None:
    assert framing.masked_crc32c(data) == crc_twin.masked_crc32c(data)


def test_a_frame_is_what_tensorboardx_writes() -> None:
    recorded = bytes.fromhex("1800000000000000a37f4b2209b097bda094beda411a0d627261696e2e4576656e743a32874c3a8a")

    assert framing.frame(recorded[12:-4]) == recorded


def test_framing_needs_no_numpy() -> None:
    code = "import sys, mindinsight_like.logs.framing; sys.exit('numpy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
