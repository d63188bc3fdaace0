"""Every kind of value is recognised, with its number or its place in the file."""

from __future__ import annotations

import math
import random
import struct

import pytest

from mindinsight_like.logs.framing import frame
from mindinsight_like.logs.kinds import Dialect, Kind, series_key
from mindinsight_like.logs.reference.scan import Scanner
from mindinsight_like.writers.encoding import wire

from .messages import event, framed, metadata, tagged
from .reading import assert_same, blobs_of, points_of, same_number, scan

TB = Dialect.TENSORBOARD


def _shape(*sizes: int) -> bytes:
    return wire.blob(2, b"".join(wire.blob(2, wire.integer(1, size)) for size in sizes))


def _tensor(dtype: int, *fields: bytes, shape: bytes = b"") -> bytes:
    return wire.blob(8, wire.integer(1, dtype) + shape + b"".join(fields))


def _content(form: str, value: float) -> bytes:
    return wire.blob(4, struct.pack(form, value))


def _listed(field: int, *numbers: int) -> bytes:
    return wire.blob(field, b"".join(map(wire.varint, numbers)))


NAN = math.nan
NUMBERS = [
    ("float content", _tensor(1, _content("<f", 0.5)), 0.5),
    ("float listed", _tensor(1, wire.blob(5, struct.pack("<f", -2.5))), -2.5),
    ("float listed without packing", _tensor(1, wire.single(5, 7.0)), 7.0),
    ("float NaN", _tensor(1, _content("<f", NAN)), NAN),
    ("float infinite", _tensor(1, _content("<f", -math.inf)), -math.inf),
    ("double content", _tensor(2, _content("<d", 0.1)), 0.1),
    ("double listed", _tensor(2, wire.blob(6, struct.pack("<d", 1e300))), 1e300),
    ("int32 content", _tensor(3, _content("<i", -7)), -7),
    ("int32 listed", _tensor(3, _listed(7, -7)), -7),
    ("int32 listed without packing", _tensor(3, wire.integer(7, 12)), 12),
    ("uint8 content", _tensor(4, _content("<B", 200)), 200),
    ("uint8 listed", _tensor(4, _listed(7, 200)), 200),
    ("int16 content", _tensor(5, _content("<h", -300)), -300),
    ("int16 listed", _tensor(5, _listed(7, -300)), -300),
    ("int8 content", _tensor(6, _content("<b", -3)), -3),
    ("int64 content", _tensor(9, _content("<q", -(2**40))), -(2.0**40)),
    ("int64 listed", _tensor(9, _listed(10, 2**62)), 2.0**62),
    ("int64 too fine for a double", _tensor(9, _listed(10, 2**53 + 1)), 2.0**53),
    ("bool content", _tensor(10, _content("<?", True)), 1),
    ("bool listed", _tensor(10, _listed(11, 1)), 1),
    ("bfloat16 content", _tensor(14, wire.blob(4, b"\xc0\x3f")), 1.5),
    ("bfloat16 listed", _tensor(14, _listed(13, 0x3FC0)), 1.5),
    ("uint16 content", _tensor(17, _content("<H", 60_000)), 60_000),
    ("half content", _tensor(19, _content("<e", 0.333251953125)), 0.333251953125),
    ("half listed", _tensor(19, _listed(13, 0x3C00)), 1.0),
    ("uint32 content", _tensor(22, _content("<I", 2**32 - 1)), 2.0**32 - 1),
    ("uint32 listed", _tensor(22, _listed(16, 2**32 - 1)), 2.0**32 - 1),
    ("uint64 content", _tensor(23, _content("<Q", 2**64 - 1)), 2.0**64),
    ("uint64 listed", _tensor(23, _listed(17, 2**63)), 2.0**63),
    ("zero that left no bytes", _tensor(1), 0.0),
    ("shape of one element", _tensor(1, _content("<f", 4.0), shape=_shape(1, 1)), 4.0),
    ("no dimensions", _tensor(1, _content("<f", 4.0), shape=_shape()), 4.0),
]
NO_NUMBERS = [
    ("two elements", _tensor(1, wire.blob(4, bytes(8)), shape=_shape(2))),
    ("two listed", _tensor(3, _listed(7, 1, 2))),
    ("filled from one element", _tensor(1, wire.single(5, 1.0), shape=_shape(3))),
    ("empty", _tensor(1, shape=_shape(0))),
    ("unknown rank", _tensor(1, _content("<f", 1.0), shape=wire.blob(2, wire.integer(3, 1)))),
    ("string", _tensor(7, wire.blob(8, b"text"))),
    ("complex", _tensor(8, wire.blob(4, bytes(8)))),
    ("content of a wrong size", _tensor(1, wire.blob(4, bytes(3)))),
    ("no type", wire.blob(8, wire.blob(4, bytes(4)))),
]


