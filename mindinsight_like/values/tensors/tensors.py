"""Decode tensors: type and shape, statistics, and export as .npy files."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.schemas import mindspore_summary, tensorboard
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.values.tensors.stored_tensors import open_tensor
from mindinsight_like.values.tensors.tensor_messages import Array, Tensor, mindspore_tensor, tensorflow_tensor
from mindinsight_like.values.tensors.tensor_statistics import Statistics, statistics


@dataclass(frozen=True)
class TensorSummary:
    dtype: str
    shape: tuple[int, ...]
    statistics: Statistics | None  # None for strings and complex numbers, and where nobody asked


def decode(record: Record) -> Tensor:
    """The tensor of a record; raises BadValue, Malformed."""
    if record.dialect == Dialect.TENSORBOARD:
        return tensorflow_tensor(record.inner(tensorboard.Summary.Value.tensor, "tensor"))
    if record.dialect == Dialect.MINDSPORE:
        return mindspore_tensor(record.inner(mindspore_summary.Summary.Value.tensor, "tensor"))
    raise BadValue("tensors are not supported in this log format")


def outline(record: Record) -> TensorSummary:
    """What a tensor is, without a look at its numbers; raises BadValue, Malformed."""
    tensor = open_tensor(record)
    return TensorSummary(tensor.dtype, tensor.shape, None)


def summary(record: Record) -> TensorSummary:
    """What a tensor is, with its statistics; raises BadValue, Malformed."""
    tensor = open_tensor(record)
    is_counted = tensor.numbers is not None and not tensor.dtype.startswith("complex")
    return TensorSummary(tensor.dtype, tensor.shape, statistics(tensor.pieces()) if is_counted else None)


def npy(array: Array | None) -> bytes:
    """The array as a file of numpy; raises BadValue when there is none, as in a tensor of strings."""
    if array is None:
        raise BadValue("the tensor holds strings")
    out = io.BytesIO()
    np.lib.format.write_array(out, np.ascontiguousarray(array), allow_pickle=False)
    return out.getvalue()
