"""Landscapes, meshes, embeddings and layouts of charts."""

from __future__ import annotations

import numpy as np
import pytest

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.values import chart_layouts, landscapes, meshes
from mindinsight_like.values.chart_layouts import Category, Chart, Margin
from mindinsight_like.values.embeddings import embeddings
from mindinsight_like.values.meshes import MeshPart
from mindinsight_like.values.records import BadValue, Record, Window
from mindinsight_like.writers.encoding import mindspore, tensorboard, visualdl, wire
from mindinsight_like.writers.encoding.chart_layout import chart_layout
from mindinsight_like.writers.encoding.meshes import mesh, mesh_parts

SURFACE = {"x": np.array([0.0, 1.0]), "y": np.array([0.0, 1.0, 2.0]), "z": np.arange(6.0).reshape(3, 2)}


def test_a_landscape_with_path(mindspore_record):
    path = {"path": ([0.5, 0.0], [1.0, 0.0], [3.0, 2.0]), "intervals": [4, 8], "convergence_point": (0, 0, 2)}
    written = mindspore.loss_landscape(SURFACE | path | {"unit": "epoch", "step_per_epoch": 7})

    found = landscapes.decode(mindspore_record(mindspore.landscape("l", written)))

    assert (found.x.tolist(), found.y.tolist(), found.z.tolist()) == ([0, 1], [0, 1, 2], [[0, 1], [2, 3], [4, 5]])
    assert found.path is not None and found.path.z is not None
    assert (found.path.intervals, found.path.z.tolist(), found.convergence) == ([4, 8], [3, 2], (0, 0, 2))
    assert (found.decomposition, found.unit, found.step_per_epoch) == ("PCA", "epoch", 7)


def test_a_landscape_without_path(mindspore_record):
    found = landscapes.decode(mindspore_record(mindspore.landscape("l", mindspore.loss_landscape(SURFACE))))

    assert (found.path, found.convergence) == (None, None)


def tensor(array):
    sizes = b"".join(wire.integer(1, size) for size in array.shape)
    return sizes + wire.integer(2, 11) + wire.blob(3, array.astype("<f4").tobytes())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        wire.blob(1, b""),
        wire.blob(1, b"".join(wire.blob(axis, tensor(np.zeros(2))) for axis in (1, 2, 3))),
        mindspore.loss_landscape(SURFACE | {"path": ([0.5], [1.0], [3.0]), "intervals": [4, 8]}),
    ],
)
def test_what_is_no_landscape_is_refused(mindspore_record, content):
    with pytest.raises((BadValue, Malformed)):
        landscapes.decode(mindspore_record(mindspore.landscape("l", content)))


def test_parts_of_a_mesh(tensorboard_record):
    points = np.arange(12.0).reshape(1, 4, 3)
    parts = mesh_parts(points, None, np.array([[[0, 1, 2]]]))

    found = [meshes.decode(tensorboard_record(value)) for value in mesh("m", parts, {"camera": 1})]

    assert found == [
        MeshPart("m", "vertices", (1, 4, 3), '{"camera": 1}'),
        MeshPart("m", "faces", (1, 1, 3), '{"camera": 1}'),
    ]
    vertices = meshes.decode_tensor(tensorboard_record(mesh("m", parts, None)[0]))
    np.testing.assert_array_equal(vertices.array, points)


@pytest.mark.parametrize(("tag", "content"), [("m_VERTEX", "vertices"), ("m_2", "faces"), ("m_COLOR", "colors")])
def test_parts_without_description_are_told_by_their_tag(tensorboard_record, tag, content):
    found = meshes.decode(tensorboard_record(tensorboard.tensor(tag, np.zeros((1, 4, 3)), plugin="mesh")))

    assert found == MeshPart("m", content, (1, 4, 3), "")


@pytest.mark.parametrize(
    "written",
    [
        tensorboard.tensor("m", np.zeros((1, 4, 3)), plugin="mesh"),
        tensorboard.tensor("m_1", np.zeros((4, 3)), plugin="mesh"),
        tensorboard.tensor("m_1", np.zeros((1, 4, 2)), plugin="mesh"),
        tensorboard.strings("m_1", [b"x"], shape=(), plugin="mesh"),
        b"",
    ],
)
def test_what_is_no_mesh_is_refused(tensorboard_record, written):
    with pytest.raises(BadValue):
        meshes.decode(tensorboard_record(written))


