"""Folding of `add_scalars` folders (TensorBoard writers make one per curve) into the run that made them.

torch writes `<run>/<tag with _ for />_<key>/`, tensorboardX `<run>/<tag>/<key>/`; either holds just that one tag.
"""

from __future__ import annotations

from mindinsight_like.store.database.database import Connection


def source_in(run: str, parent: str, tag: str) -> str | None:
    """The key that `add_scalars` made the folder `run` for, if it is one of `parent`'s for this tag."""
    prefix = "" if parent == "." else f"{parent}/"
    if run == parent or not run.startswith(prefix):
        return None
    below = run[len(prefix) :]
    for start in (tag.replace("/", "_") + "_", tag + "/"):
        if below.startswith(start) and len(below) > len(start):
            return below[len(start) :]
    return None


def fold(connection: Connection, version: int) -> set[str]:
    """Note for every folder with a single tag whether it belongs to a run above it, and mark what changed.

    Gives the folders that are shown in another run, or not so any longer, by now.
    """
    moved = {run for (run,) in connection.execute("SELECT id FROM runs WHERE parent IS NOT NULL AND lone_tag IS NULL")}
    left = connection.execute("SELECT parent FROM runs WHERE parent IS NOT NULL AND lone_tag IS NULL")
    lone = connection.execute("SELECT id, name, lone_tag, parent, source FROM runs WHERE lone_tag IS NOT NULL")
    if lone:
        writers = {
            name: run
            for run, name in connection.execute("SELECT id, name FROM runs WHERE dialects LIKE ?", ("%tensorboard%",))
        }
        for run, name, tag, parent, source in lone:
            owner = _owner(name, tag, writers)
            if owner != (parent, source):
                left.append((parent,))
                if (owner[0] is None) != (parent is None):
                    moved.add(run)
                connection.execute(
                    "UPDATE runs SET parent = ?, source = ?, version = ? WHERE id = ?", (*owner, version, run)
                )
    connection.execute_many("UPDATE runs SET version = ? WHERE id = ?", [(version, parent) for (parent,) in left])
    connection.execute("UPDATE runs SET parent = NULL, source = '' WHERE parent IS NOT NULL AND lone_tag IS NULL")
    connection.execute(
        "UPDATE runs SET version = ? WHERE id IN (SELECT parent FROM runs WHERE parent IS NOT NULL AND version = ?)",
        (version, version),
    )
    return moved


def _owner(name: str, tag: str, writers: dict[str, str]) -> tuple[str | None, str]:
    above = name
    while above not in (".", ""):
        above = above.rpartition("/")[0] or "."
        if above in writers:
            source = source_in(name, above, tag)
            if source is not None:
                return writers[above], source
    return None, ""
