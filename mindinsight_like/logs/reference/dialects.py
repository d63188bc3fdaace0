"""Find the values inside one record of each dialect, in plain Python.

A field of an unexpected wire type is skipped like an unknown one, as protobuf does, except in VisualDL's records: these
carry no checksum, and strictness is what tells a damaged one.

Over 400 lines, so that all dialects stand in the order of the native module that they are the reference of.
"""

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from mindinsight_like.logs.kinds import Kind
from mindinsight_like.logs.protobuf.schemas import mindspore_summary, visualdl_legacy
from mindinsight_like.logs.protobuf.schemas import visualdl as visualdl_schema
from mindinsight_like.logs.protobuf.schemas.mindspore_lineage import LineageEvent
from mindinsight_like.logs.protobuf.schemas.tensorboard import (
    DataClass,
    Event,
    SessionLog,
    Summary,
    SummaryMetadata,
    TaggedRunMetadata,
)
from mindinsight_like.logs.protobuf.schemas.tensorflow import DataType, TensorProto, TensorShapeProto
from mindinsight_like.logs.protobuf.schemas.visualdl_legacy import Entry, Tablet
from mindinsight_like.logs.protobuf.wire import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    Field,
    Malformed,
    double,
    fields,
    signed,
    single,
    varint,
)

_PLUGINS: Final = {
    b"scalars": Kind.SCALAR,
    b"histograms": Kind.HISTOGRAM,
    b"images": Kind.IMAGE,
    b"audio": Kind.AUDIO,
    b"text": Kind.TEXT,
    b"pr_curves": Kind.PR_CURVE,
    b"mesh": Kind.MESH,
    b"hparams": Kind.HPARAMS,
    b"custom_scalars": Kind.CUSTOM_SCALARS,
}
_SESSIONS: Final = {
    SessionLog.SessionStatus.START: b"start",
    SessionLog.SessionStatus.STOP: b"stop",
    SessionLog.SessionStatus.CHECKPOINT: b"checkpoint",
}
_LINEAGES: Final = {
    LineageEvent.train_lineage: b"train",
    LineageEvent.evaluation_lineage: b"evaluation",
    LineageEvent.dataset_graph: b"dataset_graph",
    LineageEvent.user_defined_info: b"user_defined",
}
_MINDSPORE: Final = {
    mindspore_summary.Summary.Value.image: Kind.IMAGE,
    mindspore_summary.Summary.Value.tensor: Kind.TENSOR,
    mindspore_summary.Summary.Value.histogram: Kind.HISTOGRAM,
    mindspore_summary.Summary.Value.loss_landscape: Kind.LANDSCAPE,
}
_VISUALDL: Final = {
    visualdl_schema.Record.Value.image: Kind.IMAGE,
    visualdl_schema.Record.Value.audio: Kind.AUDIO,
    visualdl_schema.Record.Value.embeddings: Kind.EMBEDDING,
    visualdl_schema.Record.Value.histogram: Kind.HISTOGRAM,
    visualdl_schema.Record.Value.pr_curve: Kind.PR_CURVE,
    visualdl_schema.Record.Value.meta_data: Kind.META,
    visualdl_schema.Record.Value.roc_curve: Kind.ROC_CURVE,
    visualdl_schema.Record.Value.text: Kind.TEXT,
    visualdl_schema.Record.Value.hparam: Kind.HPARAMS,
}
_TABLETS: Final = {
    Tablet.Type.HISTOGRAM: Kind.HISTOGRAM,
    Tablet.Type.IMAGE: Kind.IMAGE,
    Tablet.Type.TEXT: Kind.TEXT,
    Tablet.Type.AUDIO: Kind.AUDIO,
    Tablet.Type.EMBEDDING: Kind.EMBEDDING,
}
_CONTENTS: Final = (
    Summary.Value.obsolete_old_style_histogram,
    Summary.Value.image,
    Summary.Value.histo,
    Summary.Value.audio,
    Summary.Value.tensor,
)
_MILLISECONDS_FROM: Final = 100_000_000_000  # as seconds this would be the year 5138


class Item(NamedTuple):
    """A value of a record; `kind` is None when the tag's first value tells it, `value` is set when it is one number."""

    kind: Kind | None
    tag: bytes  # a VisualDL sub-key follows after a zero byte
    step: int
    wall: float
    value: float | None
    begin: int
    end: int


