"""Where the index of one base dir lives."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class IndexLocation:
    """One base dir has one index: a folder in the workspace, and with PostgreSQL a schema of the same hash."""

    base_dir: Path
    folder: Path
    store_url: str  # empty: SQLite in the folder

    @classmethod
    def of(cls, base_dir: Path, workspace: Path, store_url: str = "") -> IndexLocation:
        real = base_dir.resolve()
        digest = hashlib.sha256(str(real).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return cls(real, workspace.expanduser().absolute() / "index" / digest, store_url)

    @property
    def segments(self) -> Path:
        return self.folder / "segments"

    @property
    def lock(self) -> Path:
        """Held by the one loader that writes this index."""
        return self.folder / "loader.lock"

    @property
    def sqlite(self) -> Path:
        return self.folder / "index.sqlite"

    @property
    def schema(self) -> str:
        return f"mi_{self.folder.name}"


def run_id(name: str) -> str:
    """The opaque id of the run with this path below the base dir."""
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]
