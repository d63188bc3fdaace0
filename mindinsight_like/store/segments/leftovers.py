"""What a power cut or a killed loader leaves in the folder of segments."""

from __future__ import annotations

import os
from pathlib import Path

from mindinsight_like.store.database.database import Connection


def drop_leftovers(connection: Connection, folder: Path) -> set[int]:
    """Delete files without a row; gives the log files whose segments or documents are missing or cut short."""
    expected = {
        str(segment): (file, size)
        for segment, file, size in connection.execute(
            "SELECT id, file, bytes FROM segments WHERE data IS NULL"
            " UNION ALL SELECT id, file, sealed_bytes FROM documents WHERE data IS NULL"
        )
    }
    sizes = {}
    for entry in os.scandir(folder):
        if entry.name in expected:
            sizes[entry.name] = entry.stat().st_size
        else:
            (folder / entry.name).unlink()
    return {file for segment, (file, size) in expected.items() if sizes.get(segment) != size}
