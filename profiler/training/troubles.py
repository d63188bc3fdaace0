"""Problems of profiling are told once and never reach the training."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger(__name__)
_told: set[str] = set()


def tell(message: str) -> None:
    """Warn once in this process."""
    if message in _told:
        return
    _told.add(message)
    try:
        warnings.warn(message, RuntimeWarning, stacklevel=3)
    except RuntimeWarning:  # made an error by the user's filters
        log.warning("%s", message)


@contextmanager
def harmless(what: str) -> Iterator[None]:
    """Whatever goes wrong inside is told and forgotten."""
    try:
        yield
    except Exception as error:
        log.debug("%s", what, exc_info=True)
        tell(f"{what}: {type(error).__name__}: {error}. Training goes on.")
