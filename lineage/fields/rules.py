"""The rules that unite names: one declaration per field. Aliases are compared word by word, see `names`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

FieldGroup = Literal["metric", "hparam", "data", "model", "environment"]
Direction = Literal["max", "min", ""]


@dataclass(frozen=True)
class FieldRule:
    """A canonical field. Of its sources, the first with a value gives the value of a run."""

    name: str
    group: FieldGroup
    aliases: tuple[str, ...]  # most trusted first
    columns: tuple[str, ...] = ()  # whole names of columns, before the aliases
    fallbacks: tuple[str, ...] = ()  # aliases for runs without any other source; they contradict none
    direction: Direction = ""  # of a metric: which end is better
    has_scalars: bool = False  # whether scalar tags are sources, too
    is_held_out: bool = False  # whether it is measured on data that the training has not seen
    is_custom: bool = False  # whether a user has written it: its names come before those of built-in rules

    @property
    def names(self) -> tuple[str, ...]:
        return self.name, *self.aliases, *self.fallbacks


_HELD_OUT = ("val", "valid", "validation", "eval", "evaluation", "test", "dev")
_TRAINING = ("train", "training")


def _split(splits: Iterable[str], *metrics: str) -> tuple[str, ...]:
    """`val loss` and `loss val` for every split and metric."""
    return tuple(
        alias for split in splits for metric in metrics for alias in (f"{split} {metric}", f"{metric} {split}")
    )


_ACCURACY = ("accuracy", "acc", "top 1", "top1", "acc 1", "acc1")

BUILT_IN: tuple[FieldRule, ...] = (
    FieldRule(
        "accuracy",
        "metric",
        _split(_HELD_OUT, *_ACCURACY),
        columns=("metric/accuracy", "metric/Accuracy", "metric/acc", "metric/top_1_accuracy"),
        fallbacks=_ACCURACY,
        direction="max",
        has_scalars=True,
        is_held_out=True,
    ),
    FieldRule(
        "train_accuracy", "metric", _split(_TRAINING, *_ACCURACY), direction="max", has_scalars=True
    ),
    FieldRule(
        "val_loss",
        "metric",
        _split(_HELD_OUT, "loss"),
        columns=("metric/loss", "metric/hparam/loss"),
        direction="min",
        has_scalars=True,
        is_held_out=True,
    ),
    FieldRule(
        "loss",
        "metric",
        _split(_TRAINING, "loss"),
        columns=("loss",),
        fallbacks=("loss", "total loss", "epoch loss", "step loss", "batch loss"),
        direction="min",
        has_scalars=True,
    ),
    FieldRule(
        "learning_rate",
        "hparam",
        ("learning rate", "lr", "base lr", "base learning rate", "initial lr", "init lr", "initial learning rate",
         "max lr", "peak lr", "eta"),
    ),
    FieldRule(
        "optimizer",
        "hparam",
        ("optimizer", "optimiser", "opt", "optim", "optimizer name", "optimizer type", "optim name"),
    ),
    FieldRule(
        "batch_size",
        "hparam",
        ("batch size", "batchsize", "bs", "train batch size", "training batch size", "mini batch size",
         "minibatch size", "per device train batch size"),
    ),
    FieldRule(
        "epoch",
        "hparam",
        ("epoch", "epochs", "num epochs", "n epochs", "num train epochs", "max epochs", "epoch num", "total epochs",
         "train epochs", "epoch size"),
    ),
    FieldRule(
        "steps",
        "hparam",
        ("steps", "num steps", "n steps", "max steps", "total steps", "train steps", "num train steps", "iterations",
         "num iterations", "max iter", "max iters", "iters"),
    ),
    FieldRule("seed", "hparam", ("seed", "random seed", "rng seed", "manual seed", "global seed", "random state")),
    FieldRule(
        "weight_decay", "hparam", ("weight decay", "wd", "l2", "l2 penalty", "l2 regularization", "decay rate l2")
    ),
    FieldRule("momentum", "hparam", ("momentum", "sgd momentum")),
    FieldRule("dropout", "hparam", ("dropout", "dropout rate", "drop rate", "dropout prob", "drop out")),
    FieldRule("loss_function", "hparam", ("loss function", "loss fn", "criterion", "loss type", "objective")),
    FieldRule(
        "device_num",
        "hparam",
        ("device num", "devices", "num devices", "n devices", "world size", "num gpus", "n gpu", "n gpus", "gpus",
         "num npus", "npus", "num cores", "tpu cores", "device count", "gpu count"),
    ),
    FieldRule(
        "dataset",
        "data",
        ("dataset", "dataset name", "data set", "train dataset", "data name"),
        columns=("data/name", "user_defined/data"),
        fallbacks=("train dataset path", "data", "data path", "data dir", "dataset path", "dataset dir"),
    ),
    FieldRule(
        "model",
        "model",
        ("network", "model", "model name", "arch", "architecture", "backbone", "net", "model type", "model arch",
         "network name"),
        columns=("model/name", "network"),
    ),
    FieldRule(
        "host",
        "environment",
        ("host", "hostname", "host name", "node", "node name", "machine"),
        columns=("environment/host",),
    ),
    FieldRule("user", "environment", ("user", "username", "user name", "owner", "author")),
    FieldRule("framework", "environment", ("framework", "framework name", "backend framework")),
    FieldRule(
        "precision",
        "hparam",
        ("precision", "dtype", "amp level", "mixed precision", "compute type", "param dtype", "amp"),
    ),
)  # fmt: skip
