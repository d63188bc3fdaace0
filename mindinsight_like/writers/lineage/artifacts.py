"""Files and folders that go into a run or come out of it, with a hash of what they hold."""

from __future__ import annotations

import hashlib
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mindinsight_like.conf.locations import NOT_LOCAL, NotLocal, is_url

_PIECE = 1024 * 1024
_MOST_LISTED = 1_000_000  # entries of a folder


@dataclass(frozen=True)
class Artifact:
    """A thing with a name and, where it is known, a hash by which the same content is found again."""

    name: str
    kind: str = ""  # dataset, checkpoint, or what else it is
    hash: str = ""  # as in sha256:...
    bytes: int | None = None


def describe(thing: str | os.PathLike[str] | Artifact, folder: Path) -> dict[str, Any]:
    """An artifact as it is written into a record; raises FileNotFoundError for a path that leads nowhere."""
    if isinstance(thing, Artifact):
        return {key: value for key, value in asdict(thing).items() if value not in ("", None)}
    if is_url(thing):
        raise NotLocal(f"{os.fspath(thing)} {NOT_LOCAL}; an Artifact names what cannot be read")
    path = Path(thing)
    if path.is_dir():
        digest, size = _folder_hash(path)
    else:
        digest, size = _file_hash(path)
    return {"name": Path(os.path.relpath(path.absolute(), folder.absolute())).as_posix(), "hash": digest, "bytes": size}


def _file_hash(path: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as content:
        while piece := content.read(_PIECE):
            digest.update(piece)
            size += len(piece)
    return f"sha256:{digest.hexdigest()}", size


def _folder_hash(folder: Path) -> tuple[str, int]:
    """Of the paths, sizes and contents of all files, in the order of their paths."""
    digest, total = hashlib.sha256(), 0
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if len(files) > _MOST_LISTED:
        raise ValueError(f"{folder}: more than {_MOST_LISTED:,} files; use an Artifact instead")
    for path in files:
        content, size = _file_hash(path)
        digest.update(f"{path.relative_to(folder).as_posix()}\0{size}\0{content}\n".encode("utf-8", "surrogateescape"))
        total += size
    return f"sha256-tree:{digest.hexdigest()}", total
