"""`app demo DIR`: make demo runs in all three dialects."""

from __future__ import annotations

import argparse
import os
import time

from mindinsight_like.errors import OperationError
from mindinsight_like.scripts.options import local_path

DEFAULT_RUNS = 12
DEFAULT_LIVE_SECONDS = 120.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "folder", metavar="DIR", type=local_path, help="new or empty directory, or one created by this command"
    )
    parser.add_argument(
        "--runs", type=_positive, default=DEFAULT_RUNS, metavar="N", help="number of runs (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: %(default)s)")
    parser.add_argument(
        "--live",
        type=_seconds,
        nargs="?",
        const=DEFAULT_LIVE_SECONDS,
        metavar="SECONDS",
        help="then train one more run per log format for this many seconds, to watch live updates"
        f" (default: {DEFAULT_LIVE_SECONDS:g})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the runs and say how to look at them; raises OperationError when the folder is not for us."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are tiny; threads would only wait for each other
    from mindinsight_like.demo.folder import DemoFolder, NotADemoFolder, Recipe
    from mindinsight_like.demo.recording import record, record_live

    recipe = Recipe(arguments.runs, arguments.seed)
    try:
        folder = DemoFolder(arguments.folder)
        if folder.holds(recipe):
            print(f"{recipe.runs} demo runs already exist in {folder.path}")
        else:
            started = time.perf_counter()
            written = record(folder, recipe, now=time.time())
            print(f"{len(written)} demo runs written to {folder.path} ({time.perf_counter() - started:.1f} s)")
        print(f"view them with: app start --summary-base-dir {folder.path}", flush=True)
        if arguments.live is not None:
            print(f"training for {arguments.live:g} s in {folder.path / 'live'}; press Ctrl-C to stop", flush=True)
            record_live(folder, seconds=arguments.live)
    except (NotADemoFolder, OSError) as error:
        raise OperationError(str(error)) from error
    return 0


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _seconds(text: str) -> float:
    seconds = float(text)
    if not seconds > 0:
        raise argparse.ArgumentTypeError("must be above 0")
    return seconds
