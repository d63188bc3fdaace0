"""Folders and names of runs that scripts begin without naming any."""

from __future__ import annotations

import os
import re
import secrets
import time
from pathlib import Path

_UNSAFE = re.compile(r"[^\w.,=+@%()\[\] -]+")


def new_name() -> str:
    """A name that sorts by time and that no other process has."""
    return f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"


def safe_part(name: str) -> str:
    """A name as that of one folder: whatever leads elsewhere becomes a dash."""
    return _UNSAFE.sub("-", name).strip(" .") or "run"


def make_folder(base: str | os.PathLike[str], *, project: str | None, name: str, resume: bool) -> Path:
    """The folder of a run, made now; a second run of the same name gets a number, unless it resumes the first."""
    parent = Path(base, *([safe_part(project)] if project else []))
    parent.mkdir(parents=True, exist_ok=True)
    base_name = safe_part(name)
    for number in range(1, 1_000_000):
        folder = parent / (base_name if number == 1 else f"{base_name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            if resume and folder.is_dir():
                return folder
        else:
            return folder
    raise FileExistsError(f"{parent / base_name}: there are a million runs of this name")
