"""One job of an export: the selected tags of one kind in one run, and the output they go to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mindinsight_like.export.names import Namer
from mindinsight_like.export.output import Manifest, OutputFolder
from mindinsight_like.items.series import Item, ItemKind, walk_items
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import Curve, Run, TagSummary


def values_of(tag: TagSummary, resume: str) -> int:
    """How many values of a tag are exported."""
    return tag.count + (tag.superseded if resume == "all" else 0)


@dataclass(frozen=True)
class Job:
    reader: IndexReader
    run: Run
    kind: str  # as people call it
    tags: Sequence[TagSummary]
    output: OutputFolder
    folder: str  # of the run, below the output folder
    manifest: Manifest
    advance: Callable[[int], None]  # told how many values have been dealt with
    resume: str
    _names: Namer = field(default_factory=Namer)

    def curves(self) -> Iterator[Curve]:
        """The curves of scalars, with every point."""
        for tag in self.tags:
            curves = self.reader.scalars([self.run.id], [tag.tag], max_points=None, resume=self.resume)
            yield from curves
            self.advance(values_of(tag, self.resume))

    def series(self, kind: ItemKind[Any]) -> Iterator[Series]:
        for tag in self.tags:
            left = values_of(tag, self.resume)
            for blobs in self.reader.blobs([self.run.id], [tag.tag], kind.kind, resume=self.resume):
                yield Series(self, blobs.tag, blobs.source, walk_items(self.reader, kind, blobs))
                self.advance(len(blobs.steps))
                left -= len(blobs.steps)
            self.advance(max(0, left))  # a log that is being written may have been read again meanwhile

    def name_of(self, tag: str, source: str) -> str:
        """The file name for what one writer logged under a tag."""
        return self._names.name(f"{tag} {source}" if source else tag)

    def note(self, tag: str, source: str, **more: Any) -> None:
        """Put into the manifest what became of (a value of) a tag."""
        self.manifest.add({"run": self.run.name, "kind": self.kind, "tag": tag, "source": source, **more})


@dataclass(frozen=True)
class Logged:
    """A value that could be read."""

    step: int
    wall_time: float
    index: int  # among the values of its step
    size: int  # bytes of its record
    value: Any  # as the decoder of its kind gives it
    file: Callable[[], bytes]  # gives its file until the next value is asked for; raises what is in UNREADABLE


@dataclass(frozen=True)
class Series:
    """What one writer logged under a tag."""

    job: Job
    tag: str
    source: str
    _walk: Iterator[tuple[Item[Any], Callable[[], bytes]]]

    def values(self) -> Iterator[Logged]:
        """The values that can be read; of the others the manifest is told."""
        for item, file in self._walk:
            index = item.reference.part
            if item.error is None:
                yield Logged(item.step, item.wall_time, index, item.reference.length, item.value, file)
            else:
                self.job.note(self.tag, self.source, step=item.step, index=index, error=item.error)

    def note(self, **more: Any) -> None:
        """Put into the manifest what became of the series, or of the value whose step is given."""
        self.job.note(self.tag, self.source, **more)
