"""`app stop`: end a service with all its processes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mindinsight_like.scripts.options import add_settings, load_settings
from mindinsight_like.service import processes, state
from mindinsight_like.service.errors import OperationError


def add_arguments(parser: ArgumentParser) -> None:
    add_settings(parser, "config", "workspace", "port")


def run(arguments: Namespace) -> int:
    settings = load_settings(arguments)
    known = state.read(settings.workspace, settings.port)
    if known is None:
        others = [other.settings.port for other in state.read_all(settings.workspace) if processes.is_running(other)]
        hint = f"; services of this workspace run on port {', '.join(map(str, others))}" if others else ""
        raise OperationError(f"no service of workspace {settings.workspace} on port {settings.port}{hint}")
    was_running = processes.end(known)
    known.remove()
    if was_running:
        print(f"Stopped the service on port {settings.port}")
    else:
        print(f"The service on port {settings.port} was no longer running")
    return 0
