"""Where the index of one base dir lives."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.store.database.pages import have_checksums

if TYPE_CHECKING:
    from mindinsight_like.conf.settings import Settings

_UNCHECKED = "-unchecked"  # ends the name of a folder whose database has no checksums
_SAVE_PATIENCE_SECONDS = 3.0  # people wait for it


@dataclass(frozen=True)
class DatabasePlace:
    """Where a database is: a file of SQLite, or a schema of PostgreSQL."""

    sqlite: Path
    store_url: str  # empty: SQLite
    schema: str
    is_disposable: bool = True  # what it holds can be made anew, so a damaged one is erased
    busy_seconds: float = 60.0  # how long to wait for another writer


@dataclass(frozen=True)
class IndexLocation:
    """One base dir has one index in a workspace: a folder, and with PostgreSQL a schema that goes with this folder."""

    base_dir: Path
    folder: Path
    store_url: str  # empty: SQLite in the folder
    others: tuple[tuple[str, str], ...] = ()  # name and path of further base dirs, which share the index

    @classmethod
    def of(
        cls, base_dir: Path, workspace: Path, store_url: str = "", others: Sequence[tuple[str, Path]] = ()
    ) -> IndexLocation:
        real = base_dir.resolve()
        further = tuple((name, str(path.resolve())) for name, path in others)
        # Whoever serves other directories has another index: nobody is to forget what somebody else has read.
        name = _digest(json.dumps([str(real), *further]) if further else str(real))
        if not store_url and not have_checksums():
            # A database has them or not: who cannot make them must not write among those who check them.
            name += _UNCHECKED
        return cls(real, workspace.expanduser().absolute() / "index" / name, store_url, further)

    @classmethod
    def of_settings(cls, settings: Settings) -> IndexLocation:
        """That of a service."""
        others = [(each.name, each.path) for each in settings.projects]
        return cls.of(settings.summary_base_dir, settings.workspace, settings.store_url, others)

    @property
    def dirs(self) -> BaseDirs:
        return BaseDirs(str(self.base_dir), self.others)

    @property
    def segments(self) -> Path:
        return self.folder / "segments"

    @property
    def repairs(self) -> Path:
        """Where readers leave word of what is damaged; see `repairs`."""
        return self.folder / "repairs"

    @property
    def rebuilding(self) -> IndexLocation:
        """Where an index is made that will replace this one."""
        return replace(self, folder=self.folder / "rebuilding")

    @property
    def lock(self) -> Path:
        """Held by the one loader that writes this index."""
        return self.folder / "loader.lock"

    @property
    def database(self) -> DatabasePlace:
        # Not `index.sqlite`, the name of databases whose pages were without checksums: see `earlier_database`.
        # The schema is named by the whole path: rows of another workspace would name segment files not in this one.
        return DatabasePlace(self.folder / "index.v2.sqlite", self.store_url, f"mi_{_digest(str(self.folder))}")

    @property
    def earlier_database(self) -> DatabasePlace:
        """What versions before page checksums have left; of no use any more."""
        return DatabasePlace(self.folder / "index.sqlite", "", "")

    @property
    def workspace(self) -> Path:
        return self.folder.parent.parent

    @property
    def user_data(self) -> DatabasePlace:
        """What people add, of all boards: apart from the index, which may be deleted at any time."""
        file = self.workspace / "userdata" / "userdata.sqlite"
        return DatabasePlace(
            file, self.store_url, "mi_userdata", is_disposable=False, busy_seconds=_SAVE_PATIENCE_SECONDS
        )

    @property
    def origin(self) -> str:
        """What the base dir is known by in the user data; also the id of its board unless it has another one."""
        if self.others:  # runs of the first one keep their notes when others come and go
            return IndexLocation.of(self.base_dir, self.workspace, self.store_url).origin
        # Databases may be shared by workspaces; a base dir of the same name may be another one there.
        return _digest(str(self.folder)) if self.store_url else self.folder.name.removesuffix(_UNCHECKED)

    @property
    def backups(self) -> Path:
        return self.workspace / "backups"

    @property
    def legacy_annotations(self) -> Path:
        """Where the release before boards had one SQLite file for each base dir."""
        return self.workspace / "annotations"


@lru_cache(maxsize=4096)  # each commit asks several times for every run of its own
def run_id(name: str) -> str:
    """The opaque id of the run with this path below the base dir."""
    return _digest(name)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
