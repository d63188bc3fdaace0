"""The recording calls of VisualDL 1.x, written as 2.x records.

VisualDL 1.x rewrote a whole file per tag in every `sync_cycle`, kept random samples of its records, and lost a tag when
it was killed while writing. Its calls are therefore kept in logs of 2.x, which only grow and which every reader of
today knows: a mode is a run in a folder of that name, several samples a step are tags with a number behind them, as
the pages of 1.x showed them, and a caption is a text under the tag with "/caption" behind it.
"""

from __future__ import annotations

import copy
import io
import random
import time
import wave
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from mindinsight_like.writers.encoding import visualdl
from mindinsight_like.writers.encoding.values import owned, to_array, to_number
from mindinsight_like.writers.files.mode_files import CAPTION, DEFAULT_MODE, ModeFiles
from mindinsight_like.writers.visualdl.visualdl_records import histogram_record, image_record

if TYPE_CHECKING:
    from mindinsight_like.writers.encoding.images import Array, Pixels

_EMBEDDING = "embedding"  # the one tag of all embeddings
_SCALAR_TYPES = ("float", "double", "int")
_DARK = 1e-6  # below this, the largest value of a picture is taken as nothing

_Self = TypeVar("_Self", bound="LegacyHandles")


class LegacyHandles:
    """Gives a handle per tag, which records under the mode that was chosen when it was made."""

    def __init__(self, files: ModeFiles) -> None:
        self._files = files
        self._mode = DEFAULT_MODE

    def mode(self: _Self, mode: str) -> _Self:
        """Choose the mode (train, test, ...) of the handles made next; in a `with` statement, until its end."""
        if not mode or "%" in mode or "/" in mode or mode in (".", ".."):
            raise ValueError(f"mode must be a name without % and /, not {mode!r}")
        self._mode = mode
        return self

    def as_mode(self: _Self, mode: str) -> _Self:
        """Another writer of the same log that has chosen this mode."""
        return copy.copy(self).mode(mode)

    def scalar(self, tag: str, type: str = "float") -> ScalarHandle:
        """Numbers; of whatever `type` they are, they are kept in single precision."""
        if type not in _SCALAR_TYPES:
            raise ValueError(f"the type of a scalar must be one of {', '.join(_SCALAR_TYPES)}, not {type!r}")
        return ScalarHandle(self._files, self._mode, _legacy_tag(tag))

    def image(self, tag: str, num_samples: int, step_cycle: int = 1) -> ImageHandle:
        """Pictures, at most `num_samples` of those offered in every `step_cycle`th sampling."""
        return ImageHandle(self._files, self._mode, _legacy_tag(tag), num_samples, step_cycle)

    def audio(self, tag: str, num_samples: int, step_cycle: int = 1) -> AudioHandle:
        """Sounds, at most `num_samples` of those offered in every `step_cycle`th sampling."""
        return AudioHandle(self._files, self._mode, _legacy_tag(tag), num_samples, step_cycle)

    def histogram(self, tag: str, num_buckets: int, type: str = "float") -> HistogramHandle:
        """Distributions in so many buckets of equal width."""
        if num_buckets < 1:
            raise ValueError(f"a histogram needs at least one bucket, not {num_buckets}")
        return HistogramHandle(self._files, self._mode, _legacy_tag(tag), num_buckets)

    def text(self, tag: str) -> TextHandle:
        """Texts."""
        return TextHandle(self._files, self._mode, _legacy_tag(tag))

    def embedding(self) -> EmbeddingHandle:
        """Words and their vectors."""
        return EmbeddingHandle(self._files, self._mode, _EMBEDDING)

    def save(self) -> None:
        """Return when everything recorded so far has been handed to the operating system."""
        self._files.flush()


class _Handle:
    def __init__(self, files: ModeFiles, mode: str, tag: str) -> None:
        self._files = files
        self._mode = mode
        self._tag = tag

    def set_caption(self, caption: str) -> None:
        """Name the tag as it is to be shown."""
        self._put(self._tag + CAPTION, visualdl.text(caption), 0)

    def _put(self, tag: str, content: bytes, step: int) -> None:
        self._files.put(self._mode, visualdl.stamped, tag, content, step, _now())


class ScalarHandle(_Handle):
    def add_record(self, step: int, value: Any) -> None:
        """Record a number."""
        number = value if type(value) is float else to_number(value)
        self._files.file(self._mode).put_small(visualdl.scalar_record, self._tag, number, int(step), _now())


class TextHandle(_Handle):
    def add_record(self, step: int, value: str) -> None:
        """Record a text."""
        self._put(self._tag, visualdl.text(str(value)), int(step))


class HistogramHandle(_Handle):
    def __init__(self, files: ModeFiles, mode: str, tag: str, num_buckets: int) -> None:
        super().__init__(files, mode, tag)
        self._num_buckets = num_buckets

    def add_record(self, step: int, values: Any) -> None:
        """Record how values of any shape are distributed."""
        array = to_array(values)
        if not array.size:
            raise ValueError("a histogram needs at least one value")
        values = owned(array, values)
        self._files.put(self._mode, histogram_record, self._tag, values, self._num_buckets, int(step), _now())


class EmbeddingHandle(_Handle):
    def add_embeddings_with_word_dict(self, embeddings: Any, word_dict: Mapping[str, int]) -> None:
        """Record vectors, one per row, with the words that have their row numbers."""
        vectors = to_array(embeddings).astype("<f4")
        if vectors.ndim != 2:
            raise ValueError(f"embeddings are rows of numbers; got the shape {vectors.shape}")
        words = sorted(word_dict, key=lambda word: word_dict[word])
        rows = [vectors[word_dict[word]].tobytes() for word in words]
        self._put(self._tag, visualdl.embeddings(rows, [[word] for word in words], []), 0)


