"""The checksum by the instructions of aarch64, compiled for it and run by an emulator, against the Python reference."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from mindinsight_like.logs.reference import crc

HEADER = Path(__file__).resolve().parents[2] / "mindinsight_like" / "logs"
COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
PACKAGES = "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
LONG = 16384  # where the header begins to use four lanes


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """crc_main.c for aarch64, linked statically, so that the emulator needs no libraries."""
    missing = [tool for tool in (COMPILER, EMULATOR) if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not found; on Debian: apt-get install {PACKAGES}")
    target = tmp_path_factory.mktemp("aarch64") / "crc"
    source = Path(__file__).with_name("crc_main.c")
    options = ["-O3", "-Wall", "-Wno-unused-function", "-static", f"-I{HEADER}"]
    subprocess.run([COMPILER, *options, "-o", str(target), str(source)], check=True)
    return target


def test_checksums_on_aarch64_are_those_of_the_reference(program: Path) -> None:
    sizes = [*range(70), LONG - 1, LONG, LONG + 1, LONG + 8, 3 * LONG + 5, 100_001]
    buffers = [(random.Random(size).randbytes(size), 8 << size % 9) for size in sizes]
    message = b"".join(struct.pack("<II", len(data), chunk) + data for data, chunk in buffers)

    output = run(program, message, processor="max")

    assert output[0] == "1", "the emulated processor has the instructions"
    assert output[1:] == [expected(data, chunk) for data, chunk in buffers]


def run(program: Path, message: bytes, *, processor: str) -> list[str]:
    done = subprocess.run([EMULATOR, "-cpu", processor, str(program)], input=message, capture_output=True, check=True)
    return done.stdout.decode("ascii").splitlines()


def expected(data: bytes, chunk: int) -> str:
    checksum = crc.crc32c(data)
    numbers = [checksum, crc.masked_crc32c(data), checksum, *crc.chunk_checksums(data, chunk).tolist()]
    return " ".join(f"{number:08x}" for number in numbers)
