"""Graphs that were read are cache, come back as they were, and take no more space than allowed."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from mindinsight_like.graphs.columns import Graph
from mindinsight_like.graphs.graph_cache import GraphCache

from .making import graph_of


def _graph() -> Graph:
    return graph_of({"a/x": "A", "a/名": "B", "z": "A"}, [(0, 1), (1, 2)], controls=[(2, 0)])


def _same(one: Graph, other: Graph) -> None:
    for name, mine in vars(one).items():
        if name in Graph.__dataclass_fields__:
            theirs = getattr(other, name)
            if isinstance(mine, np.ndarray):
                assert mine.dtype == theirs.dtype
                assert mine.tolist() == theirs.tolist(), name
            else:
                assert (list(mine) if name.endswith("names") else mine) == (
                    list(theirs) if name.endswith("names") else theirs
                ), name


def test_a_kept_graph_comes_back_as_it_was(tmp_path: Path) -> None:
    cache = GraphCache(tmp_path / "graphs")
    assert cache.get("key") is None

    cache.put("key", _graph())
    found = cache.get("key")

    assert found is not None
    _same(_graph(), found)
    assert [path.name for path in (tmp_path / "graphs").iterdir()] == ["key"]


def test_what_is_left_of_a_damaged_file_is_not_believed(tmp_path: Path) -> None:
    cache = GraphCache(tmp_path)
    cache.put("key", _graph())
    whole = (tmp_path / "key").read_bytes()
    assert b'"checksum"' in whole

    for damaged in (b"", b"\n", whole[:40], whole[:-8], whole[:-8] + b"\1" * 8, bytes(len(whole)), b"{}\n" + whole):
        (tmp_path / "key").write_bytes(damaged)
        assert cache.get("key") is None


def test_the_graph_that_was_not_used_for_the_longest_time_goes(tmp_path: Path) -> None:
    size = len(b"".join(path.read_bytes() for path in _put(GraphCache(tmp_path / "one"), tmp_path / "one", ["a"])))
    cache = GraphCache(tmp_path / "few", most_bytes=2 * size)

    _put(cache, tmp_path / "few", ["a", "b"])
    for age, name in ((200, "b"), (100, "a")):
        os.utime(tmp_path / "few" / name, (1_700_000_000 - age,) * 2)
    assert cache.get("b") is not None  # used now
    cache.put("c", _graph())

    assert sorted(path.name for path in (tmp_path / "few").iterdir()) == ["b", "c"]


def _put(cache: GraphCache, folder: Path, names: list[str]) -> list[Path]:
    for name in names:
        cache.put(name, _graph())
    return list(folder.iterdir())


def test_a_full_disk_costs_nothing_but_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")

    GraphCache(blocked / "graphs").put("key", _graph())

    assert GraphCache(blocked / "graphs").get("key") is None
