"""Collect what MindSpore's SummaryCollector collects in a training, by the same arguments."""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from mindinsight_like.conf.locations import check_local
from mindinsight_like.writers.encoding.values import to_array
from mindinsight_like.writers.mindspore import lineage_events, mindspore_training
from mindinsight_like.writers.mindspore.landscape_points import DEFAULT_OPTIONS, LandscapePoints
from mindinsight_like.writers.mindspore.mindspore_callbacks import MindSporeCallback
from mindinsight_like.writers.mindspore.mindspore_training import optional_attribute
from mindinsight_like.writers.mindspore.summary_record import SummaryRecord, check_export_options

__all__ = ["SummaryCollector"]

log = logging.getLogger(__name__)

_DEFAULTS: Mapping[str, Any] = {
    "collect_metric": True,
    "collect_graph": True,
    "collect_train_lineage": True,
    "collect_eval_lineage": True,
    "collect_input_data": True,
    "collect_dataset_graph": True,
    "histogram_regular": None,  # the first five parameters
    "collect_landscape": DEFAULT_OPTIONS,
}
_MOST_PARAMETERS = 5
_MOST_TENSOR_STEPS = 20
_MOST_CONFIG = 100_000  # characters
_ARGUMENTS = (
    "num_process",
    "collect_specified_data",
    "keep_default_action",
    "custom_lineage_data",
    "collect_tensor_freq",
    "max_file_size",
    "export_options",
)


