"""Principal component analysis with numpy that scales to many points as well as many dimensions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]

_SMALL_SIDE = 2048  # a square of this side is made and solved exactly
_CHUNK_NUMBERS = 4_000_000  # looked at in one go
_OVERSAMPLING = 20  # directions more than asked for make the approximation good
_POWER_ITERATIONS = 4


@dataclass(frozen=True)
class Components:
    points: Matrix  # one row per point, one column per component, the strongest first
    explained: list[float]  # the share of the variance that each component has


def principal_components(vectors: Matrix, most: int) -> Components:
    """The vectors along their strongest directions, at most `most` of them; all numbers must be finite."""
    count, dimensions = vectors.shape
    rank = min(most, dimensions, max(1, count - 1))
    centred = _Centred(vectors)
    if dimensions <= _SMALL_SIDE:
        points = centred.times(_top_eigenvectors(centred.square_of_columns(), rank)[1])
    elif count <= _SMALL_SIDE:
        strengths, directions = _top_eigenvectors(centred.square_of_rows(), rank)
        points = directions * np.sqrt(np.maximum(strengths, 0))
    else:
        points = _randomised_components(centred, rank)
    total = centred.total
    explained = [float(each) / total if total > 0 else 0.0 for each in (points.astype(np.float64) ** 2).sum(axis=0)]
    # Which way a component points is arbitrary; its farthest point is made to lie on the positive side.
    farthest = points[np.abs(points).argmax(axis=0), np.arange(points.shape[1])]
    return Components((points * np.where(farthest < 0, -1, 1) * centred.scale).astype(np.float32), explained)


def _top_eigenvectors(square: NDArray[np.float64], rank: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The largest eigenvalues of a symmetric matrix in falling order, and their vectors as columns."""
    values, vectors = np.linalg.eigh(square)
    return values[::-1][:rank], vectors[:, ::-1][:, :rank]


def _randomised_components(centred: _Centred, rank: int) -> NDArray[np.float64]:
    """The strongest components by random directions that are improved a few times (Halko, Martinsson, Tropp 2011)."""
    random = np.random.default_rng(0)
    directions = random.standard_normal((centred.dimensions, rank + _OVERSAMPLING))
    for _ in range(_POWER_ITERATIONS):
        directions, _ = np.linalg.qr(centred.transposed_times(np.linalg.qr(centred.times(directions))[0]))
    projected = centred.times(directions)
    left, strengths, _ = np.linalg.svd(projected, full_matrices=False)
    components: NDArray[np.float64] = (left * strengths)[:, :rank]
    return components


class _Centred:
    """The vectors moved so that their mean is zero and shrunk so that no product overflows, chunk by chunk."""

    def __init__(self, vectors: Matrix) -> None:
        self._vectors = vectors
        self.count, self.dimensions = vectors.shape
        self._mean = sum(
            (chunk.sum(axis=0, dtype=np.float64) for _, chunk in self._raw()), np.zeros(self.dimensions)
        ) / max(1, self.count)
        farthest = [float(np.abs(chunk - self._mean).max(initial=0)) for _, chunk in self._raw()]
        self.scale = max(farthest, default=0) or 1.0
        self.total = sum(float((chunk.astype(np.float64) ** 2).sum()) for _, chunk in self._chunks())

    def square_of_columns(self) -> NDArray[np.float64]:
        square = np.zeros((self.dimensions, self.dimensions))
        for _, chunk in self._chunks():
            square += chunk.T @ chunk
        return square

    def square_of_rows(self) -> NDArray[np.float64]:
        whole = np.concatenate([chunk for _, chunk in self._chunks()])
        square: NDArray[np.float64] = (whole @ whole.T).astype(np.float64)
        return square

    def times(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        product = np.empty((self.count, columns.shape[1]))
        single = columns.astype(np.float32)
        for begin, chunk in self._chunks():
            product[begin : begin + len(chunk)] = chunk @ single
        return product

    def transposed_times(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        product = np.zeros((self.dimensions, columns.shape[1]))
        single = columns.astype(np.float32)
        for begin, chunk in self._chunks():
            product += chunk.T @ single[begin : begin + len(chunk)]
        return product

    def _chunks(self) -> Iterator[tuple[int, Matrix]]:
        for begin, chunk in self._raw():
            yield begin, ((chunk - self._mean) / self.scale).astype(np.float32)

    def _raw(self) -> Iterator[tuple[int, Matrix]]:
        rows = max(1, _CHUNK_NUMBERS // max(1, self.dimensions))
        for begin in range(0, self.count, rows):
            yield begin, self._vectors[begin : begin + rows]