class _Sampling(_Handle):
    """Between `start_sampling` and `finish_sampling`, keeps a fair choice of the samples offered."""

    def __init__(self, files: ModeFiles, mode: str, tag: str, num_samples: int, step_cycle: int) -> None:
        if num_samples < 1 or step_cycle < 1:
            raise ValueError(f"num_samples and step_cycle must be at least 1; got {num_samples} and {step_cycle}")
        super().__init__(files, mode, tag)
        self._num_samples = num_samples
        self._step_cycle = step_cycle
        self._step = 0  # samplings so far, as VisualDL 1.x counts
        self._offered = 0
        self._taken: dict[int, Any] | None = None  # None outside of a sampling
        self._random = random.Random()

    def start_sampling(self) -> None:
        """Begin a step."""
        self._offered = 0
        self._taken = {}

    def is_sample_taken(self) -> int:
        """The place for the next sample, to be given to `set_sample`, or -1 when it is not wanted."""
        if self._taken is None:
            raise RuntimeError("call start_sampling() first")
        if self._step % self._step_cycle:
            return -1
        self._offered += 1
        # Each of the n samples offered stays with the same chance: the n-th replaces one with chance places / n.
        place = self._offered - 1
        if place >= self._num_samples:
            place = self._random.randrange(self._offered)
        return place if place < self._num_samples else -1

    def set_sample(self, index: int, shape: Sequence[int], data: Any) -> None:
        """Put a sample into a place that `is_sample_taken` gave."""
        if self._taken is None:
            raise RuntimeError("call start_sampling() first")
        if not 0 <= index < self._num_samples:
            raise ValueError(f"the index of a sample must be from 0 to {self._num_samples - 1}, not {index}")
        self._taken[index] = self._sample([int(length) for length in shape], data)

    def add_sample(self, shape: Sequence[int], data: Any) -> None:
        """Offer a sample."""
        place = self.is_sample_taken()
        if place >= 0:
            self.set_sample(place, shape, data)

    def finish_sampling(self) -> None:
        """End the step and record what was chosen."""
        for place, sample in sorted((self._taken or {}).items()):
            tag = self._tag if self._num_samples == 1 else f"{self._tag}/{place}"
            self._files.put(self._mode, self._encode, tag, *sample, self._step, _now())
        self._taken = None
        self._step += 1

    def _sample(self, shape: list[int], data: Any) -> tuple[Any, ...]:
        raise NotImplementedError

    @staticmethod
    def _encode(tag: str, *sample: Any) -> bytes:
        raise NotImplementedError


class ImageHandle(_Sampling):
    """Takes pictures as a shape of height, width and, unless it is 1, channels, with that many numbers."""

    def _sample(self, shape: list[int], data: Any) -> tuple[Any, ...]:
        return (_normalized(_shaped(shape, data)),)

    @staticmethod
    def _encode(tag: str, *sample: Any) -> bytes:
        return image_record(tag, *sample)


class AudioHandle(_Sampling):
    """Takes sounds as [samples per second, bytes per sample, channels], with their bytes as numbers."""

    def _sample(self, shape: list[int], data: Any) -> tuple[Any, ...]:
        if len(shape) != 3 or min(shape) < 1:
            raise ValueError(f"audio needs [samples per second, bytes per sample, channels], not {shape}")
        content = data if isinstance(data, bytes) else to_array(data).reshape(-1).astype("uint8").tobytes()
        return content, shape

    @staticmethod
    def _encode(tag: str, *sample: Any) -> bytes:
        content, (rate, width, channels), step, timestamp = sample
        file = io.BytesIO()
        with wave.open(file, "wb") as sound:
            sound.setframerate(rate)
            sound.setsampwidth(width)
            sound.setnchannels(channels)
            sound.writeframes(content)
        frames = len(content) // (width * channels)
        wav = visualdl.audio(file.getvalue(), sample_rate=rate, channels=channels, frames=frames)
        return visualdl.stamped(tag, wav, step, timestamp)


def _legacy_tag(tag: str) -> str:
    if not tag or "%" in tag or tag == _EMBEDDING:
        raise ValueError(f"a tag must be a string without % other than {_EMBEDDING!r}; got {tag!r}")
    return tag


def _now() -> int:
    return round(time.time() * 1000)


def _shaped(shape: list[int], data: Any) -> Array:
    """The numbers as rows, columns, channels."""
    array = to_array(data)
    dimensions = [*shape, 1] if len(shape) == 2 else shape
    if len(dimensions) != 3 or min(dimensions) < 1 or dimensions[2] > 4:
        raise ValueError(f"an image must have the shape [height, width] or [height, width, channels], not {shape}")
    height, width, channels = dimensions
    if array.size != height * width * channels:
        raise ValueError(f"an image of shape {shape} needs {height * width * channels} numbers, not {array.size}")
    return array.reshape(dimensions)


def _normalized(array: Array) -> Pixels:
    """Pixels as VisualDL 1.x makes them: the largest value becomes 255, or with negative ones 0 becomes 128."""
    import numpy as np

    values = np.nan_to_num(array.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    largest = float(np.abs(values).max())
    full, zero = (127.0, 128.0) if values.min() < 0 else (255.0, 0.0)
    scale = full / largest if largest >= _DARK else 0.0
    return (values * scale + zero).astype(np.uint8)
