"""Records as VisualDL 1.x knows them, from its own folders and from logs of our `LogWriter`."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.names import legacy_tag
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.visualdl_legacy import Entry, Record, Storage, Tablet
from mindinsight_like.logs.protobuf.wire import BYTES, VARINT, Malformed, fields
from mindinsight_like.logs.scanner import Scanner
from mindinsight_like.logs.visualdl_values import Audio, Image, Value
from mindinsight_like.writers.files.mode_files import CAPTION, DEFAULT_MODE
from mindinsight_like.writers.files.visualdl_files import VisualdlFile

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MARKER = "storage.meta"  # a folder written by VisualDL 1.x has it
_COMPONENTS = ("scalar", "histogram", "image", "text", "audio", "embedding")


@dataclass(frozen=True)
class Sample:
    """One picture (shape: height, width, channels) or sound (shape: rate, bytes per sample, channels)."""

    shape: list[int]
    data: npt.NDArray[np.uint8]


@dataclass(frozen=True)
class LegacyRecord:
    """What one step added to a tag: a number, text, vector or bucket counts as `content`, or samples."""

    step: int
    timestamp: int  # seconds
    content: Any = None
    samples: list[Sample | None] = field(default_factory=list)


@dataclass(frozen=True)
class Bucket:
    left: float
    right: float
    frequency: int


@dataclass(frozen=True)
class Word:
    label: str
    vector: list[float]


class LegacyFolder(Protocol):
    """A log as modes, tags of components, and records."""

    def modes(self) -> list[str]: ...

    def tags(self, component: str, mode: str) -> list[str]: ...

    def records(self, component: str, mode: str, tag: str) -> list[LegacyRecord]: ...

    def caption(self, component: str, mode: str, tag: str) -> str: ...


def open_folder(folder: Path) -> LegacyFolder:
    """The log in a folder, whoever wrote it."""
    return TabletFolder(folder) if (folder / MARKER).is_file() else ModeFolder(folder)


class TabletFolder:
    """A folder of VisualDL 1.x: a file per mode and tag, its pictures and sounds in `binary_records`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def modes(self) -> list[str]:
        return MessageFields((self._folder / MARKER).read_bytes()).texts(Storage.modes)

    def tags(self, component: str, mode: str) -> list[str]:
        names = sorted(path.name for path in self._folder.glob(f"{mode}%*"))
        return [
            legacy_tag(name.removeprefix(f"{mode}%"))
            for name in names
            if _Tablet(self._folder / name).component == component
        ]

    def records(self, component: str, mode: str, tag: str) -> list[LegacyRecord]:
        tablet = self._tablet(component, mode, tag)
        if component == "scalar":
            return list(tablet.points())
        return [self._record(component, MessageFields(message)) for message in tablet.messages()]

    def caption(self, component: str, mode: str, tag: str) -> str:
        return legacy_tag(self._tablet(component, mode, tag).caption)

    def _tablet(self, component: str, mode: str, tag: str) -> _Tablet:
        path = self._folder / f"{mode}%{tag.replace('/', '%')}"
        tablet = _Tablet(path) if path.is_file() else None
        if tablet is None or tablet.component != component:
            raise KeyError(f"mode {mode!r} has no {component} {tag!r}")
        return tablet

    def _record(self, component: str, record: MessageFields) -> LegacyRecord:
        step, timestamp = record.integer(Record.id), record.integer(Record.timestamp)
        entries = record.messages(Record.data)
        content: Any = None
        samples: list[Sample | None] = []
        if component == "text":
            content = entries[0].text(Entry.s) if entries else ""
        elif component == "histogram":
            content = _buckets(entries[0]) if entries else []
        elif component == "embedding":
            content = Word(entries[0].text(Entry.y), entries[0].singles(Entry.fs)) if entries else None
        else:
            samples = [self._sample(entry) for entry in entries]
        return LegacyRecord(step, timestamp, content, samples)

    def _sample(self, entry: MessageFields) -> Sample | None:
        import numpy as np

        name = entry.text(Entry.y)
        path = self._folder / "binary_records" / name
        # The name is a number; anything else could point out of the folder.
        if not name.isdigit() or not path.is_file():
            return None
        return Sample(entry.integers(Entry.i64s), np.frombuffer(path.read_bytes()[8:], np.uint8))


