"""`SummaryWriter` in the spelling of tensorboardX and of torch.utils.tensorboard; what it writes opens in TensorBoard.

Where the two differ:

* Tags are stored as they are given, as torch does it (tensorboardX replaces what is no letter, digit or one of -/._).
* `add_scalars` keeps its curves in `<logdir>/<main_tag>/<key>/`, as tensorboardX does it.
* Arguments by position may come in the order of either; see `add_scalar`, `add_image_with_boxes`, `add_hparams`.

Arrays are numpy's, or tensors of any framework on any device. A call checks and copies what it needs and returns;
encoding and writing happen in a thread (see `background`).

Over 400 lines, most of them signatures: one method for each call of the two originals.
"""

from __future__ import annotations

import json
import os
import time
import warnings
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from mindinsight_like.conf.locations import check_local
from mindinsight_like.writers.encoding import tensorboard
from mindinsight_like.writers.encoding.values import owned, to_array, to_number
from mindinsight_like.writers.files.event_file import EventFile
from mindinsight_like.writers.files.run_state import checked_total
from mindinsight_like.writers.tensorboard import summary_events
from mindinsight_like.writers.tensorboard.tags import checked_tag, encodable, path_parts

if TYPE_CHECKING:
    from mindinsight_like.writers.encoding.chart_layout import Layout

_MOST_HEADS = 10_000  # of scalars, kept encoded
_MOST_STEP = 1 << 63
_MOST_TENSOR_BYTES = 1 << 31  # of a protobuf message


