"""Column of many texts in one buffer, which may be a memory-mapped file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

_SEPARATOR = b"\0"


class TextColumn:
    """Texts without zero characters, by their place."""

    def __init__(self, joined: bytes | memoryview) -> None:
        """`joined` begins with a separator and has one behind each text."""
        self._joined = joined
        buffer = np.frombuffer(joined, np.uint8)
        self._starts: NDArray[np.int64] = np.flatnonzero(buffer == 0) + 1

    @classmethod
    def of(cls, texts: Iterable[str]) -> TextColumn:
        return cls("\0".join(["", *texts, ""]).encode(errors="replace"))

    @property
    def joined(self) -> bytes | memoryview:
        return self._joined

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, place: int) -> str:
        return bytes(self._joined[self._starts[place] : self._starts[place + 1] - 1]).decode(errors="replace")

    def __iter__(self) -> Iterator[str]:
        return iter(bytes(self._joined).decode(errors="replace").split("\0")[1:-1])

    def find(self, text: str) -> int | None:
        """The place of a text, None when it is not there."""
        if "\0" in text:
            return None
        at = bytes(self._joined).find(_SEPARATOR + text.encode(errors="replace") + _SEPARATOR)
        return None if at < 0 else int(np.searchsorted(self._starts, at + 1))
