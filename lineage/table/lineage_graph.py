"""The lineage graph around a run: data, runs, checkpoints and evaluations, and the links between them."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

_MOST_NODES = 500

RUN: Final = "run"
DATA: Final = "data"
CHECKPOINT: Final = "checkpoint"
EVALUATION: Final = "evaluation"
NodeKind = Literal["run", "data", "checkpoint", "evaluation"]


@dataclass(frozen=True)
class Node:
    id: str
    kind: NodeKind
    label: str
    run: str = ""  # the id of the run that this is, or that it belongs to; a run that is not here has none
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Link:
    begin: str
    end: str
    relation: str


@dataclass
class Neighbourhood:
    nodes: dict[str, Node] = field(default_factory=dict)
    links: dict[tuple[str, str, str], Link] = field(default_factory=dict)
    is_cut: bool = False  # there is more than is shown

    def add(self, node: Node) -> None:
        self.nodes.setdefault(node.id, node)

    def link(self, begin: str, end: str, relation: str) -> None:
        self.links.setdefault((begin, end, relation), Link(begin, end, relation))


class LineageGraph:
    """What all runs say of where they come from and what came of them, from their summaries."""

    def __init__(self, names: Mapping[str, str], summaries: Mapping[str, Mapping[str, Any]]) -> None:
        """`names` of all runs by id."""
        self._names = names
        self._ids = {name: run for run, name in names.items()}
        self._summaries = summaries
        self._children: dict[str, list[tuple[str, str]]] = {}  # run -> runs that name it, with the relation
        self._consumers: dict[str, list[str]] = {}  # artifact -> runs that take it in
        self._producers: dict[str, list[str]] = {}  # artifact -> runs that put it out
        for run in summaries:
            for relation, parent, _ in self._parents(run):
                self._children.setdefault(parent, []).append((run, relation))
            for key in self._artifacts(run, "inputs"):
                self._consumers.setdefault(key, []).append(run)
            for key in self._artifacts(run, "outputs"):
                self._producers.setdefault(key, []).append(run)

    def around(self, run: str, depth: int) -> Neighbourhood:
        """The run with its data and results, and the runs that are at most so many steps away."""
        graph = Neighbourhood()
        waiting, visited = [(run, 0)], {run}
        while waiting:
            here, distance = waiting.pop(0)
            if len(graph.nodes) >= _MOST_NODES:
                graph.is_cut = True
                break
            near = self._add_run(here, graph)
            for other in near if distance < depth else ():
                if other not in visited:
                    visited.add(other)
                    waiting.append((other, distance + 1))
        # Links to runs that are farther away than asked for lead to nothing on the screen.
        graph.links = {key: link for key, link in graph.links.items() if {link.begin, link.end} <= graph.nodes.keys()}
        return graph

    def parents(self, run: str) -> list[str]:
        """The runs that a run names as its parents, as far as they are here."""
        return [parent for _, parent, _ in self._parents(run) if parent in self._names]

    def _add_run(self, run: str, graph: Neighbourhood) -> list[str]:
        """Put a run and what belongs to it into the graph; gives the runs beside it."""
        values = self._summaries.get(run, {}).get("values", {})
        graph.add(Node(run, RUN, self._names[run], run, _highlights(values)))
        near = []
        for relation, parent, path in self._parents(run):
            graph.link(parent, run, relation)
            if parent in self._names:
                near.append(parent)
            else:
                graph.add(Node(parent, RUN, path, details={"path": path}))
        for child, relation in self._children.get(run, ()):
            graph.link(run, child, relation)
            near.append(child)
        for key, artifact in self._artifacts(run, "inputs").items():
            graph.add(Node(key, self._kind(key, artifact, DATA), _label(artifact), details=artifact))
            graph.link(key, run, "input")
            near += self._producers.get(key, ())
        for key, artifact in self._artifacts(run, "outputs").items():
            graph.add(Node(key, self._kind(key, artifact, CHECKPOINT), _label(artifact), details=artifact))
            graph.link(run, key, "output")
            near += self._consumers.get(key, ())
        self._add_mindspore_nodes(run, values, graph)
        return near

    def _add_mindspore_nodes(self, run: str, values: Mapping[str, Any], graph: Neighbourhood) -> None:
        """What MindSpore's lineage tells of data sets, the checkpoint and the evaluation, unless artifacts tell it."""
        metrics = {name.removeprefix("metric/"): value for name, value in values.items() if name.startswith("metric/")}
        evaluation = f"{run}:evaluation"
        if metrics:
            graph.add(Node(evaluation, EVALUATION, "evaluation", run, metrics))
            graph.link(self._checkpoint_node(run, values, graph), evaluation, "evaluation")
        elif values.get("model_size"):
            self._checkpoint_node(run, values, graph)
        named = {str(artifact.get("name")): key for key, artifact in self._artifacts(run, "inputs").items()}
        if (path := values.get("train_dataset_path")) and path not in named:
            graph.add(Node(f"path:{path}", DATA, str(path), details={"path": path}))
            graph.link(f"path:{path}", run, "training data")
        if (path := values.get("test_dataset_path")) and metrics:
            data = named.get(str(path), f"path:{path}")
            graph.add(Node(data, DATA, str(path), details={"path": path}))
            graph.link(data, evaluation, "evaluation data")

    def _checkpoint_node(self, run: str, values: Mapping[str, Any], graph: Neighbourhood) -> str:
        """The node of what a run has learned: its last checkpoint, or the run itself where none is known."""
        checkpoints = [key for key in self._artifacts(run, "outputs") if graph.nodes[key].kind == CHECKPOINT]
        if checkpoints:
            return checkpoints[-1]
        if not values.get("model_size"):
            return run
        graph.add(Node(f"{run}:checkpoint", CHECKPOINT, "checkpoint", run, {"bytes": values["model_size"]}))
        graph.link(run, f"{run}:checkpoint", "checkpoint")
        return f"{run}:checkpoint"

    def _parents(self, run: str) -> list[tuple[str, str, str]]:
        """Relation, id and path of what a run names as its parents; those that are not here have their path as id.

        A path to a file or folder inside a run, such as the checkpoint that was resumed, stands for that run.
        """
        parents = []
        for parent in self._summaries.get(run, {}).get("parents", ()):
            path = name = posixpath.normpath(posixpath.join(self._names.get(run, "."), str(parent.get("run", ""))))
            while name not in self._ids and "/" in name:
                name = name.rpartition("/")[0]
            parents.append((str(parent.get("relation", "")), self._ids.get(name, f"path:{path}"), path))
        return parents

    def _artifacts(self, run: str, side: str) -> dict[str, dict[str, Any]]:
        """Artifacts by what tells them apart: the hash of their content, else their path."""
        artifacts = {}
        for artifact in self._summaries.get(run, {}).get(side, ()):
            name = str(artifact.get("name", ""))
            key = artifact.get("hash") or posixpath.normpath(posixpath.join(self._names.get(run, "."), name))
            artifacts[f"artifact:{key}"] = artifact
        return artifacts

    def _kind(self, key: str, artifact: Mapping[str, Any], otherwise: NodeKind) -> NodeKind:
        """What an artifact is: as it says, else a checkpoint when a run puts it out, else what its side suggests."""
        named = artifact.get("kind")
        if named in (DATA, "dataset"):
            return DATA
        if named in (CHECKPOINT, "model"):
            return CHECKPOINT
        return CHECKPOINT if key in self._producers else otherwise


def _label(artifact: Mapping[str, Any]) -> str:
    return posixpath.basename(str(artifact.get("name", "")).rstrip("/")) or "artifact"


def _highlights(values: Mapping[str, Any]) -> dict[str, Any]:
    """What tells a run from others at a glance: what MindSpore says of it, else its first hyper-parameters."""
    model = {name: values[name] for name in ("network", "optimizer", "learning_rate") if name in values}
    hparams = {name.removeprefix("hparam/"): value for name, value in values.items() if name.startswith("hparam/")}
    return model or dict(list(hparams.items())[:3])
