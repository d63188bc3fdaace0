"""What can be told of the code and the machine of the running program, without asking the user."""

from __future__ import annotations

import os
import platform
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

_MOST_DIFF = 200_000  # characters
_SECONDS = 10
# Values after such names are for nobody else's eyes.
_SECRET = re.compile(r"(token|secret|passw|api[-_]?key|credential)", re.IGNORECASE)
# What decides where and how training runs, and holds no secrets.
_VARIABLES = (
    "CUDA_VISIBLE_DEVICES",
    "ASCEND_VISIBLE_DEVICES",
    "OMP_NUM_THREADS",
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "RANK_SIZE",
    "CONDA_DEFAULT_ENV",
    "SLURM_JOB_ID",
)


def code() -> dict[str, Any]:
    """The script, its command line and, in a git checkout, the commit with what differs from it."""
    script = Path(sys.argv[0]).absolute() if sys.argv and sys.argv[0] else None
    where = script.parent if script is not None and script.is_file() else Path.cwd()
    found: dict[str, Any] = {"command": command_line(sys.argv), "working_directory": os.fspath(Path.cwd())}
    if script is not None and script.is_file():
        found["script"] = os.fspath(script)
    commit = _git(where, "rev-parse", "HEAD")
    if commit:
        changes = _git(where, "diff", "HEAD", "--no-ext-diff", "--no-color") or ""
        found |= {
            "commit": commit,
            "branch": _git(where, "rev-parse", "--abbrev-ref", "HEAD") or "",
            "repository": _without_password(_git(where, "config", "--get", "remote.origin.url") or ""),
            "is_dirty": bool(_git(where, "status", "--porcelain", "--untracked-files=no")),
            "diff": changes
            if len(changes) <= _MOST_DIFF
            else f"{changes[:_MOST_DIFF]}\n... {len(changes):,} characters",
        }
    return {key: value for key, value in found.items() if value not in ("", None)}


def environment() -> dict[str, Any]:
    """The machine, the Python and the packages that are in use."""
    return {
        "host": socket.gethostname(),
        "user": os.environ.get("USER", ""),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "variables": {name: os.environ[name] for name in _VARIABLES if name in os.environ},
        "packages": _packages(),
    }


def command_line(arguments: list[str]) -> str:
    """The command as one would type it; what looks like a password is left out."""
    shown: list[str] = []
    hide_next = False
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if hide_next and not argument.startswith("-"):
            shown.append("***")
        elif equals and _SECRET.search(name):
            shown.append(f"{name}=***")
        else:
            shown.append(argument)
        hide_next = argument.startswith("-") and not equals and bool(_SECRET.search(name))
    return shlex.join(shown)


def _packages() -> dict[str, str]:
    """The versions of imported packages, as far as they say one."""
    found = {}
    for name, module in sorted(sys.modules.items()):
        version = getattr(module, "__version__", None)
        if "." not in name and not name.startswith("_") and isinstance(version, str):
            found[name] = version
    return found


def _git(folder: Path, *arguments: str) -> str | None:
    """What git says, or None where there is no git, no checkout or no answer in time."""
    try:
        answer = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            capture_output=True,
            timeout=_SECONDS,
            check=True,
            text=True,
            errors="replace",
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()


def _without_password(address: str) -> str:
    return re.sub(r"//[^/@]*@", "//", address)
