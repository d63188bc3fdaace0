"""`app export`: write what runs logged into files for other programs."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mindinsight_like.errors import OperationError
from mindinsight_like.scripts.folder_index import open_index
from mindinsight_like.scripts.options import add_settings, load_settings, local_path
from mindinsight_like.scripts.progress import ExportDisplay

if TYPE_CHECKING:
    from mindinsight_like.export.kinds import Write
    from mindinsight_like.export.output import OutputFolder
    from mindinsight_like.export.selection import TagPatterns
    from mindinsight_like.store.reader import IndexReader
    from mindinsight_like.store.result_types import Run


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--run",
        action="append",
        default=[],
        metavar="NAME",
        help="run name, pattern such as 'lenet/*', or regular expression; repeatable (default: all runs)",
    )
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        metavar="KIND",
        help="scalars, images, video, audio, texts, histograms, tensors, pr-curves, roc-curves, embeddings, meshes,"
        " landscapes, graphs, hparams, custom-scalars; repeatable (default: all kinds)",
    )
    parser.add_argument(
        "--tag",
        action="append",
        default=[],
        metavar="REGEX",
        help="regular expression to search for in tags; repeatable (default: all tags)",
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
        help="all: every value in the order written (default: latest, the last value of each step)",
    )
    parser.add_argument("--output", required=True, type=local_path, metavar="DIR", help="new or empty output directory")
    parser.add_argument("--force", action="store_true", help="allow a non-empty DIR and overwrite files")
    add_settings(parser, "config", "workspace", "summary_base_dir", "store_url", "store_checksums")


def run(arguments: Namespace) -> int:
    settings = load_settings(arguments)

    # Here, so that a mistyped option is told at once: these import numpy and pyarrow.
    from mindinsight_like.export.output import OutputFolder
    from mindinsight_like.export.selection import TagPatterns, chosen_runs, chosen_writers

    writers = chosen_writers(arguments.kind, arguments.format)
    patterns = TagPatterns(arguments.tag)
    output = OutputFolder(arguments.output, force=arguments.force)
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
        print(f"{what} could not be read; see {where} for details", file=sys.stderr)
    return 0
