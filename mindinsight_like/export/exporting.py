"""Run an export: every selected tag of every selected run, with a manifest of the files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mindinsight_like.errors import OperationError
from mindinsight_like.export.job import Job, values_of
from mindinsight_like.export.kinds import KINDS, Write
from mindinsight_like.export.names import Namer
from mindinsight_like.export.output import MANIFEST, Manifest, OutputFolder
from mindinsight_like.export.selection import TagPatterns
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import Run, TagSummary


@dataclass(frozen=True)
class ExportProgress:
    tags_done: int
    tags_total: int
    values_done: int
    values_total: int


@dataclass(frozen=True)
class Exported:
    runs: int
    tags: int
    files: int
    errors: int  # values that could not be read


@dataclass(frozen=True)
class _Part:
    run: Run
    kind: str
    tags: list[TagSummary]


def export(
    reader: IndexReader,
    runs: Sequence[Run],
    writers: Mapping[str, Write],
    patterns: TagPatterns,
    output: OutputFolder,
    *,
    resume: str = "latest",
    show: Callable[[ExportProgress], None] = lambda progress: None,
) -> Exported:
    """Write what was chosen, each kind by its writer; raises OperationError when that is nothing or cannot be done."""
    parts = [part for run in runs for part in _parts(reader, run, writers, patterns)]
    if not parts:
        raise OperationError("nothing to export: no matching tags of kind " + ", ".join(writers))
    progress = ExportProgress(0, sum(len(part.tags) for part in parts), 0, sum(_values(part, resume) for part in parts))
    folders = Namer()
    with output.file(MANIFEST) as file:
        about = {"summary_base_dir": str(reader.base_dir), "exported_at": time.time(), "resume": resume}
        manifest = Manifest(file, about)
        for part in parts:
            before = progress

            def advance(values: int) -> None:
                nonlocal progress
                progress = replace(progress, values_done=progress.values_done + values)
                show(progress)

            # The folder itself may be a run, too, which is called by a dot.
            folder = folders.name(reader.base_dir.name if part.run.name == "." else part.run.name)
            writers[part.kind](Job(reader, part.run, part.kind, part.tags, output, folder, manifest, advance, resume))
            progress = replace(
                before,
                tags_done=before.tags_done + len(part.tags),
                values_done=before.values_done + _values(part, resume),
            )
            show(progress)
        manifest.close()
    run_count = len({part.run.id for part in parts})
    return Exported(run_count, progress.tags_total, output.files - 1, manifest.errors)


def _parts(reader: IndexReader, run: Run, kinds: Iterable[str], patterns: TagPatterns) -> list[_Part]:
    tags = reader.series.tags_of(run.id, [KINDS[kind].kind for kind in kinds])
    parts = [_Part(run, kind, patterns.chosen(tags[KINDS[kind].kind])) for kind in kinds]
    return [part for part in parts if part.tags]


def _values(part: _Part, resume: str) -> int:
    return sum(values_of(tag, resume) for tag in part.tags)
