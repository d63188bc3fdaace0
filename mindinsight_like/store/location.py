"""Where the index of one base dir lives."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DatabasePlace:
    """Where a database is: a file of SQLite, or a schema of PostgreSQL."""

    sqlite: Path
    store_url: str  # empty: SQLite
    schema: str
    is_disposable: bool = True  # what it holds can be made anew, so a damaged one is erased


@dataclass(frozen=True)
class IndexLocation:
    """One base dir has one index in a workspace: a folder, and with PostgreSQL a schema that goes with this folder."""

    base_dir: Path
    folder: Path
    store_url: str  # empty: SQLite in the folder

    @classmethod
    def of(cls, base_dir: Path, workspace: Path, store_url: str = "") -> IndexLocation:
        real = base_dir.resolve()
        return cls(real, workspace.expanduser().absolute() / "index" / _digest(str(real)), store_url)

    @property
    def segments(self) -> Path:
        return self.folder / "segments"

    @property
    def lock(self) -> Path:
        """Held by the one loader that writes this index."""
        return self.folder / "loader.lock"

    @property
    def database(self) -> DatabasePlace:
        # The schema is named by the whole path: rows of another workspace would name segment files not in this one.
        return DatabasePlace(self.folder / "index.sqlite", self.store_url, f"mi_{_digest(str(self.folder))}")

    @property
    def annotations(self) -> DatabasePlace:
        """What people add: apart from the index, which may be deleted at any time."""
        folder = self.folder.parent.parent / "annotations"
        return DatabasePlace(
            folder / f"{self.folder.name}.sqlite",
            self.store_url,
            f"mi_annotations_{_digest(str(self.folder))}",
            is_disposable=False,
        )


def run_id(name: str) -> str:
    """The opaque id of the run with this path below the base dir."""
    return _digest(name)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
