"""`app start`: serve a folder of training logs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from contextlib import suppress
from pathlib import Path
from types import FrameType

from mindinsight_like.access.tokens import check_tokens
from mindinsight_like.conf.parsers import OLD_WORKSPACE
from mindinsight_like.conf.settings import Settings
from mindinsight_like.scripts.board import boards_of, offer_text
from mindinsight_like.scripts.options import add_settings, load_settings
from mindinsight_like.service.launch import Service, launch
from mindinsight_like.service.preflight import check_base_dirs, check_collector, check_index_store, prepare_workspace

_OFFER_SECONDS = 3.0  # the loader compares boards as soon as it has loaded


def add_arguments(parser: ArgumentParser) -> None:
    add_settings(parser)
    parser.add_argument("--foreground", action="store_true", help="stay in the foreground until the service stops")


def run(arguments: Namespace) -> int:
    settings = load_settings(arguments)
    check_base_dirs(settings)
    prepare_workspace(settings.workspace)
    check_index_store(settings)
    check_collector(settings)
    for warning in check_tokens(settings):
        print(f"Warning: {warning}", file=sys.stderr)
    _claim_board(settings)
    service = launch(settings, foreground=arguments.foreground)
    if service.supervisor is None:
        print(f"Already serving {service.settings.served}")
        print(f"Web address: {service.address}", flush=True)
        return 0
    _announce(service)
    return _stay(service.supervisor) if arguments.foreground else 0


def _announce(service: Service) -> None:
    settings = service.settings
    is_old = str(settings.workspace) == os.path.realpath(Path(OLD_WORKSPACE).expanduser())
    hint = " (from an older release; the default is now ~/mindinsight-like)" if is_old else ""
    print(f"Workspace: {settings.workspace}{hint}")
    print(f"Summary base dir: {settings.served}")
    if service.answer.get("native") is False:
        print("Native scanner not available: loading is much slower, results are the same (see docs/install.md)")
    if settings.token:
        print(f"Token: {settings.token}")
    if settings.collector_port:
        print(f"Collector address: {settings.collector_bind}")
    print(f"Web address: {service.address}", flush=True)
    _tell_offer(settings)


def _claim_board(settings: Settings) -> None:
    """Let the folder belong to the board that was named; the service uses that board even if this cannot be noted."""
    if not settings.board_id:
        return
    from mindinsight_like.errors import ServiceError

    try:
        left = boards_of(settings).claim()
    except ServiceError as error:
        print(f"Cannot assign the directory to board {settings.board_id}: {error}", file=sys.stderr)
        return
    if left:
        print(f"Existing notes, labels and views stay in board {left} (app board --use {left})")


def _tell_offer(settings: Settings) -> None:
    """Print which board the folder looks like, if there is one; waits only if there may be one."""
    from mindinsight_like.errors import ServiceError

    boards, offer = boards_of(settings), None
    with suppress(ServiceError):  # the service runs; it says itself what is wrong with the database
        until = time.monotonic() + _OFFER_SECONDS
        while boards.candidates() and offer is None and time.monotonic() < until:
            time.sleep(0.1)
            offer = boards.offer()
    if offer is not None:
        print(offer_text(offer, settings), flush=True)


def _stay(supervisor: subprocess.Popen[bytes]) -> int:
    """Wait for the supervisor and hand requests to end on to it."""

    def hand_on(number: int, frame: FrameType | None) -> None:
        if supervisor.poll() is None:
            supervisor.terminate()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, hand_on)
    return supervisor.wait()
