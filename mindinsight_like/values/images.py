"""Pictures and videos: their sizes, and the files themselves."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.values.enclosed_files import Place, enclosed, enclosed_strings, head
from mindinsight_like.values.file_types import JPEG, content_type, picture_size
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.writers.pictures import png

_HEAD = 32
_JPEG_START = 1024
_JPEG_HEAD = 256 * 1024  # its size may stand behind thumbnails and colour profiles
_MOST_PIXELS = 2**28
_STRINGS_BEFORE = 2  # width and height as text
_MESSAGES = {Dialect.TENSORBOARD: 4, Dialect.MINDSPORE: 4, Dialect.VISUALDL: 5}


@dataclass(frozen=True)
class Picture:
    width: int
    height: int


def pictures(record: Record) -> list[Picture | BadValue]:
    """The pictures of a record in order; looks at little more of it than their heads. Raises BadValue, Malformed."""
    if record.dialect == Dialect.VISUALDL_LEGACY:
        return [_of_entry(entry) for entry in record.entries()]
    return [_of_file(record, place) for place in _places(record)]


def picture_file(record: Record, part: int) -> bytes:
    """One picture of a record as a file; raises BadValue, Malformed."""
    if record.dialect == Dialect.VISUALDL_LEGACY:
        entries = record.entries()
        if not 0 <= part < len(entries):
            raise BadValue("the record has fewer pictures")
        return _as_png(entries[part], record)
    places = _places(record)
    if not 0 <= part < len(places):
        raise BadValue("the record has fewer pictures")
    begin, end = places[part]
    return record.data[begin:end]


def _places(record: Record) -> list[Place]:
    if record.dialect not in _MESSAGES:
        raise BadValue("pictures are not known in logs of this kind")
    places = enclosed(record, _MESSAGES[record.dialect], "picture")
    if not places and record.dialect == Dialect.TENSORBOARD:
        places = enclosed_strings(record)[_STRINGS_BEFORE:]
    if not places:
        raise BadValue("the record holds no picture")
    return places


def _of_file(record: Record, place: Place) -> Picture | BadValue:
    start = head(record, place, _HEAD)
    kind = content_type(start)
    if kind is None or not kind.startswith("image/"):
        return BadValue("the picture is no PNG, JPEG or GIF file")
    size = picture_size(head(record, place, _JPEG_START) if kind == JPEG else start)
    if size is None and kind == JPEG:
        size = picture_size(head(record, place, _JPEG_HEAD))
    if size is None:
        return BadValue("the picture's file is damaged")
    return _checked(size.width, size.height)


def _checked(width: int, height: int) -> Picture | BadValue:
    if width < 1 or height < 1:
        return BadValue("the picture has no pixels")
    if width * height > _MOST_PIXELS:
        return BadValue(f"the picture claims {width:,} x {height:,} pixels, too many to show")
    return Picture(width, height)


def _of_entry(entry: MessageFields) -> Picture | BadValue:
    try:
        height, width, _ = _shape(entry)
    except BadValue as error:
        return error
    return _checked(width, height)


def _shape(entry: MessageFields) -> tuple[int, int, int]:
    """Rows, columns and channels of a picture of VisualDL 1.x."""
    shape = entry.integer_column(9).tolist()
    if not shape:
        raise BadValue("no picture was recorded")
    if len(shape) == 2:
        shape.append(1)
    if len(shape) != 3 or shape[2] not in (1, 2, 3, 4) or min(shape) < 1:
        raise BadValue(f"a picture has rows, columns and channels, not the shape {shape[:10]}")
    return shape[0], shape[1], shape[2]


def _as_png(entry: MessageFields, record: Record) -> bytes:
    shape = _shape(entry)
    pixels = record.beside(entry.text(5))
    if len(pixels) != math.prod(shape):
        raise BadValue(f"{len(pixels):,} bytes do not fit a picture of the shape {list(shape)}")
    return png(np.frombuffer(pixels, np.uint8).reshape(shape))
