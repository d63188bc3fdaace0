"""Target paths of received files, confined to the run folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

from mindinsight_like.logs.base_dirs import BaseDirs, project_of
from mindinsight_like.profiler.collector.endpoint.permissions import make_folders

_FORBIDDEN = re.compile(r"[^\w .,+=@()~-]")
_LONGEST_PART = 120  # characters
_DEEPEST = 12
_LONGEST = 4096


class NoPlace(ValueError):
    """What is asked for cannot be written; the message is one sentence."""


def safe_path(path: str) -> str:
    """A path below some folder, made of what was given: no part of it leads up, is hidden or has odd characters."""
    parts = [_safe_part(part) for part in re.split(r"[/\\]", path[:_LONGEST])]
    parts = [part for part in parts if part]
    if len(parts) > _DEEPEST:
        raise NoPlace(f"{path[:100]!r} lies too deep")
    return "/".join(parts)


def folder_of(base_dir: Path, run: str, *inside: str) -> Path:
    """The folder of a run, or one inside it; made when missing, and surely below the base dir."""
    folder = base_dir.joinpath(safe_path(run), *(safe_path(part) for part in inside if part))
    top = os.path.realpath(base_dir)
    if not is_below(folder, top):
        raise NoPlace(f"run {run[:100]!r} is outside the base dir")
    try:
        make_folders(folder)
    except (FileExistsError, NotADirectoryError) as error:
        raise NoPlace(f"run {run[:100]!r} is not a directory") from error
    return folder


def base_of(dirs: BaseDirs, run: str) -> tuple[Path, str]:
    """The base directory that a run belongs into, the first one unless it names another, and its path below."""
    project = project_of(run)
    for name, path in dirs.others:
        if name == project:
            return Path(path), run[2 + len(project) :] or "."
    return Path(dirs.first), run


def is_below(path: str | os.PathLike[str], top: str) -> bool:
    """Whether a path, links followed, is this folder or lies in it."""
    real = os.path.realpath(path)
    return real == top or real.startswith(top.rstrip(os.sep) + os.sep)


def _safe_part(part: str) -> str:
    return _FORBIDDEN.sub("_", part)[:_LONGEST_PART].strip().lstrip(".")
