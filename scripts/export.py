"""`app export`: write what runs logged into files for other programs."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from pathlib import Path

from mindinsight_like.scripts.options import add_settings, load_settings
from mindinsight_like.scripts.progress import ExportDisplay, ProgressDisplay
from mindinsight_like.service.errors import OperationError
from mindinsight_like.service.ground import check_base_dir, check_store, prepare_workspace


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
        " landscapes, custom-scalars; may be given several times (default: all kinds)",
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
    check_base_dir(settings.summary_base_dir)
    prepare_workspace(settings.workspace)
    check_store(settings.store_url)

    # Here, so that a mistyped option is told at once: these import numpy and pyarrow.
    from mindinsight_like.errors import ServiceError
    from mindinsight_like.export.exporting import export
    from mindinsight_like.export.output import MANIFEST, OutputFolder
    from mindinsight_like.export.selection import TagPatterns, chosen_formats, chosen_runs
    from mindinsight_like.loader.lock import AlreadyLocked
    from mindinsight_like.loader.once import load_once
    from mindinsight_like.store.reading import IndexReader

    formats = chosen_formats(arguments.kind, arguments.format)
    patterns = TagPatterns(arguments.tag)
    output = OutputFolder(arguments.output.expanduser(), force=arguments.force)
    loading = ProgressDisplay()
    # A service that follows this folder holds the lock and does the loading itself.
    with suppress(AlreadyLocked):
        load_once(settings, progress=loading)
        loading.wipe()
    reader = IndexReader.open(settings.summary_base_dir, settings.workspace, settings.store_url)
    try:
        runs = chosen_runs(reader, arguments.run)
        display = ExportDisplay()
        done = export(reader, runs, formats, patterns, output, resume=arguments.resume, show=display)
    except ServiceError as error:
        raise OperationError(str(error)) from error
    display.finish(done, output.path)
    if done.errors:
        where = output.path / MANIFEST
        print(f"{done.errors:,} values could not be read; {where} says which and why", file=sys.stderr)
    return 0
