"""`app status`: which services run, where, and how far they have loaded."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from datetime import datetime
from typing import Any

from mindinsight_like.scripts.options import add_settings, load_settings
from mindinsight_like.service import processes, state
from mindinsight_like.service.client import ask, web_address
from mindinsight_like.service.state import ServiceState


def add_arguments(parser: ArgumentParser) -> None:
    add_settings(parser, "config", "workspace", "port")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    """0 when the service on the port runs (without --port: any service of this user on this machine), else 1."""
    settings = load_settings(arguments)
    port = settings.port if arguments.port is not None else None
    workspace = settings.workspace if arguments.workspace is not None else None
    services = processes.services(port=port, workspace=workspace)
    ids = {service.id for service in services}
    notes = [note for note in state.read_all(settings.workspace) if port in (None, note.settings.port)]
    here = state.this_host()
    services += [note for note in notes if note.host == here and note.id not in ids]  # left by a crash
    reports = [_report(service) for service in services]
    elsewhere = [_elsewhere(note) for note in notes if note.host != here]
    if arguments.json:
        body = {"workspace": str(settings.workspace), "host": here, "services": reports, "elsewhere": elsewhere}
        print(json.dumps(body, indent=2))
    else:
        place = "" if port is None else f" on port {port}"
        whose = f"of workspace {workspace}" if workspace else "of this user"
        texts = [_text(report) for report in reports] or [f"No service {whose}{place} on this machine"]
        print("\n\n".join([*texts, *(_elsewhere_text(each) for each in elsewhere)]))
    return 0 if any(report["running"] for report in reports) else 1


def _elsewhere(note: ServiceState) -> dict[str, Any]:
    """What the workspace tells of a service on another machine that shares it."""
    return {
        "host": note.host,
        "port": note.settings.port,
        "summary_base_dir": note.settings.served,
        "started_at": note.create_time,
        "seen_at": state.seen_at(note),
    }


def _elsewhere_text(report: dict[str, Any]) -> str:
    last_seen = datetime.fromtimestamp(report["seen_at"])
    return (
        f"Port {report['port']} on {report['host']}: serves {report['summary_base_dir']}, last seen"
        f" {last_seen:%Y-%m-%d %H:%M:%S}; run app status there for details"
    )


def _report(service: ServiceState) -> dict[str, Any]:
    pids = defaultdict(list)
    for process in processes.members(service):
        pids[processes.role(process)].append(process.pid)
    answer = ask(service.settings) if pids else None
    return {
        "port": service.settings.port,
        "host": service.host,
        "workspace": str(service.settings.workspace),
        "running": processes.is_running(service),
        "answering": answer is not None,
        "address": web_address(service.settings),
        "summary_base_dir": service.settings.served,
        "started_at": service.create_time,
        "processes": dict(pids),
        "store": (answer or {}).get("store"),
        "loading": (answer or {}).get("loading"),
    }


def _text(report: dict[str, Any]) -> str:
    if not report["running"]:
        return f"Port {report['port']}: not running any more, was serving {report['summary_base_dir']}"
    lines = [
        f"Port {report['port']}: {'running' if report['answering'] else 'running, but not answering'}",
        f"  Web address: {report['address']}",
        f"  Summary base dir: {report['summary_base_dir']}",
        f"  Workspace: {report['workspace']}",
        f"  Started: {datetime.fromtimestamp(report['started_at']):%Y-%m-%d %H:%M:%S}",
    ]
    loading = report["loading"]
    if loading:
        lines.append(f"  Loaded: {loading['runs_done']} of {loading['runs_total']} runs ({loading['state']})")
    parts = (f"{role} {' '.join(map(str, pids))}" for role, pids in report["processes"].items())
    lines.append(f"  Processes: {', '.join(parts)}")
    return "\n".join(lines)