def tensorboard(data: bytes, begin: int, end: int) -> Iterator[Item]:
    """Values of a TensorBoard `Event`."""
    wall, step = _when(data, begin, end)
    for field in fields(data, begin, end):
        if field.wire != BYTES:
            continue
        if field.id == Event.graph_def:
            yield Item(Kind.GRAPH, b"graph", step, wall, None, field.begin, field.end)
        elif field.id == Event.meta_graph_def:
            yield Item(Kind.GRAPH, b"meta_graph", step, wall, None, field.begin, field.end)
        elif field.id == Event.summary:
            for value in _messages(data, field, Summary.value):
                yield from _tensorboard_value(data, value, step, wall)
        elif field.id == Event.session_log:
            status = 0
            for part in fields(data, field.begin, field.end):
                if part.id == SessionLog.status and part.wire == VARINT:
                    status = part.number
            if status in _SESSIONS:
                yield Item(Kind.SESSION, _SESSIONS[status], step, wall, None, field.begin, field.end)
        elif field.id == Event.tagged_run_metadata:
            tag = _bytes(data, field.begin, field.end, TaggedRunMetadata.tag)
            yield Item(Kind.RUN_METADATA, tag, step, wall, None, field.begin, field.end)


def mindspore(data: bytes, begin: int, end: int) -> Iterator[Item]:
    """Values of a MindSpore `Event`."""
    wall, step = _when(data, begin, end)
    for field in fields(data, begin, end):
        if field.wire != BYTES:
            continue
        if field.id == mindspore_summary.Event.graph_def:
            yield Item(Kind.GRAPH, b"graph", step, wall, None, field.begin, field.end)
        elif field.id == mindspore_summary.Event.explain:
            yield Item(Kind.EXPLAIN, b"explain", step, wall, None, field.begin, field.end)
        elif field.id == mindspore_summary.Event.summary:
            for value in _messages(data, field, mindspore_summary.Summary.value):
                yield from _mindspore_value(data, value, step, wall)


def mindspore_lineage(data: bytes, begin: int, end: int) -> Iterator[Item]:
    """The parts of a MindSpore `LineageEvent`, each pointing at the whole event."""
    wall, step = _when(data, begin, end)
    for field in fields(data, begin, end):
        if field.wire == BYTES and field.id in _LINEAGES:
            yield Item(Kind.LINEAGE, _LINEAGES[field.id], step, wall, None, begin, end)


def visualdl(data: bytes, begin: int, end: int) -> Iterator[Item]:
    """Values of a VisualDL 2.x `Record`; raises Malformed for anything its writer would not write."""
    if begin == end:
        raise Malformed("an empty record")
    for field in fields(data, begin, end):
        if field.id != visualdl_schema.Record.values or field.wire != BYTES:
            raise Malformed("no list of values")
        yield from _visualdl_value(data, field)


def tablet(data: bytes, begin: int, end: int, *, component: int, tag: bytes) -> Iterator[Item]:
    """The value of one `Record` of a VisualDL 1.x tablet that holds the given component."""
    wall, step, value, entries = 0.0, 0, 0.0, 0
    for field in fields(data, begin, end):
        if field.id == visualdl_legacy.Record.data and field.wire == BYTES:
            entries += 1
            if entries == 1 and component == Tablet.Type.SCALAR:
                value = _entry(data, field)
        elif field.id == visualdl_legacy.Record.timestamp and field.wire == VARINT:
            wall = _seconds(signed(field.number))
        elif field.id == visualdl_legacy.Record.id and field.wire == VARINT:
            step = signed(field.number)
    if component == Tablet.Type.SCALAR and entries:
        yield Item(Kind.SCALAR, tag, step, wall, value, begin, end)
    elif component in _TABLETS:
        yield Item(_TABLETS[component], tag, step, wall, None, begin, end)


def _when(data: bytes, begin: int, end: int) -> tuple[float, int]:
    """Time and step of an event, which have the same numbers in TensorBoard and MindSpore."""
    wall, step = 0.0, 0
    for field in fields(data, begin, end):
        if field.id == Event.wall_time and field.wire == FIXED64:
            wall = double(data, field.begin)
        elif field.id == Event.step and field.wire == VARINT:
            step = signed(field.number)
    return wall, step


def _seconds(stamp: int) -> float:
    return float(stamp) if stamp < _MILLISECONDS_FROM else stamp / 1000


def _messages(data: bytes, message: Field, number: int) -> Iterator[Field]:
    for field in fields(data, message.begin, message.end):
        if field.id == number and field.wire == BYTES:
            yield field


def _bytes(data: bytes, begin: int, end: int, number: int) -> bytes:
    value = b""
    for field in fields(data, begin, end):
        if field.id == number and field.wire == BYTES:
            value = data[field.begin : field.end]
    return value


