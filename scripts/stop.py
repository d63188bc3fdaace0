"""`app stop`: end a service with all its processes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from mindinsight_like.errors import OperationError
from mindinsight_like.scripts.options import add_settings, load_settings
from mindinsight_like.service import processes, state


def add_arguments(parser: ArgumentParser) -> None:
    add_settings(parser, "config", "workspace", "port")


def run(arguments: Namespace) -> int:
    settings = load_settings(arguments)
    # Only a workspace that is named narrows the search: the service may have been started with any.
    workspace = settings.workspace if arguments.workspace is not None else None
    running = processes.services(port=settings.port, workspace=workspace)
    if len(running) > 1:
        places = ", ".join(f"{each.settings.bind} with workspace {each.settings.workspace}" for each in running)
        raise OperationError(f"several services use port {settings.port} ({places}); select one with --workspace")
    service = running[0] if running else state.read(settings.workspace, settings.port)
    if service is None:
        raise OperationError(_none_there(settings.workspace, settings.port, workspace))
    was_running = processes.end(service)
    service.remove()
    if was_running:
        print(f"Stopped the service on port {settings.port}")
    else:
        print(f"The service on port {settings.port} was no longer running")
    return 0


def _none_there(workspace: Path, port: int, named: Path | None) -> str:
    """That there is no such service, and which there are."""
    whose = f"of workspace {named}" if named else "of this user"
    ports = sorted({each.settings.port for each in processes.services(workspace=named)})
    hint = f"; running services use port {', '.join(map(str, ports))}" if ports else ""
    if named and (others := processes.services(port=port)):
        hint += f"; the one on port {port} has workspace {others[0].settings.workspace}"
    hosts = [note.host for note in state.read_all(workspace) if note.settings.port == port]
    elsewhere = [host for host in hosts if host != state.this_host()]
    if elsewhere:
        hint += f"; a service on port {port} runs on {', '.join(elsewhere)}; stop it there"
    return f"no service {whose} on port {port} of this machine{hint}"
