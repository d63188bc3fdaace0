"""Run an example and check that it logs what its docstring promises: `python promises.py examples/plain_python.py`.

The promises are the lines below "Look at run `name`:", each a board of the page with names in backquotes, such as
"- Scalars: `loss`, `accuracy`". Everything is read back with `mi.open`. It runs in the current directory, in the
environment of the framework that the example needs, without our test tools.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import mindinsight_like as mi

TIMEOUT_SECONDS = 600
RUN = re.compile(r"^Look at run `([^`]+)`:$")
BOARD = re.compile(r"^- ([A-Z][\w/ ]*): (.+)$")


@dataclass(frozen=True)
class Promise:
    """Names that a board shows for a run: tags, columns or operator types."""

    run: str
    board: str
    names: tuple[str, ...]


def promises(example: Path) -> Iterator[Promise]:
    """The promises in the docstring of an example; raises ValueError if it has none."""
    docstring = ast.get_docstring(ast.parse(example.read_text(encoding="utf-8"))) or ""
    run, count = "", 0
    for line in re.sub(r"\n  +", " ", docstring).splitlines():
        if match := RUN.match(line):
            run = match[1]
        elif run and (match := BOARD.match(line)):
            count += 1
            yield Promise(run, match[1], tuple(re.findall(r"`([^`]+)`", match[2])))
    if not count:
        raise ValueError(f"{example}: its docstring does not say what to look at")


def _tags(kind: str) -> Callable[[mi.Run], set[str]]:
    return lambda run: set(run.tags(kind=kind)["tag"])


def _curves(run: mi.Run) -> set[str]:
    return _tags("pr_curves")(run) | _tags("roc_curves")(run)


def _graph_types(run: mi.Run) -> set[str]:
    return set(run.graphs(attributes=False)["type"])


def _lineage_columns(run: mi.Run) -> set[str]:
    return set(run.lineage().dropna(axis="columns", how="all").columns)


def _pipeline_operators(run: mi.Run) -> set[str]:
    graph = mi.get_summary_lineage(f"runs/{run.name}", keys=["dataset_graph"])["dataset_graph"]
    return set(_operators(graph))


def _operators(node: dict[str, object]) -> Iterator[str]:
    yield str(node.get("op_type"))
    for child in node.get("children") or ():  # type: ignore[attr-defined]
        yield from _operators(child)


def _hyperparameters(run: mi.Run) -> set[str]:
    return set(run.hparams().dropna(axis="columns", how="all").columns)


def _profiled_types(run: mi.Run) -> set[str]:
    """Operator types of all profiles of a run, and `step` if each of them has complete steps."""
    profiles = [run.profile(id) for id in run.profiles()["id"]]
    types = {type for profile in profiles for type in profile.operators(by="type")["type"]}
    has_steps = profiles and all((~profile.steps()["is_partial"]).any() for profile in profiles)
    return types | ({"step"} if has_steps else set())


NAMES_ON_BOARD = {
    "Scalars": _tags("scalars"),
    "Images": _tags("images"),
    "Histograms": _tags("histograms"),
    "Text": _tags("text"),
    "Audio": _tags("audio"),
    "Video": _tags("video"),
    "Tensors": _tags("tensors"),
    "Embeddings": _tags("embeddings"),
    "PR/ROC curves": _curves,
    "Computation graph": _graph_types,
    "Hyperparameters": _hyperparameters,
    "Model lineage": _lineage_columns,
    "Data pipeline": _pipeline_operators,
    "Profiler": _profiled_types,
}


def check(example: Path) -> list[Promise]:
    """Run an example in the current directory; raises AssertionError if a promised name is missing in `runs`."""
    subprocess.run([sys.executable, str(example)], stdout=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS, check=True)
    runs = mi.open("runs")
    expected = list(promises(example))
    for promise in expected:
        assert promise.run in runs, f"no run {promise.run!r}; runs: {runs.names}"
        names = NAMES_ON_BOARD[promise.board](runs[promise.run])
        missing = set(promise.names) - names
        assert promise.names, f"{promise.board} of {promise.run!r}: no names in backquotes"
        assert not missing, f"{promise.board} of {promise.run!r}: {sorted(missing)} missing; there are {sorted(names)}"
    return expected


if __name__ == "__main__":
    checked_promises = check(Path(sys.argv[1]))
    boards = {promise.board for promise in checked_promises}
    print(f"{sum(len(promise.names) for promise in checked_promises)} names on {len(boards)} boards")