def _tensorboard_value(data: bytes, message: Field, step: int, wall: float) -> Iterator[Item]:
    tag, plugin, chosen = b"", None, None
    for field in fields(data, message.begin, message.end):
        if field.wire == BYTES:
            if field.id == Summary.Value.tag:
                tag = data[field.begin : field.end]
            elif field.id == Summary.Value.metadata:
                plugin = _plugin(data, field)
            elif field.id in _CONTENTS:
                chosen = field
        elif field.id == Summary.Value.simple_value and field.wire == FIXED32:
            chosen = field
    kind: Kind | None = None
    value: float | None = None
    if chosen is None:
        if plugin != Kind.HPARAMS:
            return
        kind = plugin
    elif chosen.id == Summary.Value.simple_value:
        kind, value = Kind.SCALAR, single(data, chosen.begin)
    elif chosen.id == Summary.Value.image:
        picture = _bytes(data, chosen.begin, chosen.end, Summary.Image.encoded_image_string)
        kind = Kind.VIDEO if picture.startswith(b"GIF8") else Kind.IMAGE
    elif chosen.id == Summary.Value.histo:
        kind = Kind.HISTOGRAM
    elif chosen.id == Summary.Value.audio:
        kind = Kind.AUDIO
    elif chosen.id == Summary.Value.tensor:
        kind = plugin
        if kind in (None, Kind.SCALAR):
            value = _tensor_number(data, chosen)
    else:
        return
    yield Item(kind, tag, step, wall, value, message.begin, message.end)


def _plugin(data: bytes, metadata: Field) -> Kind | None:
    name, data_class = b"", 0
    for field in fields(data, metadata.begin, metadata.end):
        if field.id == SummaryMetadata.plugin_data and field.wire == BYTES:
            name = _bytes(data, field.begin, field.end, SummaryMetadata.PluginData.plugin_name)
        elif field.id == SummaryMetadata.data_class and field.wire == VARINT:
            data_class = field.number
    if name in _PLUGINS:
        return _PLUGINS[name]
    if name.startswith(b"graph_"):
        return Kind.GRAPH
    if data_class == DataClass.DATA_CLASS_SCALAR:
        return Kind.SCALAR
    return Kind.TENSOR if name else None


class _Number(NamedTuple):
    """How TensorFlow stores numbers of one data type."""

    content: str  # format of `tensor_content`
    field: int  # the field that lists values instead
    bits: int = 64  # significant bits of a listed integer
    signed: bool = True


_NUMBERS: Final = {
    DataType.DT_FLOAT: _Number("<f", TensorProto.float_val),
    DataType.DT_DOUBLE: _Number("<d", TensorProto.double_val),
    DataType.DT_INT32: _Number("<i", TensorProto.int_val, 32),
    DataType.DT_UINT8: _Number("<B", TensorProto.int_val, 32),
    DataType.DT_INT16: _Number("<h", TensorProto.int_val, 32),
    DataType.DT_INT8: _Number("<b", TensorProto.int_val, 32),
    DataType.DT_INT64: _Number("<q", TensorProto.int64_val),
    DataType.DT_BOOL: _Number("<?", TensorProto.bool_val),
    DataType.DT_BFLOAT16: _Number("bfloat16", TensorProto.half_val, 16, False),
    DataType.DT_UINT16: _Number("<H", TensorProto.int_val, 32),
    DataType.DT_HALF: _Number("<e", TensorProto.half_val, 16, False),
    DataType.DT_UINT32: _Number("<I", TensorProto.uint32_val, 32, False),
    DataType.DT_UINT64: _Number("<Q", TensorProto.uint64_val, 64, False),
}


def _tensor_number(data: bytes, tensor: Field) -> float | None:
    """The number in a tensor of one numeric element, or None for any other tensor."""
    dtype, content, single_element = 0, b"", True
    for field in fields(data, tensor.begin, tensor.end):
        if field.id == TensorProto.dtype and field.wire == VARINT:
            dtype = field.number
        elif field.id == TensorProto.tensor_shape and field.wire == BYTES:
            single_element &= _has_one_element(data, field)
        elif field.id == TensorProto.tensor_content and field.wire == BYTES:
            content = data[field.begin : field.end]
    storage = _NUMBERS.get(dtype)
    if storage is None or not single_element:
        return None
    if content:
        return _unpack(storage.content, content)
    listed = [value for field in _with_id(data, tensor, storage.field) for value in _listed(data, field, storage)]
    if len(listed) > 1:
        return None
    return listed[0] if listed else 0.0  # zero may be left out


def _has_one_element(data: bytes, shape: Field) -> bool:
    one = True
    for field in fields(data, shape.begin, shape.end):
        if field.id == TensorShapeProto.dim and field.wire == BYTES:
            size = 0
            for part in fields(data, field.begin, field.end):
                if part.id == TensorShapeProto.Dim.size and part.wire == VARINT:
                    size = part.number
            one &= size == 1
        elif field.id == TensorShapeProto.unknown_rank and field.wire == VARINT and field.number:
            one = False  # the rank is unknown
    return one


