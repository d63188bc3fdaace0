"""`app parse_summary`: scalars and images of one folder, as MindInsight's command of this name wrote them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime
from pathlib import Path

from mindinsight_like.errors import OperationError
from mindinsight_like.scripts.export import write_out
from mindinsight_like.scripts.folder_index import open_index
from mindinsight_like.scripts.options import add_settings, load_settings, local_path


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--summary-dir", default=".", metavar="DIR", help="directory with the log files (default: .)")
    parser.add_argument(
        "--output",
        type=local_path,
        default=Path(),
        metavar="DIR",
        help="directory in which to create output_<time> (default: .)",
    )
    add_settings(parser, "config", "workspace", "store_url", "store_checksums")


def run(arguments: Namespace) -> int:
    arguments.summary_base_dir = arguments.summary_dir
    settings = load_settings(arguments)

    from mindinsight_like.export.output import OutputFolder
    from mindinsight_like.export.parsed_summary import WRITERS
    from mindinsight_like.export.selection import TagPatterns

    reader = open_index(settings)
    runs = [each for each in reader.runs.find()[1] if each.name == "."]
    if not runs:
        raise OperationError(f"no log files in {settings.summary_base_dir}")
    folder = arguments.output / datetime.now().strftime("output_%Y%m%d_%H%M%S_%f")
    return write_out(reader, runs, WRITERS, TagPatterns([]), OutputFolder(folder, force=False), resume="latest")
