"""Read logged values other than scalars from the log files, decoded, as one series per run, tag and writer.

A value that cannot be read is an item that says why; it never spoils the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import BlobGone, NotFound, TooLarge
from mindinsight_like.logs.kinds import TRACKER_DIALECTS, Dialect, Kind
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.store.blobs import MOST_BYTES, BlobBytes, BlobSeries, Reference
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.values import (
    audio,
    chart_layouts,
    histograms,
    hparams,
    images,
    landscapes,
    meshes,
    pr_curves,
    tables,
    texts,
)
from mindinsight_like.values.embeddings import embeddings
from mindinsight_like.values.file_types import content_type
from mindinsight_like.values.records import BadValue, Record, Window
from mindinsight_like.values.tensors import tensors
from mindinsight_like.values.tensors.tensor_messages import Tensor

T = TypeVar("T")

# Tablets of VisualDL 1.x are written anew again and again, with other samples under the same numbers; the files that a
# projector's list or the log of a tracker names may change without it.
_CHANGING = TRACKER_DIALECTS | {Dialect.VISUALDL_LEGACY, Dialect.PROJECTOR_CONFIG}
_MOST_IN_ANSWER = 512 * 2**20  # bytes of logs decoded for one answer
_SMALL = 4 * 2**20
_ROWS = 4096

UNREADABLE = (BadValue, Malformed, BlobGone, TooLarge)  # why a value cannot be had; the others still can


@dataclass(frozen=True)
class ItemKind(Generic[T]):
    """A kind of data and how its records become values."""

    kind: Kind
    decode: Callable[[Record], Sequence[T | BadValue]]  # one record may hold several values
    most_bytes: int = MOST_BYTES  # of a record that is decoded
    reads_heads: bool = False  # decoding looks at little of a record, however large it is
    has_tags: bool = True  # people choose among tags; else there is but one, of the writer's own


@dataclass(frozen=True)
class Item(Generic[T]):
    """One value, or why it cannot be shown; one of the two is None."""

    step: int
    wall_time: float
    reference: Reference  # its `part` counts the values of one step
    value: T | None
    error: str | None


@dataclass(frozen=True)
class ItemSeries(Generic[T]):
    run: str
    tag: str
    source: str  # empty, or what tells several series of the run and tag apart
    total_steps: int  # before downsampling
    items: list[Item[T]]
    superseded: int = 0  # values that the default view leaves out


@dataclass(frozen=True)
class EnclosedFile:
    """A picture, sound or array as a file."""

    data: bytes
    content_type: str | None  # None: none of the types that are safe to show
    tag: str
    step: int
    is_final: bool  # the same reference will never stand for other bytes


def _single_value(decode: Callable[[Record], T]) -> Callable[[Record], Sequence[T | BadValue]]:
    """A decoder of records with one value."""
    return lambda record: [decode(record)]


IMAGES = ItemKind(Kind.IMAGE, images.pictures, reads_heads=True)
VIDEOS = ItemKind(Kind.VIDEO, images.pictures, reads_heads=True)
SOUNDS = ItemKind(Kind.AUDIO, audio.sounds, reads_heads=True)
HISTOGRAMS = ItemKind(Kind.HISTOGRAM, _single_value(histograms.decode), most_bytes=_SMALL)
TEXTS: ItemKind[texts.Text] = ItemKind(Kind.TEXT, texts.decode, most_bytes=4 * _SMALL)
TENSORS = ItemKind(Kind.TENSOR, _single_value(tensors.summary), reads_heads=True)
TENSOR_OUTLINES = ItemKind(Kind.TENSOR, _single_value(tensors.outline), reads_heads=True)
PR_CURVES = ItemKind(Kind.PR_CURVE, _single_value(pr_curves.decode_pr), most_bytes=_SMALL)
ROC_CURVES = ItemKind(Kind.ROC_CURVE, _single_value(pr_curves.decode_roc), most_bytes=_SMALL)
MESHES = ItemKind(Kind.MESH, _single_value(meshes.decode), reads_heads=True)
LANDSCAPES = ItemKind(Kind.LANDSCAPE, _single_value(landscapes.decode), most_bytes=4 * _SMALL)
EMBEDDINGS = ItemKind(Kind.EMBEDDING, _single_value(embeddings.decode))
DESCRIBED_EMBEDDINGS = ItemKind(Kind.EMBEDDING, _single_value(embeddings.describe))
TABLES = ItemKind(Kind.TABLE, _single_value(tables.outline), most_bytes=MOST_BYTES)
HPARAMS: ItemKind[hparams.Part] = ItemKind(Kind.HPARAMS, hparams.decode, most_bytes=4 * _SMALL, has_tags=False)
CHART_LAYOUTS = ItemKind(Kind.CUSTOM_SCALARS, _single_value(chart_layouts.decode), most_bytes=_SMALL, has_tags=False)


def read_items(
    reader: IndexReader,
    kind: ItemKind[T],
    runs: Sequence[str],
    tags: Sequence[str] | None,
    *,
    from_step: int | None = None,
    to_step: int | None = None,
    max_steps: int | None = None,
    resume: str = "latest",
) -> list[ItemSeries[T]]:
    """The series of the runs and tags (None: all of the kind), of each at most `max_steps` steps, evenly chosen."""
    blobs = reader.blobs(runs, tags, kind.kind, from_step=from_step, to_step=to_step, resume=resume)
    files = {file for series in blobs for file in np.unique(series.references["file"]).tolist()}
    with reader.blob_bytes(files) as content:
        reading = _ItemReader(kind, content)
        return [
            ItemSeries(
                series.run,
                series.tag,
                series.source,
                len(series.steps),
                [item for row in _chosen(series, max_steps) for item in reading.items(*row)],
                series.superseded,
            )
            for series in blobs
        ]


def walk_items(
    reader: IndexReader, kind: ItemKind[T], series: BlobSeries
) -> Iterator[tuple[Item[T], Callable[[], bytes]]]:
    """All items of a series one after another, however many, each with what gives its file.

    The file of an item can be had until the next item is asked for; getting it raises what is in UNREADABLE.
    """
    with reader.blob_bytes(np.unique(series.references["file"]).tolist()) as content:
        for row in _chosen(series, None):
            reading = _ItemReader(kind, content)  # a new one for each: together they may be more than fits an answer
            for item in reading.items(*row):
                yield item, partial(reading.file, item.reference)


def _chosen(series: BlobSeries, most: int | None) -> Iterator[tuple[int, float, tuple[int, int, int]]]:
    """Step, wall time and place of a series' blobs; with fewer than there are, its first and last are among them."""
    places = np.arange(len(series.steps))
    if most is not None and most < len(places):
        places = np.unique(np.linspace(len(places) - 1, 0, most).round().astype(np.int64))
    for begin in range(0, len(places), _ROWS):  # some at a time: as Python objects they take ten times the memory
        part = places[begin : begin + _ROWS]
        columns = (series.steps[part], series.wall_times[part], series.references[part])
        yield from zip(*(column.tolist() for column in columns), strict=True)


