"""`app index`: bring the index of a folder up to date once, without a service."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mindinsight_like.scripts.options import add_settings, load_settings
from mindinsight_like.scripts.progress import Progress

from mindinsight_like.service.ground import check_base_dir, prepare_workspace


def add_arguments(parser: ArgumentParser) -> None:
    add_settings(parser, "config", "workspace", "summary_base_dir", "store_url")


def run(arguments: Namespace) -> int:
    settings = load_settings(arguments)
    check_base_dir(settings.summary_base_dir)
    prepare_workspace(settings.workspace)

    from mindinsight_like.loader.once import load_once

    progress = Progress()
    load_once(settings, progress=progress)
    progress.finish()
    return 0
