"""Embeddings: labelled vectors in records of VisualDL, or in the files that a projector's list names."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.values import projector
from mindinsight_like.values.labelled_vectors import LabelledVectors, Labels, Vectors
from mindinsight_like.values.records import BadValue, Record


@dataclass(frozen=True)
class Embedding:
    vectors: Vectors
    labels: list[list[str]]  # of each point, one or several, or none
    header: list[str]  # what the labels are called; empty when there is but one


def decode(record: Record) -> Embedding:
    """The points of a record; VisualDL 1.x has one in each. Raises BadValue, Malformed."""
    found, labels = describe(record), Labels([], [])
    with suppress(BadValue):  # without its labels an embedding is still worth having
        labels = found.labels()
    return Embedding(found.vectors(), labels.rows or [[] for _ in range(found.points)], labels.header)


def describe(record: Record) -> LabelledVectors:
    """As `decode`, without reading what lies in files of its own."""
    if record.dialect == Dialect.VISUALDL:
        message = record.inner(7, "embedding")
        points = [(point.texts(1), point.single_column(2)) for point in message.messages(1)]
        return _stacked(points, message.texts(2))
    if record.dialect == Dialect.VISUALDL_LEGACY:
        return _stacked([_word(entry) for entry in record.entries()], [])
    if record.dialect == Dialect.PROJECTOR_CONFIG:
        return projector.describe(record)
    raise BadValue("embeddings are not known in logs of this kind")


def _word(entry: MessageFields) -> tuple[list[str], Vectors]:
    return [entry.text(5)], entry.single_column(10)


def _stacked(points: list[tuple[list[str], Vectors]], header: list[str]) -> LabelledVectors:
    if not points:
        raise BadValue("the embedding has no points")
    if len({len(vector) for _, vector in points}) != 1:
        raise BadValue("the vectors differ in length")
    vectors = np.stack([vector for _, vector in points])
    labels = Labels([labels for labels, _ in points], header)
    content = hashlib.blake2b(vectors.tobytes(), digest_size=16).hexdigest()
    return LabelledVectors(len(vectors), vectors.shape[1], content, lambda: vectors, lambda: labels)