@pytest.mark.parametrize(("tensor", "value"), [row[1:] for row in NUMBERS], ids=[row[0] for row in NUMBERS])
def test_a_tensor_of_one_number_is_a_scalar(scanner_type: type[Scanner], tensor: bytes, value: float) -> None:
    batch = scan(scanner_type, TB, frame(event(3, 4.0, tagged("loss", metadata("scalars"), tensor))))

    ((step, wall, found),) = points_of(batch)[series_key(Kind.SCALAR, "loss")]
    assert (step, wall) == (3, 4.0)
    assert same_number(found, value)
    assert batch.damage == []


@pytest.mark.parametrize("tensor", [row[1] for row in NO_NUMBERS], ids=[row[0] for row in NO_NUMBERS])
def test_any_other_tensor_stays_a_tensor(scanner_type: type[Scanner], tensor: bytes) -> None:
    batch = scan(scanner_type, TB, frame(event(3, 4.0, tagged("loss", metadata("scalars"), tensor))))

    assert list(blobs_of(batch)) == [series_key(Kind.TENSOR, "loss")]
    assert batch.damage == []


def test_every_half_float_is_read_exactly(both_scanners: tuple[type[Scanner], type[Scanner]]) -> None:
    values = [tagged(f"{bits}", metadata("scalars"), _tensor(19, _listed(13, bits))) for bits in range(0, 65_536, 7)]
    data = frame(event(0, 0.0, *values))

    twin, native = (scan(one, TB, data) for one in both_scanners)

    assert_same(twin, native)


PLUGINS = [
    ("histograms", Kind.HISTOGRAM),
    ("images", Kind.IMAGE),
    ("audio", Kind.AUDIO),
    ("text", Kind.TEXT),
    ("pr_curves", Kind.PR_CURVE),
    ("mesh", Kind.MESH),
    ("hparams", Kind.HPARAMS),
    ("custom_scalars", Kind.CUSTOM_SCALARS),
    ("graph_keras_model", Kind.GRAPH),
    ("graph_run_metadata_graph", Kind.GRAPH),
    ("somebody's own", Kind.TENSOR),
]


@pytest.mark.parametrize(("plugin", "kind"), PLUGINS)
def test_the_plugin_names_the_kind_of_a_tensor(scanner_type: type[Scanner], plugin: str, kind: Kind) -> None:
    value = tagged("x", metadata(plugin), _tensor(1, _content("<f", 1.0)))
    data = frame(event(3, 4.0, value))

    batch = scan(scanner_type, TB, data)

    ((step, wall, offset, length),) = blobs_of(batch)[series_key(kind, "x")]
    assert (step, wall) == (3, 4.0)
    assert data[offset : offset + length] == value


def test_the_data_class_tells_scalars_of_unknown_plugins(scanner_type: type[Scanner]) -> None:
    value = tagged("x", metadata("somebody's own", data_class=1), _tensor(1, _content("<f", 1.0)))

    batch = scan(scanner_type, TB, frame(event(3, 4.0, value)))

    assert points_of(batch) == {series_key(Kind.SCALAR, "x"): [(3, 4.0, 1.0)]}


def test_a_tag_keeps_the_kind_of_its_first_value(scanner_type: type[Scanner]) -> None:
    number, text = _tensor(1, _content("<f", 1.0)), _tensor(7, wire.blob(8, b"words"))
    first = frame(event(1, 0.0, tagged("loss", metadata("scalars"), number), tagged("note", metadata("text"), text)))
    later = frame(event(2, 0.0, tagged("loss", number), tagged("note", text), tagged("other", number)))
    before = scanner_type(TB)
    before.feed(first, at_end=True)
    known = before.take().keys

    in_one_go = scan(scanner_type, TB, first + later)
    resumed = scan(scanner_type, TB, later, keys=known)

    assert [step for step, *_ in points_of(in_one_go)[series_key(Kind.SCALAR, "loss")]] == [1, 2]
    assert [step for step, *_ in blobs_of(in_one_go)[series_key(Kind.TEXT, "note")]] == [1, 2]
    assert list(points_of(resumed, known)) == [series_key(Kind.SCALAR, "loss")]
    assert list(blobs_of(resumed, known)) == [series_key(Kind.TEXT, "note"), series_key(Kind.TENSOR, "other")]


