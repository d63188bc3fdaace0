"""Nearest neighbours of a vector in the original space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.projections.request import COSINE

_CHUNK_NUMBERS = 4_000_000


@dataclass(frozen=True)
class Neighbours:
    points: NDArray[np.int64]  # the nearest first, without the point itself
    distances: NDArray[np.float64]


def nearest(vectors: NDArray[np.float32], point: int, count: int, metric: str) -> Neighbours:
    """The `count` vectors nearest to one; those that are not finite are nobody's neighbours."""
    own = vectors[point].astype(np.float64)
    if metric == COSINE:
        own = own / (np.sqrt(own @ own) or 1.0)
    distances = np.empty(len(vectors))
    rows = max(1, _CHUNK_NUMBERS // max(1, vectors.shape[1]))
    with np.errstate(invalid="ignore", over="ignore"):
        for begin in range(0, len(vectors), rows):
            chunk = vectors[begin : begin + rows].astype(np.float64)
            distances[begin : begin + rows] = _cosine(chunk, own) if metric == COSINE else _euclidean(chunk, own)
    distances[point] = np.nan
    (candidates,) = np.nonzero(np.isfinite(distances))
    if len(candidates) > count:
        candidates = candidates[np.argpartition(distances[candidates], count)[:count]]
    order = np.lexsort((candidates, distances[candidates]))
    return Neighbours(candidates[order], distances[candidates[order]])


def _cosine(chunk: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.sqrt(np.einsum("ij,ij->i", chunk, chunk))
    # Rounding may go beyond 1 by a little.
    return np.clip(1 - (chunk @ own) / np.where(lengths > 0, lengths, 1), 0, 2)


def _euclidean(chunk: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
    away = chunk - own
    distances: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", away, away))
    return distances
