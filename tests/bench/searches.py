"""A search over ten thousand runs, beside MLflow and Aim."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import ours
from .environments import make_environment
from .measurements import Bench
from .processes import Cost, cpu_seconds, finish, read_once
from .report import Row
from .trials import TRIALS, make_list, make_logs

_SEARCH_RATIO = 1 / 8
_CALLS = 9
_WARM_UP = 10  # each of the web processes has a table of its own
_QUERY = 'metric/accuracy > 0.9 and optimizer = "Adam"'
_ENVIRONMENT = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}


@dataclass(frozen=True)
class _Peer:
    name: str
    program: str
    package: str
    trials: int  # that it has of ours


_MLFLOW = _Peer("MLflow", "mlflow", "mlflow==3.17.2", TRIALS)
_AIM = _Peer("Aim", "aim", "aim==3.29.1", 2_000)  # ten thousand take it more than half an hour to write and index


def searches(bench: Bench) -> list[Row]:
    """Loading ten thousand runs and searching them, against the searches of MLflow and Aim."""
    return [*_loads(bench), *_searches(bench, _MLFLOW), *_searches(bench, _AIM)]


def _loads(bench: Bench) -> list[Row]:
    logs = _logs(bench)
    costs: list[Cost] = []
    for _ in range(bench.repeat):
        with bench.scratch() as scratch:
            costs.append(ours.load_cold(logs, scratch / "workspace"))
    name, note = f"first load, {TRIALS:,} trials", "scalars, hyper-parameters and a lineage record each"
    return [
        Row(name, "CPU s", [cost.cpu_seconds for cost in costs], note=note),
        Row(name, "wall s", [cost.wall_seconds for cost in costs]),
        Row(name, "peak MB", [cost.peak_mb for cost in costs]),
    ]


def _searches(bench: Bench, peer: _Peer) -> list[Row]:
    """Ours is asked over HTTP; the peer by its own Python calls, without a server between.

    A peer that has fewer runs finds only those, and so does ours, among all.
    """
    theirs = _asked_of_peer(bench, peer)
    query = _QUERY if peer.trials == TRIALS else f"{_QUERY} and hparam/seed < {peer.trials}"
    asked = {"query": query, "sort": "-metric/accuracy", "limit": 100}
    with (
        bench.scratch() as scratch,
        ours.serving(_logs(bench), scratch / "workspace", scratch, runs=TRIALS) as service,
    ):
        begun, before = time.perf_counter(), cpu_seconds(service.process)
        answer = service.post("lineage/models", asked)
        first, first_cpu = time.perf_counter() - begun, cpu_seconds(service.process) - before
        for _ in range(_WARM_UP):
            service.post("lineage/models", asked)
        walls, before = [], cpu_seconds(service.process)
        for _ in range(_CALLS):
            begun = time.perf_counter()
            service.post("lineage/models", asked)
            walls.append((time.perf_counter() - begun) * 1e3)
        cpu = (cpu_seconds(service.process) - before) / _CALLS
    best = answer["rows"][0]["values"]["metric/accuracy"]
    assert len(answer["rows"]) == min(100, theirs[0]["found"]), "both found as many"
    assert abs(best - theirs[0]["best"]) < 1e-6, "both found the same"
    name = f"search over {TRIALS:,} runs"
    beside = peer.name if peer.trials == TRIALS else f"{peer.name} with {peer.trials:,} of them"
    told = f"first time {first * 1e3:.0f} ms against {theirs[0]['wall_seconds'] * 1e3:.0f}"
    return [
        Row(
            name, "ms", walls, [each["wall_seconds"] * 1e3 for each in theirs[1:]], ratio_limit=_SEARCH_RATIO,
            note=f"ours over HTTP against {beside} without; {told}",
        ),
        Row(
            name, "CPU ms", [cpu * 1e3], [each["cpu_seconds"] * 1e3 for each in theirs[1:]],
            note=f"{beside}; first time {first_cpu * 1e3:.0f} against {theirs[0]['cpu_seconds'] * 1e3:.0f}",
        ),
    ]  # fmt: skip


def _logs(bench: Bench) -> Path:
    folder = make_logs(bench.data)
    read_once(folder)
    return folder


def _asked_of_peer(bench: Bench, peer: _Peer) -> Sequence[dict[str, Any]]:
    """What each search cost the peer, whose data is made at the first call."""
    python = make_environment(bench.data / f"venv-{peer.program}", [peer.package])
    program = Path(__file__).parent / "peers" / f"{peer.program}_runs.py"
    kept = bench.data / f"trials-{peer.program}-{peer.trials}"
    if not kept.exists():
        building = kept.with_name(f"{kept.name}.building")
        making: list[str | Path] = [python, program, "make", building, make_list(bench.data), str(peer.trials)]
        finish(making, environment=_ENVIRONMENT)
        building.rename(kept)
    done = finish([python, program, "search", kept, str(1 + _CALLS)], environment=_ENVIRONMENT)
    found: list[dict[str, Any]] = json.loads(done.output)
    return found
