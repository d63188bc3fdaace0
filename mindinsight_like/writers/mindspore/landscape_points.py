"""Save the checkpoints of a MindSpore training from which `mindspore.SummaryLandscape` computes a loss landscape."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from mindinsight_like.writers.mindspore import mindspore_training
from mindinsight_like.writers.mindspore.mindspore_training import optional_attribute

__all__ = ["DEFAULT_OPTIONS", "LandscapePoints"]

log = logging.getLogger(__name__)

# What MindSpore collects unless it is told otherwise.
DEFAULT_OPTIONS: Mapping[str, Any] = {
    "landscape_size": 40,
    "unit": "step",
    "num_samples": 2048,
    "create_landscape": {"train": True, "result": True},
    "intervals": [list(range(1, 10)), list(range(10, 20))],
}


class LandscapePoints:
    """Saves the parameters of a network at the steps or epochs of the intervals, and a note of all at the end.

    Both go to `ckpt_dir` in the summary folder, where `SummaryLandscape` looks for them. Raises TypeError and
    ValueError for options that it would refuse.
    """

    def __init__(self, summary_dir: Path, options: Mapping[str, Any]) -> None:
        _check(options)
        self._options = {**DEFAULT_OPTIONS, **options}
        self._folder = summary_dir / "ckpt_dir"
        self._numbers = {number for interval in self._options["intervals"] for number in interval}
        self._files: dict[str, str] = {}

    def save(self, training: Any, unit: str) -> None:
        """Save the parameters when a step or an epoch of an interval has ended."""
        number = optional_attribute(training, f"cur_{unit}_num")
        if unit != self._options["unit"] or number not in self._numbers:
            return
        network = mindspore_training.backbone(optional_attribute(training, "train_network"))
        path = self._folder / f"{type(network).__name__}_{number}_{unit}.ckpt"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            parameters = [{"name": one.name, "data": one} for one in network.get_parameters()]
            import_module("mindspore").save_checkpoint(parameters, str(path))
        except OSError as error:
            log.warning("cannot save a point of the loss landscape: %s", error)
            return
        self._files[str(number)] = str(path)

    def finish(self, training: Any) -> None:
        """Note what has been saved; a note of an earlier training in this folder stays as it is."""
        note = self._folder / "train_metadata.json"
        options = self._options
        content = {
            "epoch_group": dict(enumerate(options["intervals"])),
            "model_params_file_map": self._files,
            "step_per_epoch": optional_attribute(training, "batch_num"),
            "unit": options["unit"],
            "num_samples": options["num_samples"],
            "landscape_size": options["landscape_size"],
            "create_landscape": options["create_landscape"],
        }
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with note.open("x", encoding="utf-8") as file:
                json.dump(content, file)
        except FileExistsError:
            log.debug("%s is there already", note)
        except OSError as error:
            log.warning("cannot record the points of the loss landscape: %s", error)


def _check(options: Mapping[str, Any]) -> None:
    if unknown := set(options) - set(DEFAULT_OPTIONS):
        raise ValueError(f"collect_landscape: unknown keys {sorted(unknown)}; expected some of {list(DEFAULT_OPTIONS)}")
    size = options.get("landscape_size", 40)
    if isinstance(size, bool) or not isinstance(size, int):
        raise TypeError(f"landscape_size: expected an integer, not {type(size).__name__}")
    if not 3 <= size <= 256:
        raise ValueError(f"landscape_size: expected 3 to 256, not {size}")
    if options.get("unit", "step") not in ("step", "epoch"):
        raise ValueError(f"unit: expected 'step' or 'epoch', not {options['unit']!r}")
    if not isinstance(options.get("num_samples", 1), int):
        raise TypeError(f"num_samples: expected an integer, not {type(options['num_samples']).__name__}")
    created = options.get("create_landscape", {})
    if not isinstance(created, Mapping) or set(created) - {"train", "result"}:
        raise ValueError(f"create_landscape: expected a mapping with 'train' and 'result', not {created!r}")
    intervals = options.get("intervals", DEFAULT_OPTIONS["intervals"])
    if not isinstance(intervals, list) or not all(isinstance(interval, list) for interval in intervals):
        raise TypeError(f"intervals: expected a list of lists, not {intervals!r}")
    if any(len(interval) < 3 or not all(isinstance(number, int) for number in interval) for interval in intervals):
        raise ValueError(f"intervals: each must hold at least three integers, not {intervals!r}")
