"""Tensors: arrays with their statistics."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.values.tensor_messages import Array, Tensor, mindspore_tensor, tensorflow_tensor


@dataclass(frozen=True)
class Statistics:
    """Of the finite numbers of an array; None where there are none. NaN and infinities are counted."""

    min: float | None
    max: float | None
    mean: float | None
    std: float | None
    sum: float | None
    nan: int
    pos_inf: int
    neg_inf: int


@dataclass(frozen=True)
class TensorSummary:
    dtype: str
    shape: tuple[int, ...]
    statistics: Statistics | None  # None for strings and complex numbers


def decode(record: Record) -> Tensor:
    """The tensor of a record; raises BadValue, Malformed."""
    if record.dialect == Dialect.TENSORBOARD:
        return tensorflow_tensor(record.inner(8, "tensor"))
    if record.dialect == Dialect.MINDSPORE:
        return mindspore_tensor(record.inner(8, "tensor"))
    raise BadValue("tensors are not known in logs of this kind")


def summary(record: Record) -> TensorSummary:
    tensor = decode(record)
    is_counted = tensor.array is not None and tensor.array.dtype.kind != "c"
    return TensorSummary(tensor.dtype, tensor.shape, statistics(tensor.array) if is_counted else None)


def statistics(array: Array | None) -> Statistics:
    """What can be said of all the numbers of an array together, computed in double precision."""
    values = np.zeros(0) if array is None else array.astype(np.float64).ravel()
    is_finite = np.isfinite(values)
    finite = values if is_finite.all() else values[is_finite]
    odd = values[~is_finite]
    counts = int(np.isnan(odd).sum()), int((odd > 0).sum()), int((odd < 0).sum())
    if not len(finite):
        return Statistics(None, None, None, None, None, *counts)
    with np.errstate(over="ignore", invalid="ignore"):
        return Statistics(
            float(finite.min()),
            float(finite.max()),
            float(finite.mean()),
            float(finite.std()),
            float(finite.sum()),
            *counts,
        )


def npy(array: Array | None) -> bytes:
    """The array as a file of numpy; raises BadValue when there is none, as in a tensor of strings."""
    if array is None:
        raise BadValue("the tensor holds strings")
    out = io.BytesIO()
    np.lib.format.write_array(out, np.ascontiguousarray(array), allow_pickle=False)
    return out.getvalue()
