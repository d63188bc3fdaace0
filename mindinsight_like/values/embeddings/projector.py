"""Read an entry of a projector config: the vectors, labels and sprites of an embedding, in files beside the config."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mindinsight_like.errors import BlobGone
from mindinsight_like.logs.paths import mark
from mindinsight_like.logs.projector_config import BadConfig, Message, parse_entry
from mindinsight_like.values.embeddings.labelled_vectors import LabelledVectors, Labels, Sprite, Vectors
from mindinsight_like.values.embeddings.vector_files import Shape, bytes_shape, read_bytes, read_text, text_shape
from mindinsight_like.values.file_types import JPEG, PNG, Size, content_type, picture_size
from mindinsight_like.values.records import BadValue, Record

_MOST_LABEL_BYTES = 64 * 2**20
_MOST_SPRITE_BYTES = 64 * 2**20
_MOST_SPRITE_PIXELS = 8192  # on one side, as TensorBoard has it; browsers would have to hold four bytes for each
_HEAD_BYTES = 64 * 1024
_MAX_CACHED_SHAPES = 10_000

Reading = Callable[[str], int]  # a descriptor of a file by its name in the list


def describe(record: Record) -> LabelledVectors:
    """The embedding of an entry; raises BadValue, BlobGone. What is wrong with labels or pictures becomes a note."""
    try:
        entry = parse_entry(record.data[:])
    except BadConfig as error:
        raise BadValue(f"cannot parse projector_config.pbtxt: {error}") from error
    name = entry.text("tensor_path")
    if not name:
        raise BadValue(
            "its vectors are in a TensorFlow checkpoint, which cannot be read here; "
            "tensor_path in projector_config.pbtxt can name a file of tab-separated numbers instead"
        )
    is_bytes = name.endswith(".bytes")
    with _open(record.inside, name) as handle:
        content = _content(handle)
        if is_bytes:
            shape = bytes_shape(handle, entry.texts.get("tensor_shape", []))
        else:
            shape = _shape_cache.get(content) or text_shape(handle)
            _shape_cache.put(content, shape)

    def read_vectors() -> Vectors:
        with _open(record.inside, name) as handle:
            return read_bytes(handle, shape) if is_bytes else read_text(handle, shape)

    points, dimensions = shape
    sprite, notes = _sprite(entry, record.inside, points)
    labels = entry.text("metadata_path")
    return LabelledVectors(
        points,
        dimensions,
        content,
        read_vectors,
        lambda: _labels(record.inside, labels, points) if labels else Labels([], []),
        sprite,
        notes,
    )


@contextmanager
def _open(inside: Reading, name: str) -> Iterator[int]:
    """A file of the list; raises BadValue when it cannot be read on the way."""
    try:
        handle = inside(name)
    except BlobGone as error:
        raise BadValue(str(error)) from error
    try:
        yield handle
    except OSError as error:
        raise BadValue(f"{name[:200]!r} cannot be read: {error.strerror}") from error
    finally:
        os.close(handle)


class _ShapeCache:
    """Shapes of text files by their content: counting lines reads the whole file, and it is asked for often."""

    def __init__(self) -> None:
        self._shapes: dict[str, Shape] = {}

    def get(self, content: str) -> Shape | None:
        return self._shapes.get(content)

    def put(self, content: str, shape: Shape) -> None:
        if len(self._shapes) >= _MAX_CACHED_SHAPES:
            self._shapes.clear()
        self._shapes[content] = shape


_shape_cache = _ShapeCache()


def _content(handle: int) -> str:
    """A name for what is in a file, without reading all of it."""
    status = os.fstat(handle)
    state = (status.st_ino, status.st_size, status.st_mtime_ns, mark(handle, status.st_size))
    return hashlib.blake2b(repr(state).encode(), digest_size=16).hexdigest()


def _labels(inside: Reading, name: str, points: int) -> Labels:
    """The labels in a file: a line per point, columns parted by tabs, perhaps one more line with their names."""
    with _open(inside, name) as handle:
        size = os.fstat(handle).st_size
        if size > _MOST_LABEL_BYTES:
            raise BadValue(f"its labels have {size:,} bytes; the limit is {_MOST_LABEL_BYTES:,}")
        text = os.pread(handle, size, 0).decode("utf-8", "replace")
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if len(lines) not in (points, points + 1):
        raise BadValue(f"{len(lines):,} lines of labels for {points:,} points")
    rows = [line.split("\t") for line in lines]
    return Labels(rows[1:], rows[0]) if len(rows) > points else Labels(rows, [])


def _sprite(entry: Message, inside: Reading, points: int) -> tuple[Sprite | None, tuple[str, ...]]:
    """The pictures of the points, or a note why they cannot be shown."""
    sprites = entry.messages.get("sprite")
    name = sprites[-1].text("image_path") if sprites else ""
    if not sprites or not name:
        return None, ()
    try:
        with _open(inside, name) as handle:
            sheet = _sheet_size(os.pread(handle, _HEAD_BYTES, 0), os.fstat(handle).st_size)
        one = _picture_size(sprites[-1].texts.get("single_image_dim", []), sheet)
        places = (sheet.width // one.width) * (sheet.height // one.height)
        notes = (f"there are only {places:,} pictures for {points:,} points",) if places < points else ()
        return Sprite(one, sheet, lambda: _sprite_file(inside, name)), notes
    except BadValue as error:
        return None, (f"the pictures of its points cannot be shown: {error}",)


def _sprite_file(inside: Reading, name: str) -> bytes:
    with _open(inside, name) as handle:
        size = os.fstat(handle).st_size
        data = os.pread(handle, min(size, _MOST_SPRITE_BYTES), 0)
    _sheet_size(data, size)  # once more: it may be another file by now
    return data


def _sheet_size(head: bytes, size: int) -> Size:
    sheet = picture_size(head) if content_type(head) in (PNG, JPEG) else None
    if sheet is None:
        raise BadValue("the file is neither PNG nor JPEG")
    if size > _MOST_SPRITE_BYTES or max(sheet) > _MOST_SPRITE_PIXELS:
        raise BadValue(
            f"{sheet.width} x {sheet.height} pixels in {size:,} bytes exceed the limit of "
            f"{_MOST_SPRITE_PIXELS} x {_MOST_SPRITE_PIXELS} in {_MOST_SPRITE_BYTES:,}"
        )
    return sheet


def _picture_size(claimed: list[str], sheet: Size) -> Size:
    try:
        width, height = (int(each) for each in claimed)
    except ValueError as error:
        raise BadValue("the config does not give the image size (single_image_dim)") from error
    if not (1 <= width <= sheet.width and 1 <= height <= sheet.height):
        raise BadValue(f"an image of {width} x {height} pixels does not fit into {sheet.width} x {sheet.height}")
    return Size(width, height)