class SummaryCollector(MindSporeCallback):
    """A MindSpore callback that records loss, input pictures, weights, graphs and lineage of a training.

        model.train(10, dataset, callbacks=[SummaryCollector("summary")])

    The arguments are those of `mindspore.SummaryCollector`: values are collected at the first step and at every
    multiple of `collect_freq` (epochs instead of steps when data is sunk into the device); `collect_specified_data`
    says what, other things as usual or, without `keep_default_action`, not at all; `custom_lineage_data` maps names to
    texts and numbers; tensors of TensorSummary are collected at multiples of `collect_tensor_freq`, by default at 20
    steps at most. For `max_file_size` and `export_options` see SummaryRecord; `num_process` changes nothing. Each step
    is written once, also at the end of an epoch.
    """

    def __init__(
        self,
        summary_dir: str | os.PathLike[str],
        collect_freq: int = 10,
        *arguments: Any,
        collect_specified_data: Mapping[str, Any] | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: Mapping[str, Any] | None = None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options: Mapping[str, str | None] | None = None,
        num_process: int = 32,
    ) -> None:
        super().__init__()
        given_arguments: dict[str, Any] = {
            "collect_specified_data": collect_specified_data,
            "keep_default_action": keep_default_action,
            "custom_lineage_data": custom_lineage_data,
            "collect_tensor_freq": collect_tensor_freq,
            "max_file_size": max_file_size,
            "export_options": export_options,
        }
        given_arguments.update(_by_order(arguments))
        check_local(summary_dir)
        self._summary_dir = Path(os.path.realpath(summary_dir))
        self._summary_dir.mkdir(parents=True, exist_ok=True)
        self._collect_freq = _positive("collect_freq", collect_freq)
        tensor_freq = given_arguments["collect_tensor_freq"]
        self._tensor_freq = None if tensor_freq is None else _positive("collect_tensor_freq", tensor_freq)
        size = given_arguments["max_file_size"]
        self._max_file_size = None if size is None else _positive("max_file_size", size)
        self._export_options = check_export_options(given_arguments["export_options"])
        self._collect_options = _collect_options(
            given_arguments["collect_specified_data"], given_arguments["keep_default_action"]
        )
        self._custom_data = {**_hyper_config(os.environ), **(given_arguments["custom_lineage_data"] or {})}
        lineage_events.custom(self._custom_data)  # raises for what cannot be recorded
        landscape = self._collect_options.get("collect_landscape")
        self._landscape = LandscapePoints(self._summary_dir, landscape) if landscape else None
        self._record: SummaryRecord | None = None
        self._entered = 0
        self._tensor_turns: range | None = None  # known from the first step on
        self._has_begun = False
        self._refused: set[str] = set()  # tags whose values cannot be recorded, as was already told

    def __enter__(self) -> SummaryCollector:
        self._entered += 1  # an evaluation between epochs enters once more
        self._opened()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._entered -= 1
        if self._record is not None and not self._entered:
            self._record.close()
            self._record = None

    def begin(self, run_context: Any) -> None:
        """Make sure that there is only one collector and that the model is trained or evaluated."""
        training = run_context.original_args()
        if (
            sum(
                isinstance(callback, SummaryCollector)
                for callback in optional_attribute(training, "list_callback") or ()
            )
            > 1
        ):
            raise ValueError("use only one SummaryCollector")
        self._opened().set_mode(training.mode)

    def step_end(self, run_context: Any) -> None:
        """Collect this step, if it is its turn."""
        training = run_context.original_args()
        if training.mode != "train":
            return
        if not self._has_begun:
            self._has_begun = True
            self._record_once(training)
        if not optional_attribute(training, "dataset_sink_mode"):
            self._collect(training, training.cur_step_num, training.epoch_num * training.batch_num)
        if self._landscape is not None:
            self._landscape.save(training, "step")

    def epoch_end(self, run_context: Any) -> None:
        """Collect this epoch, if its steps cannot be seen and it is its turn."""
        training = run_context.original_args()
        if training.mode != "train":
            return
        if optional_attribute(training, "dataset_sink_mode"):
            self._collect(training, training.cur_epoch_num, training.epoch_num)
        if self._landscape is not None:
            self._landscape.save(training, "epoch")

    def end(self, run_context: Any) -> None:
        """Record how the model was trained or evaluated."""
        training = run_context.original_args()
        if training.mode == "train":
            if self._collect_options.get("collect_train_lineage"):
                self._record_lineage("train_lineage", mindspore_training.train_info(training))
            if self._landscape is not None:
                self._landscape.finish(training)
        elif self._collect_options.get("collect_eval_lineage"):
            self._record_lineage("eval_lineage", mindspore_training.eval_info(training))

    def _opened(self) -> SummaryRecord:
        """The record of this training or evaluation; each has its own, with files of its own."""
        if self._record is None:
            self._record = SummaryRecord(
                self._summary_dir, max_file_size=self._max_file_size, export_options=self._export_options
            )
            self._tensor_turns, self._has_begun = None, False
        return self._record

    def _record_once(self, training: Any) -> None:
        record = self._opened()
        epochs, batches = optional_attribute(training, "epoch_num"), optional_attribute(training, "batch_num")
        if isinstance(epochs, int) and isinstance(batches, int) and epochs * batches > 0:
            record.set_total_steps(epochs * batches)
        if self._collect_options.get("collect_graph"):
            content = mindspore_training.graph(optional_attribute(training, "train_network"))
            if content is None:
                log.warning("the network is not compiled and has no graph; none is recorded")
            else:
                record.record_graph(content)
        if self._collect_options.get("collect_dataset_graph"):
            pipeline = mindspore_training.dataset_graph(optional_attribute(training, "train_dataset"))
            if pipeline is not None:
                self._record_lineage("dataset_graph", pipeline)
        if self._custom_data:
            self._record_lineage("custom_lineage_data", self._custom_data)

    def _collect(self, training: Any, turn: int, turns: int) -> None:
        is_first = self._tensor_turns is None
        if self._tensor_turns is None:
            self._tensor_turns = self._turns_of_tensors(turns)
        with_tensors = is_first or turn in self._tensor_turns
        with_others = is_first or turn % self._collect_freq == 0
        if not with_tensors and not with_others:
            return
        record = self._opened()
        record.set_mode("train")  # an evaluation between epochs has changed it
        if with_others:
            self._add_input(training)
            if self._collect_options.get("collect_metric"):
                loss = mindspore_training.loss(training)
                if loss is not None:
                    self._add("scalar", "loss/auto", loss)
            self._add_histograms(training)
        record.record(training.cur_step_num, plugin_filter=_filter(with_tensors, with_others))

    def _turns_of_tensors(self, turns: int) -> range:
        """The steps (or epochs) at which tensors are collected: not more than the others, and by default few."""
        if self._tensor_freq is not None:
            return range(0, turns + 1, self._tensor_freq)
        usual = range(0, turns + 1, self._collect_freq)
        if len(usual) <= _MOST_TENSOR_STEPS:
            return usual
        stride = turns // (_MOST_TENSOR_STEPS - 1)
        if stride > 1:
            return range(0, turns + 1, stride)[:_MOST_TENSOR_STEPS]
        return range(turns + 1)[: _MOST_TENSOR_STEPS + 1]  # turns are counted from 1

    def _add_input(self, training: Any) -> None:
        """Add the first input of the network when it holds pictures (NCHW)."""
        if not self._collect_options.get("collect_input_data"):
            return
        batch = optional_attribute(training, "train_dataset_element")
        if isinstance(batch, list | tuple):
            batch = batch[0] if batch else None
        try:
            pictures = None if batch is None else to_array(batch)
        except (TypeError, ValueError):
            pictures = None
        if pictures is None or pictures.ndim != 4 or pictures.shape[1] not in (1, 3):
            log.warning("the first input of the network is not a batch of images (NCHW) and is not recorded")
            self._collect_options["collect_input_data"] = False
            return
        self._add("image", "input_data/auto", pictures)

    def _add_histograms(self, training: Any) -> None:
        if "histogram_regular" not in self._collect_options:
            return
        parameters = list(optional_attribute(mindspore_training.optimizer(training), "parameters") or ())
        pattern = self._collect_options["histogram_regular"]
        if pattern is None:
            parameters = parameters[:_MOST_PARAMETERS]
        else:
            parameters = [parameter for parameter in parameters if re.match(pattern, parameter.name)]
        for parameter in parameters:
            self._add("histogram", f"{parameter.name}/auto", parameter)

    def _add(self, plugin: str, tag: str, value: object) -> None:
        try:
            self._opened().add_value(plugin, tag, value)
        except (TypeError, ValueError) as error:
            if tag not in self._refused:
                self._refused.add(tag)
                log.warning("not recorded: %s", error)

    def _record_lineage(self, plugin: str, value: object) -> None:
        try:
            self._opened().record_lineage(plugin, value)
        except (TypeError, ValueError) as error:
            log.warning("%s is not recorded: %s", plugin, error)


