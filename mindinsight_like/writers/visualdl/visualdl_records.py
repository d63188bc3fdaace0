"""Encode VisualDL records that take time, in the background thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindinsight_like.writers.encoding import visualdl

if TYPE_CHECKING:
    from mindinsight_like.writers.encoding.audio import Samples
    from mindinsight_like.writers.encoding.images import Array, Pixels


def image_record(tag: str, pixels: Pixels, step: int, timestamp: int) -> bytes:
    """A picture as PNG."""
    from mindinsight_like.writers.encoding.images import png

    return visualdl.stamped(tag, visualdl.image(png(pixels)), step, timestamp)


def audio_record(tag: str, samples: Samples, sample_rate: int, step: int, timestamp: int) -> bytes:
    """A sound as WAV."""
    from mindinsight_like.writers.encoding.audio import wav

    sound = wav(samples, sample_rate=sample_rate)
    content = visualdl.audio(sound.file, sample_rate=sample_rate, channels=sound.channels, frames=sound.frames)
    return visualdl.stamped(tag, content, step, timestamp)


def histogram_record(tag: str, values: Array, buckets: int, step: int, timestamp: int) -> bytes:
    """Counts in buckets of equal width."""
    from mindinsight_like.writers.encoding.histograms import visualdl_histogram

    histogram = visualdl_histogram(values, buckets=buckets)
    content = visualdl.histogram(histogram.edges.tolist(), histogram.counts.tolist())
    return visualdl.stamped(tag, content, step, timestamp)
