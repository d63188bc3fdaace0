"""Warnings about profiling: printed once, never raised into the training."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger(__name__)
_OURS = ("mindinsight_like", "contextlib")
_warned: set[str] = set()


def tell(message: str) -> None:
    """Warn once in this process."""
    if message in _warned:
        return
    _warned.add(message)
    level = _outside()
    try:
        if level:
            warnings.warn(message, RuntimeWarning, stacklevel=level)
        else:
            warnings.warn_explicit(message, RuntimeWarning, _OURS[0], 0)
    except RuntimeWarning:  # made an error by the user's filters
        log.warning("%s", message)


def _outside() -> int:
    """How far up the first frame is that is not ours, seen from the caller: the user's line is shown.

    0 in threads of ours, where no line is the user's.
    """
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        level, frame = level + 1, frame.f_back
    return 0 if frame.f_globals.get("__name__") == "threading" else level


@contextmanager
def harmless(what: str) -> Iterator[None]:
    """Whatever goes wrong inside is told and forgotten."""
    try:
        yield
    except Exception as error:
        log.debug("%s", what, exc_info=True)
        tell(f"{what}: {type(error).__name__}: {error}. Training goes on.")