class _ItemReader(Generic[T]):
    """Reads and decodes the blobs of one answer."""

    def __init__(self, kind: ItemKind[T], content: BlobBytes) -> None:
        self._kind = kind
        self._content = content
        self._left = _MOST_IN_ANSWER

    def items(self, step: int, wall_time: float, place: tuple[int, int, int]) -> list[Item[T]]:
        values: Sequence[T | BadValue]
        try:
            values = self._kind.decode(self._record(*place))
        except UNREADABLE as error:
            values = [BadValue(str(error))]
        items: list[Item[T]] = []
        for part, value in enumerate(values):
            reference = Reference(*place, wall_time, part)
            if isinstance(value, BadValue):
                items.append(Item(step, wall_time, reference, None, str(value)))
            else:
                items.append(Item(step, wall_time, reference, value, None))
        return items

    def file(self, reference: Reference) -> bytes:
        """The picture, sound or array of an item; raises what is in UNREADABLE."""
        record = self._record(reference.file, reference.offset, reference.length)
        return _FILES[self._kind.kind](record, reference.part)

    def _record(self, file: int, offset: int, length: int) -> Record:
        def read(begin: int, count: int) -> bytes:
            if count > self._left:
                raise TooLarge("response too large; request fewer tags or steps")
            self._left -= count
            return self._content.read(file, offset + begin, count)

        data: bytes | Window
        if self._kind.reads_heads:
            data = Window(read, length)
        elif length <= self._kind.most_bytes:
            data = read(0, length)
        else:
            raise TooLarge(f"the value has {length:,} bytes; the limit is {self._kind.most_bytes:,}")
        return _record(self._content, file, data)


def _record(content: BlobBytes, file: int, data: bytes | Window) -> Record:
    return Record(content.dialect(file), data, partial(content.beside, file), partial(content.inside, file))


def read_file(reader: IndexReader, reference: Reference) -> EnclosedFile:
    """The picture, sound or array that a reference stands for; raises NotFound, BlobGone, TooLarge."""
    blob = reader.find_blob(reference)
    if blob.kind not in _FILES:
        raise NotFound("this blob contains no file")
    with reader.blob_bytes([reference.file]) as content:
        data = content.read(reference.file, reference.offset, reference.length)
        record = _record(content, reference.file, data)
        try:
            file = _FILES[blob.kind](record, reference.part)
        except (BadValue, Malformed) as error:
            raise NotFound(f"cannot extract the file from its record: {error}") from error
    return EnclosedFile(file, content_type(file), blob.tag, blob.step, blob.file.dialect not in _CHANGING)


def _array_file(array: Callable[[Record], Tensor | NDArray[Any]]) -> Callable[[Record, int], bytes]:
    """Gives the numbers of a record as a file."""

    def file(record: Record, part: int) -> bytes:
        if part:
            raise BadValue("the record has only one array")
        values = array(record)
        return tensors.npy(values.array if isinstance(values, Tensor) else values)

    return file


def _embedding_file(record: Record, part: int) -> bytes:
    """The vectors, or (part 1) the pictures of the points."""
    embedding = embeddings.describe(record)
    if part == 0:
        return tensors.npy(embedding.vectors())
    if part != 1 or embedding.sprite is None:
        raise BadValue("the embedding has no images")
    return embedding.sprite.read()


_FILES: dict[Kind, Callable[[Record, int], bytes]] = {
    Kind.IMAGE: images.picture_file,
    Kind.VIDEO: images.picture_file,
    Kind.AUDIO: audio.sound_file,
    Kind.TENSOR: _array_file(tensors.decode),
    Kind.MESH: _array_file(meshes.decode_tensor),
    Kind.EMBEDDING: _embedding_file,
    Kind.TABLE: tables.cell_file,
}
