"""`app demo DIR`: make demo runs in all three dialects."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from mindinsight_like.service.errors import OperationError

DEFAULT_RUNS = 12
DEFAULT_LIVE_SECONDS = 120.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="a new or empty folder, or one made by this command")
    parser.add_argument("--runs", type=_positive, default=DEFAULT_RUNS, metavar="N", help="how many (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="other numbers give other curves (%(default)s)")
    parser.add_argument(
        "--live",
        type=_seconds,
        nargs="?",
        const=DEFAULT_LIVE_SECONDS,
        metavar="SECONDS",
        help=f"then train one more run per dialect for this long ({DEFAULT_LIVE_SECONDS:g}), to watch it grow",
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
            print(f"{recipe.runs} demo runs are already in {folder.path}")
        else:
            started = time.perf_counter()
            written = record(folder, recipe, now=time.time())
            print(f"{len(written)} demo runs are in {folder.path} ({time.perf_counter() - started:.1f} s)")
        print(f"view them with: app start --summary-base-dir {folder.path}", flush=True)
        if arguments.live is not None:
            print(f"training for {arguments.live:g} s below {folder.path / 'live'}; Ctrl-C ends it", flush=True)
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
