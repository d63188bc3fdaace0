"""Draft of a graph as readers produce it: nodes in file order and edges with their ports; names may still clash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

MOST_NODES = 1_000_000  # a graph of so many takes some gigabytes while it is read
MOST_EDGES = 5_000_000


class NodeKind(IntEnum):
    """What a node is; the numbers are kept in caches."""

    OPERATOR = 0
    PARAMETER = 1
    CONSTANT = 2
    INPUT = 3
    OUTPUT = 4


class Port(NamedTuple):
    """What a node gives out at one place, as text: `float32` and `[1, 3, 224, 224]`; empty where nobody knows."""

    dtype: str
    shape: str


class BadGraph(ValueError):
    """The bytes are no graph that can be shown; the message is for people."""


@dataclass
class Draft:
    """A graph as it is read."""

    title: str = ""
    names: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    ports: list[int] = field(default_factory=list)  # place in `port_lists`
    begins: list[int] = field(default_factory=list)  # where the node's own message lies, in the record or in `messages`
    ends: list[int] = field(default_factory=list)
    floating: list[int] = field(default_factory=list)  # nodes that have no scope: they belong beside those they feed
    sources: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    source_ports: list[int] = field(default_factory=list)
    controls: list[bool] = field(default_factory=list)
    dangling: int = 0  # inputs that name nothing
    port_lists: list[tuple[Port, ...]] = field(default_factory=lambda: [()])
    messages: bytearray = field(default_factory=bytearray)  # messages of nodes that cannot be found in the record
    _known_ports: dict[tuple[Port, ...], int] = field(default_factory=lambda: {(): 0})

    def add(
        self,
        name: str,
        type: str,
        kind: NodeKind = NodeKind.OPERATOR,
        *,
        ports: int = 0,
        place: tuple[int, int] = (0, 0),
        floats: bool = False,
    ) -> int:
        """A new node; gives its number."""
        number = len(self.names)
        if number >= MOST_NODES:
            raise BadGraph(f"the graph has more than {MOST_NODES:,} nodes")
        self.names.append(name)
        self.types.append(type)
        self.kinds.append(kind)
        self.ports.append(ports)
        self.begins.append(place[0])
        self.ends.append(place[1])
        if floats:
            self.floating.append(number)
        return number

    def add_many(
        self,
        names: Sequence[str],
        types: Sequence[str],
        kinds: Sequence[int],
        ports: Sequence[int],
        begins: Sequence[int],
        ends: Sequence[int],
    ) -> int:
        """New nodes that have their scopes in their names; gives the number of the first."""
        first = len(self.names)
        if first + len(names) > MOST_NODES:
            raise BadGraph(f"the graph has more than {MOST_NODES:,} nodes")
        self.names += names
        self.types += types
        self.kinds += kinds
        self.ports += ports
        self.begins += begins
        self.ends += ends
        return first

    def link_many(
        self, sources: Sequence[int], targets: Sequence[int], ports: Sequence[int], controls: Sequence[bool]
    ) -> None:
        """New edges; a source of -1 is an input that names nothing."""
        if len(self.sources) + len(sources) > MOST_EDGES:
            raise BadGraph(f"the graph has more than {MOST_EDGES:,} edges")
        missing = sources.count(-1)
        if missing:
            self.dangling += missing
            connected = [place for place, source in enumerate(sources) if source >= 0]
            sources, targets, ports = ([column[place] for place in connected] for column in (sources, targets, ports))
            controls = [controls[place] for place in connected]
        self.sources += sources
        self.targets += targets
        self.source_ports += ports
        self.controls += controls

    def link(self, source: int, target: int, *, port: int = 0, control: bool = False) -> None:
        if len(self.sources) >= MOST_EDGES:
            raise BadGraph(f"the graph has more than {MOST_EDGES:,} edges")
        self.sources.append(source)
        self.targets.append(target)
        self.source_ports.append(port)
        self.controls.append(control)

    def ports_of(self, ports: Sequence[Port]) -> int:
        """The number of a list of ports; nodes with the same ones share it."""
        key = tuple(ports)
        number = self._known_ports.get(key)
        if number is None:
            number = self._known_ports[key] = len(self.port_lists)
            self.port_lists.append(key)
        return number

    def store_message(self, message: bytes) -> tuple[int, int]:
        """Keep the message of a node beside the graph; gives its place."""
        begin = len(self.messages)
        self.messages += message
        return begin, len(self.messages)


def shape_text(sizes: Sequence[int | str]) -> str:
    """Sizes as people write them; an unknown one is a question mark."""
    return "[" + ", ".join("?" if size in (-1, "") else str(size) for size in sizes) + "]"
