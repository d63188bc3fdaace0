"""Find the values inside one record of each dialect, in plain Python.

Field numbers are those of the writers' own message definitions; docs/log-formats.md lists them. A field of an
unexpected wire type is skipped like an unknown one, as protobuf does, except in VisualDL's records: these carry no
checksum, and strictness is what tells a damaged one.
"""

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from .kinds import Kind
from .wire import BYTES, FIXED32, FIXED64, VARINT, Field, Malformed, double, fields, signed, single, varint

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
_SESSIONS: Final = {1: b"start", 2: b"stop", 3: b"checkpoint"}
_LINEAGES: Final = {6: b"train", 7: b"evaluation", 9: b"dataset_graph", 10: b"user_defined"}
_MINDSPORE: Final = {4: Kind.IMAGE, 8: Kind.TENSOR, 9: Kind.HISTOGRAM, 10: Kind.LANDSCAPE}
_VISUALDL: Final = {
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
_TABLETS: Final = {1: Kind.HISTOGRAM, 2: Kind.IMAGE, 3: Kind.TEXT, 4: Kind.AUDIO, 5: Kind.EMBEDDING}
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
        if field.id == 4:
            yield Item(Kind.GRAPH, b"graph", step, wall, None, field.begin, field.end)
        elif field.id == 9:
            yield Item(Kind.GRAPH, b"meta_graph", step, wall, None, field.begin, field.end)
        elif field.id == 5:
            for value in _messages(data, field, 1):
                yield from _tensorboard_value(data, value, step, wall)
        elif field.id == 7:
            status = 0
            for part in fields(data, field.begin, field.end):
                if part.id == 1 and part.wire == VARINT:
                    status = part.number
            if status in _SESSIONS:
                yield Item(Kind.SESSION, _SESSIONS[status], step, wall, None, field.begin, field.end)
        elif field.id == 8:
            tag = _bytes(data, field.begin, field.end, 1)
            yield Item(Kind.RUN_METADATA, tag, step, wall, None, field.begin, field.end)


def mindspore(data: bytes, begin: int, end: int) -> Iterator[Item]:
    """Values of a MindSpore `Event`."""
    wall, step = _when(data, begin, end)
    for field in fields(data, begin, end):
        if field.wire != BYTES:
            continue
        if field.id == 4:
            yield Item(Kind.GRAPH, b"graph", step, wall, None, field.begin, field.end)
        elif field.id == 6:
            yield Item(Kind.EXPLAIN, b"explain", step, wall, None, field.begin, field.end)
        elif field.id == 5:
            for value in _messages(data, field, 1):
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
        if field.id != 1 or field.wire != BYTES:
            raise Malformed("no list of values")
        yield from _visualdl_value(data, field)


def tablet(data: bytes, begin: int, end: int, *, component: int, tag: bytes) -> Iterator[Item]:
    """The value of one `Record` of a VisualDL 1.x tablet that holds the given component."""
    wall, step, value, entries = 0.0, 0, 0.0, 0
    for field in fields(data, begin, end):
        if field.id == 1 and field.wire == BYTES:
            entries += 1
            if entries == 1 and component == 0:
                value = _entry(data, field)
        elif field.id == 2 and field.wire == VARINT:
            wall = _seconds(signed(field.number))
        elif field.id == 3 and field.wire == VARINT:
            step = signed(field.number)
    if component == 0 and entries:
        yield Item(Kind.SCALAR, tag, step, wall, value, begin, end)
    elif component in _TABLETS:
        yield Item(_TABLETS[component], tag, step, wall, None, begin, end)


def _when(data: bytes, begin: int, end: int) -> tuple[float, int]:
    wall, step = 0.0, 0
    for field in fields(data, begin, end):
        if field.id == 1 and field.wire == FIXED64:
            wall = double(data, field.begin)
        elif field.id == 2 and field.wire == VARINT:
            step = signed(field.number)
    return wall, step


def _seconds(stamp: int) -> float:
    return float(stamp) if stamp < _MILLISECONDS_FROM else stamp / 1000


def _messages(data: bytes, message: Field, number: int) -> Iterator[Field]:
    for field in fields(data, message.begin, message.end):
        if field.id == number and field.wire == BYTES:
            yield field


def _bytes(data: bytes, begin: int, end: int, number: int) -> bytes:
    found = b""
    for field in fields(data, begin, end):
        if field.id == number and field.wire == BYTES:
            found = data[field.begin : field.end]
    return found


def _tensorboard_value(data: bytes, message: Field, step: int, wall: float) -> Iterator[Item]:
    tag, plugin, chosen = b"", None, None
    for field in fields(data, message.begin, message.end):
        if field.wire == BYTES:
            if field.id == 1:
                tag = data[field.begin : field.end]
            elif field.id == 9:
                plugin = _plugin(data, field)
            elif field.id in (3, 4, 5, 6, 8):
                chosen = field
        elif field.id == 2 and field.wire == FIXED32:
            chosen = field
    kind: Kind | None = None
    value: float | None = None
    if chosen is None:
        if plugin != Kind.HPARAMS:
            return
        kind = plugin
    elif chosen.id == 2:
        kind, value = Kind.SCALAR, single(data, chosen.begin)
    elif chosen.id == 4:
        picture = _bytes(data, chosen.begin, chosen.end, 4)
        kind = Kind.VIDEO if picture.startswith(b"GIF8") else Kind.IMAGE
    elif chosen.id == 5:
        kind = Kind.HISTOGRAM
    elif chosen.id == 6:
        kind = Kind.AUDIO
    elif chosen.id == 8:
        kind = plugin
        if kind in (None, Kind.SCALAR):
            value = _tensor_number(data, chosen)
    else:
        return
    yield Item(kind, tag, step, wall, value, message.begin, message.end)


def _plugin(data: bytes, metadata: Field) -> Kind | None:
    name, data_class = b"", 0
    for field in fields(data, metadata.begin, metadata.end):
        if field.id == 1 and field.wire == BYTES:
            name = _bytes(data, field.begin, field.end, 1)
        elif field.id == 4 and field.wire == VARINT:
            data_class = field.number
    if name in _PLUGINS:
        return _PLUGINS[name]
    if name.startswith(b"graph_"):
        return Kind.GRAPH
    if data_class == 1:
        return Kind.SCALAR
    return Kind.TENSOR if name else None


class _Number(NamedTuple):
    """How TensorFlow stores numbers of one data type."""

    content: str  # format of `tensor_content`
    field: int  # the field that lists values instead
    bits: int = 64  # significant bits of a listed integer
    signed: bool = True


_NUMBERS: Final = {
    1: _Number("<f", 5),
    2: _Number("<d", 6),
    3: _Number("<i", 7, 32),
    4: _Number("<B", 7, 32),
    5: _Number("<h", 7, 32),
    6: _Number("<b", 7, 32),
    9: _Number("<q", 10),
    10: _Number("<?", 11),
    14: _Number("bfloat16", 13, 16, False),
    17: _Number("<H", 7, 32),
    19: _Number("<e", 13, 16, False),
    22: _Number("<I", 16, 32, False),
    23: _Number("<Q", 17, 64, False),
}


def _tensor_number(data: bytes, tensor: Field) -> float | None:
    """The number in a tensor of one numeric element, or None for any other tensor."""
    dtype, content, single_element = 0, b"", True
    for field in fields(data, tensor.begin, tensor.end):
        if field.id == 1 and field.wire == VARINT:
            dtype = field.number
        elif field.id == 2 and field.wire == BYTES:
            single_element &= _has_one_element(data, field)
        elif field.id == 4 and field.wire == BYTES:
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
        if field.id == 2 and field.wire == BYTES:
            size = 0
            for part in fields(data, field.begin, field.end):
                if part.id == 1 and part.wire == VARINT:
                    size = part.number
            one &= size == 1
        elif field.id == 3 and field.wire == VARINT and field.number:
            one = False  # the rank is unknown
    return one


def _with_id(data: bytes, message: Field, number: int) -> Iterator[Field]:
    return (field for field in fields(data, message.begin, message.end) if field.id == number)


def _listed(data: bytes, field: Field, storage: _Number) -> Iterator[float]:
    if storage.field in (5, 6):
        size, wire = (4, FIXED32) if storage.field == 5 else (8, FIXED64)
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
    if storage.field == 11:
        return float(number != 0)
    if storage.field == 13:
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
            if field.id == 1:
                tag = data[field.begin : field.end]
            elif field.id in _MINDSPORE:
                chosen = field
        elif field.id == 3 and field.wire == FIXED32:
            chosen = field
    if chosen is None:
        return
    if chosen.id == 3:
        yield Item(Kind.SCALAR, tag, step, wall, single(data, chosen.begin), message.begin, message.end)
    else:
        yield Item(_MINDSPORE[chosen.id], tag, step, wall, None, message.begin, message.end)


def _visualdl_value(data: bytes, message: Field) -> Iterator[Item]:
    step, tag, wall, chosen = 0, b"", 0.0, None
    for field in fields(data, message.begin, message.end):
        expected = VARINT if field.id in (1, 3) else FIXED32 if field.id == 4 else BYTES
        if field.id <= 14 and field.wire != expected:
            raise Malformed("a field of the wrong type")
        if field.id == 1:
            step = signed(field.number)
        elif field.id == 2:
            tag = data[field.begin : field.end]
        elif field.id == 3:
            wall = _seconds(signed(field.number))
        else:
            chosen = field
    if not tag or chosen is None:
        raise Malformed("a value without tag or content")
    if chosen.id == 4:
        yield Item(Kind.SCALAR, tag, step, wall, single(data, chosen.begin), message.begin, message.end)
    elif chosen.id == 14:
        sub, value = b"", 0.0
        for part in fields(data, chosen.begin, chosen.end):
            if part.id == 1 and part.wire == BYTES:
                sub = data[part.begin : part.end]
            elif part.id == 2 and part.wire == FIXED32:
                value = single(data, part.begin)
        tag = tag + b"\0" + sub if sub else tag
        yield Item(Kind.SCALAR, tag, step, wall, value, message.begin, message.end)
    elif chosen.id in _VISUALDL:
        yield Item(_VISUALDL[chosen.id], tag, step, wall, None, message.begin, message.end)


def _entry(data: bytes, message: Field) -> float:
    """The number of a VisualDL 1.x `Entry`; zero is not written."""
    value = 0.0
    for field in fields(data, message.begin, message.end):
        if field.id in (2, 3, 8) and field.wire == VARINT:
            value = float(signed(field.number))
        elif field.id == 6 and field.wire == FIXED32:
            value = single(data, field.begin)
        elif field.id == 7 and field.wire == FIXED64:
            value = double(data, field.begin)
    return value
