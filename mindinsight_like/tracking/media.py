"""Values that are more than a number: images, histograms, audio, video, HTML; the classes have wandb's calls."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from mindinsight_like.writers.encoding.values import to_array

if TYPE_CHECKING:
    from mindinsight_like.writers.tensorboard.summary_writer import SummaryWriter


class Target(NamedTuple):
    """Where a value goes."""

    writer: SummaryWriter
    tag: str
    step: int
    wall_time: float


class Media(Protocol):
    """Something that writes itself."""

    def write(self, target: Target) -> None:
        """Record it; raises TypeError, ValueError and OSError."""


class Image:
    """A picture: an array, a tensor (channels first), a Pillow image, a matplotlib figure or the path of a file."""

    def __init__(self, data_or_path: Any, mode: str | None = None, caption: str | None = None, **options: Any) -> None:
        self._data: Any = data_or_path._data if isinstance(data_or_path, Image) else data_or_path
        self.caption = caption
        self._options = options  # of wandb, without effect: masks, boxes, classes, grouping

    def write(self, target: Target) -> None:
        data = self._data
        if isinstance(data, str | os.PathLike):
            data = _opened_picture(data)
        tag, step, moment = target.tag, target.step, target.wall_time
        if hasattr(data, "savefig"):
            target.writer.add_figure(tag, data, step, close=False, walltime=moment)
        elif hasattr(data, "getbands"):
            target.writer.add_image(tag, data, step, moment)
        else:
            pixels, dataformats = _pixels(data)
            target.writer.add_image(tag, pixels, step, moment, dataformats)
        if self.caption:
            target.writer.add_text(f"{tag}/caption", self.caption, step, moment)


class Histogram:
    """How values are distributed: the values themselves, or counts between edges as `numpy.histogram` gives them."""

    def __init__(self, sequence: Any = None, np_histogram: Any = None, num_bins: int = 64) -> None:
        if (sequence is None) == (np_histogram is None):
            raise ValueError("Histogram needs either a sequence of values or np_histogram=(counts, edges)")
        self._sequence, self._counted, self._bins = sequence, np_histogram, num_bins

    def write(self, target: Target) -> None:
        if self._counted is None:
            target.writer.add_histogram(
                target.tag, self._sequence, target.step, bins=self._bins, walltime=target.wall_time
            )
            return
        import numpy as np

        counts, edges = (to_array(part).reshape(-1).astype(float) for part in self._counted[:2])
        if len(edges) != len(counts) + 1:
            raise ValueError(f"np_histogram: {len(counts)} counts need {len(counts) + 1} edges, not {len(edges)}")
        centres = (edges[:-1] + edges[1:]) / 2
        target.writer.add_histogram_raw(
            target.tag,
            float(edges[0]),
            float(edges[-1]),
            float(counts.sum()),
            float(np.dot(counts, centres)),
            float(np.dot(counts, centres**2)),
            edges.tolist(),
            [0.0, *counts.tolist()],
            target.step,
            target.wall_time,
        )


class Audio:
    """A sound: samples from -1 to 1, or the path of a WAV file."""

    def __init__(self, data_or_path: Any, sample_rate: int | None = None, caption: str | None = None) -> None:
        self._data, self._rate, self.caption = data_or_path, sample_rate, caption

    def write(self, target: Target) -> None:
        data, rate = self._data, self._rate
        if isinstance(data, str | os.PathLike):
            data, rate = _wav_samples(Path(data))
        elif rate is None:
            raise ValueError("Audio of samples needs sample_rate")
        target.writer.add_audio(target.tag, data, target.step, int(rate or 0), target.wall_time)
        if self.caption:
            target.writer.add_text(f"{target.tag}/caption", self.caption, target.step, target.wall_time)


class Video:
    """Frames (time, channels, height, width), also several videos in front of that, or the path of a GIF."""

    def __init__(
        self, data_or_path: Any, caption: str | None = None, fps: float | None = None, format: str | None = None
    ) -> None:
        self._data, self.caption, self._fps, self._format = data_or_path, caption, fps, format

    def write(self, target: Target) -> None:
        data = self._data
        if isinstance(data, str | os.PathLike):
            data = _gif_frames(Path(data))
        frames = to_array(data)
        frames = frames[None] if frames.ndim == 4 else frames
        target.writer.add_video(target.tag, frames, target.step, self._fps or 4, target.wall_time)


class Html:
    """A page, recorded as the text that it is."""

    def __init__(self, data: Any, inject: bool = True, data_is_not_path: bool = False) -> None:
        is_path = isinstance(data, os.PathLike) or (
            isinstance(data, str) and not data_is_not_path and data.endswith(".html") and "<" not in data
        )
        if is_path:
            self._text = Path(data).read_text(encoding="utf-8", errors="replace")
        else:
            self._text = data.read() if hasattr(data, "read") else str(data)

    def write(self, target: Target) -> None:
        target.writer.add_text(target.tag, self._text, target.step, target.wall_time)


def _pixels(data: Any) -> tuple[Any, str]:
    """An array with the names of its dimensions: channels come first in tensors, last in numpy's arrays."""
    array = to_array(data)
    if array.ndim == 2:
        return array, "HW"
    if array.ndim == 4:
        return array, "NCHW" if array.shape[1] in (1, 3, 4) else "NHWC"
    is_first = array.ndim == 3 and array.shape[0] in (1, 3, 4) and array.shape[2] not in (1, 3, 4)
    return array, "CHW" if is_first or hasattr(data, "detach") else "HWC"


def _opened_picture(path: str | os.PathLike[str]) -> Any:
    try:
        from PIL import Image as Picture
    except ImportError:
        raise ValueError(f"{os.fspath(path)}: reading a picture needs Pillow (pip install pillow)") from None
    with Picture.open(path) as picture:
        return picture.convert("RGBA" if "A" in picture.getbands() else "RGB")


def _gif_frames(path: Path) -> Any:
    import numpy as np

    try:
        from PIL import Image as Picture
        from PIL import ImageSequence
    except ImportError:
        raise ValueError(f"{path}: reading a video needs Pillow (pip install pillow)") from None
    if path.suffix.lower() != ".gif":
        raise ValueError(f"{path}: only GIF can be read; pass the frames as an array instead")
    with Picture.open(path) as picture:
        frames = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(picture)]
    return np.stack(frames).transpose(0, 3, 1, 2)


def _wav_samples(path: Path) -> tuple[Any, int]:
    import wave

    import numpy as np

    with wave.open(str(path), "rb") as sound:
        width, channels, rate = sound.getsampwidth(), sound.getnchannels(), sound.getframerate()
        content = sound.readframes(sound.getnframes())
    if width not in (1, 2, 4):
        raise ValueError(f"{path}: samples of {width} bytes cannot be read")
    # One byte is unsigned by definition of the format, more are signed.
    samples = np.frombuffer(content, {1: "u1", 2: "<i2", 4: "<i4"}[width]).astype(np.float32)
    samples = (samples - 128) / np.float32(128) if width == 1 else samples / np.float32(1 << (8 * width - 1))
    return samples.reshape(-1, channels), rate


def is_media(value: object) -> bool:
    """Whether a value writes itself."""
    return callable(getattr(value, "write", None)) and not hasattr(value, "read") and not isinstance(value, Sequence)