class SummaryWriter:
    """Records scalars, pictures and everything else TensorBoard shows, into a new event file of a folder.

    The folder is `logdir` or `log_dir`, or else `runs/<date>_<host><comment>`. With `purge_step`, readers forget what
    was recorded in that folder from this step on. What is recorded reaches the disk within a second, or within
    `flush_secs` when these are less; `total_steps` says how many steps the run is going to have, for its progress.
    `max_queue` and further options are taken without effect.
    """

    def __init__(
        self,
        logdir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
        write_to_disk: bool = True,
        log_dir: str | os.PathLike[str] | None = None,
        comet_config: Mapping[str, Any] | None = None,
        total_steps: int | None = None,
        **options: Any,
    ) -> None:
        self.logdir = os.fspath(logdir or log_dir or _default_folder(comment))
        check_local(self.logdir)
        self.log_dir = self.logdir
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: EventFile | None = None
        self.all_writers: dict[str, EventFile] | None = None
        self._write_to_disk = write_to_disk
        self._total_steps = checked_total(total_steps)
        self._heads: dict[str, bytes] = {}
        self._default_step: int | None = None
        self._default_walltime: float | None = None
        self._pairs: dict[str, array[float]] = {}  # of add_scalars: wall time, step (NaN for none), value, ..
        self._get_file_writer()

    # --- numbers ---------------------------------------------------------------------------------------------------

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        display_name: str | bool = "",
        summary_description: str | bool = "",
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Record one number, in single precision.

        torch's `new_style` makes it a tensor, of double precision if asked for; these two may also take the places of
        `display_name` and `summary_description`, which are tensorboardX's.
        """
        head = self._heads.get(tag) or self._head(tag)
        value = scalar_value if type(scalar_value) is float else to_number(scalar_value)
        step, wall_time = self._moment(global_step, walltime)
        file = self.file_writer or self._get_file_writer()
        if not (display_name or summary_description or new_style):
            file.put_small(tensorboard.scalar_event, head, value, step, wall_time)
            return
        title = display_name if isinstance(display_name, str) else ""
        description = summary_description if isinstance(summary_description, str) else ""
        if not (new_style or display_name is True):
            encoded = tensorboard.described_scalar(tag, value, display_name=title, description=description)
        elif double_precision or summary_description is True:
            encoded = tensorboard.double_scalar(tag, value)
        else:
            encoded = tensorboard.single_scalar(tag, value)
        file.put(summary_events.event, [encoded], step, wall_time)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, Any],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Record several numbers for one chart; each key gets a folder of its own, below this writer's.

        They are also remembered for `export_scalars_to_json`.
        """
        if not isinstance(tag_scalar_dict, Mapping):
            raise TypeError(f"tag_scalar_dict must be a dict of numbers, not {type(tag_scalar_dict).__name__}")
        head = self._heads.get(main_tag) or self._head(main_tag)
        numbers = {key: to_number(value) for key, value in tag_scalar_dict.items()}
        step, wall_time = self._moment(global_step, walltime)
        for key, number in numbers.items():
            folder = os.path.join(self.logdir, *path_parts(main_tag), *path_parts(key))  # noqa: PTH118
            self._file_of(folder).put_small(tensorboard.scalar_event, head, number, step, wall_time)
            known_step = float("nan") if global_step is None and self._default_step is None else step
            self._pairs.setdefault(folder, array("d")).extend((wall_time, known_step, number))

    def export_scalars_to_json(self, path: str | os.PathLike[str]) -> None:
        """Write what `add_scalars` has got since the last export: {folder: [[wall time, step, value], ..]}."""
        content = {
            folder: [
                [columns[at], None if columns[at + 1] != columns[at + 1] else int(columns[at + 1]), columns[at + 2]]
                for at in range(0, len(columns), 3)
            ]
            for folder, columns in self._pairs.items()
        }
        Path(path).write_text(json.dumps(content))
        self._pairs = {}

    def add_tensor(self, tag: str, tensor: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Record an array of numbers or booleans as it is."""
        values = to_array(tensor)
        if values.nbytes >= _MOST_TENSOR_BYTES:
            raise ValueError(f"a tensor must be smaller than 2 GB to be recorded; this one has {values.nbytes} bytes")
        self._put(summary_events.tensor, checked_tag(tag), owned(values, tensor), at=(global_step, walltime))

    # --- distributions ---------------------------------------------------------------------------------------------

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: str | int | Sequence[float] = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Record how the values are distributed; NaN and infinities are left out.

        `bins` is "tensorflow" for exponential buckets, or whatever `numpy.histogram` takes.
        """
        from mindinsight_like.writers.encoding.histograms import tensorboard_histogram

        histogram = tensorboard_histogram(to_array(values), bins=bins, max_bins=max_bins)
        statistics = (
            histogram.minimum,
            histogram.maximum,
            float(histogram.finite_count),
            histogram.total,
            histogram.sum_squares,
        )
        # Limits are right edges; an empty bucket in front tells where the first one begins.
        limits, counts = histogram.edges.tolist(), [0, *histogram.counts.tolist()]
        self._put(
            summary_events.raw_histogram, checked_tag(tag), statistics, limits, counts, at=(global_step, walltime)
        )

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: float,
        sum: float,
        sum_squares: float,
        bucket_limits: Any,
        bucket_counts: Any,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Record a histogram that has been counted already; limits are the right edges of the buckets."""
        limits = to_array(bucket_limits).reshape(-1).tolist()
        counts = to_array(bucket_counts).reshape(-1).tolist()
        if len(limits) != len(counts):
            raise ValueError(
                f"each bucket has one limit, its right edge; got {len(limits)} limits for {len(counts)} counts"
            )
        statistics = tuple(map(to_number, (min, max, num, sum, sum_squares)))
        self._put(
            summary_events.raw_histogram, checked_tag(tag), statistics, limits, counts, at=(global_step, walltime)
        )

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any | None = None,
        walltime: float | None = None,
    ) -> None:
        """Record precision and recall of predicted probabilities against labels that are true or false."""
        from mindinsight_like.writers.encoding.curves import count_answers

        answers = count_answers(
            to_array(labels),
            to_array(predictions),
            thresholds=num_thresholds,
            weights=None if weights is None else to_array(weights),
        )
        self.add_pr_curve_raw(
            tag,
            answers.true_positives,
            answers.false_positives,
            answers.true_negatives,
            answers.false_negatives,
            answers.precision,
            answers.recall,
            global_step,
            num_thresholds,
            walltime=walltime,
        )

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any | None = None,
        walltime: float | None = None,
    ) -> None:
        """Record a curve that has been counted already: numbers for thresholds from 0 to 1, evenly spaced."""
        import numpy as np

        counts = (true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts)
        rows = [to_array(row).reshape(-1) for row in (*counts, precision, recall)]
        if len({len(row) for row in rows}) != 1:
            raise ValueError(f"the six rows must have the same length; got {[len(row) for row in rows]} elements")
        table = np.stack(rows).astype(np.float32)
        self._put(summary_events.pr_curve, checked_tag(tag), table, at=(global_step, walltime))

    # --- pictures --------------------------------------------------------------------------------------------------

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Record a picture: bytes from 0 to 255 or floats from 0 to 1; `dataformats` names the dimensions.

        A Pillow image tells its own dimensions.
        """
        from mindinsight_like.writers.encoding.images import to_pixels

        pixels = to_array(img_tensor)
        if hasattr(img_tensor, "getbands") and hasattr(img_tensor, "mode"):  # Pillow's
            dataformats = "HW" if pixels.ndim == 2 else "HWC"
        self._put(summary_events.image, checked_tag(tag), to_pixels(pixels, dataformats), at=(global_step, walltime))

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Record several pictures as one, eight in a row; a list holds pictures of equal size."""
        if isinstance(img_tensor, (list, tuple)) and "N" not in dataformats.upper():
            dataformats = f"N{dataformats}"
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        rescale: float | str = 1,
        dataformats: str | Sequence[str] | None = "CHW",
        labels: Sequence[str] | str | None = None,
        **options: Any,
    ) -> None:
        """Record a picture with frames around boxes (left, top, right, bottom), and their labels.

        tensorboardX has `dataformats` and `labels` in the place of `rescale` and `dataformats`.
        """
        from mindinsight_like.writers.encoding.images import resized, to_pixels, with_boxes

        scale = 1.0
        if isinstance(rescale, str):
            labels = labels if isinstance(dataformats, str) else dataformats
            dataformats = rescale
        else:
            scale = rescale
        if not isinstance(dataformats, str):
            raise TypeError(f"dataformats must be a string such as 'CHW', not {dataformats!r}")
        boxes = to_array(box_tensor)
        names = [labels] if isinstance(labels, str) else labels
        if names is not None and len(names) != len(boxes):
            warnings.warn(
                f"{len(names)} labels for {len(boxes)} boxes: labels are ignored", RuntimeWarning, stacklevel=2
            )
            names = None
        pixels = with_boxes(
            to_pixels(to_array(img_tensor), dataformats), boxes if boxes.size else boxes.reshape(0, 4), names
        )
        if scale != 1:
            pixels = resized(pixels, scale)
        self._put(summary_events.image, checked_tag(tag), pixels, at=(global_step, walltime))

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: int | None = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """Record a matplotlib figure, or several of equal size as one picture."""
        from mindinsight_like.writers.encoding.figures import drawn

        if isinstance(figure, (list, tuple)):
            self.add_images(tag, [drawn(each, close=close) for each in figure], global_step, walltime, "HWC")
        else:
            self.add_image(tag, drawn(figure, close=close), global_step, walltime, "HWC")

    def add_video(
        self,
        tag: str,
        vid_tensor: Any,
        global_step: int | None = None,
        fps: float = 4,
        walltime: float | None = None,
        dataformats: str = "NTCHW",
    ) -> None:
        """Record a video as an animated picture; several videos (N) run side by side."""
        from mindinsight_like.writers.encoding.videos import to_frames

        if not fps > 0:
            raise ValueError(f"fps must be more than 0, not {fps}")
        frames = to_frames(to_array(vid_tensor), dataformats)
        self._put(summary_events.video, checked_tag(tag), frames, float(fps), at=(global_step, walltime))

    # --- sounds, texts, shapes -------------------------------------------------------------------------------------

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: int | None = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Record a sound: floats from -1 to 1, shape (frames,) or (frames, channels)."""
        from mindinsight_like.writers.encoding.audio import to_samples

        samples = to_samples(to_array(snd_tensor))
        self._put(summary_events.audio, checked_tag(tag), samples, int(sample_rate), at=(global_step, walltime))

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Record a text, which is shown as Markdown."""
        if not isinstance(text_string, str):
            raise TypeError(f"text must be a str, not {type(text_string).__name__}")
        self._put(summary_events.text, checked_tag(tag), encodable(text_string), at=(global_step, walltime))

    def add_mesh(
        self,
        tag: str,
        vertices: Any,
        colors: Any | None = None,
        faces: Any | None = None,
        config_dict: Mapping[str, Any] | None = None,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Record meshes or point clouds: vertices, their colours, and faces by numbers of vertices, (batch, n, 3)."""
        from mindinsight_like.writers.encoding.meshes import mesh_parts

        parts = mesh_parts(vertices, colors, faces)
        self._put(summary_events.mesh, checked_tag(tag), parts, dict(config_dict or {}), at=(global_step, walltime))

    # --- models ----------------------------------------------------------------------------------------------------

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Record what a torch module computes for an example of its input, or the graph of an ONNX model or file."""
        if isinstance(model, (str, os.PathLike)) or hasattr(model, "SerializeToString"):
            self.add_onnx_graph(model)
            return
        from mindinsight_like.writers.encoding.graph_def import RUN_METADATA
        from mindinsight_like.writers.tensorboard.torch_graph import torch_graph

        graph = torch_graph(model, input_to_model, strict=use_strict_trace, verbose=verbose)
        _, wall_time = self._moment(None, None)
        self._get_file_writer().put(summary_events.graph, graph, wall_time)
        self._get_file_writer().put(summary_events.run_metadata, "step1", RUN_METADATA, wall_time)

    def add_onnx_graph(self, onnx_model_file: Any = None, *, prototxt: Any = None) -> None:
        """Record the graph of an ONNX file or model; `prototxt` is torch's name for the same."""
        from mindinsight_like.writers.tensorboard.onnx_graph import onnx_graph

        source = prototxt if onnx_model_file is None else onnx_model_file
        if hasattr(source, "SerializeToString"):
            model = source.SerializeToString()
        else:
            model = source if isinstance(source, bytes) else Path(source).read_bytes()
        _, wall_time = self._moment(None, None)
        self._get_file_writer().put(summary_events.graph, onnx_graph(model), wall_time)

    def add_embedding(
        self,
        mat: Any,
        metadata: Sequence[Any] | None = None,
        label_img: Any | None = None,
        global_step: int | None = None,
        tag: str = "default",
        metadata_header: Sequence[str] | None = None,
    ) -> None:
        """Record points (one a row) with their labels and small pictures, as files beside the event file."""
        from mindinsight_like.writers.files import embedding_files

        points = to_array(mat)
        if points.ndim != 2 or not points.size:
            raise ValueError(f"mat must have a row for each point, shape (points, dimensions), not {points.shape}")
        step, _ = self._moment(global_step, None)
        labels = None
        if metadata is not None:
            rows = metadata.tolist() if hasattr(metadata, "tolist") else list(metadata)
            labels = embedding_files.label_rows(rows, metadata_header, points=len(points))
        sprite, size = None, (0, 0)
        if label_img is not None:
            images = to_array(label_img)
            sprite, size = embedding_files.sprite(images, points=len(points)), (images.shape[3], images.shape[2])
            if max(sprite.shape) > embedding_files.MOST_SPRITE_PIXELS:
                warnings.warn(
                    f"the label images together are {sprite.shape[1]} pixels wide; TensorBoard shows them up to "
                    f"{embedding_files.MOST_SPRITE_PIXELS}",
                    RuntimeWarning,
                    stacklevel=2,
                )
        self._get_file_writer().put(
            embedding_files.write_embedding,
            Path(self.logdir),
            checked_tag(tag),
            step,
            owned(points, mat),
            labels,
            sprite,
            size,
        )

    # --- descriptions ----------------------------------------------------------------------------------------------

    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Mapping[str, Sequence[Any]] | str | None = None,
        run_name: str | int | None = None,
        global_step: int | None = None,
        *,
        name: str | None = None,
    ) -> None:
        """Record hyper-parameters and final metrics, in a folder `run_name` (by default the time) below this writer's.

        With "." they are recorded in this writer's folder itself, so that no further run is shown for them.
        tensorboardX has `name` and `global_step` in the place of `hparam_domain_discrete` and `run_name`.
        """
        from mindinsight_like.writers.encoding.hyper_parameters import session

        if not isinstance(hparam_dict, Mapping) or not isinstance(metric_dict, Mapping):
            raise TypeError("hparam_dict and metric_dict must be dictionaries")
        if isinstance(hparam_domain_discrete, str):
            name, hparam_domain_discrete = hparam_domain_discrete, None
        if isinstance(run_name, int):
            run_name, global_step = None, run_name
        values = session(hparam_dict, metric_dict, hparam_domain_discrete)
        metrics = {metric: to_number(value) for metric, value in metric_dict.items()}
        step, wall_time = self._moment(global_step, None)
        below = name or run_name or str(time.time())
        folder = Path(self.logdir, *([] if below == "." else path_parts(below)))
        trial = self._new_file(folder, lazy=True)
        for value in values:
            trial.put(summary_events.event, [value], step, wall_time)
        for metric, number in metrics.items():
            trial.put_small(tensorboard.scalar_event, self._head(metric), number, step, wall_time)
        trial.close(wait=False)

    def add_custom_scalars(self, layout: Layout) -> None:
        """Describe charts that show several scalars: {category: {title: ["Multiline", tags] or ["Margin", 3 tags]}}."""
        from mindinsight_like.writers.encoding.chart_layout import chart_layout

        self._put(summary_events.event, [chart_layout(layout)], at=(None, None))

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Describe one chart that shows several scalars."""
        self.add_custom_scalars({category: {title: ["Multiline", list(tags)]}})

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Describe one chart that shows a scalar between a lower and an upper bound: tags in this order."""
        self.add_custom_scalars({category: {title: ["Margin", list(tags)]}})

    # --- the writer itself -----------------------------------------------------------------------------------------

    @contextmanager
    def use_metadata(self, *, global_step: int | None = None, walltime: float | None = None) -> Iterator[SummaryWriter]:
        """Within the block, calls without a step or a time of their own take these."""
        if global_step is None and walltime is None:
            raise ValueError("use_metadata needs a global_step or a walltime")
        before = self._default_step, self._default_walltime
        self._default_step, self._default_walltime = global_step, walltime
        try:
            yield self
        finally:
            self._default_step, self._default_walltime = before

    def get_logdir(self) -> str:
        """The folder that event files are written to."""
        return self.logdir

    def set_total_steps(self, total_steps: int) -> None:
        """Say how many steps the run is going to have, for its progress."""
        self._total_steps = checked_total(total_steps)
        if self._total_steps is not None and self.file_writer is not None:
            self.file_writer.set_total_steps(self._total_steps)

    def flush(self) -> None:
        """Return when everything recorded so far is with the operating system."""
        if self.file_writer is not None:
            self.file_writer.flush()

    def close(self) -> None:
        """Flush and release the files; recording more begins a new one."""
        for file in (self.all_writers or {}).values():
            file.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _get_file_writer(self) -> EventFile:
        """The writer's own file, begun anew after `close`; named as in the originals, whose users call it."""
        if self.file_writer is None:
            self.file_writer = self._new_file(self.logdir, has_run_state=True)
            self.all_writers = {self.logdir: self.file_writer}
            if self.purge_step is not None:
                step, wall_time = self._moment(self.purge_step, None)
                self.file_writer.put_small(tensorboard.version, step, wall_time)
                self.file_writer.put_small(tensorboard.session_start, step, wall_time)
                self.purge_step = None
        return self.file_writer

    def _file_of(self, folder: str) -> EventFile:
        self._get_file_writer()
        assert self.all_writers is not None
        if folder not in self.all_writers:
            self.all_writers[folder] = self._new_file(folder, lazy=True)
        return self.all_writers[folder]

    def _new_file(self, folder: str | Path, *, lazy: bool = False, has_run_state: bool = False) -> EventFile:
        return EventFile(
            folder,
            flush_secs=self.flush_secs,
            filename_suffix=self.filename_suffix,
            write_to_disk=self._write_to_disk,
            lazy=lazy,
            has_run_state=has_run_state,
            total_steps=self._total_steps,
        )

    def _put(self, make: Any, *arguments: object, at: tuple[int | None, float | None]) -> None:
        self._get_file_writer().put(make, *arguments, *self._moment(*at))

    def _moment(self, global_step: int | None, walltime: float | None) -> tuple[int, float]:
        if global_step is None:
            global_step = self._default_step
        if walltime is None:
            walltime = self._default_walltime
        step = 0 if global_step is None else int(global_step)
        if not -_MOST_STEP <= step < _MOST_STEP:
            raise ValueError(f"a step must fit into 64 bits; got {step}")
        return step, time.time() if walltime is None else float(walltime)

    def _head(self, tag: str) -> bytes:
        if len(self._heads) >= _MOST_HEADS:
            self._heads.clear()
        head = self._heads[tag] = tensorboard.scalar_head(checked_tag(tag))
        return head


def _default_folder(comment: str) -> str:
    import socket

    return f"runs/{time.strftime('%b%d_%H-%M-%S')}_{socket.gethostname()}{comment}"
