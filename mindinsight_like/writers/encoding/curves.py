"""Confusion counts of a binary classifier at evenly spaced thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]
    Doubles = npt.NDArray[np.float64]

_LEAST_COUNT = 1e-7  # stands in for no answers at all where a ratio is asked for, as in TensorBoard


@dataclass(frozen=True)
class Answers:
    """Weighted counts at thresholds 0, 1/(n-1), .. 1; a prediction at or above the threshold counts as positive."""

    true_positives: Doubles
    false_positives: Doubles
    true_negatives: Doubles
    false_negatives: Doubles

    @property
    def precision(self) -> Doubles:
        """The part of the positive answers that is right."""
        return _ratio(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> Doubles:
        """The part of what is positive that was found, also called the true positive rate."""
        return _ratio(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def false_positive_rate(self) -> Doubles:
        """The part of what is negative that was taken for positive."""
        return _ratio(self.false_positives, self.false_positives + self.true_negatives)


def count_answers(labels: Array, predictions: Array, *, thresholds: int, weights: Array | None = None) -> Answers:
    """Compare labels (true or 1, false or 0) with predicted probabilities at so many thresholds.

    Predictions outside of 0..1 count as the nearer end, those that are NaN not at all. Raises ValueError when the
    shapes differ, or for fewer than two thresholds.
    """
    import numpy as np

    if thresholds < 2:
        raise ValueError(f"need at least 2 thresholds, got {thresholds}")
    if labels.size != predictions.size:
        raise ValueError(
            f"labels and predictions must have the same length; got the shapes {labels.shape}, {predictions.shape}"
        )
    labels, predictions = labels.reshape(-1), predictions.reshape(-1)
    weight = np.ones(labels.size) if weights is None else np.broadcast_to(weights.reshape(-1), labels.shape)
    if predictions.dtype.kind != "f":
        predictions = predictions.astype(np.float64)
    is_number = ~np.isnan(predictions)
    if not is_number.all():
        labels, predictions, weight = labels[is_number], predictions[is_number], weight[is_number]
    buckets = np.floor(np.clip(predictions, 0, 1) * (thresholds - 1)).astype(np.int64)
    positive = labels.astype(np.float64)
    # Beginning with the highest threshold, each adds the answers of its own bucket.
    tp, fp = (
        np.bincount(buckets, weights=share * weight, minlength=thresholds)[::-1].cumsum()[::-1]
        for share in (positive, 1.0 - positive)
    )
    return Answers(true_positives=tp, false_positives=fp, true_negatives=fp[0] - fp, false_negatives=tp[0] - tp)


def _ratio(part: Doubles, whole: Doubles) -> Doubles:
    import numpy as np

    return part / np.maximum(_LEAST_COUNT, whole)
