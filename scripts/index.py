"""`app index`: bring the index of a folder up to date once, without a service."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mindinsight_like.errors import OperationError
from mindinsight_like.scripts.options import add_settings, load_settings
from mindinsight_like.scripts.progress import ProgressDisplay
from mindinsight_like.service.preflight import check_base_dirs, check_index_store, prepare_workspace


def add_arguments(parser: ArgumentParser) -> None:
    add_settings(parser, "config", "workspace", "summary_base_dir", "store_url", "store_checksums")


def run(arguments: Namespace) -> int:
    settings = load_settings(arguments)
    check_base_dirs(settings)
    prepare_workspace(settings.workspace)
    check_index_store(settings)

    # Here, so that a mistyped option is told at once: these import numpy.
    from mindinsight_like.loader.lock import AlreadyLocked
    from mindinsight_like.loader.memory import tune_for_loading
    from mindinsight_like.loader.once import load_once

    tune_for_loading()
    display = ProgressDisplay()
    try:
        load_once(settings, progress=display)
    except AlreadyLocked as error:
        raise OperationError(str(error)) from error
    display.finish()
    return 0
