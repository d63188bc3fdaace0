"""What comes out of projections: the right components, neighbours that stay together, odd vectors left out."""

from __future__ import annotations

import numpy as np
import pytest

from mindinsight_like.projections.methods import CannotProject, project
from mindinsight_like.projections.neighbours import nearest
from mindinsight_like.projections.pca import principal_components
from mindinsight_like.projections.request import COSINE, METHODS, PCA, ProjectionRequest

RANDOM = np.random.default_rng(7)


def _quiet(progress, stage, points):
    """Nobody watches."""


def _clusters(count, dimensions, *, groups=3):
    labels = np.arange(count) % groups
    middles = RANDOM.normal(size=(groups, dimensions)) * 20
    return (middles[labels] + RANDOM.normal(size=(count, dimensions))).astype(np.float32), labels


@pytest.mark.parametrize(
    ("count", "dimensions"), [(200, 5), (50, 300), (60, 3000), (2500, 2600)], ids=["long", "wide", "wider", "large"]
)
def test_components_are_those_of_the_singular_value_decomposition(count, dimensions):
    strengths = 30.0 * 0.5 ** np.arange(min(count, dimensions, 12))
    first = RANDOM.normal(size=(count, len(strengths))) * strengths
    second = RANDOM.normal(size=(len(strengths), dimensions))

    found = principal_components((first @ second + 100).astype(np.float32), 4)

    # Of the product of two thin matrices the decomposition follows from one of a small matrix, which is quick.
    outer, rest = np.linalg.qr(first - first.mean(axis=0))
    inner, values, _ = np.linalg.svd(rest @ np.linalg.qr(second.T)[1].T)
    expected = (outer @ inner * values)[:, :4]
    for column in range(4):
        sign = np.sign(found.points[:, column] @ expected[:, column])
        np.testing.assert_allclose(found.points[:, column] * sign, expected[:, column], atol=values[0] * 2e-3)
    np.testing.assert_allclose(found.explained, (values**2 / (values**2).sum())[:4], atol=2e-3)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_components_of_tiny_and_huge_numbers_are_finite(scale):
    found = principal_components((RANDOM.normal(size=(20, 3)) * scale).astype(np.float32), 3)

    assert np.isfinite(found.points).all()
    assert sum(found.explained) == pytest.approx(1, abs=1e-3)


def test_equal_vectors_lie_in_one_place():
    found = principal_components(np.full((5, 4), 3, np.float32), 3)

    assert not found.points.any()
    assert found.explained == [0, 0, 0]


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("method", METHODS)
def test_neighbours_stay_together(method, dimensions):
    vectors, labels = _clusters(60, 8)
    stages = []

    found = project(
        vectors,
        ProjectionRequest(method, dimensions=dimensions, perplexity=10, iterations=250, neighbours=10),
        lambda progress, stage, points: stages.append((progress, stage)),
    )

    places = found.points[:, :dimensions]
    distances = np.linalg.norm(places[:, None] - places[None], axis=2) + np.where(np.eye(60), np.inf, 0)
    assert (labels[distances.argmin(axis=1)] == labels).all()
    assert found.points.shape == (60, 8 if method == PCA else dimensions)
    assert [progress for progress, _ in stages] == sorted(progress for progress, _ in stages)
    assert all(0 <= progress <= 1 for progress, _ in stages)


@pytest.mark.parametrize("method", METHODS)
def test_vectors_that_are_not_finite_have_no_place_and_disturb_nobody(method):
    vectors, _ = _clusters(30, 4)
    vectors[3, 1] = np.nan
    vectors[7] = np.inf

    found = project(vectors, ProjectionRequest(method, dimensions=2, iterations=20), _quiet)

    assert np.flatnonzero(np.isnan(found.points).any(axis=1)).tolist() == [3, 7]
    assert np.isfinite(np.delete(found.points, [3, 7], axis=0)).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [4, 5])
def test_few_points_are_enough(method, count):
    vectors, _ = _clusters(count, 3, groups=2)

    found = project(vectors, ProjectionRequest(method, dimensions=2, iterations=20), _quiet)

    assert np.isfinite(found.points).all()


@pytest.mark.parametrize(
    ("vectors", "method", "why"),
    [
        (np.zeros((3, 2), np.float32), "tsne", "at least 4 points"),
        (np.full((9, 2), np.nan, np.float32), "pca", "finite"),
    ],
)
def test_what_cannot_be_projected_says_why(vectors, method, why):
    with pytest.raises(CannotProject, match=why):
        project(vectors, ProjectionRequest(method), _quiet)


def test_by_the_cosine_only_directions_matter():
    vectors = np.array([[1, 0], [9, 0.1], [0, 1], [0.1, 7], [-3, 0]], np.float32)

    found = project(vectors, ProjectionRequest(PCA, metric=COSINE), _quiet)

    gaps = np.linalg.norm(found.points - found.points[0], axis=1)
    assert gaps[1] < 0.1 < gaps[2] < gaps[4]


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_the_nearest_are_those_of_a_look_at_all(metric):
    vectors, _ = _clusters(300, 6)
    vectors[5] = np.nan
    vectors[9] = 0

    found = nearest(vectors, 17, 12, metric)

    wide = vectors.astype(np.float64)
    if metric == "cosine":
        lengths = np.linalg.norm(wide, axis=1)
        distances = 1 - wide @ wide[17] / np.where(lengths > 0, lengths, 1) / lengths[17]
    else:
        distances = np.linalg.norm(wide - wide[17], axis=1)
    distances[[5, 17]] = np.inf
    order = np.argsort(distances, kind="stable")[:12]
    assert found.points.tolist() == order.tolist()
    np.testing.assert_allclose(found.distances, distances[order], atol=1e-9)


def test_a_point_has_no_more_neighbours_than_there_are():
    found = nearest(np.eye(3, dtype=np.float32), 0, 50, "euclidean")

    assert found.points.tolist() == [1, 2]
