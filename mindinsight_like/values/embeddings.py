"""Embeddings of VisualDL: labelled vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.values.records import BadValue, Record


@dataclass(frozen=True)
class Embedding:
    vectors: NDArray[np.float32]  # a row per point
    labels: list[list[str]]  # of each point, one or several
    header: list[str]  # what the labels are called; empty when there is but one


def decode(record: Record) -> Embedding:
    """The points of a record; VisualDL 1.x has one in each. Raises BadValue, Malformed."""
    if record.dialect == Dialect.VISUALDL:
        message = record.inner(7, "embedding")
        return _joined([(point.texts(1), point.single_column(2)) for point in message.messages(1)], message.texts(2))
    if record.dialect == Dialect.VISUALDL_LEGACY:
        return _joined([_word(entry) for entry in record.entries()], [])
    raise BadValue("embeddings are not known in logs of this kind")


def _word(entry: MessageFields) -> tuple[list[str], NDArray[np.float32]]:
    return [entry.text(5)], entry.single_column(10)


def _joined(points: list[tuple[list[str], NDArray[np.float32]]], header: list[str]) -> Embedding:
    if not points:
        raise BadValue("the embedding has no points")
    if len({len(vector) for _, vector in points}) != 1:
        raise BadValue("the vectors differ in length")
    return Embedding(np.stack([vector for _, vector in points]), [labels for labels, _ in points], header)