VALUE_FIELDS = [
    (TB, wire.blob(4, wire.integer(1, 8) + wire.blob(4, b"\x89PNG...")), Kind.IMAGE),
    (TB, wire.blob(4, wire.integer(1, 8) + wire.blob(4, b"GIF89a...")), Kind.VIDEO),
    (TB, wire.blob(4, b""), Kind.IMAGE),
    (TB, wire.blob(5, wire.double(1, 0.0)), Kind.HISTOGRAM),
    (TB, wire.blob(6, wire.blob(4, b"RIFF")), Kind.AUDIO),
    (TB, metadata("hparams", content=b"..."), Kind.HPARAMS),
    (Dialect.MINDSPORE, wire.blob(4, b""), Kind.IMAGE),
    (Dialect.MINDSPORE, wire.blob(8, b""), Kind.TENSOR),
    (Dialect.MINDSPORE, wire.blob(9, b""), Kind.HISTOGRAM),
    (Dialect.MINDSPORE, wire.blob(10, b""), Kind.LANDSCAPE),
]


@pytest.mark.parametrize(("dialect", "field", "kind"), VALUE_FIELDS)
def test_the_field_names_the_kind(scanner_type: type[Scanner], dialect: Dialect, field: bytes, kind: Kind) -> None:
    value = tagged("x", field)
    data = frame(event(3, 4.0, tagged("first", wire.single(2, 1.0)), value))

    batch = scan(scanner_type, dialect, data)

    ((step, wall, offset, length),) = blobs_of(batch)[series_key(kind, "x")]
    assert (step, wall) == (3, 4.0)
    assert data[offset : offset + length] == value


@pytest.mark.parametrize(
    "field", [b"", metadata("scalars"), metadata("text"), wire.blob(3, b"old"), wire.integer(2, 9)]
)
def test_a_value_without_content_is_passed_over(scanner_type: type[Scanner], field: bytes) -> None:
    batch = scan(scanner_type, TB, frame(event(3, 4.0, tagged("x", field))))

    assert batch.keys == []
    assert batch.damage == []


def test_parts_of_an_event_beside_the_summary(scanner_type: type[Scanner]) -> None:
    head = wire.double(1, 5.0) + wire.integer(2, 9)
    metadata_of_run = wire.text(1, "step 9") + wire.blob(2, b"...")
    parts = {
        series_key(Kind.GRAPH, "graph"): (4, b"graph bytes"),
        series_key(Kind.GRAPH, "meta_graph"): (9, b"meta graph bytes"),
        series_key(Kind.RUN_METADATA, "step 9"): (8, metadata_of_run),
        series_key(Kind.SESSION, "start"): (7, wire.integer(1, 1)),
        series_key(Kind.SESSION, "stop"): (7, wire.integer(1, 2)),
        series_key(Kind.SESSION, "checkpoint"): (7, wire.integer(1, 3) + wire.text(2, "/model")),
    }
    ignored = [head + wire.text(3, "brain.Event:2"), head + wire.blob(6, b"log"), head + wire.blob(7, b"")]
    data = b"".join(map(frame, [*ignored, *(head + wire.blob(field, content) for field, content in parts.values())]))

    batch = scan(scanner_type, TB, data)

    found = blobs_of(batch)
    assert list(found) == list(parts)
    for key, (_, content) in parts.items():
        ((step, wall, offset, length),) = found[key]
        assert (step, wall) == (9, 5.0)
        assert data[offset : offset + length] == content


def test_mindspore_graph_and_explanation(scanner_type: type[Scanner]) -> None:
    data = frame(wire.double(1, 5.0) + wire.blob(4, b"graph")) + frame(wire.double(1, 6.0) + wire.blob(6, b"explain"))

    found = blobs_of(scan(scanner_type, Dialect.MINDSPORE, data))

    assert {key: data[rows[0][2] :][: rows[0][3]] for key, rows in found.items()} == {
        series_key(Kind.GRAPH, "graph"): b"graph",
        series_key(Kind.EXPLAIN, "explain"): b"explain",
    }


