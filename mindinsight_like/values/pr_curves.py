"""Decode precision-recall and ROC curves: confusion counts of a classifier at ascending thresholds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.schemas.tensorboard import Summary
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.values.tensors.tensor_messages import Floats, tensorflow_tensor


@dataclass(frozen=True)
class Answers:
    """Counts at thresholds from 0 to 1, evenly spaced."""

    thresholds: Floats
    tp: Floats
    fp: Floats
    tn: Floats
    fn: Floats


@dataclass(frozen=True)
class PrCurve(Answers):
    precision: Floats
    recall: Floats


@dataclass(frozen=True)
class RocCurve(Answers):
    """Rates are NaN where there is nothing to divide by."""

    tpr: Floats
    fpr: Floats


def decode_pr(record: Record) -> PrCurve:
    """The precision-recall curve of a record; raises BadValue, Malformed."""
    if record.dialect == Dialect.TENSORBOARD:
        tensor = tensorflow_tensor(record.inner(Summary.Value.tensor, "curve"))
        if tensor.array is None or tensor.array.dtype.kind == "c" or tensor.array.ndim != 2 or tensor.shape[0] != 6:
            raise BadValue(f"a curve has six rows of numbers, not the shape {list(tensor.shape)} of {tensor.dtype}")
        rows = list(tensor.array.astype(np.float64))
    elif record.dialect == Dialect.VISUALDL:
        curve = record.visualdl.pr_curve
        if curve is None:
            raise BadValue("the record contains no curve")
        rows = _rows(curve.TP, curve.FP, curve.TN, curve.FN, curve.precision, curve.recall)
    else:
        raise BadValue("curves are not supported in this log format")
    return PrCurve(_thresholds(len(rows[0])), *rows)


def decode_roc(record: Record) -> RocCurve:
    """The ROC curve of a record; raises BadValue, Malformed.

    The rates come from the counts: VisualDL 2.5 writes a wrong true positive rate, TP / (TN + FP).
    """
    curve = record.visualdl.roc_curve if record.dialect == Dialect.VISUALDL else None
    if curve is None:
        raise BadValue("the record contains no curve")
    tp, fp, tn, fn = _rows(curve.TP, curve.FP, curve.TN, curve.FN)
    with np.errstate(invalid="ignore", divide="ignore"):
        return RocCurve(_thresholds(len(tp)), tp, fp, tn, fn, tpr=tp / (tp + fn), fpr=fp / (fp + tn))


def _rows(*columns: list[int] | list[float]) -> list[Floats]:
    if len({len(column) for column in columns}) != 1:
        raise BadValue("the columns of the curve differ in length")
    return [np.array(column, np.float64) for column in columns]


def _thresholds(count: int) -> Floats:
    if count == 0:
        raise BadValue("the curve has no points")
    return np.linspace(0.0, 1.0, count)
