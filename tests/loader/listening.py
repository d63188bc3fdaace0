"""Which files and folders a test opens."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_opened: list[str] | None = None
_listener = 0  # the thread that is listened to: a writer of an earlier test may still open logs of its own


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if _opened is None or threading.get_ident() != _listener:
        return
    if event in ("open", "os.open", "os.scandir", "os.listdir"):
        path = arguments[0]
        _opened.append(os.fsdecode(path) if isinstance(path, str | bytes) else str(path))


sys.addaudithook(_hear)  # stays for the life of the process, and does nothing unless asked


@contextmanager
def listening() -> Iterator[list[str]]:
    """The paths of files and folders that this thread opens meanwhile."""
    global _opened, _listener
    heard: list[str] = []
    _opened = heard
    _listener = threading.get_ident()
    try:
        yield heard
    finally:
        _opened = None
