"""Tensors: what they are, with their statistics, and as files of numpy."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.values.stored_tensors import stored
from mindinsight_like.values.tensor_messages import Array, Tensor, mindspore_tensor, tensorflow_tensor
from mindinsight_like.values.tensor_statistics import Statistics, statistics


@dataclass(frozen=True)
class TensorSummary:
    dtype: str
    shape: tuple[int, ...]
    statistics: Statistics | None  # None for strings and complex numbers, and where nobody asked


def decode(record: Record) -> Tensor:
    """The tensor of a record; raises BadValue, Malformed."""
    if record.dialect == Dialect.TENSORBOARD:
        return tensorflow_tensor(record.inner(8, "tensor"))
    if record.dialect == Dialect.MINDSPORE:
        return mindspore_tensor(record.inner(8, "tensor"))
    raise BadValue("tensors are not known in logs of this kind")


def outline(record: Record) -> TensorSummary:
    """What a tensor is, without a look at its numbers; raises BadValue, Malformed."""
    tensor = stored(record)
    return TensorSummary(tensor.dtype, tensor.shape, None)


def summary(record: Record) -> TensorSummary:
    """What a tensor is, with its statistics; raises BadValue, Malformed."""
    tensor = stored(record)
    is_counted = tensor.numbers is not None and not tensor.dtype.startswith("complex")
    return TensorSummary(tensor.dtype, tensor.shape, statistics(tensor.pieces()) if is_counted else None)


def npy(array: Array | None) -> bytes:
    """The array as a file of numpy; raises BadValue when there is none, as in a tensor of strings."""
    if array is None:
        raise BadValue("the tensor holds strings")
    out = io.BytesIO()
    np.lib.format.write_array(out, np.ascontiguousarray(array), allow_pickle=False)
    return out.getvalue()
