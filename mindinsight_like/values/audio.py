"""Decode audio records: their format, and the files themselves."""

from __future__ import annotations

import io
import wave
from dataclasses import dataclass, replace

from mindinsight_like.errors import BlobGone
from mindinsight_like.logs.kinds import TRACKER_DIALECTS, Dialect
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas import tensorboard, visualdl, visualdl_legacy
from mindinsight_like.values.documents import file_names, file_window, listed_file
from mindinsight_like.values.enclosed_files import FileField, Place, enclosed, enclosed_strings, head
from mindinsight_like.values.file_types import content_type, sound_format
from mindinsight_like.values.records import BadValue, Record

_HEAD = 256  # a WAV file's format stands within it unless notes go before
_LONG_HEAD = 64 * 1024
_FILES = {
    Dialect.TENSORBOARD: FileField(tensorboard.Summary.Value.audio, tensorboard.Summary.Audio.encoded_audio_string),
    Dialect.VISUALDL: FileField(visualdl.Record.Value.audio, visualdl.Record.Audio.encoded_audio_string),
}


@dataclass(frozen=True)
class Sound:
    sample_rate: int
    channels: int
    frames: int
    label: str = ""


def sounds(record: Record) -> list[Sound | BadValue]:
    """The sounds of a record in order; looks at little more of it than their heads. Raises BadValue, Malformed."""
    if record.dialect == Dialect.VISUALDL_LEGACY:
        return [_of_entry(entry, record) for entry in record.entries()]
    if record.dialect in TRACKER_DIALECTS:
        return [_of_listed(record, name, caption) for name, caption in file_names(record)]
    return [_of_file(record, place, label) for place, label in _places(record)]


def sound_file(record: Record, part: int) -> bytes:
    """One sound of a record as a file; raises BadValue, Malformed."""
    if record.dialect == Dialect.VISUALDL_LEGACY:
        entries = record.entries()
        if not 0 <= part < len(entries):
            raise BadValue("the record has fewer audio clips")
        return _as_wav(entries[part], record)
    if record.dialect in TRACKER_DIALECTS:
        return listed_file(record, part, "audio clips")
    places = _places(record)
    if not 0 <= part < len(places):
        raise BadValue("the record has fewer audio clips")
    begin, end = places[part][0]
    return record.data[begin:end]


def _places(record: Record) -> list[tuple[Place, str]]:
    """Where the files are, each with what it is called."""
    if record.dialect not in _FILES:
        raise BadValue("audio is not supported in this log format")
    places = [(place, "") for place in enclosed(record, _FILES[record.dialect], "sound")]
    if not places and record.dialect == Dialect.TENSORBOARD:
        strings = enclosed_strings(record)
        # Sound and label in turn; a lone column has sounds only.
        has_labels = len(strings) % 2 == 0 and not any(
            content_type(head(record, place, _HEAD)) for place in strings[1::2]
        )
        labels = strings[1::2] if has_labels else []
        places = [(place, "") for place in strings]
        if has_labels:
            texts = [record.data[begin:end].decode(errors="replace") for begin, end in labels]
            places = list(zip(strings[::2], texts, strict=True))
    if not places:
        raise BadValue("the record contains no audio")
    return places


def _of_listed(record: Record, name: str, caption: str) -> Sound | BadValue:
    try:
        data = file_window(record, name)
        return _of_file(replace(record, data=data), (0, len(data)), caption)
    except (BadValue, BlobGone) as error:
        return BadValue(str(error))


def _of_file(record: Record, place: Place, label: str) -> Sound | BadValue:
    length = place[1] - place[0]
    properties = sound_format(head(record, place, _HEAD), length)
    if properties is None and content_type(head(record, place, 12)) is not None:
        properties = sound_format(head(record, place, _LONG_HEAD), length)
    return Sound(*properties, label) if properties else BadValue("not a WAV file")


def _of_entry(entry: MessageFields, record: Record) -> Sound | BadValue:
    try:
        file = _as_wav(entry, record)
    except BadValue as error:
        return error
    properties = sound_format(file, len(file))
    return Sound(*properties) if properties else BadValue("not a WAV file")


def _as_wav(entry: MessageFields, record: Record) -> bytes:
    """A sound of VisualDL 1.x, whose samples are kept bare."""
    shape = entry.integer_column(visualdl_legacy.Entry.i64s).tolist()
    if not shape:
        raise BadValue("no audio was recorded")
    samples = record.beside(entry.text(visualdl_legacy.Entry.y))
    if content_type(samples) is not None:
        return samples
    if len(shape) != 3 or not (0 < shape[0] < 2**31 and 0 < shape[1] <= 4 and 0 < shape[2] < 256):
        raise BadValue(f"audio has a sample rate, bytes per sample and channels, not {shape[:10]}")
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setframerate(shape[0])
        sound.setsampwidth(shape[1])
        sound.setnchannels(shape[2])
        sound.writeframes(samples[: len(samples) // (shape[1] * shape[2]) * (shape[1] * shape[2])])
    return out.getvalue()
