"""`LogWriter`: the recording calls of VisualDL 2.x, and those of 1.x beside them.

Over 400 lines, most of them signatures: one method for each call of the original.
"""

from __future__ import annotations

import hashlib
import operator
import os
import time
import warnings
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from mindinsight_like.conf.locations import check_local
from mindinsight_like.writers.encoding import visualdl
from mindinsight_like.writers.encoding.values import owned, to_array, to_number
from mindinsight_like.writers.files.mode_files import DEFAULT_MODE, ModeFiles
from mindinsight_like.writers.files.run_state import checked_total
from mindinsight_like.writers.visualdl.legacy_log_writer import LegacyHandles
from mindinsight_like.writers.visualdl.visualdl_records import audio_record, histogram_record, image_record

if TYPE_CHECKING:
    from mindinsight_like.writers.encoding.curves import Answers
    from mindinsight_like.writers.encoding.images import Array, Pixels

_MOST_THRESHOLDS = 127  # of a curve, as in VisualDL
_LEGACY_FLUSH_SECONDS = 5.0  # `sync_cycle` counts records; this is soon enough for any of them
_INT64 = 1 << 63


class LogWriter(LegacyHandles):
    """Records a run so that our service and VisualDL show it; no call waits for the disk.

        with LogWriter("runs/first") as writer:
            writer.add_scalar("train/loss", loss, step)

    Values may be numbers, lists, numpy arrays or tensors of any framework. `walltime` is in milliseconds. `file_name`
    (with "vdlrecords" in it) continues a file. `total_steps` says how many steps the run is going to have, for its
    progress. `max_queue` is accepted and not needed. A tag with "%" raises RuntimeError, as in VisualDL; values
    of the wrong shape or type raise ValueError or TypeError and leave no trace.

    With `sync_cycle`, or by `mode`, `scalar`, `image` and so on, it takes the calls of VisualDL 1.x; each mode becomes
    a run of its own in a folder below `logdir`, so that the modes of one tag share a chart.
    """

    def __init__(
        self,
        logdir: str | os.PathLike[str] | None = None,
        comment: str | int = "",
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
        write_to_disk: bool = True,
        display_name: str = "",
        file_name: str = "",
        total_steps: int | None = None,
        **kwargs: Any,
    ) -> None:
        folder = os.fspath(logdir or kwargs.get("dir") or _default_folder(str(comment)))
        check_local(folder)
        is_legacy = "sync_cycle" in kwargs or isinstance(comment, int)  # VisualDL 1.x: LogWriter(dir, sync_cycle)
        files = ModeFiles(
            Path(folder),
            suffix=filename_suffix,
            file_name=file_name,
            display_name=display_name,
            flush_secs=min(flush_secs, _LEGACY_FLUSH_SECONDS) if is_legacy else flush_secs,
            write_to_disk=write_to_disk,
            total_steps=checked_total(total_steps),
        )
        super().__init__(files)
        self._folder = folder
        self._suffix = filename_suffix
        self._write_to_disk = write_to_disk
        self._entered_modes: list[str] = []
        self._has_hparams = False
        if not is_legacy:
            files.file()

    @property
    def logdir(self) -> str:
        """The folder of the log."""
        return self._folder

    @property
    def file_name(self) -> str:
        """The path of the log file."""
        return os.fspath(self._files.path)

    def set_total_steps(self, total_steps: int) -> None:
        """Say how many steps the run is going to have, for its progress."""
        if (total := checked_total(total_steps)) is not None:
            self._files.set_total_steps(total)

    def add_meta(
        self, tag: str = "meta_data_tag", display_name: str = "", step: int = 0, walltime: float | None = None
    ) -> None:
        """Name the run as it is to be shown."""
        self._put(tag, visualdl.meta(display_name), step, walltime)

    def add_scalar(self, tag: str, value: Any, step: Any, walltime: float | None = None) -> None:
        """Record a number."""
        if type(value) is not float:
            value = to_number(value)
        self._files.file().put_small(visualdl.scalar_record, _tag(tag), value, _step(step), _timestamp(walltime))

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: Mapping[str, Any], step: Any, walltime: float | None = None
    ) -> None:
        """Record several numbers that belong into one chart, by their names there."""
        if not isinstance(tag_scalar_dict, Mapping):
            raise RuntimeError(f"tag_scalar_dict must be a dict, not {type(tag_scalar_dict).__name__}")
        for sub, value in [(str(sub), to_number(value)) for sub, value in tag_scalar_dict.items()]:
            self._put(main_tag, visualdl.sub_scalar(sub, value), step, walltime)

    def add_image(self, tag: str, img: Any, step: Any, walltime: float | None = None, dataformats: str = "HWC") -> None:
        """Record a picture; `dataformats` names the dimensions: HW, HWC, CHW, or with N for a grid of pictures.

        Values from 0 to 1 are taken as shares of full brightness, others as brightness from 0 to 255, clipped there.
        """
        from mindinsight_like.writers.encoding.images import to_pixels

        self._put_pixels(tag, to_pixels(_brightness(to_array(img)), dataformats), step, walltime)

    def add_image_matrix(
        self,
        tag: str,
        imgs: Sequence[Any],
        step: Any,
        rows: int = -1,
        scale: float = 1.0,
        walltime: float | None = None,
        dataformats: str = "HWC",
    ) -> None:
        """Record pictures laid out in rows, the smaller ones centred; as close to a square as possible without `rows`.

        `scale` multiplies the sides of the whole.
        """
        from mindinsight_like.writers.encoding.images import resized, to_pixels

        pixels = to_pixels(_brightness(_matrix([to_array(img) for img in imgs], rows, dataformats)))
        self._put_pixels(tag, pixels if scale == 1 else resized(pixels, scale), step, walltime)

    def add_figure(self, tag: str, figure: Any, step: Any, walltime: float | None = None) -> None:
        """Record a matplotlib figure as a picture and close it."""
        from mindinsight_like.writers.encoding.figures import drawn

        _tag(tag)
        self._put_pixels(tag, drawn(figure), step, walltime)

    def add_text(self, tag: str, text_string: str, step: Any = None, walltime: float | None = None) -> None:
        """Record a text."""
        self._put(tag, visualdl.text(str(text_string)), 0 if step is None else step, walltime)

    def add_audio(
        self, tag: str, audio_array: Any, step: Any, sample_rate: int = 8000, walltime: float | None = None
    ) -> None:
        """Record a sound: floats from -1 to 1, int16, or uint8 around 128."""
        import numpy as np

        from mindinsight_like.writers.encoding.audio import to_samples

        array = np.squeeze(to_array(audio_array))
        if array.dtype == np.uint8:
            array = (array.astype(np.int16) - 128) * 256
        samples = to_samples(np.atleast_1d(array))
        timestamp = _timestamp(walltime)
        self._files.file().put(audio_record, _tag(tag), samples, int(sample_rate), _step(step), timestamp)

    def add_embeddings(
        self,
        tag: str,
        mat: Any = None,
        metadata: Any = None,
        metadata_header: Sequence[str] | None = None,
        walltime: float | None = None,
        labels: Any = None,
        hot_vectors: Any = None,
        labels_meta: Sequence[str] | None = None,
    ) -> None:
        """Record points of a high-dimensional space, one per row of `mat`.

        `metadata` holds a label per point, or a list of them per column that `metadata_header` names. The last three
        arguments are old names of the others.
        """
        import numpy as np

        vectors = to_array(mat if mat is not None else hot_vectors).astype("<f4")
        if vectors.ndim != 2:
            raise ValueError(f"embeddings are rows of numbers; mat has the shape {vectors.shape}")
        point_labels = metadata if metadata is not None else labels
        columns = _label_columns(range(len(vectors)) if point_labels is None else point_labels)
        if any(len(column) != len(vectors) for column in columns):
            raise ValueError(
                f"each point needs a label: mat has {len(vectors)} rows, the labels {[len(c) for c in columns]}"
            )
        header = metadata_header if metadata_header is not None else labels_meta
        if header is None:
            is_plain = len(columns) == 1 and np.ndim(point_labels) < 2
            header = [] if is_plain else [f"label_{number}" for number in range(len(columns))]
        rows = [row.tobytes() for row in vectors]
        self._put(tag, visualdl.embeddings(rows, list(zip(*columns, strict=True)), [*map(str, header)]), 0, walltime)

    def add_histogram(self, tag: str, values: Any, step: Any, walltime: float | None = None, buckets: int = 10) -> None:
        """Record how values are distributed, in buckets of equal width; NaN and infinities are not counted."""
        array = to_array(values)
        if not array.size:
            raise ValueError("a histogram needs at least one value")
        if array.dtype.kind == "c":
            raise TypeError("a histogram counts real numbers, not complex ones")
        if isinstance(buckets, int) and buckets < 1:
            raise ValueError(f"a histogram needs at least one bucket, not {buckets}")
        timestamp = _timestamp(walltime)
        self._files.file().put(histogram_record, _tag(tag), owned(array, values), buckets, _step(step), timestamp)

    def add_hparams(self, hparams_dict: dict[str, Any], metrics_list: list[str], walltime: float | None = None) -> None:
        """Record the hyperparameters of the run, and the tags of the scalars that measure it.

        A run has one set of them: a second call replaces the first, and warns.
        """
        if not isinstance(hparams_dict, dict):
            raise TypeError(f"hparams_dict must be a dict, not {type(hparams_dict).__name__}")
        if not isinstance(metrics_list, list | tuple):
            raise TypeError(f"metrics_list must be a list, not {type(metrics_list).__name__}")
        values = {
            str(name): setting for name, value in hparams_dict.items() if (setting := _hparam(name, value)) is not None
        }
        name = hashlib.md5(self.file_name.encode(), usedforsecurity=False).hexdigest()
        if self._has_hparams:
            warnings.warn(
                "add_hparams was called before in this log: a run has one set of hyperparameters, this one replaces the"
                " first. Pass all of them in one call, or use a LogWriter for each run.",
                stacklevel=2,
            )
        self._has_hparams = True
        self._put("hparam", visualdl.hparams(name, values, map(str, metrics_list)), 1, walltime)

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        step: Any,
        num_thresholds: int = 10,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Record precision and recall of predicted probabilities against binary labels at so many thresholds."""
        answers = _answers(labels, predictions, num_thresholds, weights)
        content = visualdl.pr_curve(_counts(answers), answers.precision.tolist(), answers.recall.tolist())
        self._put(tag, content, step, walltime)

    def add_roc_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        step: Any,
        num_thresholds: int = 10,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Record the rates of true and false positives of predicted probabilities against binary labels.

        VisualDL 2.5.3 itself stores a true positive rate that is divided by the negatives; here it is right.
        """
        answers = _answers(labels, predictions, num_thresholds, weights)
        rates = answers.recall.tolist(), answers.false_positive_rate.tolist()
        self._put(tag, visualdl.roc_curve(_counts(answers), *rates), step, walltime)

    def add_graph(self, model: Any, input_spec: Any = None, verbose: bool = False, **kwargs: Any) -> None:
        """Record the structure of a paddle layer (with the `input_spec` of its forward) or program; needs paddle."""
        from mindinsight_like.writers.visualdl.paddle_graph import graph_json

        content = graph_json(model, input_spec, verbose=verbose)
        if not self._write_to_disk:
            return
        Path(self._folder).mkdir(parents=True, exist_ok=True)
        started = time.time()
        while True:
            try:
                path = Path(self._folder, visualdl.graph_file_name(started) + self._suffix)
                with path.open("x", encoding="utf-8") as file:
                    file.write(content)
                return
            except FileExistsError:
                started += 1

    def flush(self) -> None:
        """Return when everything recorded so far has been handed to the operating system."""
        self._files.flush()

    def close(self) -> None:
        """Flush and release the file; a later call begins a new one, or continues that of `file_name`."""
        self._files.close()

    def __enter__(self) -> LogWriter:
        self._entered_modes = [*self._entered_modes, self._mode]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # `with writer.mode("train"):` of VisualDL 1.x ends the mode, `with LogWriter(...)` the log.
        *self._entered_modes, mode = self._entered_modes
        if mode == DEFAULT_MODE:
            self.close()
        else:
            self._mode = DEFAULT_MODE

    def _put(self, tag: str, content: bytes, step: Any, walltime: float | None) -> None:
        self._files.file().put(visualdl.stamped, _tag(tag), content, _step(step), _timestamp(walltime))

    def _put_pixels(self, tag: str, pixels: Pixels, step: Any, walltime: float | None) -> None:
        self._files.file().put(image_record, _tag(tag), pixels, _step(step), _timestamp(walltime))


