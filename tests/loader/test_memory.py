"""Memory of programs that load."""

from __future__ import annotations

import subprocess
import sys

import pytest

_PROGRAM = """
import resource
import sys
from pathlib import Path

from mindinsight_like.loader.memory import release, tune_for_loading

BLOCK = 40 * 2**20


def faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


tune_for_loading()
bytearray(BLOCK)[::4096] = bytes(range(256)) * (BLOCK // 4096 // 256)
before = faults()
for _ in range(10):
    block = bytearray(b"x") * BLOCK
    del block
again = faults() - before
held = resident()
release()
print(again, held - resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="settings of glibc")
def test_memory_of_a_batch_serves_the_next_one_and_is_returned_in_the_end() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    faults, returned = map(int, done.stdout.split())
    assert faults < 2 * 40 * 2**20 // 4096  # at most the first two blocks of ten
    assert returned > 30 * 2**20
