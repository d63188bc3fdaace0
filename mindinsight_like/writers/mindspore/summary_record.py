"""Record training as MindSpore's SummaryRecord does, without needing MindSpore."""

from __future__ import annotations

import logging
import operator
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mindinsight_like.conf.locations import check_local
from mindinsight_like.writers.encoding import mindspore
from mindinsight_like.writers.files.limited_file import LimitedFile
from mindinsight_like.writers.files.run_state import checked_total
from mindinsight_like.writers.mindspore import lineage_events, mindspore_training
from mindinsight_like.writers.mindspore.mindspore_graph import graph
from mindinsight_like.writers.mindspore.mindspore_values import PLUGINS, checked, encoded

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

__all__ = ["SummaryRecord", "check_export_options"]

log = logging.getLogger(__name__)

_LINEAGE: dict[str, Callable[[object], bytes]] = {
    "train_lineage": lineage_events.train,
    "eval_lineage": lineage_events.evaluation,
    "dataset_graph": lineage_events.dataset_graph,
    "custom_lineage_data": lineage_events.custom,
}
_PLUGINS = (*PLUGINS, "graph", *_LINEAGE)
_R03_ARGUMENTS = ("queue_max_size", "flush_time", "file_prefix", "file_suffix", "network")
_R2_ARGUMENTS = (
    "file_prefix",
    "file_suffix",
    "num_process",
    "network",
    "max_file_size",
    "raise_exception",
    "export_options",
)
_OPERATOR_NAME = re.compile(r"(.+)\[:(.+)\]")  # tag[:Scalar], as the summary operators name what they saw


