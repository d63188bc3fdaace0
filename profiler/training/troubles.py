"""Problems of profiling are told once and never reach the training."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger(__name__)
_OURS = ("mindinsight_like", "contextlib")
_told: set[str] = set()


def tell(message: str) -> None:
    """Warn once in this process."""
    if message in _told:
        return
    _told.add(message)
    try:
        warnings.warn(message, RuntimeWarning, stacklevel=_outside())
    except RuntimeWarning:  # made an error by the user's filters
        log.warning("%s", message)


def _outside() -> int:
    """How far up the first frame is that is not ours, seen from the caller: the user's line is shown."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        level, frame = level + 1, frame.f_back
    return level


@contextmanager
def harmless(what: str) -> Iterator[None]:
    """Whatever goes wrong inside is told and forgotten."""
    try:
        yield
    except Exception as error:
        log.debug("%s", what, exc_info=True)
        tell(f"{what}: {type(error).__name__}: {error}. Training goes on.")