def test_lineage_points_at_whole_events(scanner_type: type[Scanner]) -> None:
    names = {6: "train", 7: "evaluation", 9: "dataset_graph", 10: "user_defined"}
    events = [wire.double(1, 5.0) + wire.blob(field, b"...") for field in names]
    data = b"".join(map(frame, events))

    found = blobs_of(scan(scanner_type, Dialect.MINDSPORE_LINEAGE, data))

    assert list(found) == [series_key(Kind.LINEAGE, name) for name in names.values()]
    assert [data[rows[0][2] :][: rows[0][3]] for rows in found.values()] == events


VISUALDL_FIELDS = {
    5: Kind.IMAGE,
    6: Kind.AUDIO,
    7: Kind.EMBEDDING,
    8: Kind.HISTOGRAM,
    9: Kind.PR_CURVE,
    10: Kind.META,
    11: Kind.ROC_CURVE,
    12: Kind.TEXT,
    13: Kind.HPARAMS,
}


@pytest.mark.parametrize("field", VISUALDL_FIELDS)
def test_visualdl_kinds(scanner_type: type[Scanner], field: int) -> None:
    value = wire.integer(1, 7) + wire.text(2, "x") + wire.integer(3, 1_700_000_000_123) + wire.blob(field, b"")
    data = framed(Dialect.VISUALDL, wire.blob(1, value))

    batch = scan(scanner_type, Dialect.VISUALDL, data)

    assert blobs_of(batch) == {series_key(VISUALDL_FIELDS[field], "x"): [(7, 1_700_000_000.123, 10, len(value))]}


def test_visualdl_groups_of_scalars_have_sub_keys(scanner_type: type[Scanner]) -> None:
    def record(step: int, *inner: bytes) -> bytes:
        value = wire.integer(1, step, implicit=True) + wire.text(2, "pair") + wire.blob(14, b"".join(inner))
        return framed(Dialect.VISUALDL, wire.blob(1, value))

    data = (
        record(0, wire.text(1, "sin"))
        + record(0, wire.text(1, "cos"), wire.single(2, 1.0))
        + record(1, wire.text(1, "sin"), wire.single(2, 0.5))
        + record(1, wire.single(2, 3.0))
    )

    batch = scan(scanner_type, Dialect.VISUALDL, data)

    assert points_of(batch) == {
        series_key(Kind.SCALAR, "pair", "sin"): [(0, 0.0, 0.0), (1, 0.0, 0.5)],
        series_key(Kind.SCALAR, "pair", "cos"): [(0, 0.0, 1.0)],
        series_key(Kind.SCALAR, "pair"): [(1, 0.0, 3.0)],
    }


@pytest.mark.parametrize(("stamp", "wall"), [(1_700_000_000, 1.7e9), (1_700_000_000_500, 1_700_000_000.5), (-1, -1.0)])
def test_visualdl_times_are_seconds_or_milliseconds(scanner_type: type[Scanner], stamp: int, wall: float) -> None:
    value = wire.text(2, "x") + wire.integer(3, stamp) + wire.single(4, 1.0)

    batch = scan(scanner_type, Dialect.VISUALDL, framed(Dialect.VISUALDL, wire.blob(1, value)))

    assert batch.walls.tolist() == [wall]


def _tablet_record(step: int, *entry: bytes) -> bytes:
    return wire.blob(4, wire.blob(1, b"".join(entry)) + wire.integer(2, 1_500_000_000) + wire.integer(3, step))


def test_a_tablet_of_scalars(scanner_type: type[Scanner]) -> None:
    entries = [wire.single(6, 0.5), wire.integer(1, 2), wire.double(7, 0.1), wire.integer(2, -3), wire.integer(3, 4)]
    data = b"".join(_tablet_record(step, entry) for step, entry in enumerate(entries)) + wire.text(6, "loss")

    batch = scan(scanner_type, Dialect.VISUALDL_LEGACY, data, tag="train/scalars/loss")

    found = points_of(batch)[series_key(Kind.SCALAR, "train/scalars/loss")]
    assert found == [(step, 1.5e9, value) for step, value in enumerate([0.5, 0.0, 0.1, -3.0, 4.0])]


