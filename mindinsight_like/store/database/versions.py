"""Last version of an index known to be on disk, stored in a file next to its database.

A write-ahead log of an earlier time that lies beside the database (restored from a backup, say) would be applied to it,
page by page, and each of its pages has a good checksum. The version in the database then is an earlier one.
"""

from __future__ import annotations

from pathlib import Path

from mindinsight_like.store.database.database import Connection, DamagedDatabase
from mindinsight_like.store.database.location import IndexLocation


def note(location: IndexLocation, version: int) -> None:
    """To be called after everything up to a version was written to the database itself."""
    path = _path(location)
    part = path.with_name(f"{path.name}.part")
    part.write_text(str(version))
    part.replace(path)


def move(source: IndexLocation, target: IndexLocation) -> None:
    """What is known of one index now is true of another."""
    _path(source).replace(_path(target))


def has_been(location: IndexLocation) -> bool:
    """Whether there has been an index here, whatever became of its database."""
    return _path(location).exists()


def check(location: IndexLocation, connection: Connection) -> None:
    """Raises DamagedDatabase when the database is older than it has been."""
    try:
        last_version = int(_path(location).read_text())
    except (OSError, ValueError):
        return
    ((version,),) = connection.execute("SELECT value FROM meta WHERE key = 'version'")
    if int(version) < last_version:
        raise DamagedDatabase(f"the database is at version {version}, but has been at {last_version}")


def _path(location: IndexLocation) -> Path:
    return location.folder / "version"
