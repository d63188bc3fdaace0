"""What the name of a metric tells: which end is better, and on which split of the data it was measured."""

from __future__ import annotations

from itertools import pairwise

from .names import normalised
from .rules import Direction


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_UP = _words(
    "accuracy acc auc auroc auprc f1 map bleu rouge meteor cider reward return returns score precision recall iou miou"
    " dice psnr ssim r2 success winrate em exact hits ndcg mrr kappa mcc top1 top5 elo"
)
_DOWN = _words(
    "loss losses error err perplexity ppl rmse mse mae mape wer cer nll bce ce bpc bpb fid lpips cost regret brier ece"
    " divergence kl logloss crossentropy"
)
_HELD_OUT = _words("val valid validation eval evaluation test dev heldout")
_TRAINING = _words("train training")
_PLAIN = _words("epoch step top 1 5 mean avg average total final best macro micro weighted k")
_KNOWN = _UP | _DOWN | _HELD_OUT | _TRAINING | _PLAIN


def direction_of(name: str) -> Direction:
    """Which end of a metric is better by its name: `max`, `min`, or empty where the name does not tell."""
    words = normalised(name).words
    # The last word that tells counts: `reward loss` is a loss, `loss accuracy` an accuracy.
    for word in reversed(words):
        if word in _DOWN:
            return "min"
        if word in _UP:
            return "max"
    pairs = {f"{one}{other}" for one, other in pairwise(words)}
    if pairs & _DOWN:
        return "min"
    return "max" if pairs & _UP else ""


def split_rank(name: str) -> int:
    """2: measured on held-out data, 1: the name does not tell, 0: on training data."""
    words = set(normalised(name).words)
    if words & _HELD_OUT:
        return 2
    return 0 if words & _TRAINING else 1


def is_plain(name: str) -> bool:
    """Whether the name has no words besides the metric and the split, as in `val/acc` and unlike `accuracy_low`."""
    return _KNOWN.issuperset(normalised(name).words)