def test_a_tablet_of_pictures_is_read_as_far_as_it_goes(scanner_type: type[Scanner]) -> None:
    data = wire.integer(1, 2) + _tablet_record(0, wire.text(5, "a")) + _tablet_record(1, wire.text(5, "b"))

    for end in range(len(data)):
        batch = scan(scanner_type, Dialect.VISUALDL_LEGACY, data[:end], tag="images/x")
        assert batch.damage == []
        assert len(batch.blob_steps) == (end >= 2 + (len(data) - 2) // 2)


def test_a_broken_tablet_says_so(scanner_type: type[Scanner]) -> None:
    data = _tablet_record(0, wire.single(6, 0.5)) + b"\x07\x07\x07" + _tablet_record(1, wire.single(6, 0.5))

    batch = scan(scanner_type, Dialect.VISUALDL_LEGACY, data, tag="loss")

    assert [(one.offset, one.kind) for one in batch.damage] == [(data.index(b"\x07\x07\x07"), "unparsable")]
    assert len(batch.steps) == 1


def test_a_record_that_does_not_parse_leaves_nothing_behind(scanner_type: type[Scanner]) -> None:
    good, cut = tagged("good", wire.single(2, 1.0)), tagged("cut", wire.single(2, 1.0))[:-1]
    scanner = scanner_type(TB)

    scanner.feed(
        frame(event(1, 0.0, good, cut)) + frame(event(2, 0.0, tagged("later", wire.single(2, 2.0)))), at_end=True
    )
    batch = scanner.take()

    assert batch.keys == [series_key(Kind.SCALAR, "later")]
    assert batch.steps.tolist() == [2]
    assert [(one.offset, one.kind) for one in batch.damage] == [(0, "unparsable")]


def _samples() -> list[tuple[Dialect, bytes]]:
    tensors = [tagged("a", metadata("scalars", data_class=1), tensor) for _, tensor, _ in NUMBERS]
    others = [tagged("b", metadata(plugin), _tensor(1, _content("<f", 1.0))) for plugin, _ in PLUGINS]
    plain = [tagged("c", field) for dialect, field, _ in VALUE_FIELDS if dialect == TB]
    bare = [tagged("d", tensor) for _, tensor, _ in NUMBERS]
    events = [event(5, 6.0, value) for value in tensors + others + plain + bare]
    session = wire.double(1, 5.0) + wire.integer(2, 9) + wire.blob(7, wire.integer(1, 1))
    run = wire.double(1, 5.0) + wire.blob(8, wire.text(1, "run") + wire.blob(2, b"..."))
    mindspore = [event(5, 6.0, tagged("e", field)) for dialect, field, _ in VALUE_FIELDS if dialect != TB]
    lineage = wire.double(1, 5.0) + wire.blob(6, b"...") + wire.blob(7, b"...")
    head = wire.integer(1, 7) + wire.text(2, "f") + wire.integer(3, 1_700_000_000_123)
    visualdl = [wire.blob(1, head + wire.blob(field, b"ab")) for field in VISUALDL_FIELDS]
    grouped = wire.blob(1, head + wire.blob(14, wire.text(1, "sin") + wire.single(2, 0.5)))
    tablets = [wire.integer(1, kind) + _tablet_record(1, wire.single(6, 0.5)) for kind in range(6)]
    return [
        *((TB, one) for one in [*events, session, run]),
        *((Dialect.MINDSPORE, one) for one in mindspore),
        (Dialect.MINDSPORE_LINEAGE, lineage),
        *((Dialect.VISUALDL, one) for one in [*visualdl, grouped]),
        *((Dialect.VISUALDL_LEGACY, one) for one in tablets),
    ]


@pytest.mark.parametrize("seed", range(4))
def test_changed_messages_are_read_alike(both_scanners: tuple[type[Scanner], type[Scanner]], seed: int) -> None:
    draw = random.Random(seed)
    for dialect, sample in _samples() * 4:
        changed = bytearray(sample)
        for _ in range(draw.randrange(1, 3)):
            at = draw.randrange(len(changed))
            changed[at] = draw.choice([changed[at] ^ 1 << draw.randrange(8), draw.randrange(256), 0, 1])
        content = bytes(changed)
        data = content if dialect == Dialect.VISUALDL_LEGACY else framed(dialect, content)

        twin, native = (scan(one, dialect, data, tag="t") for one in both_scanners)

        assert_same(twin, native)
