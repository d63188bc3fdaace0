"""Spool entries for the files of killed trainings, written by whichever courier finds their spools."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Final

from mindinsight_like.profiler.collector.new_files import NewFiles
from mindinsight_like.profiler.collector.spool import Kind, SpoolInfo, SpoolWriter

_NOTED: Final = "files-noted"


def mark_noted(spool: Path) -> None:
    """All files of the training that this spool belongs to are noted."""
    with contextlib.suppress(OSError):  # all was sent, and the spool is gone
        (spool / _NOTED).touch()


def note_files(spool: Path, info: SpoolInfo) -> bool:
    """Put what the training of this spool has written into a spool of its own; False when there is nothing new.

    Should this be interrupted and done once more, the service knows the files again by their source.
    """
    if not info.is_training or not info.output_path or (spool / _NOTED).exists():
        return False
    host, _, process = info.name.rpartition(".")
    files = NewFiles(
        Path(info.output_path), source=info.id, since=info.created, host=host, process=int(process), rank=None
    )
    # Files whose names do not tell the process may be of another training in the same folder.
    pieces = [piece for piece in files.look(is_last=True) if f"{host}_{process}" in piece["path"]]
    if pieces:
        writer = SpoolWriter(
            spool.parent, server=info.server, run=info.run, name=info.name, output_path=info.output_path
        )
        for piece in pieces:
            writer.put(Kind.PIECE, piece)
        writer.close()
    mark_noted(spool)
    return bool(pieces)
