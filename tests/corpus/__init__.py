"""Logs that the real frameworks wrote: a complete corpus where there is one, else the recordings of this repository.

`recordings.tar.xz` holds what this project recorded itself. The complete corpus adds data files of MindInsight (Ascend
dumps, profiles of its generations, graphs); set CORPUS to its directory. Tests that need those are skipped without it.
"""

from __future__ import annotations

import os
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

_ROOT = Path(__file__).resolve().parents[2]
_ARCHIVE = Path(__file__).with_name("recordings.tar.xz")


def extracted(recordings: Path, name: str) -> Path:
    """The folder `name` of an archive of recordings, extracted once for all test processes."""
    state = recordings.stat()
    target = _ROOT / ".pytest_cache" / f"{name}-{state.st_size}-{state.st_mtime_ns}"
    if not target.is_dir():
        target.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch, tarfile.open(recordings) as archive:
            archive.extractall(scratch, filter="data")
            try:
                (Path(scratch) / name).rename(target)
            except OSError:  # another process was quicker
                if not target.is_dir():
                    raise
    return target


def _folder() -> Path:
    if chosen := os.environ.get("CORPUS"):
        return Path(chosen)
    beside = _ROOT.parent / "shared" / "corpus"
    return beside if beside.is_dir() else extracted(_ARCHIVE, "corpus")


CORPUS = _folder()

needs_mindinsight_data = pytest.mark.skipif(
    not (CORPUS / "ascend").is_dir(), reason="needs MindInsight's data files: set CORPUS to a complete corpus"
)


def marked(folders: Iterable[str]) -> list[ParameterSet]:
    """Folders as parameters of a test: those with MindInsight's data are skipped where they are missing."""
    return [pytest.param(name, marks=() if _is_own(name) else needs_mindinsight_data) for name in folders]


def _is_own(folder: str) -> bool:
    part, _, rest = folder.partition("/")
    return part not in ("ascend", "mindspore-graphs") and (part != "mindinsight-profiles" or rest == "cpu_ms270")