def _by_order(arguments: tuple[Any, ...]) -> dict[str, Any]:
    """Names for arguments given without; `num_process` came with MindSpore 2.1 and may be left out."""
    names = _ARGUMENTS if arguments and isinstance(arguments[0], int) else _ARGUMENTS[1:]
    if len(arguments) > len(names):
        raise TypeError(f"SummaryCollector takes at most {len(names)} arguments after collect_freq: {', '.join(names)}")
    return dict(zip(names, arguments, strict=False))


def _positive(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name}: expected an integer, not {type(value).__name__}")
    if value <= 0:
        raise ValueError(f"{name}: expected a number above 0, not {value}")
    return value


def _collect_options(specified: object, keep_defaults: object) -> dict[str, Any]:
    """What is to be collected, from the user's wishes and the defaults."""
    if not isinstance(keep_defaults, bool):
        raise TypeError(f"keep_default_action: expected a bool, not {type(keep_defaults).__name__}")
    defaults = dict(_DEFAULTS) if keep_defaults else {}
    if specified is None:
        return defaults
    if not isinstance(specified, Mapping):
        raise TypeError(f"collect_specified_data: expected a mapping or None, not {type(specified).__name__}")
    if unknown := set(specified) - set(_DEFAULTS):
        raise ValueError(
            f"collect_specified_data: unknown keys {sorted(map(str, unknown))}; expected some of {list(_DEFAULTS)}"
        )
    for key, value in specified.items():
        if key == "histogram_regular":
            _check_pattern(value)
        elif key == "collect_landscape":
            if value is not None and not isinstance(value, Mapping):
                raise TypeError(f"{key}: expected a mapping or None, not {type(value).__name__}")
        elif not isinstance(value, bool):
            raise TypeError(f"{key}: expected a bool, not {type(value).__name__}")
    return {**defaults, **specified}


def _check_pattern(pattern: object) -> None:
    if pattern is None:
        return
    if not isinstance(pattern, str):
        raise TypeError(f"histogram_regular: expected a regular expression or None, not {type(pattern).__name__}")
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"histogram_regular: {pattern!r} is not a valid regular expression: {error}") from error


def _hyper_config(environ: Mapping[str, str]) -> dict[str, Any]:
    """Lineage data that a search over hyper-parameters hands to the trainings it starts."""
    text = environ.get("MINDINSIGHT_HYPER_CONFIG", "")
    if not text:
        return {}
    try:
        if len(text) > _MOST_CONFIG:
            raise ValueError(f"it has more than {_MOST_CONFIG} characters")
        data = json.loads(text).get("custom_lineage_data") or {}
        lineage_events.custom(data)
    except (AttributeError, TypeError, ValueError) as error:
        log.warning("MINDINSIGHT_HYPER_CONFIG is not used: %s", error)
        return {}
    return dict(data)


def _filter(with_tensors: bool, with_others: bool) -> Callable[[str], bool]:
    return lambda plugin: with_tensors if plugin == "tensor" else with_others
