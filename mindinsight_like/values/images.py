"""Decode images and videos: their sizes, and the files themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from mindinsight_like.errors import BlobGone
from mindinsight_like.logs.kinds import TRACKER_DIALECTS, Dialect
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas import mindspore_summary, tensorboard, visualdl, visualdl_legacy
from mindinsight_like.values.documents import file_names, file_window, listed_file
from mindinsight_like.values.enclosed_files import FileField, Place, enclosed, enclosed_strings, head
from mindinsight_like.values.file_types import JPEG, content_type, picture_size
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.writers.encoding.images import png

_HEAD = 32
_JPEG_START = 1024
_JPEG_HEAD = 256 * 1024  # its size may stand behind thumbnails and colour profiles
_MOST_PIXELS = 2**28
_STRINGS_BEFORE = 2  # width and height as text
_FILES = {
    Dialect.TENSORBOARD: FileField(tensorboard.Summary.Value.image, tensorboard.Summary.Image.encoded_image_string),
    Dialect.MINDSPORE: FileField(mindspore_summary.Summary.Value.image, mindspore_summary.Summary.Image.encoded_image),
    Dialect.VISUALDL: FileField(visualdl.Record.Value.image, visualdl.Record.Image.encoded_image_string),
}


@dataclass(frozen=True)
class Picture:
    width: int
    height: int


def pictures(record: Record) -> list[Picture | BadValue]:
    """The pictures of a record in order; looks at little more of it than their heads. Raises BadValue, Malformed."""
    if record.dialect == Dialect.VISUALDL_LEGACY:
        return [_of_entry(entry) for entry in record.entries()]
    if record.dialect in TRACKER_DIALECTS:
        return [_of_listed(record, name) for name, _ in file_names(record)]
    return [_of_file(record, place) for place in _places(record)]


def picture_file(record: Record, part: int) -> bytes:
    """One picture of a record as a file; raises BadValue, Malformed."""
    if record.dialect == Dialect.VISUALDL_LEGACY:
        entries = record.entries()
        if not 0 <= part < len(entries):
            raise BadValue("the record has fewer images")
        return _as_png(entries[part], record)
    if record.dialect in TRACKER_DIALECTS:
        return listed_file(record, part, "images")
    places = _places(record)
    if not 0 <= part < len(places):
        raise BadValue("the record has fewer images")
    begin, end = places[part]
    return record.data[begin:end]


def _places(record: Record) -> list[Place]:
    if record.dialect not in _FILES:
        raise BadValue("images are not supported in this log format")
    places = enclosed(record, _FILES[record.dialect], "picture")
    if not places and record.dialect == Dialect.TENSORBOARD:
        places = enclosed_strings(record)[_STRINGS_BEFORE:]
    if not places:
        raise BadValue("the record contains no image")
    return places


def _of_listed(record: Record, name: str) -> Picture | BadValue:
    try:
        data = file_window(record, name)
        return _of_file(replace(record, data=data), (0, len(data)))
    except (BadValue, BlobGone) as error:
        return BadValue(str(error))


def _of_file(record: Record, place: Place) -> Picture | BadValue:
    start = head(record, place, _HEAD)
    kind = content_type(start)
    if kind is None or not kind.startswith("image/"):
        return BadValue("not a PNG, JPEG or GIF file")
    size = picture_size(head(record, place, _JPEG_START) if kind == JPEG else start)
    if size is None and kind == JPEG:
        size = picture_size(head(record, place, _JPEG_HEAD))
    if size is None:
        return BadValue("the image file is damaged")
    return _checked(size.width, size.height)


def _checked(width: int, height: int) -> Picture | BadValue:
    if width < 1 or height < 1:
        return BadValue("the image has no pixels")
    if width * height > _MOST_PIXELS:
        return BadValue(f"the image claims {width:,} x {height:,} pixels, too many to show")
    return Picture(width, height)


def _of_entry(entry: MessageFields) -> Picture | BadValue:
    try:
        height, width, _ = _shape(entry)
    except BadValue as error:
        return error
    return _checked(width, height)


def _shape(entry: MessageFields) -> tuple[int, int, int]:
    """Rows, columns and channels of a picture of VisualDL 1.x."""
    shape = entry.integer_column(visualdl_legacy.Entry.i64s).tolist()
    if not shape:
        raise BadValue("no image was recorded")
    if len(shape) == 2:
        shape.append(1)
    if len(shape) != 3 or shape[2] not in (1, 2, 3, 4) or min(shape) < 1:
        raise BadValue(f"an image has rows, columns and channels, not the shape {shape[:10]}")
    return shape[0], shape[1], shape[2]


def _as_png(entry: MessageFields, record: Record) -> bytes:
    shape = _shape(entry)
    pixels = record.beside(entry.text(visualdl_legacy.Entry.y))
    if len(pixels) != math.prod(shape):
        raise BadValue(f"{len(pixels):,} bytes do not fit an image of shape {list(shape)}")
    return png(np.frombuffer(pixels, np.uint8).reshape(shape))