def test_a_large_mesh_is_described_without_being_read():
    value = mesh("m", mesh_parts(np.zeros((1, 100_000, 3)), None, None), {"camera": 1})[0]
    read = []

    def piece(begin: int, count: int) -> bytes:
        read.append(count)
        return value[begin : begin + count]

    found = meshes.decode(Record(Dialect.TENSORBOARD, Window(piece, len(value))))

    assert found == MeshPart("m", "vertices", (1, 100_000, 3), '{"camera": 1}')
    assert sum(read) < 10_000 < len(value)


def mesh_tensor(*parts: bytes) -> bytes:
    """A value tagged as vertices; 1 x 2 x 3 numbers in single precision."""
    shape = b"".join(wire.blob(2, wire.integer(1, size)) for size in (1, 2, 3))
    return wire.text(1, "m_VERTEX") + wire.blob(8, wire.integer(1, 1) + wire.blob(2, shape) + b"".join(parts))


@pytest.mark.parametrize(
    "parts",
    [
        [wire.blob(4, bytes(24))],
        [wire.blob(5, bytes(24))],
        [wire.blob(5, bytes(4))],  # one number stands for all
        [wire.blob(5, bytes(4))] * 6,
    ],
)
def test_numbers_of_a_mesh_in_every_form(tensorboard_record, parts):
    assert meshes.decode(tensorboard_record(mesh_tensor(*parts))).shape == (1, 2, 3)


@pytest.mark.parametrize("parts", [[wire.blob(4, bytes(20))], [wire.blob(5, bytes(28))], [wire.blob(4, b"")]])
def test_a_mesh_whose_numbers_do_not_fit_its_shape_is_refused(tensorboard_record, parts):
    with pytest.raises(BadValue, match="do not fit"):
        meshes.decode(tensorboard_record(mesh_tensor(*parts)))


def test_embeddings_of_each_dialect(visualdl_record):
    vectors = np.arange(6, dtype="<f4").reshape(3, 2)
    labels = [["a", "x"], ["b", "y"], ["c", "z"]]
    word = wire.blob(1, wire.text(5, "w") + wire.blob(10, vectors[1].tobytes()))

    found = embeddings.decode(visualdl_record(visualdl.embeddings(map(bytes, vectors), labels, ["one", "two"])))
    old = embeddings.decode(Record(Dialect.VISUALDL_LEGACY, word))

    np.testing.assert_array_equal(found.vectors, vectors)
    assert (found.labels, found.header) == (labels, ["one", "two"])
    assert (old.vectors.tolist(), old.labels) == ([[2, 3]], [["w"]])


@pytest.mark.parametrize(
    "content",
    [
        visualdl.embeddings([], [], []),
        visualdl.embeddings([bytes(8), bytes(4)], [["a"], ["b"]], []),
        visualdl.text("x"),
    ],
)
def test_what_is_no_embedding_is_refused(visualdl_record, content):
    with pytest.raises(BadValue):
        embeddings.decode(visualdl_record(content))


def test_a_layout_of_charts(tensorboard_record):
    written = chart_layout(
        {"first": {"one": ["Multiline", ["a/.*", "b"]], "two": ["Margin", ["v", "l", "u"]]}, "last": {}}
    )

    found = chart_layouts.decode(tensorboard_record(written))

    charts = [Chart("one", ["a/.*", "b"], []), Chart("two", [], [Margin("v", "l", "u")])]
    assert found.categories == [Category("first", False, charts), Category("last", False, [])]


@pytest.mark.parametrize(
    "written",
    [
        tensorboard.strings("c", [b"\xff"], shape=(), plugin="custom_scalars"),
        tensorboard.strings("c", [b"", b""], shape=(2,), plugin="custom_scalars"),
        tensorboard.tensor("c", np.zeros(3), plugin="custom_scalars"),
    ],
)
def test_what_is_no_layout_is_refused(tensorboard_record, written):
    with pytest.raises((BadValue, Malformed)):
        chart_layouts.decode(tensorboard_record(written))
