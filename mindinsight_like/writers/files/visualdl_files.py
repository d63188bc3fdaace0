"""Read what a VisualDL 2.x log file holds, also while it is being written."""

from __future__ import annotations

from collections.abc import Iterator
from os import SEEK_END
from pathlib import Path

from mindinsight_like.logs import visualdl_values
from mindinsight_like.logs.batch import Batch
from mindinsight_like.logs.kinds import Dialect, Kind, SeriesName, parse_key
from mindinsight_like.logs.scanner import Scanner
from mindinsight_like.logs.visualdl_values import TagValue, Value

_READ_BYTES = 4 << 20
_COMPONENTS = {
    Kind.IMAGE: "image",
    Kind.HISTOGRAM: "histogram",
    Kind.TEXT: "text",
    Kind.AUDIO: "audio",
    Kind.EMBEDDING: "embeddings",
    Kind.PR_CURVE: "pr_curve",
    Kind.ROC_CURVE: "roc_curve",
    Kind.META: "meta_data",
    Kind.HPARAMS: "hyper_parameters",
}


class VisualdlFile:
    """The values of one file, found by the scanner; damaged parts and a half-written end are left out.

    A point of a curve that is directly followed by another of the same step gives way to it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._scanner = Scanner(Dialect.VISUALDL)
        self._series: list[SeriesName] = []
        self._batches: list[Batch] = []

    def update(self) -> None:
        """Read what was appended since the last call."""
        scanner = self._scanner
        with self.path.open("rb") as log:
            size = log.seek(0, SEEK_END)
            is_done = scanner.offset >= size
            while not is_done:
                log.seek(scanner.offset)
                data = log.read(min(max(_READ_BYTES, scanner.wanted), size - scanner.offset))
                at_end = scanner.offset + len(data) >= size
                consumed = scanner.feed(data, at_end=at_end)
                is_done = at_end or (consumed == 0 and scanner.wanted <= len(data))
        if scanner.pending:
            batch = scanner.take()
            self._series += map(parse_key, batch.keys)
            self._batches.append(batch)

    def tags(self) -> dict[str, list[str]]:
        """The tags of each component, in the order of their first values."""
        tags: dict[str, dict[str, None]] = {}
        for series in self._series:
            tags.setdefault(_component(series), {})[series.tag] = None
        return {component: list(names) for component, names in tags.items()}

    def values(self, component: str, tag: str) -> list[Value]:
        """Every value of a tag in file order; the curves of an `add_scalars` group one after the other."""
        numbers = [
            number
            for number, series in enumerate(self._series)
            if series.tag == tag and _component(series) == component
        ]
        if component in ("scalar", "scalars"):
            return [value for number in numbers for value in self._points(number)]
        values = []
        with self.path.open("rb") as log:
            for number in numbers:
                for offset, length, timestamp in self._blobs(number):
                    log.seek(offset)
                    values.append(visualdl_values.parse(log.read(length), timestamp))
        return values

    def _points(self, number: int) -> Iterator[Value]:
        _, tag, sub = self._series[number]
        for batch in self._batches:
            for begin, end in _ranges(batch.scalar_numbers.tolist(), batch.scalar_starts.tolist(), number):
                stamps = (batch.walls[begin:end] * 1000).round().astype("int64").tolist()
                for step, stamp, value in zip(
                    batch.steps[begin:end].tolist(), stamps, batch.values[begin:end].tolist(), strict=True
                ):
                    if sub:
                        yield Value(step, tag, stamp, tag_value=TagValue(sub, value))
                    else:
                        yield Value(step, tag, stamp, value=value)

    def _blobs(self, number: int) -> Iterator[tuple[int, int, int]]:
        for batch in self._batches:
            for begin, end in _ranges(batch.blob_numbers.tolist(), batch.blob_starts.tolist(), number):
                yield from zip(
                    batch.blob_offsets[begin:end].tolist(),
                    batch.blob_lengths[begin:end].tolist(),
                    (batch.blob_walls[begin:end] * 1000).round().astype("int64").tolist(),
                    strict=True,
                )


def _ranges(numbers: list[int], starts: list[int], number: int) -> Iterator[tuple[int, int]]:
    if number in numbers:
        at = numbers.index(number)
        yield starts[at], starts[at + 1]


def _component(series: SeriesName) -> str:
    if series.kind == Kind.SCALAR:
        return "scalars" if series.sub else "scalar"
    return _COMPONENTS[series.kind]
