"""Decode text records."""

from __future__ import annotations

from dataclasses import dataclass

from mindinsight_like.logs.kinds import TRACKER_DIALECTS, Dialect
from mindinsight_like.logs.protobuf.schemas.tensorboard import Summary
from mindinsight_like.logs.protobuf.schemas.visualdl_legacy import Entry
from mindinsight_like.values.documents import document
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.values.tensors.tensor_messages import tensorflow_tensor


@dataclass(frozen=True)
class Text:
    text: str
    shape: tuple[int, ...] = ()  # of the table of texts it belongs to; empty: it stands alone


def decode(record: Record) -> list[Text]:
    """The texts of a record, usually one; those of a table row by row. Raises BadValue, Malformed."""
    if record.dialect == Dialect.TENSORBOARD:
        tensor = tensorflow_tensor(record.inner(Summary.Value.tensor, "text"))
        if tensor.array is not None:
            raise BadValue(f"the text is a tensor of {tensor.dtype}")
        return [Text(string.decode(errors="replace"), tensor.shape) for string in tensor.strings]
    if record.dialect == Dialect.VISUALDL:
        if record.visualdl.text is None:
            raise BadValue("the record contains no text")
        return [Text(record.visualdl.text.encoded_text_string)]
    if record.dialect == Dialect.VISUALDL_LEGACY:
        return [Text(entry.text(Entry.s)) for entry in record.entries()]
    if record.dialect in TRACKER_DIALECTS:
        text = document(record).get("text")
        if not isinstance(text, str):
            raise BadValue("the record contains no text")
        return [Text(text)]
    raise BadValue("text is not supported in this log format")
