"""Lazy description of labelled vectors with sprites; the vectors are read on demand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.values.file_types import Size
from mindinsight_like.values.records import BadValue

Vectors = NDArray[np.float32]  # a row per point


@dataclass(frozen=True)
class Labels:
    rows: list[list[str]]  # of each point, one or several; empty when points have none
    header: list[str]  # what the labels are called; empty when nobody said so


@dataclass(frozen=True)
class Sprite:
    """A picture with a small picture of each point in it, row by row."""

    one: Size
    sheet: Size
    read: Callable[[], bytes]  # raises BadValue


@dataclass(frozen=True)
class LabelledVectors:
    """What an embedding has. Vectors and labels may be large, and are read when they are asked for."""

    points: int
    dimensions: int
    content: str  # another one when the vectors are others
    vectors: Callable[[], Vectors]  # raises BadValue
    labels: Callable[[], Labels]  # raises BadValue
    sprite: Sprite | None = None
    notes: Sequence[str] = ()  # what is wrong although the vectors are good


def concatenate(parts: Sequence[LabelledVectors]) -> LabelledVectors:
    """One of several that have a part of the points each; raises BadValue."""
    if len({part.dimensions for part in parts}) != 1:
        raise BadValue("the vectors differ in length")
    content = hashlib.blake2b("".join(part.content for part in parts).encode(), digest_size=16).hexdigest()
    return LabelledVectors(
        sum(part.points for part in parts),
        parts[0].dimensions,
        content,
        lambda: np.concatenate([part.vectors() for part in parts]),
        lambda: Labels([row for part in parts for row in part.labels().rows], parts[0].labels().header),
    )
