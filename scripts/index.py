"""`app index`: bring the index of a folder up to date once, without a service."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mindinsight_like.scripts.options import add_settings, load_settings
from mindinsight_like.scripts.progress import ProgressDisplay
from mindinsight_like.service.errors import OperationError
from mindinsight_like.service.ground import check_base_dir, check_store, prepare_workspace


def add_arguments(parser: ArgumentParser) -> None:
    add_settings(parser, "config", "workspace", "summary_base_dir", "store_url")


def run(arguments: Namespace) -> int:
    settings = load_settings(arguments)
    check_base_dir(settings.summary_base_dir)
    prepare_workspace(settings.workspace)
    check_store(settings.store_url)

    # Here, so that a mistyped option is told at once: these import numpy.
    from mindinsight_like.loader.lock import AlreadyLocked
    from mindinsight_like.loader.once import load_once

    display = ProgressDisplay()
    try:
        load_once(settings, progress=display)
    except AlreadyLocked as error:
        raise OperationError(str(error)) from error
    display.finish()
    return 0
