"""CRC-32C: the native functions and their Python twins give the checksums of the plain definition."""

from __future__ import annotations

import random
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.logs.reference import crc as crc_twin

try:
    from mindinsight_like.logs import _scan
except ImportError:
    _scan = None  # no compiler here

_MODULES = [
    pytest.param(crc_twin, id="twin"),
    pytest.param(_scan, id="native", marks=pytest.mark.skipif(_scan is None, reason="no compiler")),
]


def _plain(data: bytes, value: int = 0) -> int:
    crc = value ^ 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@pytest.mark.parametrize("module", _MODULES)
def test_known_checksum(module: ModuleType) -> None:
    assert module.crc32c(b"123456789") == 0xE3069283
    assert module.crc32c(b"") == 0


@pytest.mark.parametrize("module", _MODULES)
@given(data=st.binary(max_size=300), cut=st.integers(0, 300))
def test_checksum_of_parts_is_that_of_the_whole(module: ModuleType, data: bytes, cut: int) -> None:
    expected = _plain(data)

    assert module.crc32c(data) == expected
    assert module.crc32c(data[cut:], module.crc32c(data[:cut])) == expected


@pytest.mark.parametrize("module", _MODULES)
@pytest.mark.parametrize("size", [4096, 32767, 32768, 70_001])
def test_long_input_has_the_same_checksum(module: ModuleType, size: int) -> None:
    data = random.Random(size).randbytes(size)

    assert module.crc32c(data) == _plain(data)
    assert module.crc32c(data[1000:], _plain(data[:1000])) == _plain(data)


@pytest.mark.parametrize("module", _MODULES)
@pytest.mark.parametrize("size", [0, 1, 8, 255, 1024, 5 * 1024 + 3, 9 * 1024])
@pytest.mark.parametrize("chunk", [8, 24, 1024])
def test_each_started_chunk_has_a_checksum(module: ModuleType, size: int, chunk: int) -> None:
    data = random.Random(size).randbytes(size)

    found = module.chunk_checksums(data, chunk)

    assert found.dtype == "uint32"
    assert found.tolist() == [_plain(data[at : at + chunk]) for at in range(0, size, chunk)]
    with pytest.raises(ValueError, match="multiple of eight"):
        module.chunk_checksums(data, 12)
