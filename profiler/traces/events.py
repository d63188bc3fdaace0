"""Trace events of a file as columns, by the native scanner or its Python reference."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mindinsight_like.native import implementation, is_native

from .event_rows import CounterValues, Damage, Events, Kind, Rows, ScannedEvents, ScannedRows, Values
from .files import Files, Progress
from .pieces import Pieces
from .trace import Ints

NATIVE: bool
if TYPE_CHECKING:
    from mindinsight_like.profiler.traces.reference.events import EventScanner
else:
    _module = implementation(
        "mindinsight_like.profiler.traces._events", "mindinsight_like.profiler.traces.reference.events"
    )
    EventScanner = _module.EventScanner
    NATIVE = is_native(_module)

__all__ = ["NATIVE", "EventScanner", "events_of", "scan"]

_PIECE_BYTES = 2**20


def scan(
    files: Files,
    name: str,
    arguments: Mapping[str, Kind],
    progress: Progress = lambda share: None,
    *,
    without: Collection[str] = (),
) -> Events:
    """All events of a file, with the named arguments of theirs, but no arrows of the names `without`.

    Raises Unreadable, OSError.

    Damaged and cut files are read as far as they can be, see `Events`. Beside the columns one piece of the file is in
    memory at a time.
    """
    keys = [(key.encode(), int(kind)) for key, kind in arguments.items()]
    scanner = EventScanner(keys, [f'"{name}"'.encode() for name in without])
    with Pieces(files.handle(name)) as pieces:
        buffer = bytearray(_PIECE_BYTES)
        filled = 0
        is_end = False
        while not is_end:
            got = pieces.fill(memoryview(buffer)[filled:])
            is_end = filled + got < len(buffer)
            filled += got
            with memoryview(buffer)[:filled] as content:
                done = scanner.feed(content, at_end=is_end, share=pieces.share)
            filled -= done
            buffer[:filled] = buffer[done : done + filled]
            if filled == len(buffer):
                buffer += bytes(len(buffer))
            progress(pieces.share)
        return events_of(scanner.take(), list(arguments), pieces.unpacked, pieces.unpack_error)


def events_of(scanned: ScannedEvents, arguments: list[str], size: int, unpack_error: str = "") -> Events:
    """The columns of a scanner with its tokens made texts, equal ones joined."""
    texts, numbers = _texts(scanned.texts)
    tracks: dict[tuple[str, str], int] = {}
    named = [*(texts[number] for number in numbers), ""]  # -1 is none
    places = [tracks.setdefault((named[process], named[thread]), len(tracks)) for process, thread in scanned.tracks]
    joined = _Joined(numbers, np.array(places, np.int32))
    return Events(
        slices=joined.rows(scanned.slices, arguments),
        others=joined.rows(scanned.others, arguments),
        counters=CounterValues(scanned.counters[0], joined.texts(scanned.counters[1]), scanned.counters[2]),
        tracks=list(tracks),
        texts=texts,
        root=_root(scanned.root),
        is_cut=scanned.is_cut or bool(unpack_error),
        cut_bytes=scanned.cut_bytes,
        damages=scanned.damages,
        damage=[Damage(place, count) for place, count in scanned.damage],
        nameless=scanned.nameless,
        arrows_left_out=scanned.arrows_left_out,
        bytes=size,
        unpack_error=unpack_error,
    )


class _Joined:
    """Columns whose numbers of tokens and tracks become numbers of texts and tracks."""

    def __init__(self, numbers: Ints, places: Ints) -> None:
        self._numbers = None if _is_counting(numbers) else np.append(numbers, np.int32(-1))  # -1 stays
        self._places = None if _is_counting(places) else places

    def texts(self, column: Ints) -> Ints:
        return column if self._numbers is None else self._numbers[column]

    def rows(self, scanned: ScannedRows, arguments: list[str]) -> Rows:
        row, identity = scanned.identity
        if self._numbers is not None and len(identity):
            named = identity <= -2
            named &= identity >= -1 - len(self._numbers)
            identity = identity.copy()
            identity[named] = -2 - self._numbers[-2 - identity[named]].astype(np.int64)
        return Rows(
            phase=scanned.phase,
            time=scanned.time,
            duration=scanned.duration,
            track=scanned.track if self._places is None else self._places[scanned.track],
            name=self.texts(scanned.name),
            category=self.texts(scanned.category),
            place=scanned.place,
            identity=Values(row, identity),
            arguments={
                key: Values(rows, self.texts(values) if values.dtype == np.int32 else values)
                for key, (rows, values) in zip(arguments, scanned.arguments, strict=True)
            },
        )


def _is_counting(numbers: Ints) -> bool:
    return bool(np.array_equal(numbers, np.arange(len(numbers))))


def _texts(tokens: list[bytes]) -> tuple[list[str], Ints]:
    """What the tokens say, each text once, and for every token the number of its text."""
    texts: dict[str, int] = {}
    numbers = [texts.setdefault(text_of(token), len(texts)) for token in tokens]
    return list(texts), np.array(numbers, np.int32)


def text_of(token: bytes) -> str:
    """What a string of JSON says, whatever is wrong with it; other tokens as they are."""
    if not token.startswith(b'"'):
        return token.decode("utf-8", "replace")
    text = token[1:-1].decode("utf-8", "replace")
    if "\\" not in text:
        return text
    try:
        unescaped: str = json.loads(f'"{text}"', strict=False)
    except ValueError:
        return text
    # Lone halves of surrogate pairs cannot be stored or sent.
    return unescaped.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _root(pairs: list[tuple[bytes, bytes]]) -> dict[str, Any]:
    root: dict[str, Any] = {}
    for key, value in pairs:
        try:
            root[text_of(key)] = json.loads(value.decode("utf-8", "replace"), strict=False)
        except (ValueError, RecursionError):
            continue
    return root
