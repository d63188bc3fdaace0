"""Disk cache of parsed graphs: files of columns in the workspace, which open in milliseconds.

A file holds a line of JSON (sizes of the columns, and what is no column) and then the columns as they lie in memory.
It is written under another name first, and a checksum tells what a power cut has left of it.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from mindinsight_like.graphs.columns import Graph
from mindinsight_like.graphs.drafts import Port
from mindinsight_like.logs.protobuf.text_column import TextColumn
from mindinsight_like.store.lru_eviction import evict

VERSION = 1  # raised whenever readers or columns change, so that graphs are read anew
_MOST_BYTES = 1 << 30
_ALIGNED = 8
_COLUMNS = {
    "types": np.uint32,
    "kinds": np.uint8,
    "ports": np.uint32,
    "begins": np.int64,
    "ends": np.int64,
    "scopes": np.uint32,
    "scope_parents": np.uint32,
    "scope_ends": np.uint32,
    "sources": np.uint32,
    "targets": np.uint32,
    "source_ports": np.uint32,
    "controls": np.bool_,
}
_TEXTS = ("names", "scope_names")


class GraphCache:
    """Cached graphs below a folder; the least recently used are evicted first."""

    def __init__(self, folder: Path, *, most_bytes: int = _MOST_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes

    def get(self, key: str) -> Graph | None:
        """The graph kept under a key; None when there is none, or no intact one."""
        path = self._folder / key
        try:
            with path.open("rb") as file:
                content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)  # nobody shortens these files
            os.utime(path)
        except (OSError, ValueError):
            return None
        return _decode(content)

    def put(self, key: str, graph: Graph) -> None:
        """Keep a graph; when the disk is full it is simply read again the next time."""
        path = self._folder / key
        part = path.with_name(f"{key}.{os.getpid()}.part")
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with part.open("wb") as file:
                file.writelines(_encode(graph))
            part.replace(path)
            evict(self._folder, self._most_bytes, may_go=lambda other: other != path)
        except OSError:
            with contextlib.suppress(OSError):
                part.unlink()


def _encode(graph: Graph) -> list[bytes | memoryview]:
    parts: dict[str, bytes | memoryview] = {name: getattr(graph, name).joined for name in _TEXTS}
    parts |= {name: np.ascontiguousarray(getattr(graph, name)).tobytes() for name in _COLUMNS}
    parts["held"] = graph.messages  # the name in stored files
    pieces: list[bytes | memoryview] = []
    checksum = 0
    for part in parts.values():
        for piece in (part, b"\0" * (-len(part) % _ALIGNED)):
            checksum = zlib.crc32(piece, checksum)
            pieces.append(piece)
    head = {
        "sizes": {name: len(part) for name, part in parts.items()},
        "checksum": checksum,
        "title": graph.title,
        "dangling": graph.dangling,
        "type_names": graph.type_names,
        "port_lists": [[list(port) for port in ports] for ports in graph.port_lists],
    }
    line = orjson.dumps(head) + b"\n"
    return [b" " * (-len(line) % _ALIGNED) + line, *pieces]


def _decode(mapped: mmap.mmap) -> Graph | None:
    content = memoryview(mapped)
    line_end = mapped.find(b"\n") + 1
    try:
        head = orjson.loads(content[:line_end])
        if zlib.crc32(content[line_end:]) != head["checksum"]:
            return None
        parts: dict[str, memoryview] = {}
        at = line_end
        for name, size in head["sizes"].items():
            parts[name] = content[at : at + size]
            at += size + -size % _ALIGNED
        columns: dict[str, Any] = {name: np.frombuffer(parts[name], dtype) for name, dtype in _COLUMNS.items()}
        columns |= {name: TextColumn(parts[name]) for name in _TEXTS}
        port_lists = [[Port(*port) for port in ports] for ports in head["port_lists"]]
        return Graph(
            title=head["title"],
            dangling=head["dangling"],
            messages=bytes(parts["held"]),
            type_names=head["type_names"],
            port_lists=port_lists,
            **columns,
        )
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
        return None