class SummaryRecord:
    """Writes scalars, images, tensors, histograms, graphs, landscapes and lineage as MindSpore's SummaryRecord does.

        with SummaryRecord("summary") as record:
            for step, loss in enumerate(train(), start=1):
                record.add_value("scalar", "loss", loss)
                record.record(step)

    Values go to `<prefix>.out.events.summary.<seconds>.<rank>.<host>_MS`, lineage to the same name ending in
    `_lineage`; a file without records does not stay. The arguments of MindSpore 2.x and those of r0.3 are taken, by
    name or in their order: `flush_time` says how many seconds of records may be lost when the process is killed,
    `max_file_size` (bytes) after how much a file takes nothing more, `export_options={"tensor_format": "npy"}` keeps
    tensors as numpy files, too. `network` is a MindSpore cell whose graph is recorded as soon as it is compiled.
    `queue_max_size`, `num_process` and `raise_exception` change nothing: records are written by one thread, values
    that cannot be recorded raise at once, and a full disk never ends a training. `total_steps` says how many steps the
    run is going to have. Several records may be open.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        *arguments: Any,
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        network: Any = None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: Mapping[str, str | None] | None = None,
        num_process: int = 32,
        queue_max_size: int = 0,
        flush_time: float = 120,
        total_steps: int | None = None,
    ) -> None:
        options = {
            "file_prefix": file_prefix,
            "file_suffix": file_suffix,
            "network": network,
            "max_file_size": max_file_size,
            "export_options": export_options,
            "flush_time": flush_time,
        }
        options.update(_by_order(arguments))
        prefix, suffix = _file_part(options["file_prefix"]), _file_part(options["file_suffix"])
        if suffix.endswith("_lineage"):
            raise ValueError("file_suffix: '_lineage' is reserved for lineage files")
        self._network = options["network"]
        self._export_options = check_export_options(options["export_options"])
        limit = _checked_limit(options["max_file_size"])
        self._mode = "train"
        self._values: dict[tuple[str, str], object] = {}
        self._is_closed = False
        self._has_graph = False
        self._ascend = SimpleNamespace(_op_finished_init=False)  # what MindSpore's own record keeps for its devices
        check_local(log_dir)
        folder = Path(os.path.realpath(log_dir))
        folder.mkdir(parents=True, exist_ok=True)
        seconds, summary, lineage = _reserved_names(folder, prefix, suffix)
        self._export_folder = folder / f"export_{seconds}" / "tensor"
        flush_secs = float(options["flush_time"])
        frame, opening = mindspore.frame, mindspore.opening
        self._summary = LimitedFile(
            summary,
            suffix=suffix,
            frame=frame,
            opening=opening,
            limit=limit,
            flush_secs=flush_secs,
            has_run_state=True,
            total_steps=checked_total(total_steps),
        )
        self._lineage = LimitedFile(lineage, suffix="_lineage", frame=frame, limit=limit, flush_secs=flush_secs)
        _operator_values()  # what was seen before this record began belongs to none of its steps

    def set_total_steps(self, total_steps: int) -> None:
        """Say how many steps the run is going to have, for its progress."""
        if (total := checked_total(total_steps)) is not None:
            self._summary.set_total_steps(total)

    @property
    def log_dir(self) -> str:
        """The full path of the summary file, as in MindSpore."""
        return str(self._summary.path)

    @property
    def full_file_name(self) -> str:
        """The same, by the name it has in r0.3."""
        return self.log_dir

    def set_mode(self, mode: str) -> None:
        """Say whether the model is trained ("train") or evaluated ("eval"): then no operator's values are recorded."""
        if mode not in ("train", "eval"):
            raise ValueError(f"mode: expected 'train' or 'eval', not {mode!r}")
        self._mode = mode

    def add_value(self, plugin: str, name: str, value: Any) -> None:
        """Keep a value for the next `record`; of several with one plugin and name the newest is taken.

        scalar: one number. image: NCHW (several become one picture), CHW, HWC or HW. tensor, histogram: any array.
        graph, train_lineage, eval_lineage, dataset_graph, custom_lineage_data, landscape: a protobuf message of
        MindSpore, its bytes, or a mapping; which keys it has stand in `mindspore_graph`, `lineage_events` and
        `mindspore.loss_landscape`. Raises TypeError and ValueError for what cannot be recorded.
        """
        plugin = plugin.lower() if isinstance(plugin, str) else plugin
        if plugin not in _PLUGINS:
            raise ValueError(f"plugin: expected one of {', '.join(_PLUGINS)}, not {plugin!r}")
        if plugin in _LINEAGE:
            self._values[plugin, str(name)] = _LINEAGE[plugin](value)
            return
        if plugin == "graph":
            self._values[plugin, str(name)] = graph(value)
            return
        if not isinstance(name, str) or not name:
            raise ValueError(f"name: expected a non-empty tag, not {name!r}")
        self._values[plugin, name] = checked(plugin, name, value)

    def record(self, step: int, train_network: Any = None, plugin_filter: Callable[[str], bool] | None = None) -> bool:
        """Write what was added, and what MindSpore's summary operators saw, under a step; False once closed.

        Plugins for which `plugin_filter` is false are dropped. `train_network` is asked for the graph when the
        record's own network has none.
        """
        step = operator.index(step)
        if self._is_closed:
            log.error("%s has been closed; step %d is not recorded", self.log_dir, step)
            return False
        wall_time = time.time()
        self._record_graph(train_network, wall_time)
        if self._mode == "train":
            self._add_operator_values(step)
        added, self._values = self._values, {}
        summary: list[tuple[str, str, object]] = []
        for (plugin, name), value in added.items():
            if plugin_filter is not None and not plugin_filter(plugin):
                continue
            if plugin in _LINEAGE:
                self._lineage.put(lineage_events.event, plugin, value, wall_time)
            elif plugin == "graph":
                self._summary.put(_graph_event, value, wall_time)
            else:
                summary.append((plugin, name, value))
                if plugin == "tensor" and self._export_options.get("tensor_format") == "npy":
                    path = self._export_folder / f"{quote(name, safe='')}_{step}.npy"
                    self._summary.put_aside(_export, str(path), value)
        if summary:
            self._summary.put(_summary_event, step, wall_time, summary)
        return True

    def record_graph(self, value: Any) -> None:
        """Write a graph at once; values that were added and wait for `record` go on waiting."""
        self._summary.put(_graph_event, graph(value), time.time())

    def record_lineage(self, plugin: str, value: Any) -> None:
        """Write lineage at once; values that were added and wait for `record` go on waiting.

        The plugin is train_lineage, eval_lineage, dataset_graph or custom_lineage_data.
        """
        self._lineage.put(lineage_events.event, plugin, _LINEAGE[plugin](value), time.time())

    def flush(self) -> None:
        """Return when everything recorded so far is in the files."""
        if self._is_closed:
            log.error("%s has been closed and cannot be flushed", self.log_dir)
            return
        self._summary.flush()
        self._lineage.flush()

    def close(self) -> None:
        """Flush and release the files; later records are refused."""
        if not self._is_closed:
            self._is_closed = True
            self._summary.close()
            self._lineage.close()
            with suppress(FileNotFoundError):
                if not self._summary.path.stat().st_size:
                    self._summary.path.unlink()

    def __enter__(self) -> SummaryRecord:
        if self._is_closed:
            raise ValueError(f"{self.log_dir} has been closed")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _record_graph(self, train_network: Any, wall_time: float) -> None:
        if self._network is None or self._has_graph:
            return
        for network in (self._network, train_network):
            if content := mindspore_training.graph(network):
                self._has_graph = True
                self._summary.put(_graph_event, graph(content), wall_time)
                return

    def _add_operator_values(self, step: int) -> None:
        """Add what ScalarSummary, ImageSummary, TensorSummary and HistogramSummary saw in the network."""
        for name, value in _operator_values(self._ascend, step).items():
            match = _OPERATOR_NAME.fullmatch(name)
            try:
                if not match:
                    raise ValueError("expected a name such as tag[:Scalar]")
                self.add_value(match[2].lower(), match[1], value)
            except (TypeError, ValueError) as error:
                log.warning("%s of a summary operator is not recorded: %s", name, error)


