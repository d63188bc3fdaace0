"""Tie the life of a child process to that of its parent, also when the parent is killed without warning."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def tied_to_parent(*, own_group: bool) -> Callable[[], None]:
    """A `preexec_fn` after which the child gets SIGTERM the moment this process ends.

    Linux does this for us. Elsewhere the loader and the web processes still notice that their parent has changed.
    """
    parent = os.getpid()
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None  # loaded before the fork: little is safe after it

    def prepare() -> None:
        if own_group:
            os.setpgid(0, 0)
        if libc is not None:
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:  # it ended before the line above
            os._exit(1)

    return prepare
