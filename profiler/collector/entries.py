"""Conversion of spool entries to protobuf messages."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mindinsight_like.profiler.collector.spool import Entry, Kind


def fill(message: Any, entry: Entry, *, samples_only: bool) -> None:
    """What need not or cannot be sent stays empty: its number is acknowledged with the others."""
    metadata = entry.metadata
    if entry.kind == Kind.SAMPLE:
        sample = message.sample
        sample.time, sample.step = metadata["time"], metadata["step"]
        sample.names.extend(metadata["values"])
        sample.values.extend(metadata["values"].values())
    elif samples_only or entry.kind == Kind.REPEATED:
        return
    elif entry.kind == Kind.BLOCK:
        message.block.recording, message.block.content = metadata["recording"], entry.content
    else:
        content = _content(metadata)
        if content is not None:
            piece = message.piece
            piece.path, piece.offset, piece.content = metadata["path"], metadata["offset"], content
            piece.is_last, piece.source, piece.version = metadata["is_last"], metadata["source"], metadata["version"]


def _content(metadata: dict[str, Any]) -> bytes | None:
    """The piece of a file that an entry means; None when the file is not as it was."""
    try:
        with Path(metadata["folder"], metadata["path"]).open("rb") as file:
            file.seek(metadata["offset"])
            content = file.read(metadata["length"])
            is_same = os.fstat(file.fileno()).st_mtime_ns == metadata["version"]
    except OSError:
        return None
    return content if is_same and len(content) == metadata["length"] else None
