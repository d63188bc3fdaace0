"""`app start`: serve a folder of training logs."""

from __future__ import annotations

import signal
import subprocess
from argparse import ArgumentParser, Namespace
from types import FrameType

from mindinsight_like.scripts.options import add_settings, load_settings
from mindinsight_like.service.ground import check_base_dir, check_collector, check_store, prepare_workspace
from mindinsight_like.service.launch import Service, launch


def add_arguments(parser: ArgumentParser) -> None:
    add_settings(parser)
    parser.add_argument("--foreground", action="store_true", help="stay attached until the service ends")


def run(arguments: Namespace) -> int:
    settings = load_settings(arguments)
    check_base_dir(settings.summary_base_dir)
    prepare_workspace(settings.workspace)
    check_store(settings.store_url)
    check_collector(settings)
    service = launch(settings, foreground=arguments.foreground)
    if service.supervisor is None:
        print(f"Already serving {service.settings.summary_base_dir}")
        print(f"Web address: {service.address}", flush=True)
        return 0
    _announce(service)
    return _stay(service.supervisor) if arguments.foreground else 0


def _announce(service: Service) -> None:
    settings = service.settings
    print(f"Workspace: {settings.workspace}")
    print(f"Summary base dir: {settings.summary_base_dir}")
    if service.answer.get("native") is False:
        print("Reading without the compiled scanner: much slower, same results (docs/install.md tells how to get it)")
    if settings.token:
        print(f"Token: {settings.token}")
    if settings.collector_port:
        print(f"Collector address: {settings.collector_bind}")
    print(f"Web address: {service.address}", flush=True)


def _stay(supervisor: subprocess.Popen[bytes]) -> int:
    """Wait for the supervisor and hand requests to end on to it."""

    def hand_on(number: int, frame: FrameType | None) -> None:
        if supervisor.poll() is None:
            supervisor.terminate()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, hand_on)
    return supervisor.wait()
