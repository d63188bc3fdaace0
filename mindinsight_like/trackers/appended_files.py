"""Files that trackers append to: what is new in them since a cursor, and whether they are other files by now."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

from mindinsight_like.trackers.source import FileVersion, Source

_MARK_BYTES = 256


@dataclass(frozen=True)
class Tail:
    """The part of a file behind a place that was read before."""

    data: bytes
    offset: int  # of the data
    starts_over: bool  # the file was replaced or cut: what was read of it before counts no longer
    is_at_end: bool

    def place(self, source: Source, name: str, version: FileVersion, consumed: int) -> dict[str, Any]:
        """Where reading goes on after `consumed` bytes of the data, as part of a cursor."""
        position = self.offset + consumed
        return {
            "position": position,
            "mark": _mark(source, name, position),
            "number": version.number,
            "changed_ns": version.changed_ns,
        }


def read_tail(source: Source, name: str, version: FileVersion, place: dict[str, Any] | None, most: int) -> Tail:
    """What is new in a file since a place (None: all is new), at most so many bytes; raises OSError."""
    position = place["position"] if place else 0
    starts_over = bool(place) and position > 0 and not _continues(source, name, version, place or {})
    offset = 0 if starts_over else position
    data = source.read(name, offset, min(most, max(0, version.size - offset)))
    return Tail(data, offset, starts_over, offset + len(data) >= version.size)


def _continues(source: Source, name: str, version: FileVersion, place: dict[str, Any]) -> bool:
    """Whether a file still begins with what was read of it.

    One that was touched without growing is read again: nobody can tell what has changed in it.
    """
    if version.size < place["position"] or _mark(source, name, place["position"]) != place["mark"]:
        return False
    has_grown = version.size > place["position"] and version.number == place["number"]
    return has_grown or bool(version.changed_ns == place["changed_ns"])


def _mark(source: Source, name: str, position: int) -> int:
    """A fingerprint of the first and the last bytes before a position."""
    head = source.read(name, 0, min(position, _MARK_BYTES))
    start = max(0, position - _MARK_BYTES)
    return zlib.crc32(source.read(name, start, position - start), zlib.crc32(head))
