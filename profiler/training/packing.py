"""Compression of recordings with gzip, in a separate process.

python -m mindinsight_like.profiler.training.packing PLAIN TARGET
"""

from __future__ import annotations

import contextlib
import gzip
import importlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO, Final

_PATIENCE_SECONDS: Final = 60.0
_BUFFER_BYTES: Final = 1 << 20
_NICENESS: Final = 5
_UNPACKED: Final = ".unpacked"  # by such a name nobody takes the file for a recording before it is whole
_packing: list[tuple[subprocess.Popen[bytes], Path, Path]] = []


def unpacked(target: Path) -> Path:
    """Where the content of a recording is written before it is packed."""
    return target.with_name(target.name + _UNPACKED)


def start(plain: Path, target: Path) -> None:
    """Have a file packed, and removed; `target` is there when it is whole."""
    command = [sys.executable, "-m", __name__, os.fspath(plain.absolute()), os.fspath(target.absolute())]
    try:
        # In a session of its own: who interrupts the training must not lose the recording.
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
    except OSError:
        _leave_plain(plain, target)
    else:
        _packing.append((process, plain, target))


def wait() -> None:
    """Return when all that was begun is done; what cannot be packed is left as it is, by a name that readers know."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while _packing:
        process, plain, target = _packing.pop()
        with contextlib.suppress(subprocess.TimeoutExpired):
            if process.wait(max(0.0, until - time.monotonic())):
                _leave_plain(plain, target)


def _leave_plain(plain: Path, target: Path) -> None:
    with contextlib.suppress(OSError):
        plain.rename(target.with_name(target.name.removesuffix(".gz")))


def pack(plain: Path, target: Path) -> None:
    """Write the packed content of a file to another, and remove it; raises OSError."""
    partial = target.with_name(target.name + ".partial")
    try:
        with plain.open("rb", buffering=0) as content, partial.open("wb") as file, _packer(file) as packer:
            shutil.copyfileobj(content, packer, _BUFFER_BYTES)
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    plain.unlink()


def _packer(file: BinaryIO) -> Any:
    try:
        packer: Any = importlib.import_module("isal.igzip").IGzipFile
    except ImportError:
        packer = gzip.GzipFile
    return packer("", "wb", 1, file)


if __name__ == "__main__":
    with contextlib.suppress(OSError):
        os.nice(_NICENESS)
    pack(Path(sys.argv[1]), Path(sys.argv[2]))
