"""Lineage of a demo run: data, code, checkpoint and results."""

from __future__ import annotations

import hashlib
import inspect
import os
import platform
from pathlib import Path
from typing import Any

import numpy as np

from mindinsight_like.demo.content import texts
from mindinsight_like.demo.training import network
from mindinsight_like.demo.training.network import Weights
from mindinsight_like.demo.training.plans import DIALECTS, Plan
from mindinsight_like.demo.training.spirals import Examples
from mindinsight_like.demo.training.training import ARMS, Outcome
from mindinsight_like.writers.lineage.artifacts import Artifact
from mindinsight_like.writers.lineage.lineage_file import log_lineage

_CHECKPOINT = "checkpoint.npz"
_USUAL_WARM_UP = Plan.warm_up


def checkpoint_of(run: Path) -> Weights:
    """What a run that has ended has learned."""
    with np.load(run / _CHECKPOINT, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def log_descent(run: Path, base: Path, plan: Plan, outcome: Outcome, *, ended: float) -> None:
    """Keep the checkpoint of a run and tell of its lineage, both as if that had been when it ended."""
    checkpoint = run / _CHECKPOINT
    np.savez(checkpoint, **outcome.weights)  # type: ignore[arg-type]  # numpy's own keywords are none of the names
    origin = base / plan.origin.run if plan.origin else None
    record = log_lineage(
        run,
        params=texts.parameters(plan),
        metrics={"loss": outcome.held_out.loss, "accuracy": outcome.held_out.accuracy},
        data={"name": "spirals", "samples": len(outcome.learned.classes), "arms": ARMS},
        model={"name": "Spirals", "parameters": sum(values.size for values in outcome.weights.values())},
        code=_code(plan),
        environment=_environment(plan),
        parents={plan.origin.relation: str(origin)} if plan.origin else None,
        inputs=[
            _examples("spirals/train", outcome.learned),
            _examples("spirals/held_out", outcome.examples),
            *([origin / _CHECKPOINT] if origin else []),
        ],
        outputs=[checkpoint],
    )
    for path in (checkpoint, record):
        os.utime(path, (ended, ended))


def _examples(name: str, examples: Examples) -> Artifact:
    content = examples.points.tobytes() + examples.classes.astype("<i8").tobytes()
    return Artifact(name, "dataset", f"sha256:{hashlib.sha256(content).hexdigest()}", len(content))


def _code(plan: Plan) -> dict[str, Any]:
    """As if the network had been one's own repository: its commit is a hash of its source, a longer warm-up is a
    change that nobody has committed."""
    flags = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in texts.parameters(plan).items())
    begun = f" --from {plan.origin.run}" if plan.origin else ""
    code = {
        "command": f"python train.py {flags}{begun}",
        "commit": hashlib.sha1(inspect.getsource(network).encode(), usedforsecurity=False).hexdigest(),
        "branch": "main",
        "is_dirty": False,
    }
    if plan.warm_up != _USUAL_WARM_UP:
        change = (
            f"-WARM_UP = {_USUAL_WARM_UP:g}  # share of the steps\n+WARM_UP = {plan.warm_up:g}  # share of the steps\n"
        )
        code |= {"is_dirty": True, "diff": f"--- a/train.py\n+++ b/train.py\n@@ -12,1 +12,1 @@\n{change}"}
    return code


def _environment(plan: Plan) -> dict[str, Any]:
    return {
        "host": f"node-{DIALECTS.index(plan.dialect) + 1}",
        "python": platform.python_version(),
        "packages": {"numpy": np.__version__},
    }
