"""`app export`: write what runs logged into files for other programs."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mindinsight_like.scripts.folder_index import open_index
from mindinsight_like.scripts.options import add_settings, load_settings
from mindinsight_like.scripts.progress import ExportDisplay
from mindinsight_like.service.errors import OperationError

if TYPE_CHECKING:
    from mindinsight_like.export.kinds import Write
    from mindinsight_like.export.output import OutputFolder
    from mindinsight_like.export.selection import TagPatterns
    from mindinsight_like.store.answers import Run
    from mindinsight_like.store.reading import IndexReader


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--run",
        action="append",
        default=[],
        metavar="NAME",
        help="a run's name, a pattern such as 'lenet/*', or a regular expression; may be given several times"
        " (default: all runs)",
    )
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        metavar="KIND",
        help="scalars, images, video, audio, texts, histograms, tensors, pr-curves, roc-curves, embeddings, meshes,"
        " landscapes, graphs, hparams, custom-scalars; may be given several times (default: all kinds)",
    )
    parser.add_argument(
        "--tag",
        action="append",
        default=[],
        metavar="REGEX",
        help="regular expression to be found in the tag; may be given several times (default: all tags)",
    )
    parser.add_argument(
        "--format",
        action="append",
        default=[],
        metavar="FORMAT",
        help="csv, parquet, npz, npy, json, txt, png, original, gif, wav, as suits the kind; may be given several"
        " times: each kind takes the first that suits it (default: one that suits)",
    )
    parser.add_argument(
        "--resume",
        choices=("latest", "all"),
        default="latest",
        help="all: also what a resumed training wrote again (default: latest)",
    )
    parser.add_argument("--output", required=True, type=Path, metavar="DIR", help="a new or empty folder to write to")
    parser.add_argument("--force", action="store_true", help="DIR may hold files; replace those of the same name")
    add_settings(parser, "config", "workspace", "summary_base_dir", "store_url")


def run(arguments: Namespace) -> int:
    settings = load_settings(arguments)

    # Here, so that a mistyped option is told at once: these import numpy and pyarrow.
    from mindinsight_like.export.output import OutputFolder
    from mindinsight_like.export.selection import TagPatterns, chosen_runs, chosen_writers

    writers = chosen_writers(arguments.kind, arguments.format)
    patterns = TagPatterns(arguments.tag)
    output = OutputFolder(arguments.output.expanduser(), force=arguments.force)
    reader = open_index(settings)
    return write_out(reader, chosen_runs(reader, arguments.run), writers, patterns, output, resume=arguments.resume)


def write_out(
    reader: IndexReader,
    runs: Sequence[Run],
    writers: Mapping[str, Write],
    patterns: TagPatterns,
    output: OutputFolder,
    *,
    resume: str,
) -> int:
    """Export with a bar and a last word; the exit code of the command."""
    from mindinsight_like.errors import ServiceError
    from mindinsight_like.export.exporting import export
    from mindinsight_like.export.output import MANIFEST

    display = ExportDisplay()
    try:
        done = export(reader, runs, writers, patterns, output, resume=resume, show=display)
    except ServiceError as error:
        raise OperationError(str(error)) from error
    display.finish(done, output.path)
    if done.errors:
        where = output.path / MANIFEST
        what = "1 value" if done.errors == 1 else f"{done.errors:,} values"
        print(f"{what} could not be read; {where} says which and why", file=sys.stderr)
    return 0
