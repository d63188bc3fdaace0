"""Compute a projection: drop non-finite vectors, call the library, report progress."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.projections.pca import Matrix, principal_components
from mindinsight_like.projections.request import COSINE, PCA, TSNE, ProjectionRequest, how_to_install, name_of

COMPONENTS = 10  # of PCA, to choose from
_PCA_DIMENSIONS = 100  # neighbours are looked for among so many dimensions; what PCA leaves out of more is mostly noise
_MIN_POINTS = 4  # points, for methods that look at neighbours
_MAX_SEEDED_POINTS = 10_000  # with more points UMAP uses all processors, at the price of another picture each time
_MAX_SINGLE_THREAD_POINTS = 2_000  # so few points are placed as fast by one processor
_REPORT_EVERY = 5  # iterations of t-SNE between two reports


class CannotProject(ValueError):
    """The vectors and the method do not go together; the message is for people."""


@dataclass(frozen=True)
class Projected:
    points: Matrix  # a row per vector; NaN for vectors that are not finite
    explained: list[float]  # of PCA: the share of the variance of each component


# How far it is (0 to 1), what is done now, and the points as they are at this moment if there are any
Report = Callable[[float, str, Matrix | None], None]


def project(vectors: Matrix, request: ProjectionRequest, report: Report) -> Projected:
    """The vectors by the asked method; raises CannotProject."""
    is_good = np.isfinite(vectors).all(axis=1)
    good = vectors if is_good.all() else vectors[is_good]
    if not len(good):
        raise CannotProject("no vector has only finite numbers")
    if request.metric == COSINE:
        good = _normalise(good)

    def spread(points: NDArray[Any]) -> Matrix:
        whole = np.full((len(vectors), points.shape[1]), np.nan, np.float32)
        whole[is_good] = points
        return whole

    if request.method == PCA:
        report(0.1, "components", None)
        components = principal_components(good, COMPONENTS)
        return Projected(spread(components.points), components.explained)
    if len(good) < _MIN_POINTS:
        raise CannotProject(f"{name_of(request.method)} needs at least {_MIN_POINTS} points with finite numbers")
    report(0.01, "components", None)
    start = _initial_layout(good, request.dimensions)
    near = (
        principal_components(good, _PCA_DIMENSIONS).points
        if good.shape[1] > _PCA_DIMENSIONS
        else np.ascontiguousarray(good)
    )
    report(0.05, "neighbours", spread(start))

    def report_layout(part: float, now: Matrix | None) -> None:
        report(part, "layout", None if now is None else spread(now))

    try:
        points = (_tsne if request.method == TSNE else _umap)(near, start, request, report_layout)
    except ImportError as error:
        raise CannotProject(f"{how_to_install(request.method)} ({error})") from error
    return Projected(spread(points), [])


def _normalise(vectors: Matrix) -> Matrix:
    """Distances between vectors of one length follow the angle between them."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    return (vectors / np.where(lengths > 0, lengths, 1)[:, None]).astype(np.float32)


def _initial_layout(vectors: Matrix, dimensions: int) -> NDArray[np.float64]:
    """Where the points begin: their strongest components, of unit spread, with a little noise to part equal ones."""
    components = principal_components(vectors, dimensions).points.astype(np.float64)
    start = np.zeros((len(vectors), dimensions))
    start[:, : components.shape[1]] = components / (components[:, :1].std() or 1.0)
    return start + np.random.default_rng(0).normal(scale=1e-3, size=start.shape)


_Layout = Callable[[float, Matrix | None], None]


def _tsne(near: Matrix, start: NDArray[np.float64], request: ProjectionRequest, report: _Layout) -> NDArray[Any]:
    import openTSNE

    # As many neighbours as three times the perplexity are looked at, and there must be so many.
    perplexity = min(request.perplexity, (len(near) - 1) / 3)
    early = max(1, request.iterations // 3)
    done = 0

    def step(_iteration: int, _error: float, points: NDArray[Any]) -> None:
        nonlocal done
        done += _REPORT_EVERY
        report(0.15 + 0.85 * min(1, done / request.iterations), np.asarray(points, np.float32))

    processors = _processors() if len(near) > _MAX_SINGLE_THREAD_POINTS else 1
    affinities = openTSNE.affinity.PerplexityBasedNN(near, perplexity, n_jobs=processors, random_state=0)
    report(0.15, None)
    layout = openTSNE.TSNE(
        n_components=request.dimensions,
        early_exaggeration_iter=early,
        n_iter=max(1, request.iterations - early),
        # The quicker interpolation works in two dimensions only, and needs many points to be quicker.
        negative_gradient_method="fft" if request.dimensions == 2 and len(near) > _MAX_SEEDED_POINTS else "bh",
        n_jobs=processors,
        random_state=0,
        callbacks=step,
        callbacks_every_iters=_REPORT_EVERY,
    )
    return np.asarray(layout.fit(affinities=affinities, initialization=start * 1e-4))


def _umap(near: Matrix, start: NDArray[np.float64], request: ProjectionRequest, report: _Layout) -> NDArray[Any]:
    from umap import UMAP

    is_seeded = len(near) <= _MAX_SEEDED_POINTS
    reducer = UMAP(
        n_components=request.dimensions,
        n_neighbors=min(request.neighbours, len(near) - 1),
        min_dist=request.min_distance,
        init=start,
        random_state=0 if is_seeded else None,
        n_jobs=1 if is_seeded else _processors(),
        tqdm_kwds={"file": _Counter(report), "bar_format": "{n_fmt}/{total_fmt}", "mininterval": 0.2, "disable": False},
    )
    return np.asarray(reducer.fit_transform(near))


class _Counter:
    """Takes what a progress bar writes, `12/200` each time, and reports it."""

    def __init__(self, report: _Layout) -> None:
        self._report = report

    def write(self, text: str) -> None:
        done, slash, total = text.strip().partition("/")
        if slash and done.isdigit() and total.isdigit() and int(total):
            self._report(0.3 + 0.7 * int(done) / int(total), None)

    def flush(self) -> None:
        """Nothing is held back."""


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