class _Tablet:
    """One file of VisualDL 1.x; of a half-written one, what is complete."""

    def __init__(self, path: Path) -> None:
        self._data = path.read_bytes()
        number, self.caption = 0, ""
        try:
            for part in fields(self._data, 0, len(self._data)):
                if part.id == Tablet.component and part.wire == VARINT:
                    number = part.number
                elif part.id == Tablet.captions and part.wire == BYTES:
                    self.caption = self._data[part.begin : part.end].decode(errors="replace")
        except Malformed:
            pass
        self.component = _COMPONENTS[number] if number < len(_COMPONENTS) else ""
        scanner = Scanner(Dialect.VISUALDL_LEGACY, tag=path.name)
        scanner.feed(self._data, at_end=True)
        self._batch = scanner.take()

    def points(self) -> Iterator[LegacyRecord]:
        batch = self._batch
        for step, wall, value in zip(batch.steps.tolist(), batch.walls.tolist(), batch.values.tolist(), strict=True):
            yield LegacyRecord(step, int(wall), value)

    def messages(self) -> Iterator[bytes]:
        batch = self._batch
        for offset, length in zip(batch.blob_offsets.tolist(), batch.blob_lengths.tolist(), strict=True):
            yield self._data[offset : offset + length]


def _buckets(entry: MessageFields) -> list[Bucket]:
    left, right = map(float, entry.text(Entry.y).split())
    counts = entry.integers(Entry.i32s)
    width = (right - left) / max(1, len(counts))
    return [Bucket(left + number * width, left + (number + 1) * width, count) for number, count in enumerate(counts)]


class ModeFolder:
    """A folder of our `LogWriter` (or of VisualDL 2.x): every mode is a folder in it, the default mode itself."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def modes(self) -> list[str]:
        inner = sorted(path.parent.name for path in self._folder.glob("*/*vdlrecords*"))
        return list(dict.fromkeys([*([DEFAULT_MODE] if self._files(DEFAULT_MODE) else []), *inner]))

    def tags(self, component: str, mode: str) -> list[str]:
        tags: dict[str, None] = {}
        for file in self._files(mode):
            names = file.tags().get("embeddings" if component == "embedding" else component, [])
            tags.update((tag, None) for tag in names if not (component == "text" and tag.endswith(CAPTION)))
        return list(tags)

    def records(self, component: str, mode: str, tag: str) -> list[LegacyRecord]:
        records = self._records_of(component, mode, tag)
        if records:
            return records
        # Several samples a step are kept under the tag with their number behind it.
        rounds: dict[int, LegacyRecord] = {}
        number = 0
        while records := self._records_of(component, mode, f"{tag}/{number}"):
            for record in records:
                rounds.setdefault(record.step, LegacyRecord(record.step, record.timestamp)).samples.extend(
                    record.samples
                )
            number += 1
        if not rounds:
            raise KeyError(f"mode {mode!r} has no {component} {tag!r}")
        return [rounds[step] for step in sorted(rounds)]

    def caption(self, component: str, mode: str, tag: str) -> str:
        texts = [value.text.encoded_text_string for value in self._values("text", mode, tag + CAPTION) if value.text]
        return texts[-1] if texts else tag

    def _files(self, mode: str) -> list[VisualdlFile]:
        folder = self._folder if mode == DEFAULT_MODE else self._folder / mode
        files = [VisualdlFile(path) for path in sorted(folder.glob("*vdlrecords*"))]
        for file in files:
            file.update()
        return files

    def _records_of(self, component: str, mode: str, tag: str) -> list[LegacyRecord]:
        return [record for value in self._values(component, mode, tag) for record in _records(component, value)]

    def _values(self, component: str, mode: str, tag: str) -> list[Value]:
        name = "embeddings" if component == "embedding" else component
        return [value for file in self._files(mode) for value in file.values(name, tag)]


def _records(component: str, value: Value) -> Iterator[LegacyRecord]:
    step, timestamp = value.id, value.timestamp // 1000
    if value.image:
        yield LegacyRecord(step, timestamp, samples=[_picture(value.image)])
    elif value.audio:
        yield LegacyRecord(step, timestamp, samples=[_sound(value.audio)])
    elif value.histogram:
        edges, counts = value.histogram.bin_edges, value.histogram.hist
        buckets = [Bucket(*bucket) for bucket in zip(edges[:-1], edges[1:], map(int, counts), strict=True)]
        yield LegacyRecord(step, timestamp, buckets)
    elif value.text:
        yield LegacyRecord(step, timestamp, value.text.encoded_text_string)
    elif value.embeddings:
        for number, point in enumerate(value.embeddings.embeddings):
            yield LegacyRecord(number, timestamp, Word(point.label[0] if point.label else "", point.vectors))
    elif component == "scalar":
        yield LegacyRecord(step, timestamp, value.value)


def _picture(image: Image) -> Sample:
    import numpy as np
    import PIL.Image

    pixels = np.asarray(PIL.Image.open(io.BytesIO(image.encoded_image_string)))
    if pixels.ndim == 2:
        pixels = pixels[:, :, np.newaxis]
    return Sample(list(pixels.shape), pixels.reshape(-1))


def _sound(audio: Audio) -> Sample:
    import numpy as np

    with wave.open(io.BytesIO(audio.encoded_audio_string)) as sound:
        shape = [sound.getframerate(), sound.getsampwidth(), sound.getnchannels()]
        return Sample(shape, np.frombuffer(sound.readframes(sound.getnframes()), np.uint8))
