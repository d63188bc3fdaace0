"""LRU eviction for folders with a disk budget: the least recently used entries are removed first."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path


def evict(folder: Path, most_bytes: int, *, may_go: Callable[[Path], bool]) -> None:
    """Remove entries of a folder (files, or folders of files) until the rest fits; time of use is time of change."""
    entries = []
    with contextlib.suppress(FileNotFoundError):
        for path in folder.iterdir():
            with contextlib.suppress(FileNotFoundError):
                entries.append((path.stat().st_mtime_ns, _size(path), path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= most_bytes:
            return
        if may_go(path):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
            total -= size


def used_bytes(folder: Path) -> int:
    """Of all files below a folder; 0 if there is none."""
    with contextlib.suppress(FileNotFoundError):
        return _size(folder)
    return 0


def _size(path: Path) -> int:
    """The bytes of a file, or of all files below a folder."""
    if not path.is_dir():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
