"""Entries of spools as messages."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mindinsight_like.profiler.collector.spool import Entry, Kind


def fill(message: Any, entry: Entry, *, samples_only: bool) -> None:
    """What need not or cannot be sent stays empty: its number is acknowledged with the others."""
    told = entry.told
    if entry.kind == Kind.SAMPLE:
        sample = message.sample
        sample.time, sample.step = told["time"], told["step"]
        sample.names.extend(told["values"])
        sample.values.extend(told["values"].values())
    elif samples_only or entry.kind == Kind.REPEATED:
        return
    elif entry.kind == Kind.BLOCK:
        message.block.recording, message.block.content = told["recording"], entry.content
    else:
        content = _content(told)
        if content is not None:
            piece = message.piece
            piece.path, piece.offset, piece.content = told["path"], told["offset"], content
            piece.is_last, piece.source, piece.version = told["is_last"], told["source"], told["version"]


def _content(told: dict[str, Any]) -> bytes | None:
    """The piece of a file that an entry means; None when the file is not as it was."""
    try:
        with Path(told["folder"], told["path"]).open("rb") as file:
            file.seek(told["offset"])
            content = file.read(told["length"])
            is_same = os.fstat(file.fileno()).st_mtime_ns == told["version"]
    except OSError:
        return None
    return content if is_same and len(content) == told["length"] else None
