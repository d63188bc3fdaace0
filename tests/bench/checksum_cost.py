"""What checksums cost: cold loads with and without them, in turn, each in a process of its own.

As a program it loads a folder once: with all checksums, without that of the log itself (by which a replaced log is
noticed), or without any.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections import deque
from pathlib import Path

from .measurements import Bench, settle_memory
from .processes import finish
from .report import Row
from .shapes import SHAPES

_ROUNDS = {"M": 40, "L": 24, "W": 30}  # pairs; a small load varies by a tenth where others use the machine
_LIMITS = {"M": 1.03, "L": 1.03, "W": 1.05}  # of the CPU time of a load without checksums
_ALL, _INDEX, _NONE = "all", "index", "none"


def checksums(bench: Bench) -> list[Row]:
    """CPU time of cold loads; the yardstick is the same load without checksums."""
    rows = []
    for name, limit in _LIMITS.items():
        shape = SHAPES[name]
        logs = bench.logs(shape, "tb")
        index, both = [], []
        rounds = _ROUNDS[name]
        settle_memory(shape)  # once: each load leaves the memory to the next as it found it
        for number in range(rounds):
            # A load finds the machine as the one before left it: each goes first as often as the others.
            order = deque((_ALL, _INDEX, _NONE))
            order.rotate(number)
            seconds = {which: _load(logs, which) for which in order}
            index.append(seconds[_INDEX] / seconds[_NONE])
            both.append(seconds[_ALL] / seconds[_NONE])
        note = f"median of {rounds} pairs"
        rows += [
            Row(f"first load, {name}-tb, checksums of the index", "x", index, [1.0], ratio_limit=limit, note=note),
            Row(f"first load, {name}-tb, and of the logs", "x", both, [1.0], note=note),
        ]
    return rows


def _load(logs: Path, which: str) -> float:
    workspace = Path(tempfile.mkdtemp(prefix="checksums-"))
    try:
        return finish([sys.executable, "-m", __name__, logs, workspace, which]).cost.cpu_seconds
    finally:
        shutil.rmtree(workspace)


def _leave_out(which: str) -> None:
    import numpy as np

    from mindinsight_like.loader import following
    from mindinsight_like.store.database import database
    from mindinsight_like.store.segments import sealing

    following.crc32c = lambda data, value=0: 0  # type: ignore
    if which == _NONE:
        sealing.chunk_checksums = lambda data, size: np.zeros(-(-len(data) // size), np.uint32)  # type: ignore
        sealing.crc32c = lambda data, value=0: 0  # type: ignore
        database.address_of = lambda path: path.absolute().as_uri()  # type: ignore


def main(logs: str, workspace: str, which: str) -> None:
    if which != _ALL:
        _leave_out(which)
    from mindinsight_like.conf.settings import Settings
    from mindinsight_like.loader.memory import tune_for_loading
    from mindinsight_like.loader.once import load_once

    tune_for_loading()  # as `app index` does
    load_once(Settings(summary_base_dir=Path(logs), workspace=Path(workspace)))


if __name__ == "__main__":
    main(*sys.argv[1:])