def check_export_options(options: object) -> Mapping[str, str | None]:
    """The options, empty for None; raises TypeError and ValueError for others than {"tensor_format": "npy" or None}."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(f"export_options: expected a mapping or None, not {type(options).__name__}")
    if unknown := set(options) - {"tensor_format"}:
        raise ValueError(f"export_options: unknown keys {sorted(map(str, unknown))}; expected 'tensor_format'")
    if options.get("tensor_format") not in ("npy", None):
        raise ValueError(f"export_options: tensor_format may be 'npy' or None, not {options['tensor_format']!r}")
    return options


def _by_order(arguments: tuple[Any, ...]) -> dict[str, Any]:
    """Names for arguments given without: r0.3 begins with a number, 2.x with a text; `num_process` may be left out."""
    if not arguments:
        return {}
    if isinstance(arguments[0], int):
        names: tuple[str, ...] = _R03_ARGUMENTS
    elif len(arguments) > 2 and not isinstance(arguments[2], int):
        names = tuple(name for name in _R2_ARGUMENTS if name != "num_process")
    else:
        names = _R2_ARGUMENTS
    if len(arguments) > len(names):
        raise TypeError(f"SummaryRecord takes log_dir and at most {len(names)} further arguments: {', '.join(names)}")
    return dict(zip(names, arguments, strict=False))


def _file_part(part: object) -> str:
    if not isinstance(part, str):
        raise TypeError(f"file_prefix and file_suffix must be strings, not {type(part).__name__}")
    if not re.fullmatch(r"[^\s/\\\0]*", part):
        raise ValueError(f"file_prefix and file_suffix may contain neither spaces nor slashes: {part!r}")
    return part


def _checked_limit(limit: object) -> int | None:
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise TypeError(f"max_file_size: expected a number of bytes or None, not {type(limit).__name__}")
    return limit if limit >= 0 else None


def _reserved_names(folder: Path, prefix: str, suffix: str) -> tuple[int, Path, Path]:
    """A second, from now on, with the pair of file names it gives that nobody else in this folder has or gets.

    The empty summary file is the reservation: other processes may begin in the same second.
    """
    host, rank, seconds = platform.node(), _rank(), int(time.time())
    while True:
        summary, lineage = (
            folder / mindspore.file_name(seconds, host=host, rank=rank, prefix=prefix, suffix=ending)
            for ending in (suffix, "_lineage")
        )
        if not lineage.exists():
            with suppress(FileExistsError):
                summary.touch(exist_ok=False)
                return seconds, summary, lineage
        seconds += 1


def _rank() -> int:
    """The rank in a parallel training, or else the number of the device, as far as MindSpore or the launcher say."""
    if "mindspore" in sys.modules:
        try:
            communication = import_module("mindspore.communication")
            if communication.get_group_size() > 1:
                return int(communication.get_rank())
            return int(import_module("mindspore").get_context("device_id"))
        except (ImportError, RuntimeError, TypeError, ValueError):
            log.debug("MindSpore tells no rank", exc_info=True)
    for name in ("RANK_ID", "RANK"):
        if os.environ.get(name, "").isdecimal():
            return int(os.environ[name])
    return 0


def _operator_values(ascend: SimpleNamespace | None = None, step: int = 0) -> dict[str, Any]:
    """What MindSpore's summary operators have seen since the last call, by `tag[:Kind]`; it is given only once."""
    module = sys.modules.get("mindspore.train.summary.summary_record")
    take = getattr(module, "_get_summary_tensor_data", None)
    if take is None:
        return {}
    if ascend is not None:
        # Ascend devices hand the values over in their own time: MindSpore waits for a mark behind them.
        wait = getattr(getattr(module, "SummaryRecord", None), "_sync_summary_data", None)
        if wait is not None:
            wait(ascend, step)
    gather = getattr(module, "_record_summary_tensor_data", None)  # without compiled graphs the operators keep a list
    if gather is not None:
        gather()
    values: dict[str, Any] = take()
    return values


# --- called by the writing thread -----------------------------------------------------------------------------------


def _summary_event(step: int, wall_time: float, values: list[tuple[str, str, Any]]) -> bytes:
    return mindspore.event([encoded(*value) for value in values], step=step, wall_time=wall_time)


def _graph_event(content: bytes, wall_time: float) -> bytes:
    return mindspore.graph_event(content, wall_time=wall_time)


def _export(path: str, array: Array) -> bytes:
    """Keep an array as a file of its own; gives no record."""
    import numpy as np

    Path(path).parent.mkdir(parents=True, exist_ok=True)
    np.save(path, array)
    return b""