def _default_folder(comment: str) -> str:
    started = datetime.now().strftime("%b%d_%H-%M-%S")
    return str(Path("runs", f"{started}.{comment}" if comment else started))


def _tag(tag: str) -> str:
    if not isinstance(tag, str):
        raise TypeError(f"a tag must be a string, not {type(tag).__name__}")
    if "%" in tag:
        raise RuntimeError(f"a tag must not contain %: {tag!r}")
    if not tag:
        raise ValueError("a tag must not be empty")
    return tag


def _step(step: Any) -> int:
    if type(step) is not int:
        try:
            step = operator.index(step)
        except TypeError:
            number = to_number(step)
            if not number.is_integer():
                raise ValueError(f"a step must be an integer, not {step!r}") from None
            step = int(number)
    if not -_INT64 <= step < _INT64:
        raise ValueError(f"a step has at most 64 bits: {step}")
    return int(step)


def _timestamp(walltime: float | None) -> int:
    return round(time.time() * 1000) if walltime is None else round(walltime)


def _hparam(name: str, value: Any) -> int | float | str | None:
    """The value as VisualDL can store it, or None when it is left out, which is told unless it was None."""
    if value is None or isinstance(value, float | str):
        return value
    try:
        whole = operator.index(value)
        return whole if -_INT64 <= whole < _INT64 else float(whole)
    except TypeError:
        pass
    try:
        return to_number(value)
    except (TypeError, ValueError):
        kind = type(value).__name__
        warnings.warn(f"hyperparameter {name!r} is left out: expected a number or a string, not {kind}", stacklevel=4)
        return None


