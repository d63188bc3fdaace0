"""Torch trainings of several processes: data loaders, ranks with and without variables, and a second torch.profiler."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import mindinsight_like as mi
from mindinsight_like.profiler.analysis.analysed import Analysed

STEPS = 6


def main() -> None:
    if not importlib.util.find_spec("torch"):
        print("no torch here")
        return
    for way in ("fork", "spawn"):
        check_loaders(way)
    check_ranks()
    check_second_profiler()
    print("data loaders, ranks, and a profiler of the script's own")


def check_loaders(way: str) -> None:
    """What workers name by hand is in the recording of the training, and is no wait of its own."""
    import torch
    from torch.utils.data import DataLoader

    network = torch.nn.Linear(8, 8)
    profiler = mi.Profiler(f"loaders-{way}", schedule=mi.schedule(wait=1, active=3, repeat=1))
    batches = DataLoader(Slow(profiler), batch_size=2, num_workers=2, multiprocessing_context=way)
    for batch in batches:
        network(batch).sum().backward()
        time.sleep(0.05)  # batches that were loaded ahead do not take workers past the recording
        profiler.step()
    analysed = analyse(profiler)
    rows = {row["type"]: row for row in analysed.operators("type", limit=None).rows}
    assert rows["decode"]["count"] > 2, (way, rows.keys())
    assert len({track.process for track in analysed.trace.tracks if track.is_helper}) == 2
    assert analysed.steps()["total"] == 3


class Slow:
    """Data that takes its time."""

    def __init__(self, profiler: mi.Profiler) -> None:
        self._profiler = profiler

    def __len__(self) -> int:
        return 40  # many more than workers load ahead

    def __getitem__(self, at: int) -> Any:
        import torch

        with self._profiler.op("an image", type="decode"):
            time.sleep(0.01)
        return torch.ones(8)


def check_ranks() -> None:
    """Two ranks that no variable tells apart; the second waits for the first in every step."""
    import torch

    torch.multiprocessing.spawn(rank, args=(2, f"file://{Path('store').absolute()}"), nprocs=2)
    found = {int(path.parent.name.split("rank")[1][0]): Analysed.open(path) for path in results("ranks")}
    assert sorted(found) == [0, 1], sorted(found)
    assert [found[number].trace.ranks for number in (0, 1)] == [2, 2]
    parts = found[1].steps()["average"]["parts"]
    assert parts["communication"] > 15, parts  # milliseconds: the first sleeps for 20
    assert parts["compute"] < parts["communication"], parts


def rank(number: int, ranks: int, store: str) -> None:
    """One of them."""
    import torch
    from torch import distributed

    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"):
        os.environ.pop(name, None)
    torch.set_num_threads(1)
    profiler = mi.Profiler("ranks", start_profile=False)  # before it can be known which rank this is
    distributed.init_process_group("gloo", init_method=store, rank=number, world_size=ranks)
    network = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(32, 32))
    for step in range(STEPS):
        if step == 2:
            profiler.start()
        if number == 0:
            time.sleep(0.02)
        network(torch.ones(4, 32)).sum().backward()
        profiler.step()
    analyse(profiler)
    distributed.destroy_process_group()


def check_second_profiler() -> None:
    """A torch.profiler of the script records on, and ours says why it does not."""
    import torch

    with torch.profiler.profile() as theirs, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        profiler = mi.Profiler("second")
        torch.ones(3).sum()
        profiler.step()
        profiler.stop()
    assert any("one at a time" in str(each.message) for each in told), [str(each.message) for each in told]
    assert any(row.key == "aten::sum" for row in theirs.key_averages())


def analyse(profiler: mi.Profiler) -> Analysed:
    with contextlib.redirect_stdout(io.StringIO()):
        profiler.analyse()
    return Analysed.open(results(profiler.output_path)[0])


def results(folder: str | Path) -> list[Path]:
    return sorted(Path(folder, "analysis").glob("*/columns"))


if __name__ == "__main__":
    sys.exit(main())
