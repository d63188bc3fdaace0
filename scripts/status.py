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
    parser.add_argument("--json", action="store_true", help="print one JSON object for programs")


def run(arguments: Namespace) -> int:
    """0 when the asked service runs (without --port: any service of the workspace), else 1."""
    settings = load_settings(arguments)
    if arguments.port is None:
        known = state.read_all(settings.workspace)
    else:
        known = [found for found in [state.read(settings.workspace, settings.port)] if found]
    reports = [_report(service) for service in known]
    if arguments.json:
        print(json.dumps({"workspace": str(settings.workspace), "services": reports}, indent=2))
    elif reports:
        print("\n\n".join(_text(report) for report in reports))
    else:
        place = "" if arguments.port is None else f" on port {settings.port}"
        print(f"No service of workspace {settings.workspace}{place}")
    return 0 if any(report["running"] for report in reports) else 1


def _report(service: ServiceState) -> dict[str, Any]:
    pids = defaultdict(list)
    for process in processes.members(service):
        pids[processes.role(process)].append(process.pid)
    answer = ask(service.settings) if pids else None
    return {
        "port": service.settings.port,
        "running": processes.is_running(service),
        "answering": answer is not None,
        "address": web_address(service.settings),
        "summary_base_dir": str(service.settings.summary_base_dir),
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
        f"  Started: {datetime.fromtimestamp(report['started_at']):%Y-%m-%d %H:%M:%S}",
    ]
    loading = report["loading"]
    if loading:
        lines.append(f"  Loaded: {loading['runs_done']} of {loading['runs_total']} runs ({loading['state']})")
    parts = (f"{role} {' '.join(map(str, pids))}" for role, pids in report["processes"].items())
    lines.append(f"  Processes: {', '.join(parts)}")
    return "\n".join(lines)
