"""Read event files field by field, as their formats are published, into plain values for comparison."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mindinsight_like.logs.kinds import Dialect, Kind, parse_key
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.scanner import Scanner

_DTYPES = {1: "<f4", 2: "<f8", 3: "<i4", 4: "<u1", 9: "<i8", 10: "?", 19: "<f2"}


@dataclass(frozen=True)
class Recorded:
    """One value of an event."""

    tag: str
    step: int
    wall_time: float
    value: MessageFields

    @property
    def number(self) -> float:
        return self.value.single(2)

    @property
    def plugin(self) -> str:
        [metadata] = self.value.messages(9)
        return metadata.messages(1)[0].text(1) if 1 in metadata else ""

    @property
    def settings(self) -> MessageFields:
        return self.value.messages(9)[0].messages(1)[0].messages(2)[0]

    @property
    def array(self) -> np.ndarray[Any, Any]:
        [tensor] = self.value.messages(8)
        shape = [dim.integer(1) for each in tensor.messages(2) for dim in each.messages(2)]
        return np.frombuffer(tensor.content(4), _DTYPES[tensor.integer(1)]).reshape(shape)

    @property
    def strings(self) -> list[bytes]:
        return self.value.messages(8)[0].contents(8)


def event_files(folder: Path) -> list[Path]:
    """The event files of a folder, not of those below, in the order of their names."""
    return sorted(folder.glob("events.out.tfevents.*"))


def events(path: Path) -> list[MessageFields]:
    """Every event of a file; its checksums are verified by the scanner, which must find no damage."""
    content, found, at = path.read_bytes(), [], 0
    scanner = Scanner(Dialect.TENSORBOARD)
    assert scanner.feed(content, at_end=True) == len(content)
    assert not scanner.take().damage
    while at < len(content):
        length = int.from_bytes(content[at : at + 8], "little")
        found.append(MessageFields(content[at + 12 : at + 12 + length]))
        at += length + 16
    return found


def recorded(folder: Path) -> list[Recorded]:
    """Every value in the only event file of a folder."""
    [path] = event_files(folder)
    return [
        Recorded(value.text(1), event.integer(2), event.double(1), value)
        for event in events(path)
        for summary in event.messages(5)
        for value in summary.messages(1)
    ]


def kinds(folder: Path) -> dict[str, Kind]:
    """How our reader takes the tags of the only event file of a folder."""
    [path] = event_files(folder)
    scanner = Scanner(Dialect.TENSORBOARD)
    scanner.feed(path.read_bytes(), at_end=True)
    return {name.tag: name.kind for name in map(parse_key, scanner.take().keys)}
