"""Record the hyper-parameters of a run in its own folder, beside its curves."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mindinsight_like.writers.encoding.hyper_parameters import session
from mindinsight_like.writers.tensorboard import summary_events

if TYPE_CHECKING:
    from mindinsight_like.writers.tensorboard.summary_writer import SummaryWriter

__all__ = ["flattened", "record_parameters"]


def record_parameters(writer: SummaryWriter, parameters: Mapping[str, Any], metrics: Iterable[str] = ()) -> None:
    """Record parameters, and which of the run's scalars are the metrics to compare by."""
    if writer.file_writer is None:
        raise ValueError(f"the writer of {writer.logdir} has been closed")
    for value in session(parameters, metrics):
        writer.file_writer.put(summary_events.event, [value], 0, time.time())


def flattened(parameters: Any, prefix: str = "") -> dict[str, Any]:
    """Parameters in one level; the names of inner ones are joined by slashes.

    Takes mappings, dataclasses and objects such as `argparse.Namespace`; what else stands inside stays as it is.
    """
    flat: dict[str, Any] = {}
    for key, value in _entries(parameters).items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) or (dataclasses.is_dataclass(value) and not isinstance(value, type)):
            flat.update(flattened(value, f"{name}/"))
        else:
            flat[name] = value
    return flat


def _entries(parameters: Any) -> Mapping[Any, Any]:
    if parameters is None:
        return {}
    if isinstance(parameters, Mapping):
        return parameters
    if hasattr(parameters, "__dict__"):
        return dict(vars(parameters))
    raise TypeError(f"hyper-parameters must be a mapping or a namespace, not {type(parameters).__name__}")
