"""Find the embedding that a run logged under a tag at a step."""

from __future__ import annotations

from typing import NamedTuple

from mindinsight_like.errors import NotFound
from mindinsight_like.items.series import DESCRIBED_EMBEDDINGS, read_items
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.values.embeddings.labelled_vectors import LabelledVectors, concatenate
from mindinsight_like.values.records import BadValue


class Place(NamedTuple):
    """Where an embedding was logged; step None: the last one there."""

    run: str
    tag: str
    step: int | None
    source: str


def find_embedding(reader: IndexReader, place: Place) -> LabelledVectors:
    """The embedding that was logged in a place; raises RunNotFound, NotFound.

    VisualDL 1.x logs point by point, each with a step of its own: there, all points of the tag are one embedding.
    """
    run, tag, step, source = place
    candidates = read_items(reader, DESCRIBED_EMBEDDINGS, [run], [tag], from_step=step, to_step=step)
    items = [item for series in candidates if series.source == source for item in series.items]
    if not items:
        raise NotFound("embedding not found")
    last = items[-1]
    if last.value is None:
        raise NotFound(f"cannot read the embedding: {last.error}")
    if last.value.points > 1:
        return last.value
    every = (
        items
        if step is None
        else [
            item
            for series in read_items(reader, DESCRIBED_EMBEDDINGS, [run], [tag])
            if series.source == source
            for item in series.items
        ]
    )
    try:
        return concatenate([item.value for item in every if item.value is not None])
    except BadValue as error:
        raise NotFound(f"cannot read the embedding: {error}") from error