def _with_id(data: bytes, message: Field, number: int) -> Iterator[Field]:
    return (field for field in fields(data, message.begin, message.end) if field.id == number)


def _listed(data: bytes, field: Field, storage: _Number) -> Iterator[float]:
    if storage.field in (TensorProto.float_val, TensorProto.double_val):
        size, wire = (4, FIXED32) if storage.field == TensorProto.float_val else (8, FIXED64)
        if field.wire in (wire, BYTES):
            if (field.end - field.begin) % size:
                raise Malformed("a packed list of odd length")
            for begin in range(field.begin, field.end, size):
                yield single(data, begin) if size == 4 else double(data, begin)
    elif field.wire == VARINT:
        yield _listed_integer(field.number, storage)
    elif field.wire == BYTES:
        begin = field.begin
        while begin < field.end:
            number, begin = varint(data, begin, field.end)
            yield _listed_integer(number, storage)


def _listed_integer(number: int, storage: _Number) -> float:
    number &= (1 << storage.bits) - 1
    if storage.field == TensorProto.bool_val:
        return float(number != 0)
    if storage.field == TensorProto.half_val:
        value = _unpack(storage.content, number.to_bytes(2, "little"))
        assert value is not None
        return value
    if storage.signed and number >> storage.bits - 1:
        number -= 1 << storage.bits
    return float(number)


def _unpack(form: str, content: bytes) -> float | None:
    if form == "bfloat16":
        form, content = "<f", b"\0\0" + content
    if len(content) != struct.calcsize(form):
        return None
    return float(struct.unpack(form, content)[0])


def _mindspore_value(data: bytes, message: Field, step: int, wall: float) -> Iterator[Item]:
    tag, chosen = b"", None
    for field in fields(data, message.begin, message.end):
        if field.wire == BYTES:
            if field.id == mindspore_summary.Summary.Value.tag:
                tag = data[field.begin : field.end]
            elif field.id in _MINDSPORE:
                chosen = field
        elif field.id == mindspore_summary.Summary.Value.scalar_value and field.wire == FIXED32:
            chosen = field
    if chosen is None:
        return
    if chosen.id == mindspore_summary.Summary.Value.scalar_value:
        yield Item(Kind.SCALAR, tag, step, wall, single(data, chosen.begin), message.begin, message.end)
    else:
        yield Item(_MINDSPORE[chosen.id], tag, step, wall, None, message.begin, message.end)


def _visualdl_value(data: bytes, message: Field) -> Iterator[Item]:
    proto = visualdl_schema.Record.Value
    step, tag, wall, chosen = 0, b"", 0.0, None
    for field in fields(data, message.begin, message.end):
        expected = VARINT if field.id in (proto.id, proto.timestamp) else FIXED32 if field.id == proto.value else BYTES
        if field.id <= proto.tag_value and field.wire != expected:
            raise Malformed("a field of the wrong type")
        if field.id == proto.id:
            step = signed(field.number)
        elif field.id == proto.tag:
            tag = data[field.begin : field.end]
        elif field.id == proto.timestamp:
            wall = _seconds(signed(field.number))
        else:
            chosen = field
    if not tag or chosen is None:
        raise Malformed("a value without tag or content")
    if chosen.id == proto.value:
        yield Item(Kind.SCALAR, tag, step, wall, single(data, chosen.begin), message.begin, message.end)
    elif chosen.id == proto.tag_value:
        sub, value = b"", 0.0
        for part in fields(data, chosen.begin, chosen.end):
            if part.id == visualdl_schema.Record.TagValue.tag and part.wire == BYTES:
                sub = data[part.begin : part.end]
            elif part.id == visualdl_schema.Record.TagValue.value and part.wire == FIXED32:
                value = single(data, part.begin)
        tag = tag + b"\0" + sub if sub else tag
        yield Item(Kind.SCALAR, tag, step, wall, value, message.begin, message.end)
    elif chosen.id in _VISUALDL:
        yield Item(_VISUALDL[chosen.id], tag, step, wall, None, message.begin, message.end)


def _entry(data: bytes, message: Field) -> float:
    """The number of a VisualDL 1.x `Entry`; zero is not written."""
    value = 0.0
    for field in fields(data, message.begin, message.end):
        if field.id in (Entry.i32, Entry.i64, Entry.b) and field.wire == VARINT:
            value = float(signed(field.number))
        elif field.id == Entry.f and field.wire == FIXED32:
            value = single(data, field.begin)
        elif field.id == Entry.d and field.wire == FIXED64:
            value = double(data, field.begin)
    return value
