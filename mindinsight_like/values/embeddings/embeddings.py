"""Decode embeddings: labelled vectors in VisualDL records, or in the files that a projector config names."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas import visualdl, visualdl_legacy
from mindinsight_like.values.embeddings import projector
from mindinsight_like.values.embeddings.labelled_vectors import LabelledVectors, Labels, Vectors
from mindinsight_like.values.records import BadValue, Record


@dataclass(frozen=True)
class Embedding:
    vectors: Vectors
    labels: list[list[str]]  # of each point, one or several, or none
    header: list[str]  # what the labels are called; empty when there is but one


def decode(record: Record) -> Embedding:
    """The points of a record; VisualDL 1.x has one in each. Raises BadValue, Malformed."""
    description, labels = describe(record), Labels([], [])
    with suppress(BadValue):  # without its labels an embedding is still worth having
        labels = description.labels()
    return Embedding(description.vectors(), labels.rows or [[] for _ in range(description.points)], labels.header)


def describe(record: Record) -> LabelledVectors:
    """As `decode`, without reading what lies in files of its own."""
    if record.dialect == Dialect.VISUALDL:
        message = record.inner(visualdl.Record.Value.embeddings, "embedding")
        proto = visualdl.Record.Embedding
        points = [
            (point.texts(proto.label), point.single_column(proto.vectors))
            for point in message.messages(visualdl.Record.Embeddings.embeddings)
        ]
        return _stacked(points, message.texts(visualdl.Record.Embeddings.label_meta))
    if record.dialect == Dialect.VISUALDL_LEGACY:
        return _stacked([_word(entry) for entry in record.entries()], [])
    if record.dialect == Dialect.PROJECTOR_CONFIG:
        return projector.describe(record)
    raise BadValue("embeddings are not supported in this log format")


def _word(entry: MessageFields) -> tuple[list[str], Vectors]:
    return [entry.text(visualdl_legacy.Entry.y)], entry.single_column(visualdl_legacy.Entry.fs)


def _stacked(points: list[tuple[list[str], Vectors]], header: list[str]) -> LabelledVectors:
    if not points:
        raise BadValue("the embedding has no points")
    if len({len(vector) for _, vector in points}) != 1:
        raise BadValue("the vectors differ in length")
    vectors = np.stack([vector for _, vector in points])
    labels = Labels([labels for labels, _ in points], header)
    content = hashlib.blake2b(vectors.tobytes(), digest_size=16).hexdigest()
    return LabelledVectors(len(vectors), vectors.shape[1], content, lambda: vectors, lambda: labels)
