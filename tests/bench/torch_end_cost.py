"""What ending a recording of torch costs a training, and what torch itself needs: one program in a process of its own.

python torch_end_cost.py <folder> <site-packages with mindinsight_like>
"""

from __future__ import annotations

import json
import resource
import site
import sys
import time
from pathlib import Path

import torch

_ROUNDS = 5
_STEPS = 30


def main() -> None:
    folder = Path(sys.argv[1])
    site.addsitedir(sys.argv[2])  # behind those of this environment
    import mindinsight_like as mi
    from mindinsight_like.profiler.training import packing

    torch.set_num_threads(1)
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    network = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    optimizer = torch.optim.AdamW(network.parameters())
    batch = torch.randn(8, 32, 64)

    def train() -> None:
        loss = network(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    def torchs_own(path: Path) -> float:
        profile = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True)
        profile.start()
        for _ in range(_STEPS):
            train()
            profile.step()
        began = time.process_time()
        profile.stop()
        profile.export_chrome_trace(str(path))
        return time.process_time() - began

    def ours(path: Path) -> float:
        profiler = mi.Profiler(path, framework="torch", activities=["CPU"])
        for _ in range(_STEPS):
            train()
            profiler.step()
        began = time.process_time()
        profiler.stop()
        return time.process_time() - began

    train()
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[float]] = {"torch": [], "ours": [], "packing": []}
    for number in range(_ROUNDS + 1):
        theirs, own = torchs_own(folder / "plain.json"), ours(folder / str(number))
        before = _of_children()
        packing.wait()
        if number:  # the first time, both load things
            found["torch"].append(theirs)
            found["ours"].append(own)
            found["packing"].append(_of_children() - before)
    print(json.dumps(found))


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