def _brightness(array: Array) -> Array:
    """Values of which `to_pixels` makes what VisualDL would."""
    import numpy as np

    if not array.size or array.dtype.kind not in "iuf":
        return array
    if array.dtype.kind == "f":
        array = np.nan_to_num(array, nan=0.0, posinf=255.0, neginf=0.0)
    if array.min() >= 0 and array.max() <= 1:
        return array if array.dtype.kind == "f" else array.astype(np.bool_)
    return np.clip(array, 0, 255).astype(np.uint8)


def _matrix(pictures: list[Array], rows: int, dataformats: str) -> Array:
    """Pictures side by side, centred in places as large as the largest; free places stay black."""
    import numpy as np

    from mindinsight_like.writers.encoding.images import grid, to_hwc

    if not pictures or rows == 0 or rows < -1 or rows > len(pictures):
        raise ValueError(f"rows must be -1 or from 1 to the number of images, {len(pictures)}; got {rows}")
    pictures = [to_hwc(picture, dataformats) for picture in pictures]
    channels = max(picture.shape[2] for picture in pictures)
    if any(picture.shape[2] not in (1, channels) for picture in pictures):
        raise ValueError(
            f"images of one matrix must have the same number of channels; got {[p.shape for p in pictures]}"
        )
    height, width = (max(picture.shape[axis] for picture in pictures) for axis in (0, 1))
    places = np.zeros((len(pictures), height, width, channels), np.result_type(*pictures))
    for place, picture in zip(places, pictures, strict=True):
        top, left = (height - picture.shape[0]) // 2, (width - picture.shape[1]) // 2
        place[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
    if rows == -1:
        columns = int(len(pictures) ** 0.5)
        rows = columns
        while rows * columns < len(pictures):
            if rows <= columns:
                rows += 1
            else:
                columns += 1
    else:
        columns = -(-len(pictures) // rows)
    missing = rows * columns - len(pictures)
    places = np.concatenate([places, np.zeros((missing, height, width, channels), places.dtype)])
    return grid(places, columns=columns)


def _label_columns(metadata: Any) -> list[list[str]]:
    rows = metadata.tolist() if hasattr(metadata, "tolist") else list(metadata)
    if rows and isinstance(rows[0], list | tuple):
        return [[str(label) for label in column] for column in rows]
    return [[str(label) for label in rows]]


def _answers(labels: Any, predictions: Any, num_thresholds: int, weights: Any) -> Answers:
    from mindinsight_like.writers.encoding.curves import count_answers

    return count_answers(
        to_array(labels),
        to_array(predictions),
        thresholds=min(num_thresholds, _MOST_THRESHOLDS),
        weights=None if weights is None else to_array(weights),
    )


def _counts(answers: Answers) -> list[list[int]]:
    four = answers.true_positives, answers.false_positives, answers.true_negatives, answers.false_negatives
    return [counts.astype("int64").tolist() for counts in four]
