"""Read MindSpore files record by record, and messages field by field."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mindinsight_like.logs.framing import frame
from mindinsight_like.logs.protobuf.wire import BYTES, FIXED32, FIXED64, double, fields, signed, single


class Message:
    """The fields of a message: `message[5]` is the only value of field 5, `message.all(1)` every one of field 1."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._values: dict[int, list[Any]] = {}
        for field in fields(content, 0, len(content)):
            if field.wire == BYTES:
                value: Any = content[field.begin : field.end]
            elif field.wire == FIXED64:
                value = double(content, field.begin)
            elif field.wire == FIXED32:
                value = single(content, field.begin)
            else:
                value = signed(field.number)
            self._values.setdefault(field.id, []).append(value)

    def __getitem__(self, field: int) -> Any:
        (value,) = self._values[field]
        return value

    def __contains__(self, field: int) -> bool:
        return field in self._values

    def all(self, field: int) -> list[Any]:
        return self._values.get(field, [])

    def message(self, *path: int) -> Message:
        """The message inside of a field, of a field inside of that, and so on."""
        return Message(self[path[0]]).message(*path[1:]) if path else self

    def messages(self, field: int) -> list[Message]:
        return [Message(content) for content in self.all(field)]

    def entries(self, field: int) -> dict[str, Any]:
        """A map field from texts."""
        return {entry[1].decode(): entry[2] for entry in self.messages(field)}


def records(path: Path) -> list[Message]:
    """Every record of a file, whose checksums must be right."""
    content, found, position = path.read_bytes(), [], 0
    while position < len(content):
        (length,) = struct.unpack_from("<Q", content, position)
        payload = content[position + 12 : position + 12 + length]
        assert content[position : position + 16 + length] == frame(payload)
        found.append(Message(payload))
        position += 16 + length
    return found


def summary_events(folder: Path) -> list[Message]:
    """Every event of all summary files but the version, which must come first."""
    found = []
    for path in sorted(folder.glob("*_MS")):
        version, *others = records(path)
        assert version[3] == b"MindSpore.Event:1"
        found += others
    return found


def lineage_events(folder: Path) -> list[Message]:
    """Every event of all lineage files."""
    return [event for path in sorted(folder.glob("*_lineage")) for event in records(path)]


def values(folder: Path, field: int) -> dict[str, dict[int, Any]]:
    """Tag -> step -> what stands in that field of its values."""
    found: dict[str, dict[int, Any]] = {}
    for event in summary_events(folder):
        for value in event.message(5).messages(1) if 5 in event else []:
            if field in value:
                found.setdefault(value[1].decode(), {})[event[2]] = value[field]
    return found


def tensor(content: bytes) -> npt.NDArray[np.float32]:
    """The array of a TensorProto."""
    message = Message(content)
    (packed,) = message.all(3) or (b"",)
    numbers = np.frombuffer(packed, "<f4")
    return numbers.reshape(message.all(1))
