"""What a power cut or a killed loader leaves in the folder of segments."""

from __future__ import annotations

import os
from pathlib import Path

from mindinsight_like.store.database.database import Connection


def drop_leftovers(connection: Connection, folder: Path) -> set[int]:
    """Delete files without a row; gives the log files whose segments or documents are missing or cut short."""
    expected = {
        str(segment): (file, size)
        for segment, file, size in connection.execute("SELECT id, file, bytes FROM segments WHERE data IS NULL")
    }
    documents: dict[int, int] = dict(connection.execute("SELECT id, file FROM documents WHERE data IS NULL"))
    sizes = {}
    for entry in os.scandir(folder):
        if entry.name in expected:
            sizes[entry.name] = entry.stat().st_size
        elif documents.pop(int(entry.name) if entry.name.isdigit() else -1, None) is None:
            (folder / entry.name).unlink()
    lost = {file for segment, (file, size) in expected.items() if sizes.get(segment) != size}
    return lost | set(documents.values())
