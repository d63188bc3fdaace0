"""The reading calls of VisualDL 1.x: modes, and one reader per component and tag."""

from __future__ import annotations

import copy
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from mindinsight_like.writers.files.mode_files import DEFAULT_MODE
from mindinsight_like.writers.visualdl.legacy_folders import Bucket, LegacyRecord, Sample, Word, open_folder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_Self = TypeVar("_Self", bound="LegacyReaders")


class LegacyReaders:
    """Reads the tags of one mode at a time from the folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._mode = DEFAULT_MODE

    def mode(self: _Self, mode: str) -> _Self:
        """Choose the mode that the next calls read; in a `with` statement, until its end."""
        self._mode = mode
        return self

    def as_mode(self: _Self, mode: str) -> _Self:
        """Another reader of the same log that has chosen this mode."""
        return copy.copy(self).mode(mode)

    def modes(self) -> list[str]:
        """The names of all modes that have been recorded."""
        return open_folder(Path(self._folder)).modes()

    def legacy_tags(self, component: str) -> list[str]:
        """The tags that a component (scalar, image, histogram, text, audio, embedding) has in the mode."""
        return open_folder(Path(self._folder)).tags(component, self._mode)

    def scalar(self, tag: str, type: str = "float") -> RecordsReader:
        return RecordsReader(*self._read("scalar", tag))

    def text(self, tag: str) -> RecordsReader:
        return RecordsReader(*self._read("text", tag))

    def image(self, tag: str) -> SamplesReader:
        return SamplesReader(*self._read("image", tag))

    def audio(self, tag: str) -> SamplesReader:
        return SamplesReader(*self._read("audio", tag))

    def histogram(self, tag: str, type: str = "float") -> HistogramReader:
        return HistogramReader(*self._read("histogram", tag))

    def embedding(self) -> EmbeddingReader:
        return EmbeddingReader(*self._read("embedding", "embedding"))

    def _read(self, component: str, tag: str) -> tuple[list[LegacyRecord], str]:
        folder = open_folder(Path(self._folder))
        return folder.records(component, self._mode, tag), folder.caption(component, self._mode, tag)

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._mode = DEFAULT_MODE


class _Reader:
    def __init__(self, records: list[LegacyRecord], caption: str) -> None:
        self._records = records
        self._caption = caption

    def caption(self) -> str:
        """The name under which the tag is shown."""
        return self._caption


class RecordsReader(_Reader):
    """Numbers or texts, one per step."""

    def records(self) -> list[Any]:
        return [record.content for record in self._records]

    def ids(self) -> list[int]:
        """The steps."""
        return [record.step for record in self._records]

    def timestamps(self) -> list[int]:
        """Times in seconds."""
        return [record.timestamp for record in self._records]

    def total_records(self) -> int:
        return len(self._records)

    def size(self) -> int:
        return len(self._records)


class SamplesReader(_Reader):
    """Pictures or sounds, some per step."""

    def num_records(self) -> int:
        return len(self._records)

    def num_samples(self) -> int:
        """The most samples that a step has."""
        return max((len(record.samples) for record in self._records), default=0)

    def record(self, offset: int, index: int) -> SampleReader:
        """The sample with the number `index` of the record at `offset`."""
        return SampleReader(self._records[offset], self._records[offset].samples[index])


class SampleReader:
    """One picture or sound; without data and shape when none was recorded."""

    def __init__(self, record: LegacyRecord, sample: Sample | None) -> None:
        self._record = record
        self._sample = sample

    def data(self) -> npt.NDArray[np.uint8]:
        """Pixels row by row, or the bytes of a sound."""
        import numpy as np

        return self._sample.data if self._sample else np.empty(0, np.uint8)

    def shape(self) -> list[int]:
        """Height, width, channels of a picture; rate, bytes per sample, channels of a sound."""
        return self._sample.shape if self._sample else []

    def step_id(self) -> int:
        return self._record.step

    def timestamp(self) -> int:
        """Time in seconds."""
        return self._record.timestamp


class HistogramReader(_Reader):
    """Bucket counts, one histogram per step."""

    def num_records(self) -> int:
        return len(self._records)

    def record(self, index: int) -> HistogramRecordReader:
        return HistogramRecordReader(self._records[index])


class HistogramRecordReader:
    """The histogram of one step."""

    def __init__(self, record: LegacyRecord) -> None:
        self._record = record

    def step(self) -> int:
        return self._record.step

    def timestamp(self) -> int:
        """Time in seconds."""
        return self._record.timestamp

    def num_instances(self) -> int:
        """The number of buckets."""
        return len(self._record.content)

    def instance(self, index: int) -> BucketReader:
        return BucketReader(self._record.content[index])


class BucketReader:
    """One bucket of a histogram."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    def left(self) -> float:
        return self._bucket.left

    def right(self) -> float:
        return self._bucket.right

    def frequency(self) -> int:
        return self._bucket.frequency


class EmbeddingReader(_Reader):
    """Words and their vectors."""

    def get_all_labels(self) -> list[str]:
        return [word.label for word in self._words()]

    def get_all_embeddings(self) -> list[list[float]]:
        return [word.vector for word in self._words()]

    def get_dimension(self) -> int:
        """The length of a vector."""
        return len(self._words()[0].vector) if self._records else 0

    def _words(self) -> list[Word]:
        return [record.content for record in self._records]
