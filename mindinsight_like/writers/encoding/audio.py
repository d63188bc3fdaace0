"""Encode arrays as WAV files."""

from __future__ import annotations

import io
import wave
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]
    Samples = npt.NDArray[np.int16]  # frames, channels

_MOST_CHANNELS = 2
_LOUDEST = 32767


@dataclass(frozen=True)
class Sound:
    """A WAV file with 16 bits per sample."""

    file: bytes
    sample_rate: int
    channels: int
    frames: int


def to_samples(array: Array) -> Samples:
    """Samples (frames, channels) in memory of their own.

    One dimension is one channel; of two, the one with 1 or 2 elements holds the channels, at best the second. Floats
    reach from -1 to 1 and are clipped there, NaN being 0; int16 is taken as it is. Raises ValueError and TypeError.
    """
    import numpy as np

    if not array.size:
        raise ValueError(f"audio needs at least one sample; got the shape {array.shape}")
    if array.ndim == 1:
        frames = array[:, None]
    elif array.ndim == 2 and array.shape[1] <= _MOST_CHANNELS:
        frames = array
    elif array.ndim == 2 and array.shape[0] <= _MOST_CHANNELS:
        frames = array.T
    else:
        raise ValueError(f"audio must have the shape (frames,) or (frames, 1 or 2 channels), not {array.shape}")
    if array.dtype.kind == "f":
        loud = np.clip(frames.astype(np.float64), -1, 1) * _LOUDEST
        return np.where(np.isnan(loud), 0, loud).astype(np.int16, order="C")
    if array.dtype == np.int16:
        return np.array(frames, order="C")
    raise TypeError(f"audio must be floats from -1 to 1 or int16, not {array.dtype}")


def wav(samples: Samples, *, sample_rate: int) -> Sound:
    """The samples as a file."""
    frames, channels = samples.shape
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(channels)
        sound.setsampwidth(2)
        sound.setframerate(sample_rate)
        sound.writeframes(samples.astype("<i2").tobytes())
    return Sound(file.getvalue(), sample_rate=sample_rate, channels=channels, frames=frames)
