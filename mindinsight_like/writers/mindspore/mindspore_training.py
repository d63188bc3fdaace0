"""Read from a MindSpore training what its lineage records: the network, its optimizer, its data, its checkpoint.

The training is what `run_context.original_args()` gives to callbacks. Attributes that it lacks (they raise KeyError
there) count as None. Classes are recognised by their names, so that no framework has to be imported.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mindinsight_like.writers.encoding.values import to_array
from mindinsight_like.writers.mindspore.lineage_events import EvalInfo, TrainInfo

log = logging.getLogger(__name__)

__all__ = [
    "backbone",
    "dataset_graph",
    "eval_info",
    "graph",
    "has_base",
    "loss",
    "optimizer",
    "optional_attribute",
    "train_info",
]

_MOST_INT32 = (1 << 31) - 1


def optional_attribute(training: object, name: str) -> Any:
    """An attribute of the training, None when it has none of that name."""
    try:
        return getattr(training, name)
    except (AttributeError, KeyError):
        return None


def loss(training: object) -> float | None:
    """The mean of the network's first output; None when there is none that holds numbers."""
    output = optional_attribute(training, "net_outputs")
    if isinstance(output, list | tuple):
        output = output[0] if output else None
    if output is None:
        return None
    try:
        array = to_array(output)
    except (TypeError, ValueError):
        return None
    return float(array.mean()) if array.size else None


def optimizer(training: object) -> Any:
    """The optimizer given to the model or found in its network; None when there is none of MindSpore's kind."""
    candidate = optional_attribute(training, "optimizer")
    if candidate is None:
        network = optional_attribute(training, "train_network")
        candidate = next(filter(_is_optimizer, _cells(network, "optimizer")), None)
    return candidate if _is_optimizer(candidate) else None


def backbone(network: Any) -> Any:
    """The user's network inside of what MindSpore wraps around it for training."""
    network = next((cell for cell in _cells(network, "_backbone") if cell is not None), network)
    while "network" in _cell_names(network):
        network = network.network
    return network


def graph(network: object) -> bytes | None:
    """The compiled graph of a network as MindSpore's ModelProto, None when it is not compiled.

    The optimised graph where the compiler gives it, otherwise the graph before optimisation.
    """
    if network is None:
        return None
    for module in ("mindspore.graph.api", "mindspore.common.api"):
        executor = getattr(sys.modules.get(module), "_cell_graph_executor", None)
        ask = getattr(executor, "get_optimize_graph_proto", None)
        if callable(ask) and isinstance(proto := ask(network), bytes) and proto:
            return proto
    ask = getattr(network, "get_func_graph_proto", None)
    proto = ask() if callable(ask) else None
    return proto if isinstance(proto, bytes) and proto else None


def dataset_graph(dataset: object) -> dict[str, Any] | None:
    """The pipeline that feeds the training, as `mindspore.dataset.serialize` tells it; None when it cannot."""
    serialize = getattr(sys.modules.get("mindspore.dataset"), "serialize", None)
    if serialize is None:
        return None
    try:
        pipeline = serialize(dataset)
    except Exception as error:  # whatever the user's own transformations raise when they are pickled
        log.warning("the dataset graph is not recorded: %s", error)
        return None
    return pipeline if isinstance(pipeline, dict) else None


def train_info(training: object) -> TrainInfo:
    """What is known at the end of a training."""
    trainer = optimizer(training)
    criterion = optional_attribute(training, "loss_fn")
    if criterion is None:
        network = optional_attribute(training, "train_network")
        criterion = next((cell for cell in _cells(network) if has_base(cell, "LossBase")), None)
    dataset = optional_attribute(training, "train_dataset")
    checkpoint = _checkpoint(optional_attribute(training, "list_callback"))
    return TrainInfo(
        network=_class_name(
            optional_attribute(training, "network") or backbone(optional_attribute(training, "train_network"))
        ),
        optimizer=_class_name(trainer),
        learning_rate=_learning_rate(trainer),
        loss_function=_class_name(criterion),
        loss=loss(training),
        epoch=_int32(optional_attribute(training, "epoch_num")),
        batch_size=_dataset_int(dataset, "get_batch_size"),
        parallel_mode=_text(optional_attribute(training, "parallel_mode")),
        device_num=_int32(optional_attribute(training, "device_number")),
        train_dataset_path=_dataset_folder(dataset),
        train_dataset_size=_samples(dataset),
        model_path=None if checkpoint is None else str(checkpoint),
        model_size=0 if checkpoint is None else checkpoint.stat().st_size,
    )


def eval_info(training: object) -> EvalInfo:
    """What is known at the end of an evaluation."""
    dataset = optional_attribute(training, "valid_dataset")
    return EvalInfo(
        metrics=optional_attribute(training, "metrics"),
        valid_dataset_path=_dataset_folder(dataset),
        valid_dataset_size=_samples(dataset),
    )


def has_base(value: object, name: str) -> bool:
    """Whether a class of that name is among the classes of the value."""
    return any(cls.__name__ == name for cls in type(value).__mro__)


def _is_optimizer(value: object) -> bool:
    return has_base(value, "Optimizer")


def _cells(network: Any, attribute: str | None = None) -> Iterator[Any]:
    """Every cell of a network; with `attribute`, also what each of them has under that name."""
    walk = optional_attribute(network, "cells_and_names")
    if not callable(walk):
        return
    for _, cell in walk():
        if attribute is None:
            yield cell
        else:
            yield optional_attribute(cell, attribute)


def _cell_names(network: Any) -> Iterable[str]:
    names = optional_attribute(network, "name_cells")
    return names() if callable(names) else ()


def _learning_rate(trainer: Any) -> float | None:
    """The rate when it is one number that MindSpore keeps as a parameter; a schedule has no single rate."""
    rate = optional_attribute(trainer, "learning_rate")
    if rate is None or not has_base(rate, "Parameter"):
        return None
    array = to_array(optional_attribute(rate, "data"))
    return float(array.reshape(-1)[0]) if array.size else None


def _checkpoint(callbacks: object) -> Path | None:
    """The newest file of the last callback that writes checkpoints."""
    if not isinstance(callbacks, Iterable):
        return None
    names = [optional_attribute(callback, "latest_ckpt_file_name") for callback in callbacks]
    existing = [Path(os.path.realpath(name)) for name in names if name and Path(name).is_file()]
    return existing[-1] if existing else None


def _dataset_folder(dataset: Any) -> str | None:
    """The folder that the first source of a pipeline reads; None for data that is not read from files."""
    while dataset is not None:
        for attribute in ("dataset_file", "dataset_files", "dataset_dir"):
            path = optional_attribute(dataset, attribute)
            if isinstance(path, list | tuple) and path:
                path = path[0]
            if isinstance(path, str | os.PathLike) and str(path):
                return str(Path(path).parent) if Path(path).is_file() else str(path)
        children = optional_attribute(dataset, "children")
        dataset = children[0] if children else None
    return None


def _samples(dataset: Any) -> int | None:
    batches, size = _dataset_int(dataset, "get_dataset_size"), _dataset_int(dataset, "get_batch_size")
    return None if batches is None or size is None else _int32(batches * size)


def _dataset_int(dataset: Any, question: str) -> int | None:
    ask = optional_attribute(dataset, question)
    return _int32(ask()) if callable(ask) else None


def _int32(value: object) -> int | None:
    """Whole numbers that the format can hold."""
    return value if isinstance(value, int) and 0 <= value <= _MOST_INT32 else None


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _class_name(value: object) -> str | None:
    return None if value is None else type(value).__name__
